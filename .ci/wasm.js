// Run a script in a Python for WebAssembly, as `python3 SCRIPT ARG...` would, and end with its
// exit status. It sees no folder of this machine: what bits.py needs is copied.
//   node .ci/wasm.js PROGRAM SCRIPT ARG...
// PROGRAM: micropython.mjs or pyodide.mjs, where npm has put it
const fs = require("fs");
const path = require("path");
const {pathToFileURL} = require("url");

const FOLDERS = [".", ".ci", "examples", "examples/tools", "examples/porting"];
const RUN = `
import os, sys
os.chdir("/repository")
sys.path.insert(0, "/repository")
sys.argv[:] = list(args)
status = 0
try:
    exec(open(sys.argv[0]).read(), {"__name__": "__main__", "__file__": sys.argv[0]})
except SystemExit as end:
    status = end.args[0] if end.args else 0
`;

async function main([program, ...args]) {
  const {loadMicroPython, loadPyodide} = await import(pathToFileURL(path.resolve(program)));
  const python = await (loadMicroPython || loadPyodide)({heapsize: 16e6, stdout: console.log});
  for (const folder of FOLDERS) {
    python.FS.mkdirTree("/repository/" + folder);
    for (const name of fs.readdirSync(folder).filter(name => /\.(py|json)$/.test(name))) {
      const file = folder + "/" + name;
      python.FS.writeFile("/repository/" + file, fs.readFileSync(file));
    }
  }
  python.globals.set("args", args);
  python.runPython(RUN);
  process.exitCode = python.globals.get("status") || 0;
}

main(process.argv.slice(2)).catch(error => {
  console.error(String(error.message || error));
  process.exitCode = 1;
});
