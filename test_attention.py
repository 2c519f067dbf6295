"""Tests of attention.py. Run them with: python3 -m pytest

Expected numbers come from elsewhere: the book's four decimals, and
examples/reference.json, which was computed in 60-digit arithmetic and rounded once.
"""

import ast
import doctest
import itertools
import json
import math
import os
import random
import re
import runpy
import subprocess
import sys
from array import array
from collections import UserString
from decimal import Decimal
from fractions import Fraction

import pytest

import attention
from attention import (
    INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE, blend, cross_attention, dot, matmul,
    scaled_dot_product_attention, self_attention, simplified_self_attention, softmax,
    sqrt, transpose)

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "attention.py")
NAN, INF = float("nan"), float("inf")
SIMPLIFIED = simplified_self_attention(INPUTS)
TRAINABLE = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)


def rounded(numbers):
    return ["%.4f" % x for x in numbers]


def close(expected, actual, tolerance):
    assert len(expected) == len(actual)
    for row, other in zip(expected, actual):
        assert len(row) == len(other)
        for x, y in zip(row, other):
            assert abs(x - y) <= tolerance


def refuses(function, arguments, error, words):
    """It raises this error, whose message has these names, places and sizes in order."""
    with pytest.raises(error) as caught:
        function(*arguments)
    assert type(caught.value) is error
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    said = re.findall(r"[^\s:,]+", str(caught.value))
    for word in words.split():
        assert word in said, str(caught.value)
        said = said[said.index(word) + 1:]


def ones(rows, columns):
    return [[1.0] * columns for _ in range(rows)]


# ---- 1. Numbers

JOURNEY = [
    (SIMPLIFIED.attention_scores, "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865"),
    (SIMPLIFIED.attention_weights, "0.1385 0.2379 0.2333 0.1240 0.1082 0.1581"),
    (SIMPLIFIED.context_vectors, "0.4419 0.6515 0.5683"),
    (TRAINABLE.queries, "0.4306 1.4551"),
    (TRAINABLE.attention_scores, "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440"),
    (TRAINABLE.attention_weights, "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820"),
    (TRAINABLE.context_vectors, "0.3061 0.8210"),
]


@pytest.mark.parametrize("stage, expected", JOURNEY)
def test_journey_is_as_in_the_book(stage, expected):
    assert rounded(stage[TOKENS.index("journey")]) == expected.split()


def test_all_context_vectors_are_as_in_the_book():
    assert [rounded(row) for row in SIMPLIFIED.context_vectors] == [
        ["0.4421", "0.5931", "0.5790"], ["0.4419", "0.6515", "0.5683"],
        ["0.4431", "0.6496", "0.5671"], ["0.4304", "0.6298", "0.5510"],
        ["0.4671", "0.5910", "0.5266"], ["0.4177", "0.6503", "0.5645"]]
    assert [rounded(row) for row in TRAINABLE.context_vectors] == [
        ["0.2996", "0.8053"], ["0.3061", "0.8210"], ["0.3058", "0.8203"],
        ["0.2948", "0.7939"], ["0.2927", "0.7891"], ["0.2990", "0.8040"]]


with open(os.path.join(HERE, "examples", "reference.json")) as file:
    REFERENCE = json.load(file)
CASES = REFERENCE["cases"] + [
    REFERENCE["running_example"]["simplified"],
    REFERENCE["running_example"]["trainable"],
    REFERENCE["linear_seed_789"],
    REFERENCE["two_sequences"]]


def attention_of(case):
    names = ("targets", "sources", "inputs", "W_query", "W_key", "W_value")
    matrices = [case[name] for name in names if name in case]
    if "targets" in case:
        return cross_attention(*matrices)
    if "W_query" in case:
        return self_attention(*matrices)
    return simplified_self_attention(*matrices)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_stage_of_the_reference(case):
    """Within 4 units in the last place of the largest number so far, or of 1.

    A dot product of up to 7 terms rounds 13 times, by at most half such a unit each time,
    seldom in the same direction; rounding errors of the scores are as large in softmax.
    The largest deviation measured is 1.2 units.
    """
    actual, size = attention_of(case), 1.0
    for stage in STAGES:
        expected = case["stages"][stage]
        size = max([size] + [abs(x) for row in expected for x in row])
        close(expected, getattr(actual, stage), 4 * size * 2.0 ** -52)


def test_the_constants_are_the_reference_to_eight_decimals():
    trainable = REFERENCE["running_example"]["trainable"]
    assert TOKENS == REFERENCE["running_example"]["tokens"]
    assert INPUTS == trainable["inputs"]
    for name, W in (("W_query", W_QUERY), ("W_key", W_KEY), ("W_value", W_VALUE)):
        assert W == [[round(x, 8) for x in row] for row in trainable[name]]


ARITHMETIC = [
    (dot, ([], []), 0.0),
    (dot, ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 32.0),
    (dot, ([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]), 0.0),  # one after the other
    (transpose, ([[1.0, 2.0]],), [[1.0], [2.0]]),
    (transpose, ([[1.0], [2.0]],), [[1.0, 2.0]]),
    (matmul, ([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]),
     [[2.0, 1.0], [4.0, 3.0]]),
    (matmul, ([[2.0]], [[3.0, 4.0]]), [[6.0, 8.0]]),
    (matmul, ([[2.0, 3.0]], [[4.0], [5.0]]), [[23.0]]),
    (matmul, ([[1e16, 1.0, -1e16]], [[1.0], [1.0], [1.0]]), [[0.0]]),
    (sqrt, (0,), 0.0),
    (sqrt, (2.25,), 1.5),
    (sqrt, (Fraction(9, 4),), 1.5),
    (softmax, ([7.0],), [1.0]),
    (softmax, ([-INF, 3.0],), [0.0, 1.0]),
    (softmax, ([1.0, 1.0, -INF],), [0.5, 0.5, 0.0]),
    (softmax, ([1000.0, 1000.0],), [0.5, 0.5]),  # e^1000 overflows
    (softmax, ([-1000.0, -1000.0],), [0.5, 0.5]),  # e^-1000 is 0
    (softmax, ([1e308, -1e308],), [1.0, 0.0]),
    (blend, ([1.0], [[2.0, 3.0]]), [2.0, 3.0]),
    (blend, ([0.5, 0.5], [[1.0, 2.0], [3.0, 6.0]]), [2.0, 4.0]),
    (blend, ([1e16, 1.0, -1e16], [[1.0], [1.0], [1.0]]), [0.0]),
]


@pytest.mark.parametrize("function, arguments, expected", ARITHMETIC)
def test_arithmetic(function, arguments, expected):
    assert function(*arguments) == expected


def test_square_roots_of_squares_are_exact():
    generator = random.Random(1)
    roots = list(range(2000)) + [generator.randrange(94906266) for _ in range(2000)]
    for root in roots:
        assert sqrt(root * root) == root
        assert type(sqrt(root * root)) is float


def test_square_roots_are_within_one_unit_in_the_last_place():
    generator = random.Random(2)
    numbers = [5e-324, 1e-323, 2.2250738585072014e-308, sys.float_info.max, 0.1, 2.0]
    for _ in range(3000):
        exponent = generator.randrange(-1074, 1024)
        numbers.append(math.ldexp(generator.random() + 0.5, exponent))
    for x in numbers:
        root = sqrt(x)
        unit = Fraction(math.ldexp(1.0, math.frexp(root)[1] - 53))
        assert (Fraction(root) - unit) ** 2 <= Fraction(x) <= (Fraction(root) + unit) ** 2


@pytest.mark.parametrize("d_k", [2, 4, 9])
def test_dot_products_have_the_typical_size_that_part_4_says(d_k):
    signs = itertools.product([-1.0, 1.0], repeat=d_k)
    squares = [dot(list(vector), [1.0] * d_k) ** 2 for vector in signs]
    assert math.fsum(squares) / len(squares) == d_k


# ---- 2. What must hold for any numbers


def random_matrix(generator, n, d):
    return [[generator.uniform(-1, 1) for _ in range(d)] for _ in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_properties(seed):
    generator = random.Random(seed)
    n, d_in, d_k, d_v = [generator.randrange(1, 8) for _ in range(4)]
    inputs = random_matrix(generator, n, d_in)
    matrices = [random_matrix(generator, d_in, d) for d in (d_k, d_k, d_v)]
    simplified = simplified_self_attention(inputs)
    trainable = self_attention(inputs, *matrices)
    shapes = [(len(stage), len(stage[0])) for stage in trainable]
    assert shapes == [(n, d_k), (n, d_k), (n, d_v), (n, n), (n, n), (n, n), (n, d_v)]

    for row in simplified.attention_weights + trainable.attention_weights:
        assert min(row) > 0
        assert abs(math.fsum(row) - 1) < 1e-15 * n

    columns = list(zip(*inputs))
    for context_vector in simplified.context_vectors:
        for x, column in zip(context_vector, columns):
            assert min(column) - 1e-15 <= x <= max(column) + 1e-15

    order = list(range(n))
    generator.shuffle(order)
    shuffled = [inputs[i] for i in order]
    for before, after in (
            (simplified, simplified_self_attention(shuffled)),
            (trainable, self_attention(shuffled, *matrices))):
        close([before.context_vectors[i] for i in order], after.context_vectors, 1e-15)
        close([[before.attention_weights[i][j] for j in order] for i in order],
              after.attention_weights, 1e-15)

    scores = [generator.uniform(-9, 9) for _ in range(n)]
    close([softmax(scores)], [softmax([score + 100.0 for score in scores])], 1e-13)


def test_the_four_functions_agree_where_they_mean_the_same():
    one = [[1.0, 0.0], [0.0, 1.0]]
    inputs = [[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]
    trainable = self_attention(inputs, one, one, one)
    assert trainable == scaled_dot_product_attention(inputs, inputs, inputs)
    assert trainable == cross_attention(inputs, inputs, one, one, one)
    simplified = simplified_self_attention(inputs)
    assert trainable.attention_scores == simplified.attention_scores
    assert trainable.scaled_scores[0][0] == 5.0 / sqrt(2)


def test_the_simplified_version_neither_projects_nor_scales():
    assert SIMPLIFIED.queries == SIMPLIFIED.keys == SIMPLIFIED.values == INPUTS
    assert SIMPLIFIED.scaled_scores == SIMPLIFIED.attention_scores


def test_hundreds_of_rows_and_columns():
    wide, high = ones(1, 300), ones(300, 1)
    assert dot(wide[0], wide[0]) == 300.0
    assert scaled_dot_product_attention(wide, wide, wide).attention_scores == [[300.0]]
    result = scaled_dot_product_attention([[1.0]], high, high)
    close([[1.0]], result.context_vectors, 1e-12)
    close([[1.0]] * 300, simplified_self_attention(high).context_vectors, 1e-12)
    assert self_attention([[1.0]], wide, wide, wide).attention_scores == [[300.0]]
    assert self_attention(wide, high, high, high).queries == [[300.0]]


def test_inputs_stay_as_they_are_and_nothing_is_shared():
    inputs, W_query, W_key, W_value = arguments = [
        [[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[3.0], [4.0]],
        [[5.0, 6.0], [7.0, 8.0]]]
    before = json.dumps(arguments)
    for result in (
            simplified_self_attention(inputs),
            self_attention(*arguments),
            cross_attention(inputs, inputs, *arguments[1:]),
            scaled_dot_product_attention(inputs, inputs, inputs)):
        own = {id(part) for given in arguments for part in [given] + given}
        stages = {id(stage): stage for stage in result}.values()
        parts = [part for stage in stages for part in [stage] + stage]
        assert not own & set(map(id, parts))
        assert len(set(map(id, parts))) == len(parts)
        assert len(stages) == 4 if result.keys is result.queries else 7
        for part in parts:
            part.reverse()
    assert json.dumps(arguments) == before


# ---- 3. What goes in, and what is refused


class Array:
    """Stands for a numpy array or a torch tensor: it unpacks itself into plain Python."""

    def __init__(self, content, kind="f"):
        self.content, self.dtype, self.kind = content, self, kind

    def tolist(self):
        if isinstance(self.content, Exception):
            raise self.content
        return self.content


@pytest.mark.parametrize("inputs", [
    ((1, 2), (3, 4)),
    [(1.0, 2), [3, 4.0]],
    [[True, Fraction(2)], [Decimal(3), 4]],
    [array("d", [1, 2]), array("i", [3, 4])],
    Array([[1.0, 2.0], [3.0, 4.0]]),
    [Array([1.0, 2.0]), Array([3, 4])],
    [[Array(1.0), Array(2)], [3, 4]],
])
def test_lists_tuples_and_arrays_of_any_real_numbers(inputs):
    result = simplified_self_attention(inputs)
    assert result == simplified_self_attention([[1.0, 2.0], [3.0, 4.0]])
    assert all(type(x) is float for stage in result for row in stage for x in row)


BAD = [  # as the argument "inputs"; the place follows its name
    (None, TypeError, "inputs NoneType"),
    (3.0, TypeError, "inputs float"),
    ("journey", TypeError, "inputs str"),
    ({0: [1.0]}, TypeError, "inputs dict"),
    ({0: [1.0]}.values(), TypeError, "inputs dict_values"),
    ({(1.0, 2.0)}, TypeError, "inputs set"),
    ((row for row in [[1.0]]), TypeError, "inputs generator"),
    (memoryview(b"12"), TypeError, "inputs memoryview"),
    (Array(1.0), TypeError, "inputs"),
    (Array(RuntimeError("packed")), TypeError, "inputs packed"),
    (Array([[1]], "M"), TypeError, "inputs"),  # as dates in numpy
    ([[Array(1, "M")]], TypeError, "inputs[0][0]"),
    ([1.0, 2.0], TypeError, "inputs[0] float"),
    ([[1.0], None], TypeError, "inputs[1] NoneType"),
    ([[1.0], "2"], TypeError, "inputs[1] str"),
    ([[1.0], b"2"], TypeError, "inputs[1] bytes"),
    ([{1.0: 2.0}], TypeError, "inputs[0] dict"),
    ([Array("2")], TypeError, "inputs[0]"),
    ([[1.0], [2.0], ["3"]], TypeError, "inputs[2][0] str"),
    ([[1.0, b"3"]], TypeError, "inputs[0][1] bytes"),
    ([[None]], TypeError, "inputs[0][0] NoneType"),
    ([[1j]], TypeError, "inputs[0][0] complex"),
    ([[[1.0]]], TypeError, "inputs[0][0] list"),
    ([[UserString("3")]], TypeError, "inputs[0][0] UserString"),
    ([[Decimal("sNaN")]], TypeError, "inputs[0][0]"),
    ([], ValueError, "inputs"),
    ([[]], ValueError, "inputs"),
    ([[], []], ValueError, "inputs"),
    ([[1.0], []], ValueError, "inputs[0] 1 inputs[1] 0"),
    ([[1.0, 2.0], [1.0]], ValueError, "inputs[0] 2 inputs[1] 1"),
    ([[1.0, NAN]], ValueError, "inputs[0][1] nan"),
    ([[1.0], [INF]], ValueError, "inputs[1][0] inf"),
    ([[-INF]], ValueError, "inputs[0][0] -inf"),
    ([[10 ** 400]], ValueError, "inputs[0][0]"),
    ([[Fraction(10) ** 400]], ValueError, "inputs[0][0]"),
]


@pytest.mark.parametrize("bad, error, words", BAD)
def test_refuses_what_is_not_rows_of_numbers(bad, error, words):
    refuses(simplified_self_attention, (bad,), error, words)
    for function, names in (
            (scaled_dot_product_attention, ["queries", "keys", "values"]),
            (self_attention, ["inputs", "W_query", "W_key", "W_value"]),
            (cross_attention, ["targets", "sources", "W_query", "W_key", "W_value"])):
        for i, name in enumerate(names):
            arguments = [[[1.0]] for _ in names]
            arguments[i] = bad
            refuses(function, arguments, error, words.replace("inputs", name))


DO_NOT_FIT = [
    (self_attention, [(6, 4), (3, 2), (4, 2), (4, 2)],
     "inputs 6 x 4 W_query 3 x 2 d_in 4 3"),
    (self_attention, [(6, 4), (4, 2), (5, 2), (4, 2)],
     "inputs 6 x 4 W_key 5 x 2 d_in"),
    (self_attention, [(6, 4), (4, 2), (4, 2), (2, 4)],
     "inputs 6 x 4 W_value 2 x 4 d_in"),
    (self_attention, [(6, 4), (4, 2), (4, 3), (4, 2)],
     "W_query 4 x 2 W_key 4 x 3 d_k 2 3"),
    (cross_attention, [(2, 3), (5, 4), (4, 2), (4, 2), (4, 2)],
     "targets 2 x 3 W_query 4 x 2 d_t"),
    (cross_attention, [(2, 4), (5, 3), (4, 2), (4, 2), (3, 2)],
     "sources 5 x 3 W_key 4 x 2 d_in"),
    (cross_attention, [(2, 4), (5, 3), (4, 2), (3, 2), (4, 2)],
     "sources 5 x 3 W_value 4 x 2 d_in"),
    (cross_attention, [(2, 4), (5, 3), (4, 2), (3, 1), (3, 2)],
     "W_query 4 x 2 W_key 3 x 1 d_k"),
    (cross_attention, [(1, 1), (1, 1), (2, 1), (1, 1), (1, 1)],
     "targets 1 x 1 W_query 2 x 1 d_t"),
    (scaled_dot_product_attention, [(2, 3), (5, 2), (5, 2)],
     "queries 2 x 3 keys 5 x 2 d_k 3 2"),
    (scaled_dot_product_attention, [(2, 3), (5, 3), (4, 3)],
     "keys 5 x 3 values 4 x 3 n 5 4"),
    (scaled_dot_product_attention, [(2, 3), (4, 3), (5, 3)],
     "keys 4 x 3 values 5 x 3 n 4 5"),
    (matmul, [(1, 2), (1, 2)], "a 1 x 2 b 1 x 2 d 2 1"),
    (matmul, [(1, 1), (2, 1)], "a 1 x 1 b 2 x 1 d"),
]


@pytest.mark.parametrize("function, shapes, words", DO_NOT_FIT)
def test_refuses_shapes_that_do_not_fit(function, shapes, words):
    refuses(function, [ones(*shape) for shape in shapes], ValueError, words)


BAD_ARITHMETIC = [
    (dot, ([1.0], [1.0, 2.0]), ValueError, "a 1 b 2"),
    (dot, ([1.0, 2.0], [1.0]), ValueError, "a 2 b 1"),
    (dot, (None, [1.0]), TypeError, ""),
    (transpose, ([],), ValueError, "matrix"),
    (transpose, ([[]],), ValueError, "matrix"),
    (transpose, ([[1.0], [1.0, 2.0]],), ValueError,
     "matrix[0] 1 matrix[1] 2"),
    (transpose, ([[1.0, 2.0], [1.0]],), ValueError,
     "matrix[0] 2 matrix[1] 1"),
    (transpose, ([1.0, 2.0],), TypeError, "matrix"),
    (transpose, (None,), TypeError, "matrix"),
    (matmul, ([[1.0], [1.0, 2.0]], [[1.0]]), ValueError,
     "a[0] 1 a[1] 2"),
    (matmul, ([[1.0]], [[1.0], []]), ValueError, "b[0] 1 b[1] 0"),
    (matmul, ([1.0, 2.0], [[1.0], [2.0]]), TypeError, "a"),
    (matmul, ([[1.0, 2.0]], []), ValueError, "b"),
    (blend, ([1.0], [[1.0], [2.0]]), ValueError, "shares 1 rows 2"),
    (blend, ([0.5, 0.5], [[1.0]]), ValueError, "shares 2 rows 1"),
    (blend, ([0.5, 0.5], [[1.0], [2.0, 3.0]]), ValueError, "rows[0] 1 rows[1] 2"),
    (blend, ([0.5, 0.5], [[1.0, 2.0], [3.0]]), ValueError, "rows[0] 2 rows[1] 1"),
    (blend, ([], []), ValueError, "rows"),
    (blend, ([1.0], [2.0]), TypeError, "rows"),
    (sqrt, (-1.0,), ValueError, "x -1.0"),
    (sqrt, (-5e-324,), ValueError, "x -5e-324"),
    (sqrt, (NAN,), ValueError, "x nan"),
    (sqrt, (INF,), ValueError, "x inf"),
    (sqrt, (10 ** 400,), ValueError, "x"),
    (sqrt, ("4",), TypeError, "x str"),
    (softmax, ([],), ValueError, "scores"),
    (softmax, ([1.0, NAN],), ValueError, "scores[1] nan"),
    (softmax, ([NAN, 1.0],), ValueError, "scores[0] nan"),
    (softmax, ([-INF, 1.0, INF],), ValueError, "scores[2] inf"),
    (softmax, ([-INF, -INF],), ValueError, "scores -inf"),
]


@pytest.mark.parametrize("function, arguments, error, words", BAD_ARITHMETIC)
def test_arithmetic_refuses(function, arguments, error, words):
    refuses(function, arguments, error, words)


ELEVEN = [[0.0]] * 11  # eleven times the float nearest to 1/11 is a little more than 1
OVERFLOWS = [
    (simplified_self_attention, ([[1e200]],), "attention_scores[0][0] inf"),
    (simplified_self_attention, ([[1e200], [-1e200]],), "attention_scores[0][0] inf"),
    (scaled_dot_product_attention, ([[1.0], [1e200]], [[0.0], [-1e200]], ones(2, 1)),
     "attention_scores[1][1] -inf"),
    (scaled_dot_product_attention, ([[1e200, 1e200]], [[1e200, -1e200]], ones(1, 1)),
     "attention_scores[0][0] nan"),
    (scaled_dot_product_attention, ([[0.0]], ELEVEN, [[sys.float_info.max]] * 11),
     "context_vectors[0][0] inf"),
    (self_attention, ([[1e200, 1.0]], [[1e200], [1.0]], [[0.0], [1.0]], [[0.0], [1.0]]),
     "queries[0][0] inf"),
    (self_attention, ([[1e200, 1.0]], [[0.0], [1.0]], [[1e200], [1.0]], [[0.0], [1.0]]),
     "keys[0][0] inf"),
    (self_attention, ([[1e200, 1.0]], [[0.0], [1.0]], [[0.0], [1.0]], [[1e200], [1.0]]),
     "values[0][0] inf"),
]


@pytest.mark.parametrize("function, arguments, words", OVERFLOWS)
def test_overflow_is_named_at_the_stage_where_it_begins(function, arguments, words):
    refuses(function, arguments, ValueError, words)


def test_numpy_arrays():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    expected = simplified_self_attention([[1.0, 2.0], [3.0, 4.0]])
    for kind in ("float64", "float32", "float16", "int8", "object"):
        numbers = numpy.array([[1, 2], [3, 4]], dtype=kind)
        assert simplified_self_attention(numbers) == expected
        assert simplified_self_attention([list(row) for row in numbers]) == expected
    for bad, error, words in (
            (numpy.zeros(1), TypeError, "inputs[0] float"),
            (numpy.zeros((1, 1, 1)), TypeError, "inputs[0][0] list"),
            (numpy.array([[1j]]), TypeError, "inputs complex128"),
            (numpy.array([["1"]]), TypeError, "inputs"),
            (numpy.array([[1]], "datetime64[ns]"), TypeError, "inputs datetime64[ns]"),
            ([[numpy.complex64(1)]], TypeError, "inputs[0][0] complex64"),
            (numpy.zeros((0, 3)), ValueError, "inputs"),
            (numpy.array([[numpy.nan]]), ValueError, "inputs[0][0] nan")):
        refuses(simplified_self_attention, (bad,), error, words)


def test_torch_tensors():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    expected = simplified_self_attention([[1.0, 2.0], [3.0, 4.0]])
    assert simplified_self_attention(numbers) == expected
    assert simplified_self_attention([[x for x in row] for row in numbers]) == expected
    for bad, words in (
            (numbers.to("meta"), "inputs"), (numbers.to_sparse(), "inputs"),
            (torch.tensor([[1j]]), "inputs[0][0] complex")):
        refuses(simplified_self_attention, (bad,), TypeError, words)


# ---- 4. The command


def run(*arguments, **options):
    process = subprocess.Popen(
        [sys.executable, FILE] + list(arguments), stdout=options.get("stdout", -1),
        stderr=options.get("stderr", -1), env=options.get("env"),
        universal_newlines=True)
    out, err = process.communicate()
    return process.returncode, out, err


def printed(capsys, *arguments):
    assert attention.main(*arguments) is None
    return capsys.readouterr().out


def numbers_in(text):
    return re.findall(r"-?\d+(?:\.\d+)?", text)


def ledger_of(result, q, columns):
    """Return the numbers in the table of query q, row by row."""
    rows, shares = [], result.attention_weights[q]
    for k, value in enumerate(result.values):
        steps = {
            "input": ["%.2f" % x for x in result.keys[k]],
            "key": rounded(result.keys[k]),
            "score": rounded([result.attention_scores[q][k]]),
            "scaled": rounded([result.scaled_scores[q][k]]),
            "share": rounded([shares[k]]),
            "value": rounded(value),
            "part": rounded([shares[k] * x for x in value])}
        rows += [number for column in columns.split() for number in steps[column]]
    return rows + ["1.0000"] + rounded(result.context_vectors[q])


def percents(result, q):
    """Return what the query takes from itself, from the others, and most from one."""
    shares = result.attention_weights[q]
    own, most = shares[q], max(shares[:q] + shares[q + 1:])
    return ["%.0f" % (100 * share) for share in (own, 1 - own, most)]


@pytest.mark.parametrize("q, word", list(enumerate(TOKENS)))
def test_the_story_has_these_numbers_and_no_other(capsys, q, word):
    story = printed(capsys, word.upper())
    simplified, trainable = story.split("TRAINABLE")
    expected = [str(q), "0"] + ledger_of(SIMPLIFIED, q, "input score share part")
    expected += [str(len(TOKENS)), "2"] + percents(SIMPLIFIED, q)
    assert numbers_in(simplified) == expected
    rows = zip(W_QUERY, W_KEY, W_VALUE)
    expected = ["%.8f" % x for matrices in rows for row in matrices for x in row]
    expected += rounded(TRAINABLE.queries[q]) + [str(len(W_KEY[0]))]
    expected += ledger_of(TRAINABLE, q, "key score scaled share value part")
    assert numbers_in(trainable) == expected + percents(TRAINABLE, q)
    for result in (SIMPLIFIED, TRAINABLE):
        shares = result.attention_weights[q]
        best = max([k for k in range(len(TOKENS)) if k != q], key=lambda k: shares[k])
        assert re.search("%s takes.*[( ]%s .*: %.0f %%" % (
            word, TOKENS[best], 100 * shares[best]), story)
    bars = [len(bar) for bar in re.findall("  (#+)", story)]
    assert bars == [round(50 * share) for share in SIMPLIFIED.attention_weights[q]]
    assert max(len(line) for line in story.splitlines()) <= 80
    assert story.count("\n") <= 45
    assert all(ord(character) < 128 for character in story)


def test_without_a_word_the_query_is_what_the_help_says(capsys):
    word = re.search(r"\((\w+) if none", printed(capsys, "--help")).group(1)
    assert run() == run(word) == (0, printed(capsys), "")


def test_all_context_vectors_are_printed(capsys):
    expected = []
    for row, other in zip(SIMPLIFIED.context_vectors, TRAINABLE.context_vectors):
        expected += rounded(row + other)
    assert numbers_in(printed(capsys, "--all")) == expected


def test_json_has_every_stage_at_full_precision():
    status, out, err = run("--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "tokens": TOKENS, "inputs": INPUTS,
        "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE,
        "simplified": dict(zip(STAGES, SIMPLIFIED)),
        "trainable": dict(zip(STAGES, TRAINABLE))}


def test_help_names_the_choices(capsys):
    said = re.findall(r"[-\w]+", printed(capsys, "--help"))
    assert set(TOKENS + ["--all", "--json", "--help"]) <= set(said)


@pytest.mark.parametrize("arguments", [
    ["walk"], ["two\nlines"], ["--jsn"], ["journey", "starts"], ["starts", "--json"],
    ["--json", "one"], [""], ["\x1b[2J"]])
def test_wrong_arguments(arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert repr(" ".join(arguments)) in err
    assert set(TOKENS + ["--all", "--json", "--help"]) <= set(err.split())
    assert err.endswith("\n") and err.count("\n") == 1 and "\x1b" not in err


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_cut_short_ends_quietly(unbuffered):
    read_end, write_end = os.pipe()
    os.close(read_end)
    env = dict(os.environ, PYTHONUNBUFFERED=unbuffered)
    assert run(stdout=write_end, env=env) == (0, None, "")
    os.close(write_end)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_said_in_one_line_where_there_is_room():
    with open("/dev/full", "w") as full:
        status, out, err = run(stdout=full)
        assert status == 2
        assert "cannot print" in err and err.count("\n") == 1
        assert run(stdout=full, stderr=full)[0] == 2
        assert run("walk", stderr=full)[0] == 2


def test_a_complaint_that_nobody_can_read(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert attention.main("walk") == 2


def test_pasted_into_the_interactive_interpreter_all_names_are_there(tmp_path):
    with open(FILE) as file:
        source = file.read()
    process = subprocess.Popen(
        [sys.executable, "-i", "-q", "-c", ""], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
        env=dict(os.environ, HOME=str(tmp_path)))  # for the history that it writes
    asked = "\nprint(len(self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)), complain)\n"
    out, err = process.communicate(source + asked)
    assert "Error" not in err
    assert "7 <function complain" in out


def test_from_standard_input_it_is_a_command():
    with open(FILE) as file:
        assert subprocess.check_output([sys.executable], stdin=file).startswith(b"Your ")


def test_pasted_into_a_notebook_it_only_defines_names(monkeypatch, capsys):
    monkeypatch.setattr(sys, "ps1", "In : ", raising=False)
    monkeypatch.setattr(sys, "argv", ["launcher", "-f", "kernel.json"])
    names = {"__name__": "__main__"}
    with open(FILE) as file:
        exec(file.read(), names)
    assert capsys.readouterr() == ("", "")
    assert names["softmax"]([0.0]) == [1.0]


def test_run_as_a_file_in_a_notebook_it_is_a_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "ps1", "In : ", raising=False)
    monkeypatch.setattr(sys, "argv", [FILE, "--help"])
    runpy.run_path(FILE, run_name="__main__")
    assert "usage" in capsys.readouterr().out


# ---- 5. The file itself


def test_the_examples_in_the_docstrings():
    with open(FILE) as file:
        examples = file.read().count(">>> ")
    assert doctest.testmod(attention) == (0, examples)


with open(FILE, "rb") as file:
    SOURCE = file.read().decode("ascii")
TREE = ast.parse(SOURCE)


def test_the_picture_at_its_top_is_the_table_of_journey():
    assert attention.ledger(SIMPLIFIED, 1) in attention.__doc__


def test_the_equations_in_its_prose_are_right_to_the_last_digit():
    prose = re.sub(r"\n( +#?|# *)", " ", SOURCE)
    number, formula = r"([\d.]*\d)", r"((?:e\^)?[\d.]+(?: ?[-+*/] ?[\d.]+)*)"
    found = re.findall(formula + " = " + number, prose)
    found += [(b, a) for a, b in re.findall(number + " = " + formula, prose)]
    found = [(a, b) for a, b in found if re.search(r"[*/^]", a)]
    assert len(found) > 8
    for formula, result in found:
        decimals = len(result.partition(".")[2])
        exact = eval(formula.replace("e^", "math.e **"))
        assert abs(exact - float(result)) <= 0.5 * 0.1 ** decimals, (formula, result)


def test_it_imports_namedtuple_and_exp_and_nothing_else():
    imports = [ast.dump(node) for node in TREE.body
               if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert imports == [ast.dump(node) for node in ast.parse(
        "from collections import namedtuple\nfrom math import exp").body]


def test_floats_are_added_up_in_loops():
    called = [node.func.id for node in ast.walk(TREE)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    assert "sum" not in called


def test_the_tutorial_uses_only_what_has_been_read():
    checks = SOURCE[SOURCE.index("# The tutorial ends here"):]
    checks = [node.name for node in ast.parse(checks).body
              if isinstance(node, ast.FunctionDef)]
    known = set(checks)
    for node in TREE.body:
        if isinstance(node, ast.FunctionDef) and node.name not in checks:
            known.add(node.name)
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            assert not used & set(vars(attention)) - known, node.name
        elif isinstance(node, ast.Assign):
            known.add(node.targets[0].id)
        elif isinstance(node, ast.ImportFrom):
            known.add(node.names[0].name)


def test_functions_have_no_blank_lines():
    lines = SOURCE.splitlines()
    for node in TREE.body:
        if isinstance(node, ast.FunctionDef):
            end = max(getattr(part, "lineno", 0) for part in ast.walk(node))
            start = node.body[0].lineno
            if ast.get_docstring(node):
                start = node.body[1].lineno
            assert "" not in lines[start - 1:end], node.name
