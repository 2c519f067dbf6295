"""python3 -m pytest examples/find_the_mistake/test_describe.py: one sentence, or none"""

import doctest
import random

import pytest

from attention import softmax, transpose
from examples.causal import INF, renormalise, replace
from examples.find_the_mistake import describe as module
from examples.find_the_mistake.describe import describe

CHANCE = random.Random(1)
SCORES = [[CHANCE.gauss(0, 1) for k in range(5)] for q in range(5)]
SHARES = [softmax(row) for row in SCORES]
ROWS = [row[:2] for row in SCORES]
A, B, C, D, E = ROWS


def changed(function, matrix):
    return [[function(x, q, k) for k, x in enumerate(row)]
            for q, row in enumerate(matrix)]


def hide(hidden, x=0.0, matrix=SHARES):
    return replace(matrix, x, hidden)


# what is expected, what was made of it, and what the sentence has to tell
RELATIONS = [
    (SCORES, changed(lambda x, q, k: 0.25 * x, SCORES), "every 0.25 times"),
    (SCORES, changed(lambda x, q, k: -x, SCORES), "every minus"),
    (SCORES, changed(lambda x, q, k: x - 1.5, SCORES), "every 1.5 less"),
    (SCORES, changed(lambda x, q, k: 2 * x + 0.5, SCORES), "every 2 times 0.5"),
    (SHARES, changed(lambda x, q, k: 0.2, SHARES), "every 0.2"),
    (SCORES, transpose(SCORES), "transpose"),
    (ROWS, transpose(ROWS), "transpose"),
    ([A, B], [A + B], "1 x 4 2 x 2"),
    (ROWS, ROWS[::-1], "rows reverse"),
    (SCORES, [row[::-1] for row in SCORES], "columns reverse"),
    (ROWS, [E, A, B, C, D], "rows shifted row 4"),
    (ROWS, [[0.0, 0.0], A, B, C, D], "row 1 before"),
    (ROWS, [B, C, D, E, E], "row after"),
    (ROWS, [C, A, B, E, D], "rows 2, 0, 1, 4 and 3"),
    (ROWS, [D] * 5, "every row 3"),
    (ROWS, [A, C, E], "rows 1 and 3 missing"),
    (ROWS, [[1.0, 2.0]] * 5, "all same"),
    ([A, B], [[A[1], B[0]], [B[1], A[0]]], "places"),
    (SHARES, hide(lambda q, k: k > q), "later column > row 0 not divided"),
    (SHARES, renormalise(hide(lambda q, k: k > q)), "later column > row 0 divided again"),
    (SHARES, renormalise(hide(lambda q, k: k < q)), "earlier column < row 0 divided"),
    (SHARES, renormalise(hide(lambda q, k: k == q)), "diagonal 0 divided again"),
    (SHARES, renormalise(hide(lambda q, k: k > 2)), "columns 3 and 4 0 divided again"),
    (SHARES, renormalise(hide(lambda q, k: not q - 1 <= k <= q)), "column < row - 1 0"),
    (SHARES, hide(lambda q, k: abs(q - k) > 2), "more than 2 diagonal 0 not divided"),
    (SCORES, hide(lambda q, k: k > q, -INF, SCORES), "later -inf"),
    (SCORES, hide(lambda q, k: k >= q, -100, SCORES), "column >= row -100"),
    (SCORES, changed(lambda x, q, k: x + (k <= q), SCORES), "column <= row 1 more"),
    (SCORES, changed(lambda x, q, k: x + (q == 2 == k), SCORES), "only [2][2]"),
    (SCORES, changed(lambda x, q, k: 3 * x if q == 1 else x, SCORES), "row 1 3 times"),
    (SHARES, changed(lambda x, q, k: x * (2 + q), SHARES), "each row 2, 3, 4, 5 and 6"),
    (SHARES, changed(lambda x, q, k: x / (1 + k), SHARES), "each column 0.25 and 0.2"),
    (ROWS, changed(lambda x, q, k: x + 1.5 * k - 1, ROWS), "each column -1 and 0.5"),
    (SCORES, changed(lambda x, q, k: x - abs(q - k) / 4, SCORES), "0.25 subtracted step"),
    (SCORES, changed(lambda x, q, k: x + 0.5 * (k - q), SCORES), "0.5 added step right"),
    (ROWS, [[2 * x + y + 1, x - y] for x, y in ROWS], "row matrix offset"),
    (SCORES, changed(lambda x, q, k: x ** 3, SCORES), "increasing"),
    (SHARES, [softmax([-3 * x for x in row]) for row in SCORES], "row falling"),
    (SCORES, changed(lambda x, q, k: CHANCE.random(), SCORES), ""),
    (SHARES, changed(lambda x, q, k: x if q + k else float("nan"), SHARES), "[0][0]"),
    (SHARES, [[float("nan")] * 5] * 5, ""),
]


@pytest.mark.parametrize("expected, actual, words", RELATIONS)
def test_what_happened_is_told(expected, actual, words):
    rounded = changed(lambda x, q, k: round(x, 4), actual)
    for text in (describe(expected, actual, 1e-9), describe(expected, rounded, 6e-5)):
        for word in words.split():
            assert word in text.lower()
        assert bool(words) == bool(text)


def test_what_is_right_needs_no_words():
    assert describe(SCORES, SCORES, 0.0) == ""


def test_another_stage_comes_first():
    others = {"a number": [[3.0]], "your keys": changed(lambda x, q, k: 2 * x, ROWS)}
    assert "your keys" in describe(ROWS, others["your keys"], 1e-9, others)
    assert describe([[2.0]], [[3.0]], 1e-9, others) == ""


def test_few_numbers_prove_nothing():
    for trial in range(50):
        row, other = [[CHANCE.gauss(0, 1) for i in range(2)] for j in range(2)]
        assert describe([row], [other], 1e-9) == ""
        assert describe(transpose([row]), transpose([other]), 1e-9) == ""
    assert describe([[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]], 1e-9) == ""  # small and whole
    assert describe([[1.0, 2.5, 3.0]], [[2.0, 5.0, 6.0]], 1e-9) == ""
    assert describe([[1.25, 2.5, 3.0]], [[2.5, 5.0, 6.0]], 1e-9) != ""


def test_doctests():
    assert doctest.testmod(module).failed == 0 < doctest.testmod(module).attempted
