"""Tests of the porting kit: the vectors, the checker with good and bad ports, and the guide."""

import doctest
import glob
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from math import exp

import pytest

import attention
from attention import STAGES
from examples.find_the_mistake.steps import MISTAKE, MISTAKES, compute
from examples.porting import __main__ as checker
from examples.porting import make_vectors, port, self_check, serve
from examples.porting.__main__ import SINGLE, Answer, explain, judge
from examples.porting.self_check import DOUBLE, complaint

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = self_check.load_cases()
COMPUTED = [case for case in CASES if "error" not in case["expected"]]
REFUSED = [case for case in CASES if "error" in case["expected"]]
RAGGED = [case for case in CASES if not checker.can_be_plain(case)]
NAN, INF = float("nan"), float("inf")
SERVE = (sys.executable, "-m", "examples.porting.serve")
JS = ("node", os.path.join(HERE, "attention.js"))
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and groups are Unix")


def command(module, *args):
    """Run a module of this package; return its exit status, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "examples.porting" + module] + list(args),
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True, timeout=60)
    assert "Traceback" not in done.stderr or "port: " in done.stderr
    return done.returncode, done.stdout, done.stderr


def read(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()


def summary(computed=len(COMPUTED), refused=len(REFUSED), out_of=len(REFUSED), tolerance=DOUBLE):
    return "Computed: %d of %d agree, to %g. Refused: %d of %d.\n" % (
        computed, len(COMPUTED), tolerance, refused, out_of)


@pytest.mark.parametrize("module", [checker, port, self_check, serve])
def test_doctests(module):
    found = doctest.testmod(module)
    assert found.failed == 0 and found.attempted > 0


# ---- vectors.json ------------------------------------------------------------------------


def test_the_file_is_what_the_script_makes():
    text = read("vectors.json")
    assert text == make_vectors.make() + "\n"
    assert max(map(ord, text)) < 128
    json.loads(text, parse_constant=pytest.fail)  # NaN and Infinity are not JSON


def test_the_script_never_imports_attention():
    code = "import sys, examples.porting.make_vectors; sys.exit('attention' in sys.modules)"
    assert subprocess.call([sys.executable, "-c", code], cwd=ROOT) == 0


def test_the_cases_of_the_reference_are_there():
    with open(os.path.join(ROOT, "examples", "reference.json")) as file:
        reference = json.load(file)
    running = reference["running_example"]
    others = [running["simplified"], running["trainable"], reference["two_sequences"]]
    for found in others + reference["cases"]:
        assert found["stages"] in [case["expected"] for case in COMPUTED]


def test_every_case_is_complete():
    assert len(set(case["name"] for case in CASES)) == len(CASES)
    for case in COMPUTED:
        assert list(case["expected"]) == list(STAGES) and case["why"]
        assert case.get("stage", STAGES[0]) in STAGES
        same = [checker.whose({"context_vectors": case["expected"]["context_vectors"]}, CASES, 0)]
        assert [CASES[at] for at in same] == [case]  # so an answer tells whose it is
    assert set(case["function"] for case in COMPUTED) == set(self_check.FUNCTIONS)


def test_some_cases_have_four_different_sizes_and_one_is_square():
    found = []
    for case in COMPUTED:
        given = case["arguments"]
        if "W_query" in given:
            rows = given.get("sources", given.get("inputs"))
            found.append([len(rows)] + [
                len(given.get(name, rows)[0]) for name in ("inputs", "W_query", "W_value")])
    assert len([sizes for sizes in found if len(set(sizes)) == 4]) >= 3
    assert [3, 3, 3, 3] in found


# ---- No mistake passes -------------------------------------------------------------------


def plants(mistake):
    """Return all that a mistake can be: {stage: step}."""
    if mistake.whole:
        return [mistake.steps]
    return [{stage: step} for stage, step in mistake.steps.items()]


def biased(rows):
    return [[x + 0.25 - j for j, x in enumerate(row)] for row in rows]


def dropped(rows):
    return [[0.0 if i == j else 2 * x for j, x in enumerate(row)] for i, row in enumerate(rows)]


def answers_with(steps, cases=COMPUTED, stages=STAGES, tolerance=DOUBLE):
    """Return the Answers of a port with these steps, and how many times they were taken.

    What has a size of its own is made here: a bias, dropout.
    """
    answers, made = [], 0
    for case in cases:
        try:
            record = compute(case["arguments"], steps)._asdict()
            json.dumps(record["context_vectors"], allow_nan=False)
            made += 1
        except (ArithmeticError, TypeError, ValueError):
            record = case["expected"]
        given = {stage: [list(row) for row in record[stage]] for stage in stages}
        answers.append(Answer(case, *judge(case, given, tolerance)))
    return answers, made


def own_size(mistake, plant):
    right = compute(COMPUTED[0]["arguments"])
    change = {"bias-added": biased, "dropout": dropped}.get(mistake.name)
    if change is None:
        return plant
    [stage] = plant
    del right
    return {stage: lambda s: change(checker.RIGHT[stage](s))}


ONE_BY_ONE = [(mistake, plant) for mistake in MISTAKES for plant in plants(mistake)]
NAMES = [mistake.name + "-" + "-".join(plant) for mistake, plant in ONE_BY_ONE]
FEW = [case for case in COMPUTED if case["name"] in (
    "the running example", "7 tokens, d_in 5, d_k 3, d_v 4", "all sizes are 3",
    "two sequences", "3 tokens, d_in 4, d_k 6, d_v 2")]
