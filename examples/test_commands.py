"""What all commands have in common."""

import doctest
import importlib
import os
import subprocess
import sys

import pytest

from examples.conftest import HERE, check_lines, text_of
from examples.tools.common import run

COMMANDS, LESSONS, MODULES = [], [], []  # as python3 -m examples.NAME has them
for name in sorted(os.listdir(HERE)):
    if os.path.exists(os.path.join(HERE, name, "__main__.py")):
        COMMANDS.append(name)
for folder in ("", "tools."):
    for name in sorted(os.listdir(os.path.join(HERE, folder[:-1]))):
        if name.endswith(".py") and not name.startswith(("test_", "__", "conftest")):
            MODULES.append(folder + name[:-3])
            if "if __name__ == " in text_of(os.path.join(folder[:-1], name)):
                COMMANDS.append(folder + name[:-3])
                LESSONS += [name[:-3]] if folder == "" else []


def start(*command):
    return subprocess.Popen(
        command, cwd=os.path.dirname(HERE), env=dict(os.environ, PYTHONUNBUFFERED=""),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name):
    process = start(sys.executable, "-m", "examples." + name, "--help")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    check_lines(out.splitlines())
    if name in LESSONS:
        assert out == importlib.import_module("examples." + name).__doc__.strip() + "\n"


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    assert doctest.testmod(importlib.import_module("examples." + name)).failed == 0


@pytest.mark.parametrize("args, status", [
    (["-OO", "-m", "examples.causal", "--help"], 0),  # without docstrings
    (["-m", "examples.causal", "--help", "\x1b"], 2),
    (["-c", "from examples import causal; causal.WINDOW = 0; "
            "causal.run_lesson(causal.main, None)"], 2)])
def test_one_line(args, status):
    process = start(sys.executable, *args)
    out, err = process.communicate()
    assert process.returncode == status
    assert bool(err) == bool(status)
    assert (err or out).count("\n") == 1 and "\x1b" not in err


@pytest.mark.skipif(os.name == "nt" or not os.path.exists("/dev/full"),
                    reason="no sh, or no /dev/full, here")
@pytest.mark.parametrize("command, status, message", [
    ("causal >&-", 0, ""), ("causal >/dev/full", 2, "cannot print"),
    ("porting --help >/dev/full", 2, "cannot print")])  # argparse prints that
def test_output_that_goes_nowhere(command, status, message):
    process = start("sh", "-c", "'%s' -m examples.%s" % (sys.executable, command))
    out, err = process.communicate()
    assert process.returncode == status and err.count("\n") == (status == 2)
    assert message in err


def test_in_a_notebook_no_end_is_an_exception(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(lambda: 2)
    monkeypatch.setattr(sys, "ps1", "In : ", raising=False)
    assert run(lambda: 2) is None
