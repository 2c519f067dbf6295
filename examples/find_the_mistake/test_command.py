"""python3 -m pytest examples/find_the_mistake/test_command.py: the command"""

import doctest
import json
import os
import re
import subprocess
import sys

import pytest

from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE
from examples.find_the_mistake import command
from examples.find_the_mistake.steps import MISTAKE, compute

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
with open(os.path.join(ROOT, "examples", "reference.json")) as file:
    CAUSAL = json.load(file)["linear_seed_789"]["causal_attention_weights"]
RUNNING = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
ONE = {"inputs": [[1], [2]], "W_query": [[1]], "W_key": [[1]], "W_value": [[1]]}
EYE = [[1, 0], [0, 1]]
ALONE = {"queries": EYE, "keys": EYE, "values": [[1], [2]]}
# The book's table for nn.Linear after torch.manual_seed(123).
CAUSAL_CONTEXT = [[-0.4519, 0.2216], [-0.5874, 0.0058], [-0.6300, -0.0632],
                  [-0.5675, -0.0843], [-0.5526, -0.0981], [-0.5299, -0.1081]]


@pytest.fixture
def tool(tmp_path, capsys):
    """Return a function that runs the command on data, and returns (status, out, err)."""
    def run(data, *options):
        path = tmp_path / "values.json"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        status = command.main(list(options) + [str(path)])
        return (status,) + tuple(capsys.readouterr())
    return run


@pytest.fixture
def answer(tool):
    def run(data):
        status, out, err = tool(data, "--json")
        result = json.loads(out, parse_constant=pytest.fail)
        assert (status, err) == (0 if result["right"] else 1, "")
        result["wrong"] = {step["stage"]: step["mistakes"] for step in result["steps"]
                           if step["verdict"] == "wrong"}
        return result
    return run


def process(arguments, stdin=b"", **more):
    started = subprocess.Popen(
        [sys.executable, "-m", "examples.find_the_mistake"] + arguments, cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    out, err = started.communicate(stdin)
    return (started.returncode, out.decode("ascii").replace("\r\n", "\n"),
            err.decode("ascii").replace("\r\n", "\n"))


# ---- Right


@pytest.mark.parametrize("data, variant", [
    ({"context_vectors": [[0.306, 0.821]]}, "rounded"),
    ({"context_vectors": [0.3058, 0.8203], "query": "Starts"}, "rounded"),
    ({"attention_weights": [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]},
     "the simplified version, rounded"),
    ({"attention_weights": CAUSAL}, "nn.Linear, seed 789, causal"),
    ({"context_vectors": CAUSAL_CONTEXT}, "nn.Linear, seed 123, causal"),
    (dict(ONE, attention_weights=[[1, 0], [0.1192, 0.8808]]), "causal"),
    (dict(ONE, scaled_scores=[[1, "-inf"], [2, 4]]), "causal"),
    ({"inputs": [[1, 0], [0, 1], [1, 1]], "W_query": EYE, "W_key": EYE, "W_value": EYE,
      "queries": [[1, 0, 1], [0, 1, 1]]}, "tokens-as-columns"),
    (dict(ALONE, context_vectors=[[1.3302], [1.6698]]), "rounded"),
])
def test_right_in_whatever_way(data, variant, answer, tool):
    result = answer(data)
    assert (result["right"], result["variant"]) == (True, variant)
    assert (result["divergence"], result["mistakes"]) == (None, [])
    status, out, err = tool(data)
    assert status == 0 and "All numbers given are right" in out


# ---- Wrong


@pytest.mark.parametrize("data, wrong", [
    (dict(ALONE, context_vectors=[[1.2689], [1.7311]]),
     {"context_vectors": ["scaling-forgotten"]}),
    ({"inputs": [[1, 2], [3, 5]], "W_query": [[1, 2], [3, 4]], "W_key": EYE,
      "W_value": EYE, "queries": [[5, 11], [13, 29]],
      "attention_scores": [[27, 70], [71, 184]],
      "scaled_scores": [[27, 70], [71, 184]]},
     {"queries": ["transposed-weight-matrix"], "scaled_scores": ["scaling-forgotten"]}),
    (dict(ONE, attention_weights=[[0.5, 0.5], [0.5, 0.5]]),
     {"attention_weights": ["all-equal", "multiplied-by-0"]}),
    (dict(ONE, queries=[[1.5], [2.5]], attention_scores=[[1.5, 3.0], [2.5, 5.0]],
          attention_weights=[[0.1824, 0.8176], [0.0759, 0.9241]]),
     {"queries": ["bias-added"]}),
    (dict(ONE, attention_weights=[[None, None], [0.1192, 0.8808]]),
     {"attention_weights": []}),
    (b'{"context_vectors": [[NaN, -Infinity]]}', {"context_vectors": []}),
])
def test_wrong_steps_and_their_mistakes(data, wrong, answer):
    result = answer(data)
    assert not result["right"] and set(result["wrong"]) == set(wrong)
    for stage in wrong:
        assert set(wrong[stage]) <= set(result["wrong"][stage])
        assert bool(wrong[stage]) == bool(result["wrong"][stage])
    assert result["divergence"]["stage"] == list(result["wrong"])[0]


def test_the_last_digit_may_be_off(tool):
    data = {"scaled_scores": [0.8984, 1.3098, 1.2806, 0.7633, 0.3944, 1.0918],
            "attention_weights": [0.1639, 0.1769, 0.1757, 0.1608, 0.1538, 0.1691]}
    status, out, err = tool(data)
    assert status == 1 and "softmax-twice" in out and "last digit" in out
    status, out, err = tool({"context_vectors": [0.3060, 0.8209]})
    assert status == 1 and "last digit" in out and "put it right" not in out


def test_the_report_says_what_was_done_and_how_to_put_it_right(tool):
    stages = compute(RUNNING, MISTAKE["keys-times-queries"].steps)._asdict()
    status, out, err = tool(stages)
    mistake = MISTAKE["keys-times-queries"]
    for text in mistake[:1] + mistake[2:4] + ("attention_scores   wrong at [0][1]",):
        assert text in out
    status, out, err = tool({"context_vectors": stages["context_vectors"]})
    assert "not given before it (queries, keys, values" in " ".join(out.split())


def test_a_mistake_is_explained_once_and_shapes_are_explained(tool):
    steps = MISTAKE["rows-aliased"].steps
    status, out, err = tool(
        compute(RUNNING, {name: steps[name] for name in STAGES[:2]})._asdict())
    assert out.count("rows-aliased\n") == 1
    assert out.count(MISTAKE["rows-aliased"].fix) == 1
    for shape, text in (((6, 1), "6 x 1, expected 6 x 2: summed over the width?"),
                        ((2, 6), "2 x 6, expected 6 x 2: transposed?")):
        out = tool({"values": [[1.0] * shape[1]] * shape[0]})[1]
        assert "None of the" in out and text in out


def test_the_example_is_right_and_hides_nothing(tool, capsys):
    assert not command.main(["--example"])
    data = json.loads(capsys.readouterr().out)
    sizes = command.sizes({name: data[name] for name in RUNNING})
    assert len(set(sizes.values())) == len(sizes) == 4
    status, out, err = tool(data)
    assert status == 0 and "same numbers" not in out


# ---- Unusable input


@pytest.mark.parametrize("content, problem", [
    ("", "no JSON: "), ("\xff", "no JSON: "), ("[" * 100000, "no JSON: "),
    ("[1]", "expected an object"),
    ("{}", "no stage given"),
    ('{"w\\u001b[2J": 1}', "unknown key 'w\\x1b[2J'"),
    ('{"%s": 1}' % ("w" * 10 ** 6), "unknown key 'www"),
    ('{"queries": null}', "queries"),
    ('{"queries": [[1%s]]}' % ("0" * 400), "queries[0][0] is too large"),
    ('{"queries": [[1]], "inputs": [[1, 2]]}', "W_query is 3 x 2"),
    ('{"queries": [[1]], "W_key": [[1], [1], [1]]}', "W_query is missing"),
    ('{"targets": null, "sources": null, "keys": [[1]]}', "targets is of type NoneType"),
    ('{"queries": [[1]], "simplified": 1}', "simplified is 1"),
    ('{"queries": [[1]], "simplified": true, "inputs": [[1e200]]}', "overflow"),
    ('{"queries": [[1]], "query": 6}', "6, expected a number from 0 to 5 or 'your'"),
    ('{"values": [[1]], "heads": 0}', "heads is 0"),
    ('{"values": [[1]], "heads": 3}', "3 heads"),
    ('{"context_vectors": [[1, 1]], "tolerance": %s}' %
     ("9" * 310), "tolerance is too large"),
    ('{"queries": [[1]], "tolerance": NaN}', "tolerance is 'NaN'"),
    ('{"queries": [[1, 2]], "inputs": [[1, 2, 3], [4, 5, 6]]}',
     "has one row, expected 2"),
])
def test_unusable_input_is_refused_in_one_line(content, problem, tool):
    status, out, err = tool(content.encode("latin-1"))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert problem in err and len(err) < 500 and "\x1b" not in err


def test_files_that_cannot_be_read(tmp_path, capsys):
    for name in (str(tmp_path / "none\x1b.json"), str(tmp_path)):
        assert command.main([name]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and "\x1b" not in err


@pytest.mark.parametrize("arguments", [[], ["--json"], ["a", "b"], ["--jsn", "-"], ["-x"],
                                       ["--help", "-"]])
def test_wrong_usage(arguments, capsys):
    assert command.main(arguments) == 2
    assert capsys.readouterr() == ("", command.USAGE + "\n")


def test_standard_input_and_help():
    assert process(["-"], b'\xef\xbb\xbf{"context_vectors": [0.3061, 0.8210]}')[0] == 0
    status, out, err = process(["-"], b"{}")
    assert status == 2 and "standard input: no stage given" in err
    status, out, err = process(["--help"])
    assert (status, err) == (0, "") and all(key in out for key in STAGES + tuple(RUNNING))


def test_closed_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert command.main(["-"]) == 2 and "it is closed" in capsys.readouterr().err


def test_the_readme(tmp_path):
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    session = re.search(
        r"\$ cat mine.json\n(.*?)\n\$ .*? mine.json\n(.*?)\n```", text, re.S)
    mine = tmp_path / "mine.json"
    mine.write_text(session.group(1))
    status, out, err = process([str(mine)])
    assert (status, out.rstrip(), err) == (1, session.group(2), "")
    assert doctest.testfile(os.path.join(HERE, "README.md"), module_relative=False,
                            encoding="utf-8").failed == 0
