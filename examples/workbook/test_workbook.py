import inspect
import json
import os
import subprocess
import sys

import pytest

import attention
from examples.workbook import steps
from examples.workbook.blank import blank, hints
from examples.workbook.judge import ROOT, judge
from examples.workbook.steps import NAMES, STEP, STEPS, right

OWN = [inspect.getsource(getattr(steps, name)) for name in NAMES if hasattr(steps, name)]
ATTENTION = "\n\n".join([inspect.getsource(attention)] + OWN)
OTHER_STYLE = ATTENTION + """
import os, sys
print(sys.stdout.isatty())
os.system("echo {")
def softmax(scores):
    powers = [exp(x - max(scores)) for x in scores]
    return tuple(x / sum(powers) for x in powers)
def causal_attention_weights(z):  # as advised
    rows = [softmax(z[q])[:q + 1] + (0.0,) * (len(z) - q - 1) for q in range(len(z))]
    return [[x / sum(row) for x in row] for row in rows]
assert False, "no"
transpose = lambda matrix: list(zip(*matrix))
"""
RIGHT = ["right", [], []]


def judged(folder, text, *names, **options):
    path = folder / "mine.py"
    path.write_text(text)
    verdicts = judge(str(path), list(names) or NAMES, **options)
    assert path.read_text() == text
    return verdicts


def command(*args):
    end = subprocess.run(
        [sys.executable, "-m", "examples.workbook"] + list(map(str, args)), cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    return end.returncode, end.stdout, end.stderr


def test_right(tmp_path):
    verdicts = judged(tmp_path, ATTENTION)
    assert list(verdicts.values()) == [RIGHT] * 16
    verdicts = judged(tmp_path, OTHER_STYLE)
    status, mistakes, lines = verdicts.pop("file")
    assert mistakes == ["AssertionError"] and lines[0] == "printed   False"
    assert list(verdicts.values()) == [RIGHT] * 15


@pytest.mark.parametrize("step", STEPS)
def test_one_step_done(tmp_path, step):
    less, more, all_of_it = hints(step)
    assert len(less) < len(more) and "..." in more and "..." not in all_of_it
    verdicts = judged(tmp_path, blank() + "\n\n" + all_of_it)
    assert verdicts[step.name] == RIGHT
    found = [verdict[0] for verdict in verdicts.values()]
    right = 3 if "softmax" in step.name else 2
    assert (found.count("right"), found.count("blank")) == (right, 16 - right)


@pytest.mark.parametrize("name, mistakes, code", [
    ("file", "SyntaxError", "def dot(a, b)"),
    ("file", "ModuleNotFoundError", "from attention import dot"),
    ("dot", "endless", "return [a + b for x in iter(int, 1)]"),
    ("dot", "endless", "return [[a, b] * 999] * 999999"),
    ("dot", "ended", "__import__('os')._exit(len(a + b))"),
    ("dot", "NameError", "return unknown(a, b)"),
    ("dot", "NotImplementedError", "x = 1; raise NotImplementedError"),
    ("dot", "wrong-kind", "print(a, b)"),
    ("dot", "rounded", "return round(sum(x * y for x, y in zip(a, b)), 4)"),
    ("dot", "return-in-the-loop", "\n  for x, y in zip(a, b): return x + y"),
    ("dot", "last-missing", "return sum(x * y for x, y in zip(a[:-1], b))"),
    ("softmax", "argument-changed", "scores.append(1); return scores"),
    ("softmax", "not-divided-by-the-sum", "return [exp(x) for x in scores]"),
    ("transpose", "", "return [list(pair) for pair in zip(matrix[0], matrix[-1])]"),
    ("sqrt", "power-first", "return x ** 1/2"),
    ("self_attention", "values-not-projected", "return scaled_dot_product_attention("
     "*project(inputs, W_query, W_key, W_value)[:2], inputs)"),
    ("causal_attention_weights", "", "return [softmax([x if k <= q else -100 for k, x in "
     "enumerate(row)]) for q, row in enumerate(scaled_scores)]")])
def test_wrong(tmp_path, name, mistakes, code):
    if name != "file":
        code = "def %s%s: %s" % (name, inspect.signature(right(STEP[name])), code)
    names = {name, "dot"} - {"file"}
    verdicts = judged(tmp_path, "from math import exp\n" + code, *names, seconds=0.5)
    status, found, lines = verdicts[name]
    assert (status, found) == ("not yet", mistakes.split())
    if mistakes == "last-missing":
        assert "11" in lines[2] and "3" in lines[3]
    if "Error" in mistakes or "iter" in code:
        assert lines[-1].count("line 2") == 1


def test_command(tmp_path):
    path = tmp_path / "mine.py"
    status, out, err = command(path, "--step", "dot")
    assert (status, err) == (1, "") and "softmax" not in out
    assert path.read_text() == blank()
    assert "def dot" in command("--hint", path)[1]
    path.write_text(ATTENTION)
    status, out, err = command(path)
    assert (status, err) == (0, "") and "0.3061" in out
    (tmp_path / "two.py").write_text("def dot(a, b)")
    assert "SyntaxError 1" in command(tmp_path)[1]
    status, out, err = command("--json", path, tmp_path / "two.py")
    one, two, common = map(json.loads, out.splitlines())
    assert (status, one["dot"], two["dot"][0]) == (1, RIGHT, "waits")
    assert common["mistakes"] == [["SyntaxError", 1]]


@pytest.mark.parametrize("args", [
    [], ["--no"], ["--json", "none.py"], ["a.ipynb"], [os.path.join("none", "\x1b.py")]])
def test_unusable(args):
    status, out, err = command(*args)
    assert (status, out, err.count("\n")) == (2, "", 1) and "\x1b" not in err
