"""Run attention.py in every Python listed below, and compare with this one.

Call it by `.ci/run pythons`, which puts them on the PATH; those that are OPTIONAL may be
missing. All numbers of all cases in examples/porting/vectors.json must have the same
bits, and attention.py must print the same: with --json, the same numbers to 12 decimals.
"""

import json
import shutil
import subprocess
import sys

COMMANDS = [
    ["attention.py"],
    ["attention.py", "step"],
    ["attention.py", "--json"],
    [".ci/bits.py"],
]

REQUIRED = [
    "python3.6", "python3.7", "python3.8", "python3.9", "python3.10", "python3.11",
    "python3.12", "python3.13", "pyodide314", "pyodide315", "pypy3", "micropython",
    "micropython-wasm", "brython", "skulpt"]
OPTIONAL = [
    "python3.14", "python3.15", "python-windows", "python-s390x", "python-arm64"]


def run(path, command):
    """Return the lines that are printed; of --json, the data."""
    out = subprocess.check_output(
        [path] + command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        timeout=300)
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
    for program in REQUIRED + OPTIONAL:
        path = shutil.which(program)
        version, verdict = "-", "not found"
        if path:
            able = 2 if program == "skulpt" else len(expected)  # it has no json
            version, verdict = check(path, expected[:able])
        if verdict != "same" and (path or program in REQUIRED):
            verdict = "FAILED: " + verdict
            failures += 1
        print("%-17s %-8s %s" % (program, version, verdict), flush=True)
    print("%d failed" % failures if failures else "all that were found agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
