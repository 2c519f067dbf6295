"""Run attention.py in every Python of the table below, and compare with this one.

It looks for the programs in .ci/pythons/bin (`.ci/run pythons` fills it), in the
versions of pyenv and on the PATH. All numbers of all cases in
examples/porting/vectors.json must have the same bits, and attention.py must print the
same: with --json, the same numbers to 12 decimals.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMANDS = [
    ["attention.py"],
    ["attention.py", "step"],
    ["attention.py", "--json"],
    [".ci/bits.py"],
]

# A Python that is not required may be missing. Without JSON, only two commands work.
Python = namedtuple("Python", ["name", "program", "required", "has_json"])
TABLE = [Python("CPython 3.%d" % minor, "python3.%d" % minor, minor < 14, True)
         for minor in range(6, 16)]
TABLE += [
    Python("CPython Windows", "python-windows", False, True),
    Python("CPython s390x", "python-s390x", False, True),
    Python("CPython arm64", "python-arm64", False, True),
    Python("CPython 3.14 wasm", "pyodide314", True, True),
    Python("CPython 3.15 wasm", "pyodide315", True, True),
    Python("PyPy", "pypy3", True, True),
    Python("MicroPython", "micropython", True, True),
    Python("MicroPython wasm", "micropython-wasm", True, True),
    Python("Brython", "brython", True, True),
    Python("Skulpt", "skulpt", True, False),
]


def find(program):
    """Return the path of a program, or None."""
    folders = [os.path.join(ROOT, ".ci", "pythons", "bin")]
    folders += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin")))
    folders.append(os.environ["PATH"])  # last: pyenv's shims there may lead nowhere
    return shutil.which(program, path=os.pathsep.join(folders))


def run(path, command):
    """Return the lines that are printed; of --json, the data."""
    out = subprocess.check_output(
        [path] + command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        cwd=ROOT, timeout=300)
    if "--json" in command:
        return [json.loads(out, parse_float=lambda x: round(float(x), 12))]
    return out.splitlines()


def check(path, expected):
    """Return (version, "same" or what differs)."""
    version = "?"
    for command, right in zip(COMMANDS, expected):
        try:
            lines = run(path, command)
        except subprocess.SubprocessError as error:
            return version, "%s\n%s" % (error, error.stderr)
        if command == COMMANDS[-1]:
            version, right = lines.pop(0), right[1:]
        for line, other in zip(lines + [""], right + [""]):
            if line != other:
                return version, "%.60s, expected %.60s" % (line, other)
    return version, "same"


def main():
    expected = [run(sys.executable, command) for command in COMMANDS]
    failures = 0
    for python in TABLE:
        path = find(python.program)
        version, verdict = "-", "not found"
        if path:
            version, verdict = check(path, expected if python.has_json else expected[:2])
        if verdict != "same" and (path or python.required):
            verdict = "FAILED: " + verdict
            failures += 1
        print("%-18s %-10s %s" % (python.name, version, verdict), flush=True)
    print("%d failed" % failures if failures else "all that were found agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
