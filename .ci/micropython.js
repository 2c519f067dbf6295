// Run a script in MicroPython for WebAssembly, as `micropython SCRIPT ARG...` would, and end with
// its exit status. It sees no folder of this machine: what the self-check needs is copied.
//   node .ci/micropython.js PACKAGE SCRIPT ARG...
// PACKAGE: where npm put the package @micropython/micropython-webassembly-pyscript
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

async function main(folder, args) {
  const url = pathToFileURL(path.resolve(folder, "micropython.mjs"));
  const { loadMicroPython } = await import(url);
  const micropython = await loadMicroPython({ heapsize: 16e6, stdout: console.log });
  for (const name of [".", ".ci", "examples", "examples/tools", "examples/porting"]) {
    micropython.FS.mkdirTree("/" + name);
    for (const file of fs.readdirSync(name).filter(file => /\.(py|json)$/.test(file))) {
      micropython.FS.writeFile("/" + name + "/" + file, fs.readFileSync(name + "/" + file));
    }
  }
  micropython.globals.set("args", args);
  micropython.runPython(`
import os, sys
os.chdir("/")
sys.argv[:] = list(args)
status = 0
try:
    exec(open(sys.argv[0]).read(), {"__name__": "__main__", "__file__": sys.argv[0]})
except SystemExit as end:
    status = end.args[0] if end.args else 0
`);
  return micropython.globals.get("status") || 0;
}

main(process.argv[2], process.argv.slice(3)).then(
  (status) => { process.exitCode = status; },
  (error) => { console.error(String(error.message || error)); process.exitCode = 1; });
