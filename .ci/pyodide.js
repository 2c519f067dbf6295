// Run a script in CPython for WebAssembly, as `python3 SCRIPT ARG...` would: from this folder,
// with its output, its exit status.
//   node .ci/pyodide.js PACKAGE SCRIPT ARG...      PACKAGE: where npm put the package pyodide
const path = require("path");

async function main(folder, args) {
  const { loadPyodide } = require(path.resolve(folder));
  const pyodide = await loadPyodide();
  pyodide.mountNodeFS("/repository", process.cwd());
  pyodide.globals.set("args", pyodide.toPy(args));
  return pyodide.runPython(`
import os, runpy, sys
os.chdir("/repository")
sys.path.insert(0, "/repository")
sys.dont_write_bytecode = True
sys.argv = list(args)
status = 0
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    status = end.code or 0
sys.stdout.flush()
status`);
}

main(process.argv[2], process.argv.slice(3)).then(
  (status) => { process.exitCode = status; },
  (error) => { console.error(String(error.message || error)); process.exitCode = 1; });
