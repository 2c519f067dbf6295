// Run a script in MicroPython for WebAssembly, as `micropython SCRIPT` would, and end with its
// exit status. It sees no folder of this machine: SCRIPT and each FILE are copied into its memory.
//   node .ci/micropython.js PACKAGE SCRIPT FILE...
// PACKAGE: where npm put the package @micropython/micropython-webassembly-pyscript
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

async function main(folder, files) {
  const url = pathToFileURL(path.resolve(folder, "micropython.mjs"));
  const { loadMicroPython } = await import(url);
  const micropython = await loadMicroPython({ heapsize: 16e6, stdout: console.log });
  for (const file of files) {
    micropython.FS.mkdirTree("/" + path.posix.dirname(file));
    micropython.FS.writeFile("/" + file, fs.readFileSync(file));
  }
  micropython.globals.set("script", files[0]);
  micropython.runPython(`
import os, sys
os.chdir("/")
status = 0
try:
    exec(open(script).read(), {"__name__": "__main__"})
except SystemExit as end:
    status = end.args[0] if end.args else 0
`);
  return micropython.globals.get("status") || 0;
}

main(process.argv[2], process.argv.slice(3)).then(
  (status) => { process.exitCode = status; },
  (error) => { console.error(String(error.message || error)); process.exitCode = 1; });
