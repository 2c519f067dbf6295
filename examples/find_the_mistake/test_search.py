"""python3 -m pytest examples/find_the_mistake/test_search.py: which mistake, or none?"""

import json
import math
import os
import random
import time

import pytest

from attention import STAGES
from examples.find_the_mistake.describe import describe
from examples.find_the_mistake.read import PARTS
from examples.find_the_mistake.search import check
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, before, compute, each)

CHANCE = random.Random(3)


def load(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as file:
        return json.load(file)


def matrix(rows, columns):
    return [[CHANCE.gauss(0, 1) for j in range(columns)] for i in range(rows)]


def rounded(stages, digits):
    return {name: each(lambda x: round(x, digits), rows) for name, rows in stages.items()}


def case_of(n, d_in, d_k, d_v):
    return {"inputs": matrix(n, d_in), "W_query": matrix(d_in, d_k),
            "W_key": matrix(d_in, d_k), "W_value": matrix(d_in, d_v)}


# In the example, no two mistakes give the same numbers. Some need a case of another kind.
EXAMPLE = {name: rows for name, rows in load("example.json").items() if name in PARTS}
TWO = dict(EXAMPLE, targets=matrix(5, 7), sources=EXAMPLE["inputs"])
del TWO["inputs"]
CASES = [EXAMPLE, TWO, dict(TWO, targets=matrix(2, 7)), case_of(4, 6, 6, 6),
         case_of(6, 7, 6, 3)]
# These fit given numbers or hidden words alone: see test_cases.json.
LEFT_OUT = {"bias-added", "dropout", "mask-missing"}
TWINS = {"transposed-weight-matrix": {"weight-matrix-read-by-columns"},  # square
         "keys-not-transposed": {"keys-reshaped"}}  # n = d_k


def made(case, steps):
    """Return all stages with these steps replaced; None if they change nothing."""
    try:
        stages = compute(case, steps)._asdict()
    except (ValueError, ArithmeticError, TypeError):
        return None
    return stages if stages != compute(case)._asdict() else None


def planted():
    found = []
    for case in CASES:
        known = LEFT_OUT.union(name for other, name, steps in found if other is not case)
        for mistake in MISTAKES:
            for stage in mistake.steps:
                steps = mistake.steps if mistake.whole else {stage: mistake.steps[stage]}
                if mistake.name not in known and made(case, steps):
                    found.append((case, mistake.name, steps))
    return found


PLANTED = planted()


def named(result):
    return {step.stage: {mistake.name for mistake in step.mistakes}
            for step in result.steps if step.verdict == "wrong"}


@pytest.mark.parametrize("case", load("test_steps.json"), ids=lambda case: case["name"])
def test_steps_done_wrong_by_hand(case):
    arguments = dict(case["arguments"], hidden=lambda q, k: k > q)
    made = [mistake.steps[case["stage"]](before(arguments)) for mistake in MISTAKES
            if mistake.name == case["name"]]
    assert [pytest.approx(row) for row in case["expected"]] in made


def test_every_mistake_is_planted():
    heads = {name for name in MISTAKE if name.startswith("split-into-")}
    assert {name for case, name, steps in PLANTED} >= set(MISTAKE) - LEFT_OUT - heads


@pytest.mark.parametrize("case, name, steps", PLANTED, ids=[
    "%s-%s" % (name, "-".join(steps)) for case, name, steps in PLANTED])
def test_known_mistakes_are_named(case, name, steps):
    stages, copy = made(case, steps), json.dumps(case)
    result = check(case, stages)
    assert named(result) == {stage: {name} | TWINS.get(name, set()) for stage in steps}
    printed = named(check(rounded(case, 4), rounded(stages, 4)))
    assert set(printed) == set(steps)
    given = rounded({"context_vectors": stages["context_vectors"]}, 6)
    assert name in named(check(case, given))["context_vectors"]
    assert json.dumps(case) == copy


UNKNOWN = [lambda x, i, j: math.sin(3 * x) + 0.3, lambda x, i, j: 1.37 * x,
           lambda x, i, j: x + 0.1 * (1 + i) * (1 + j)]


def test_right_is_never_called_wrong_and_the_unknown_is_confined():
    for trial in range(50):
        case = case_of(*[CHANCE.randint(3, 6) for size in range(4)])
        stages = compute(case)._asdict()
        assert check(case, stages)[:2] == (True, None)
        for given in (STAGES, STAGES[-1:], CHANCE.sample(STAGES, 3)):
            digits = CHANCE.randint(2, 6)
            some = {stage: stages[stage] for stage in given}
            assert check(rounded(case, digits), rounded(some, digits)).right
        stage, function = CHANCE.choice(STAGES), CHANCE.choice(UNKNOWN)
        stages = compute(case, {stage: lambda s: [
            [function(x, i, j) for j, x in enumerate(row)]
            for i, row in enumerate(RIGHT[stage](s))]})._asdict()
        assert named(check(case, rounded(stages, CHANCE.choice((4, 17))))) == {
            stage: set()}


def test_no_answer_takes_long():
    case = case_of(16, 8, 8, 8)
    weights = each(lambda x: abs(x) * CHANCE.randint(0, 1), matrix(16, 16))
    given = rounded({"attention_weights": weights, "context_vectors": matrix(16, 8)}, 4)
    start = time.process_time()
    assert not check(case, given).right
    assert time.process_time() - start < 3


@pytest.mark.parametrize("case", load("test_describe.json"), ids=lambda it: it["words"])
def test_a_sentence_tells_what_happened(case):
    """words: what it has to have, numbers and places above all."""
    expected, actual = each(float, case["expected"]), each(float, case["actual"])
    rounded = each(lambda x: round(x, 4), actual)
    for mine, tolerance in ((actual, 1e-9), (rounded, 6e-5)):
        text = describe(expected, mine, tolerance, case.get("others", {}))
        assert bool(text) == bool(case["words"])
        assert all(word in text.lower() for word in case["words"].split())
