import doctest
import inspect
import os
import signal
import subprocess
import sys

import pytest

import attention
from examples.workbook import blank, judge, steps
from examples.workbook.__main__ import NAMES, ROOT, STEPS, ask, find

BLANK = inspect.getsource(blank)
STEP = dict(zip(NAMES, STEPS))
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
def project(x, *Ws): return [matmul(x, W) for W in Ws]
def scaled_dot_product_attention(q, k, v):
    s = matmul(q, transpose(k))
    z = [[x / sqrt(len(k[0])) for x in row] for row in s]
    w = [softmax(row) for row in z]
    return s, z, w, matmul(w, v)
def simplified_self_attention(x):
    s = matmul(x, transpose(x))
    w = [softmax(row) for row in s]
    return s, w, matmul(w, x)
def self_attention(x, *Ws): return scaled_dot_product_attention(*project(x, *Ws))
def cross_attention(t, x, Q, K, V):
    return scaled_dot_product_attention(matmul(t, Q), matmul(x, K), matmul(x, V))
def causal_attention_weights(z):
    return [softmax(row[:i + 1]) + (0.0,) * (len(z) - i - 1) for i, row in enumerate(z)]
"""


def ask_about(folder, text, names=NAMES, limit=60):
    path = folder / "mine.py"
    path.write_text(text)
    verdicts = ask(str(path), list(names), limit)
    assert path.read_text() == text and os.listdir(str(folder)) == ["mine.py"]
    return verdicts


def start(*args):
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "examples.workbook"] + list(args), cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


def command(*args):
    process = start(*args)
    out, err = process.communicate()
    assert all(ord(character) < 128 for character in out + err)
    return process.returncode, out, err


def test_right(tmp_path):
    assert ask_about(tmp_path, SHORT) == {name: ["right", [], []] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_one_function_pasted(tmp_path, name):
    verdicts = ask_about(tmp_path, BLANK + find(name)[1])
    done = [other for other in NAMES if verdicts[other] == ["right", [], []]]
    assert done == [other for other in NAMES if name in (other, other + "_large")]


def test_examples_of_the_blank_file():
    names = dict(vars(attention), **vars(steps))
    for step in STEPS:
        function = getattr(blank, steps.function_of(step.name))
        [example] = doctest.DocTestParser().get_examples(function.__doc__)
        result = eval(example.source, dict(names))
        assert judge.compare(step, {}, result, eval(example.want)) == ([], {})


@pytest.mark.parametrize("name, mistake, body", [
    ("dot", "none-returned", "t = 0"),
    ("dot", "printed", "print(11.0)"),
    ("dot", "wrong-kind", "return [0.0]"),
    ("dot", "rounded", "return dot(a, b) // 1"),
    ("transpose", "wrong-shape", "return matrix"),
    ("transpose", "rows-shared", "return [[0] * len(matrix)] * len(matrix[0])"),
    ("matmul", "rows-aliased rows-shared", "return matmul(a, b)[-1:] * len(a)"),
    ("softmax", "divided-by-the-sum", "return [x / sum(scores) for x in scores]"),
    ("softmax", "argument-changed", "scores.append(1); return scores"),
    ("softmax_large", "OverflowError", "return [exp(x) for x in scores]"),
    ("project", "wrong-count", "return inputs, inputs"),
    ("project", "wrong-shape values-not-projected",
     "return (matmul(inputs, W_query), matmul(inputs, W_key), inputs)"),
    ("scaled_dot_product_attention", "scaling-forgotten",
     "x = matmul(queries, transpose(keys)); return x, x, x, x"),
    ("causal_attention_weights", "mask-missing",
     "return [softmax(row) for row in scaled_scores]"),
    ("causal_attention_weights", "mask-after-softmax", "return [softmax(row)[:i + 1] + "
     "[0] * (len(row) - i - 1) for i, row in enumerate(scaled_scores)]")])
def test_wrong(name, mistake, body):
    names = dict(vars(attention))
    signature = inspect.signature(getattr(blank, steps.function_of(name)))
    exec("def mine%s: %s" % (signature, body), names)
    status, mistakes, lines = judge.check(STEP[name], names["mine"])
    assert status == "not yet" and mistakes == mistake.split() and lines


@pytest.mark.parametrize("name, text, mistakes", [
    ("file", "while True: pass", ["it still runs after 4 seconds"]),
    ("file", "\nexit()", ["SystemExit"]),
    ("file", "\n\ndef dot(a, b)\n", ["SyntaxError"]),
    ("file", "from attention import dot", ["ModuleNotFoundError"]),
    ("dot", "def dot(a, b):\n  while True: pass", ["it still runs after 4 seconds"]),
    ("dot", "import os\ndef dot(a, b): os._exit(0)", ["it ends Python"]),
    ("dot", "def dot(a, b): return unknown(a)", ["NameError"]),
    ("dot", "def dot(a, b): return dot(a, b)", ["RecursionError"])])
def test_bad_end(tmp_path, name, text, mistakes):
    status, found, lines = ask_about(tmp_path, text, ["dot", "matmul"], 4)[name]
    assert (status, found) == ("not yet", mistakes)
    assert "halted" not in lines[-1]
    if mistakes[0][0] != "i":
        assert "line %d" % len(text.splitlines()) in lines[-1]


def test_command(tmp_path):
    path = tmp_path / "mine.py"
    status, out, err = command(str(path), "--json", "--step", "dot")
    assert (status, out, err) == (1, '{"dot": ["blank", [], []]}\n', "")
    assert path.read_text() == BLANK
    hints = [command(str(path), "--hint", number)[1] for number in "123"]
    assert hints == sorted(set(hints), key=len)
    path.write_text("def softmax(scores):\n    return scores\n")
    assert "Next: softmax, not yet (line 1 " in command(str(path))[1]
    assert "0 of" not in command(str(path), "--step", "softmax")[1]
    path.write_text(SHORT)
    assert command(str(path))[0] == 0 and path.read_text() == SHORT
    assert "def dot" in command("--solution", "dot")[1]


def test_unusable():
    for args in [], ["--no"], ["a.py", "b.py"], [os.path.join("none", "\x1b.py")]:
        status, out, err = command(*args)
        assert (status, out, err.count("\n")) == (2, "", 1) and "\x1b" not in err


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C differs there")
def test_watch(tmp_path):
    path = tmp_path / "mine.py"
    process = start("--watch", "--json", str(path))
    for line in process.stdout:
        if '"dot": ["blank"' in line:
            path.write_text(SHORT)
            os.utime(str(path), (1, 1))
        if '"dot": ["right"' in line:
            break
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "interrupted\n" and process.returncode == 130
