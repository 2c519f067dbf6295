"""The examples without options, as commands; examples/__init__.py has what they share."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = ["torch_random", "causal", "multi_head", "two_sequences", "train"]

def start(*args):
    return subprocess.Popen([sys.executable, "-m"] + list(args), cwd=ROOT, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)

@pytest.mark.parametrize("name", NAMES)
def test_runs(name):
    process = start("examples." + name)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.endswith("\n") and len(out.splitlines()) > 20
    assert all(ord(character) < 128 for character in out) and "\r" not in out
    for line in out.splitlines():
        assert line == line.rstrip() and len(line) <= 100

@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("args", [("--no-such-option",), ("journey", "step")])
def test_unknown_arguments_are_refused(name, args):
    process = start("examples." + name, *args)
    out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err == "%s.py: %s: expected no arguments\n" % (name, " ".join(args))

@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
@pytest.mark.parametrize("name", NAMES)
def test_quiet_when_the_reader_has_gone(name):
    process = start("examples." + name)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.stdin.close()
    assert (process.wait(), err) == (0, "")

@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_no_space_left():
    with open("/dev/full", "w") as full:
        process = subprocess.Popen([sys.executable, "-m", "examples.causal"], cwd=ROOT,
                                   stdout=full, stderr=subprocess.PIPE, universal_newlines=True)
        err = process.communicate()[1]
    assert process.returncode == 2
    assert err.startswith("cannot print: ") and err.count("\n") == 1
