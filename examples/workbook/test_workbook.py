import doctest
import inspect
import json
import os
import signal
import subprocess
import sys

import pytest

import attention
from examples.workbook import blank, judge, steps
from examples.workbook.__main__ import NAMES, ROOT, STEPS, ask

BLANK = inspect.getsource(blank)
STEP = dict(zip(NAMES, STEPS))


def ask_about(tmp_path, text, names=NAMES, limit=60):
    path = tmp_path / "mine.py"
    path.write_text(text)
    verdicts = ask(str(path), list(names), limit)
    assert path.read_text() == text and os.listdir(str(tmp_path)) == ["mine.py"]
    return verdicts


def command(*args):
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.workbook"] + list(args), cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    out, err = process.communicate()
    assert all(ord(character) < 128 for character in out + err)
    return process.returncode, out, err


# ---- Right solutions ---------------------------------------------------------------------

SHORT = """
from math import exp
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def transpose(m): return [list(column) for column in zip(*m)]
def matmul(a, b): return [[dot(row, column) for column in zip(*b)] for row in a]
def sqrt(x): return x ** 0.5
def softmax(s):
    powers = [exp(x - max(s)) for x in s]
    return tuple(x / sum(powers) for x in powers)
def scores_of(q, x): return [dot(q, k) for k in x]
def attention_weights_of(q, x): return softmax(scores_of(q, x))
def blend(w, x): return [dot(w, column) for column in transpose(x)]
def simplified_self_attention(x):
    s = matmul(x, transpose(x))
    w = [softmax(row) for row in s]
    return s, w, matmul(w, x)
def project(x, *Ws): return [matmul(x, W) for W in Ws]
def scaled_dot_product_attention(q, k, v):
    s = matmul(q, transpose(k))
    z = [[x / sqrt(len(k[0])) for x in row] for row in s]
    w = [softmax(row) for row in z]
    return s, z, w, matmul(w, v)
def self_attention(x, *Ws): return scaled_dot_product_attention(*project(x, *Ws))
def cross_attention(t, x, Q, K, V):
    return scaled_dot_product_attention(matmul(t, Q), matmul(x, K), matmul(x, V))
def causal_attention_weights(z):
    return [softmax(row[:i + 1]) + (0.0,) * (len(z) - i - 1) for i, row in enumerate(z)]
"""
NUMPY = SHORT + """
import numpy as np
def dot(a, b): return np.dot(a, b)
def transpose(m): return np.array(m).T
def matmul(a, b): return np.array(a) @ b
def softmax(s):
    powers = np.exp(np.array(s) - np.max(s))
    return powers / powers.sum()
def causal_attention_weights(z):
    return np.array([softmax(row) for row in np.where(np.tri(len(z)) > 0, z, -np.inf)])
"""


@pytest.mark.parametrize("text", [SHORT, NUMPY])
def test_right(tmp_path, text):
    if text is NUMPY:
        pytest.importorskip("numpy")
    assert ask_about(tmp_path, text) == {name: ["right", [], []] for name in NAMES}


def test_own_functions_of_attention_pasted(tmp_path):
    for name in NAMES:
        text = BLANK + inspect.getsource(steps.right(name))
        assert ask_about(tmp_path, text, [name])[name][0] == "right"


def test_any_step_first(tmp_path):
    for name in "matmul", "self_attention", "blend":
        function = SHORT[SHORT.index("def " + name):].split("\ndef ")[0]
        verdicts = ask_about(tmp_path, BLANK + function)
        assert [other for other in NAMES if verdicts[other][0] != "blank"] == [name]
        assert verdicts[name][0] == "right"


def test_expected_numbers_are_those_of_the_reference():
    reference = steps.REFERENCE
    examples = [reference["running_example"]["trainable"], reference["two_sequences"]]
    for case, given in zip(examples + reference["cases"],
                           [steps.ONE[1]] + steps.TWO + steps.ONE[2:]):
        for stage, rows in case["stages"].items():
            assert not judge.differs(rows, given[stage])
    for stage, rows in reference["running_example"]["simplified"]["stages"].items():
        assert not judge.differs(rows, steps.ALL_WORDS[1][stage])


def test_examples_of_the_blank_file():
    names = dict(vars(attention), **vars(steps))
    for step in STEPS:
        function = getattr(blank, steps.function_of(step.name))
        [example] = doctest.DocTestParser().get_examples(function.__doc__)
        right = eval(example.source, dict(names))
        assert judge.compare(step, {}, right, eval(example.want)) == ([], {})


# ---- Wrong ones --------------------------------------------------------------------------

WRONG = [
    ("dot", "none-returned", "t = 0"),
    ("dot", "printed", "print(11.0)"),
    ("dot", "TypeError", "return a + 1"),
    ("dot", "wrong-kind", "return [x * y for x, y in zip(a, b)]"),
    ("dot", "cut-to-integers", "return attention.dot(a, b) // 1"),
    ("transpose", "wrong-shape", "return matrix"),
    ("transpose", "wrong-kind", "return zip(*matrix)"),
    ("transpose", "rows-aliased", "return [[0] * len(matrix)] * len(matrix[0])"),
    ("matmul", "wrong-shape", "return [[attention.dot(*p)] for p in zip(a, zip(*b))]"),
    ("matmul", "rows-aliased", "return attention.matmul(a, b)[-1:] * len(a)"),
    ("sqrt", "rounded", "return round(x ** 0.5, 4)"),
    ("sqrt", "inexact", "return x ** 0.5001"),
    ("sqrt", "ZeroDivisionError", "return (x + x / x) / 2"),
    ("softmax", "divided-by-the-sum", "return [x / sum(scores) for x in scores]"),
    ("softmax", "argument-changed", "scores.sort(); scores.append(1); return scores"),
    ("softmax_large", "OverflowError", "return [exp(x) for x in scores]"),
    ("scores_of", "cosines-taken", "return [attention.dot(x, query) / "
     "(attention.dot(x, x) * attention.dot(query, query)) ** 0.5 for x in inputs]"),
    ("attention_weights_of", "softmax-left-out", "return [attention.dot(x, query) for x in inputs]"),
    ("blend", "blend-divided-by-n", "return [attention.dot(attention_weights, column) / "
     "len(inputs) for column in zip(*inputs)]"),
    ("project", "wrong-count", "return inputs, inputs"),
    ("causal_attention_weights", "nothing-hidden",
     "return [attention.softmax(row) for row in scaled_scores]")]


@pytest.mark.parametrize("name, mistake, body", WRONG)
def test_wrong(name, mistake, body):
    function = steps.function_of(name)
    names = {"attention": attention, "exp": attention.exp}
    source = "def %s%s: %s" % (function, inspect.signature(getattr(blank, function)), body)
    exec(source, names)
    status, mistakes, lines = judge.check(STEP[name], names[function])
    assert status == "not yet" and mistake in mistakes and lines


@pytest.mark.parametrize("name", ["project", "scaled_dot_product_attention"])
def test_the_mistakes_of_the_catalogue_are_named(name):
    step, named = STEP[name], 0
    stages = step.stages.split()
    for mistake in judge.MISTAKE.values():
        def wrong(*given):
            case = [case for case in step.cases
                    if [case[other] for other in step.names.split()] == list(given)][0]
            results = [case[stage] for stage in stages]
            i = stages.index(mistake.stage)
            try:
                results[i] = mistake.steps[mistake.stage](judge.everything(case, results[i]))
            except (TypeError, ValueError, ArithmeticError):
                pass  # cannot be made on this case
            return [rows or results[i] for rows in results]

        if mistake.stage in stages and not mistake.whole:
            status, mistakes, lines = judge.check(step, wrong)
            assert status == "right" or mistake.name in mistakes, mistake.name
            named += status != "right"
    assert named > 8


@pytest.mark.parametrize("name, text, mistake", [
    ("file", "while True: pass", ""),
    ("file", "exit()", "SystemExit"),
    ("file", "def dot(a, b)\n", "SyntaxError"),
    ("file", "\n\nfrom attention import dot", "ModuleNotFoundError"),
    ("dot", "def dot(a, b):\n  while True: pass", ""),
    ("dot", "import os\ndef dot(a, b): os._exit(0)", ""),
    ("dot", "def dot(a, b): return dot(a, b)", "RecursionError"),
    ("dot", "def dot(a, b): return input()", "EOFError")])
def test_what_never_ends_well(tmp_path, name, text, mistake):
    verdicts = ask_about(tmp_path, text, ["dot", "matmul"], 5)
    status, mistakes, lines = verdicts[name]
    assert status == "not yet" and lines and (not mistake or mistakes == [mistake])
    if name == "dot":
        assert verdicts["matmul"] == ["missing", [], []]
    if "line" in lines[-1]:
        assert "line %d" % (text.count("\n", 0, -1) + 1) in lines[-1]


# ---- The command -------------------------------------------------------------------------


def test_command(tmp_path):
    path = str(tmp_path / "mine.py")
    status, out, err = command(path)
    assert (status, err) == (1, "") and out.count("blank") > len(NAMES)
    with open(path) as file:
        assert file.read() == BLANK
    status, out, err = command(path, "--json", "--step", "dot")
    assert (status, json.loads(out)) == (1, {"dot": ["blank", [], []]})
    hints = [command(path, "--hint", number)[1] for number in "123"]
    assert len(hints[0]) < len(hints[1]) < len(hints[2])

    with open(path, "w") as file:
        file.write(SHORT)
    assert command(path)[0] == 0
    with open(path) as file:
        assert file.read() == SHORT


def test_solution():
    for name in NAMES:
        status, out, err = command("--solution", name)
        assert inspect.getsource(steps.right(name)) in out


def test_unusable():
    for args in [], ["--no"], ["a.py", "b.py"], [os.path.join("no", "folder", "\x1b.py")]:
        status, out, err = command(*args)
        assert (status, out, err.count("\n")) == (2, "", 1) and "\x1b" not in err


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent differently there")
def test_watch(tmp_path):
    path = str(tmp_path / "mine.py")
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "examples.workbook", "--watch", "--json", path], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    for line in process.stdout:
        if line.startswith("{"):
            if json.loads(line)["dot"][0] == "right":
                break
            with open(path, "w") as file:
                file.write(SHORT)
            os.utime(path, (1, 1))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (130, "interrupted\n")
