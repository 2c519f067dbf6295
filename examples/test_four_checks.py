import collections
import importlib.util

import pytest

import attention
from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, Attention, self_attention
from examples.four_checks import CHECKS, Divergence, first_divergence

INF, NAN = float("inf"), float("nan")
RIGHT = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)


def test_the_checks_name_every_stage_in_order():
    assert tuple(stage for check, stages in CHECKS for stage in stages) == STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_the_first_stage_that_differs_is_named(stage):
    wrong = {name: [list(row) for row in rows] for name, rows in zip(STAGES, RIGHT)}
    for name in STAGES[STAGES.index(stage):]:
        wrong[name][4][1] += 0.001
        wrong[name][5][0] += 0.001
    x = getattr(RIGHT, stage)[4][1]
    expected = Divergence(stage, 4, 1, x, wrong[stage][4][1])
    other = collections.namedtuple("Other", reversed(STAGES))
    for given in wrong, Attention(**wrong), tuple(Attention(**wrong)), other(**wrong):
        assert first_divergence(RIGHT, given) == expected
        assert first_divergence(RIGHT, given, 0.0011) is None


def test_the_attention_of_a_second_copy():
    spec = importlib.util.spec_from_file_location("a_copy", attention.__file__)
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    theirs = copy.self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    assert first_divergence(RIGHT, theirs, 0.0) is None


@pytest.mark.parametrize("expected, actual, divergence", [
    ([[0.0]], [[0.00006]], None),
    ([[1.0]], [[1.00007]], (0, 0, 1.0, 1.00007)),
    ([[1.0]], [[0.9999]], (0, 0, 1.0, 0.9999)),
    ([[INF]], [[1.0]], (0, 0, INF, 1.0)),
    ([[-INF]], [[-INF]], None),  # as in masked scores
    ([[INF]], [[-INF]], (0, 0, INF, -INF)),
    ([[1.0], [2.0]], [[1.0]], (None, None, "2 x 1", "1 x 1")),
    ([[1.0, 2.0]], [[1.0], [1.0, 2.0]], (None, None, "1 x 2", "2 x 1 or 2")),
    ([[1.0, 2.0]], [1, 2], None),  # one row alone
])
def test_divergence(expected, actual, divergence):
    found = first_divergence({"keys": expected}, {"keys": actual, "values": [[9]]})
    assert found == (divergence and ("keys", ) + divergence)


def test_nan_differs_from_everything():
    for x in 1.0, NAN:
        assert first_divergence({"keys": [[x]]}, {"keys": [[NAN]]}).stage == "keys"


def test_one_row_for_one_query():
    row = [round(x, 4) for x in RIGHT.attention_scores[2]]
    assert first_divergence(RIGHT, {"attention_scores": row}, query=2) is None
    row[5] += 1.0
    given = {"keys": RIGHT.keys, "attention_scores": [row]}
    found = first_divergence(RIGHT, given, query=2)
    assert found[:3] == ("attention_scores", 2, 5)
    assert first_divergence(RIGHT, given).actual == "1 x 6"


@pytest.mark.parametrize("bad, error, message", [
    ({"scores": [[1.0]]}, ValueError, "%s has 'scores', expected queries, keys, "),
    ({}, ValueError, "expected and actual have no stage in common"),
    ([[1.0]], TypeError, "%s is neither "),
    (RIGHT[:6], TypeError, "%s is neither "),
] + [
    ({"keys": keys}, TypeError, "%s.keys is not rows of numbers")
    for keys in (None, [], [["1"]], [[1.0], None], [[10 ** 400]])])
def test_refusals(bad, error, message):
    for name, arguments in ("actual", (RIGHT, bad)), ("expected", (bad, RIGHT)):
        with pytest.raises(error) as caught:
            first_divergence(*arguments)
        assert str(caught.value).startswith(message.replace("%s", name))


@pytest.mark.parametrize("tolerance", [NAN, -1, None, "1"])
def test_a_tolerance_that_is_none(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        first_divergence(RIGHT, RIGHT, tolerance)
