"""python3 -m pytest examples/find_the_mistake/test_command.py: paste, and read"""

import json
import os
import re
import subprocess
import sys

import pytest

from attention import STAGES
from examples.find_the_mistake import command, read
from examples.find_the_mistake.cases import diagnose
from examples.find_the_mistake.steps import MISTAKE

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "test_cases.json"), encoding="utf-8") as file:
    CASES = json.load(file)


@pytest.fixture
def tool(tmp_path, capsys):
    """Return a function that runs the command on a text: (status, out, err)."""
    def run(text):
        path = tmp_path / "values.txt"
        path.write_bytes(text.encode("utf-8"))
        return (command.main([str(path)]),) + tuple(capsys.readouterr())
    return run


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_cases(case, tool):
    text = case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])
    status, out, err = tool(text)
    if "refused" in case:
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert case["refused"] in err and len(err) < 500 and "\x1b" not in err
        return
    assert (status, err) == (int("wrong" in case), "")
    assert all(words in " ".join(out.split()) for words in case.get("says", []))
    result = diagnose(read.read(text))[3]
    wrong = {step.stage: {mistake.name for mistake in step.mistakes}
             for step in result.steps if step.verdict == "wrong"}
    assert result.right != bool(wrong) and set(wrong) == set(case.get("wrong", []))
    assert wrong or result.variant == case["right"]
    for stage in wrong:
        assert wrong[stage].issuperset(case["wrong"][stage])
        assert bool(wrong[stage]) == bool(case["wrong"][stage])
        for name in wrong[stage]:
            assert out.count("  %s\n" % name) == 1
            assert MISTAKE[name].what in out and MISTAKE[name].fix in out


def test_unusable_files_and_arguments(tmp_path, capsys):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    for arguments in ([], ["a", "b"], ["-x"], ["--help", "-"], [str(tmp_path)],
                      [str(tmp_path / "none\x1b.json")], [str(binary)]):
        assert command.main(arguments) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1) and "\x1b" not in err


def test_help_and_standard_input(capsys):
    assert not command.main(["--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in STAGES + read.PARTS + read.OPTIONS)
    text = b"\xef\xbb\xbfcontext_vec_2 = [0.3061 0.8210]"
    subprocess.run([sys.executable, "-m", "examples.find_the_mistake", "-"], input=text,
                   cwd=os.path.join(HERE, "..", ".."), check=True)


def test_the_example(tool):
    path = os.path.join(HERE, "README.md")
    with open(path, encoding="utf-8") as file:
        [shown] = re.findall(
            r"\$ cat mine.txt\n(.*?)\n\$ .*? mine.txt\n(.*?)\n```", file.read(), re.S)
    assert tool(shown[0])[1].rstrip() == shown[1]
