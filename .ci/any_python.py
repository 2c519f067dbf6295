"""Run attention.py in every Python of the table below, and compare with this one.

    python3 .ci/any_python.py               what is not found is skipped
    python3 .ci/any_python.py --required    what the table calls required must be found

It looks for the programs in .ci/pythons/bin (`.ci/run pythons` fills it), in the
versions of pyenv and on the PATH. It compares all numbers of all cases in
examples/porting/vectors.json, bit for bit. But each C library has its own exp: from the
attention weights on, Pythons with another library than this one's may differ by 1e-14.
What attention.py prints must be the same; the numbers of --json, to 12 decimals.
"""

import glob
import json
import os
import shutil
import struct
import subprocess
import sys
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
from attention import STAGES
from examples.porting.self_check import difference

BEFORE_EXP = STAGES[:STAGES.index("attention_weights")]
TOLERANCE = 1e-14  # of the largest number of the matrix, or of 1 if that is larger

# Without JSON, only the story of attention.py can be compared.
Python = namedtuple("Python", ["name", "program", "required", "same_exp", "has_json"])
TABLE = [
    Python("CPython 3.6", "python3.6", True, True, True),
    Python("CPython 3.7", "python3.7", True, True, True),
    Python("CPython 3.8", "python3.8", True, True, True),
    Python("CPython 3.9", "python3.9", True, True, True),
    Python("CPython 3.10", "python3.10", True, True, True),
    Python("CPython 3.11", "python3.11", True, True, True),
    Python("CPython 3.12", "python3.12", True, True, True),
    Python("CPython 3.13", "python3.13", True, True, True),
    Python("CPython 3.14", "python3.14", False, False, True),
    Python("CPython 3.15", "python3.15", False, False, True),
    Python("CPython Windows", "python-windows", False, False, True),
    Python("CPython s390x", "python-s390x", False, False, True),
    Python("CPython arm64", "python-arm64", False, False, True),
    Python("CPython 3.14 wasm", "pyodide314", True, False, True),
    Python("CPython 3.15 wasm", "pyodide315", True, False, True),
    Python("PyPy", "pypy3", True, True, True),
    Python("MicroPython", "micropython", True, True, True),
    Python("MicroPython wasm", "micropython-wasm", True, False, True),
    Python("Brython", "brython", True, False, True),
    Python("Skulpt", "skulpt", True, False, False),
]


def find(program):
    """Return the path of a program, or None."""
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    folders = [os.path.join(ROOT, ".ci", "pythons", "bin")]
    folders += sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin")))
    folders.append(os.environ["PATH"])  # last: pyenv's shims there may lead nowhere
    return shutil.which(program, path=os.pathsep.join(folders))


def run(*command):
    """Return (exit status, standard output, standard error)."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=ROOT, universal_newlines=True)
    try:
        out, err = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return 1, "", "no answer within five minutes"
    return process.returncode, out, err


def measure(path):
    """Return (version, {case: {stage: bits}}, what failed)."""
    status, out, err = run(path, ".ci/bits.py")
    numbers = {"version": "?"}
    for line in out.splitlines():
        if line.startswith("{"):
            numbers.update(json.loads(line))
        elif not line.endswith((": ok", " cases agree")):
            return "?", {}, line
    version = numbers.pop("version")
    if status != 0 or not numbers:
        return version, {}, (err.splitlines() or ["exit status %d" % status])[-1]
    return version, numbers, ""


def compare(expected, actual, same_exp):
    """Return (how near the numbers are, what failed)."""
    near = "identical bits"
    if actual.keys() != expected.keys():
        return near, "cases are missing"
    for case in expected:
        if actual[case].keys() != expected[case].keys():
            return near, "stages of %s are missing" % case
        for stage in expected[case]:
            a, b = expected[case][stage], actual[case][stage]
            if a != b:
                exact = same_exp or stage in BEFORE_EXP
                tolerance = 0.0 if exact else TOLERANCE
                text = difference(stage, numbers(a), numbers(b), tolerance)
                if text or exact:
                    return "different", "%s: %s" % (case, text or "bits of " + stage)
                near = "within %g after exp" % TOLERANCE
    return near, ""


def numbers(matrix):
    return [[struct.unpack(">d", bytes.fromhex(bits))[0] for bits in row]
            for row in matrix]


def printed(path, has_json):
    """Return what attention.py prints: [(exit status, output), ...]."""
    results = [run(path, "attention.py")[:2], run(path, "attention.py", "step")[:2]]
    if has_json:
        status, out, err = run(path, "attention.py", "--json")
        if status == 0:
            out = json.loads(out, parse_float=lambda digits: round(float(digits), 12))
        results.append((status, out))
    return results


def check(python, path, expected, story):
    """Return (version, what can be said of the numbers, what failed)."""
    version, near = "?", "-"
    if python.has_json:
        version, found, failed = measure(path)
        if failed:
            return version, near, failed
        near, failed = compare(expected, found, python.same_exp)
        if failed:
            return version, near, failed
    if printed(path, python.has_json) != story[:2 + python.has_json]:
        return version, near, "attention.py prints something else"
    return version, near, ""


def main(args):
    if args not in ([], ["--required"]):
        print("usage: python3 .ci/any_python.py [--required]", file=sys.stderr)
        return 2
    version, expected, failed = measure(sys.executable)
    story = printed(sys.executable, True)
    if failed or [status for status, out in story] != [0, 0, 0]:
        print("FAILED: this Python itself: " + (failed or str(story)))
        return 1
    failures = 0
    for python in TABLE:
        path = find(python.program)
        version = near = "-"
        verdict = "skipped: not found"
        if args and python.required:
            verdict = "FAILED: not found"
        if path:
            version, near, failed = check(python, path, expected, story)
            verdict = "FAILED: " + failed if failed else "same output"
        failures += verdict.startswith("FAILED")
        print("%-18s %-10s %-22s %s" % (python.name, version, near, verdict))
        sys.stdout.flush()
    print("%d failed" % failures if failures else "all that were found agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
