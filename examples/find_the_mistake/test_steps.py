"""python3 -m pytest examples/find_the_mistake/test_steps.py: the catalogue"""

import doctest
import json
import os

import pytest

from attention import cross_attention, self_attention, simplified_self_attention
from examples.find_the_mistake import steps
from examples.find_the_mistake.command import example
from examples.find_the_mistake.search import attempt
from examples.find_the_mistake.steps import MISTAKES, STAGES, before, compute

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "examples", "reference.json")) as file:
    REFERENCE = json.load(file)
CASES = [REFERENCE["running_example"][version] for version in ("simplified", "trainable")]
CASES += [REFERENCE["two_sequences"]] + REFERENCE["cases"]
PARTS = ("inputs", "targets", "sources", "W_query", "W_key", "W_value")


def case_of(reference):
    return {name: reference[name] for name in PARTS if name in reference}


@pytest.mark.parametrize("reference", CASES, ids=lambda reference: reference["name"])
def test_the_steps_done_right_are_attention(reference):
    case = case_of(reference)
    attend = cross_attention if "targets" in case else self_attention
    if "W_query" not in case:
        attend = simplified_self_attention
    assert compute(case) == attend(**case)


def test_queries_keys_and_values_alone_are_a_case():
    right = compute(example())
    alone = {stage: getattr(right, stage) for stage in STAGES[:3]}
    assert compute(alone) == right


def test_each_mistake_says_what_and_how_to_put_it_right():
    assert len(steps.MISTAKE) == len(MISTAKES)
    for mistake in MISTAKES:
        assert mistake.stage == list(mistake.steps)[0] in STAGES
        assert mistake.what.isprintable() and mistake.fix.isprintable()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_step_changes_nothing_that_it_is_given(mistake):
    case = dict(example(), heads=None)
    s = before(case)
    for stage in STAGES:
        setattr(s, stage, getattr(compute(case), stage))
    copy = json.dumps(vars(s))
    for step in mistake.steps.values():
        attempt(step, s)
    assert json.dumps(vars(s)) == copy


@pytest.mark.parametrize("name, stage, arguments, expected", [
    # By hand, with numbers of one digit.
    ("total-never-reset", "queries",
     {"targets": [[1, 2], [3, 4]], "W_query": [[1, 0], [0, 1]]}, [[1, 3], [6, 10]]),
    ("multiplied-elementwise", "attention_scores",
     {"queries": [[1, 2], [3, 4]], "keys": [[5, 6], [7, 8]]}, [[5, 12], [21, 32]]),
    ("weight-matrix-read-by-columns", "values",
     {"sources": [[1, 0], [0, 1]], "W_value": [[1, 2, 3], [4, 5, 6]]},
     [[1, 4, 2], [5, 3, 6]]),
    ("keys-reshaped", "attention_scores",
     {"queries": [[1, 0], [0, 1], [1, 1]], "keys": [[1, 2], [3, 4], [5, 6]]},
     [[1, 2, 3], [4, 5, 6], [5, 7, 9]]),
    ("divided-by-int-sqrt-d_k", "scaled_scores",
     {"attention_scores": [[6]], "keys": [[0] * 8]}, [[3]]),
    ("mask-filled-with-0", "scaled_scores",
     {"attention_scores": [[1, 2], [3, 4]], "keys": [[0]]}, [[1, 0], [3, 4]]),
    ("sum-plus-1", "attention_weights", {"scaled_scores": [[0, 0]]}, [[1 / 3, 1 / 3]]),
    ("powers-of-2", "attention_weights", {"scaled_scores": [[0, 1]]}, [[1 / 3, 2 / 3]]),
    ("one-hot", "attention_weights", {"scaled_scores": [[1, 3, 2]]}, [[0, 1, 0]]),
])
def test_steps_done_wrong_by_hand(name, stage, arguments, expected):
    rows = steps.MISTAKE[name].steps[stage](before(arguments))
    assert [[pytest.approx(x) for x in row] for row in expected] == rows


def test_doctests():
    assert doctest.testmod(steps).failed == 0 < doctest.testmod(steps).attempted
