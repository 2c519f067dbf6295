"""Tests of attention.py. Run them with: python3 -m pytest

Expected numbers come from elsewhere: the book's four decimals, and examples/reference.json,
which was computed in 60-digit arithmetic and rounded once.
"""

import ast
import doctest
import json
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

import pytest

import attention
from attention import (
    CHECKS, INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE, Attention, Divergence,
    cross_attention, dot, first_divergence, matmul, scaled_dot_product_attention,
    self_attention, simplified_self_attention, softmax, sqrt, transpose)

HERE = os.path.dirname(os.path.abspath(__file__))
NAN, INF = float("nan"), float("inf")
SIMPLIFIED = simplified_self_attention(INPUTS)
TRAINABLE = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)


def rounded(numbers):
    return ["%.4f" % x for x in numbers]


def random_matrix(generator, n, d):
    return [[generator.uniform(-1, 1) for _ in range(d)] for _ in range(n)]


# ---- The book's numbers -------------------------------------------------------------------------

@pytest.mark.parametrize("attention_, stage, expected", [
    (SIMPLIFIED, "attention_scores", "0.9544 1.4950 1.4754 0.8434 0.7070 1.0865"),
    (SIMPLIFIED, "attention_weights", "0.1385 0.2379 0.2333 0.1240 0.1082 0.1581"),
    (SIMPLIFIED, "context_vectors", "0.4419 0.6515 0.5683"),
    (TRAINABLE, "queries", "0.4306 1.4551"),
    (TRAINABLE, "attention_scores", "1.2705 1.8524 1.8111 1.0795 0.5577 1.5440"),
    (TRAINABLE, "attention_weights", "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820"),
    (TRAINABLE, "context_vectors", "0.3061 0.8210"),
])
def test_journey(attention_, stage, expected):
    assert rounded(getattr(attention_, stage)[TOKENS.index("journey")]) == expected.split()


def test_all_context_vectors():
    assert [rounded(row) for row in SIMPLIFIED.context_vectors] == [
        ["0.4421", "0.5931", "0.5790"], ["0.4419", "0.6515", "0.5683"],
        ["0.4431", "0.6496", "0.5671"], ["0.4304", "0.6298", "0.5510"],
        ["0.4671", "0.5910", "0.5266"], ["0.4177", "0.6503", "0.5645"]]
    assert [rounded(row) for row in TRAINABLE.context_vectors] == [
        ["0.2996", "0.8053"], ["0.3061", "0.8210"], ["0.3058", "0.8203"],
        ["0.2948", "0.7939"], ["0.2927", "0.7891"], ["0.2990", "0.8040"]]


# ---- 60-digit arithmetic ------------------------------------------------------------------------

with open(os.path.join(HERE, "examples", "reference.json")) as file:
    REFERENCE = json.load(file)
CASES = REFERENCE["cases"] + [
    REFERENCE["running_example"]["simplified"], REFERENCE["running_example"]["trainable"],
    REFERENCE["linear_seed_789"], REFERENCE["two_sequences"]]


def attention_of(case):
    names = ("targets", "sources", "inputs", "W_query", "W_key", "W_value")
    matrices = [case[name] for name in names if name in case]
    if "targets" in case:
        return cross_attention(*matrices)
    return self_attention(*matrices) if "W_query" in case else simplified_self_attention(*matrices)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_stage_of_the_reference(case):
    """Within 4 units in the last place of the largest number so far (of 1, if that is less).

    A dot product of up to 7 terms rounds 13 times, by at most half such a unit each time,
    seldom in the same direction; rounding errors of the scores are as large in softmax. The
    largest deviation measured is 1.2 units.
    """
    actual, size = attention_of(case), 1.0
    for stage in STAGES:
        expected = case["stages"][stage]
        size = max([size] + [abs(x) for row in expected for x in row])
        tolerance = 4 * size * 2.0 ** -52
        found = first_divergence({stage: expected}, {stage: getattr(actual, stage)}, tolerance)
        assert found is None


def test_the_constants_are_the_reference_to_eight_decimals():
    trainable = REFERENCE["running_example"]["trainable"]
    assert (TOKENS, INPUTS) == (REFERENCE["running_example"]["tokens"], trainable["inputs"])
    for name, W in (("W_query", W_QUERY), ("W_key", W_KEY), ("W_value", W_VALUE)):
        assert W == [[round(x, 8) for x in row] for row in trainable[name]]


# ---- Arithmetic by hand -------------------------------------------------------------------------

@pytest.mark.parametrize("function, arguments, expected", [
    (dot, ([], []), 0.0),
    (dot, ([1.0, 2.0, 3.0], (4, 5, 6)), 32.0),
    (dot, ([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]), 0.0),  # from left to right, no compensation
    (transpose, ([[1.0, 2.0]],), [[1.0], [2.0]]),
    (transpose, ([[1.0], [2.0]],), [[1.0, 2.0]]),
    (matmul, ([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]), [[2.0, 1.0], [4.0, 3.0]]),
    (matmul, ([[2.0]], [[3.0, 4.0]]), [[6.0, 8.0]]),
    (matmul, ([[2.0, 3.0]], [[4.0], [5.0]]), [[23.0]]),
    (sqrt, (0,), 0.0),
    (sqrt, (2.25,), 1.5),
    (softmax, ([7.0],), [1.0]),
    (softmax, ([-INF, 3.0],), [0.0, 1.0]),
    (softmax, ([1000.0, 1000.0],), [0.5, 0.5]),  # e^1000 overflows
    (softmax, ([-1000.0, -1000.0],), [0.5, 0.5]),  # e^-1000 is 0
    (softmax, ([1e308, -1e308],), [1.0, 0.0]),
])
def test_arithmetic(function, arguments, expected):
    assert function(*arguments) == expected


def test_softmax_of_one_two_three():
    assert rounded(softmax([1.0, 2.0, 3.0])) == ["0.0900", "0.2447", "0.6652"]


@pytest.mark.parametrize("function, arguments, error, message", [
    (dot, ([1.0], [1.0, 2.0]), ValueError, "a has 1 numbers but b has 2"),
    (dot, (None, [1.0]), TypeError, None),
    (transpose, ([],), ValueError, "matrix is empty, expected at least one row of one number"),
    (transpose, ([[]],), ValueError, "matrix is empty, expected at least one row of one number"),
    (transpose, ([[1.0], [1.0, 2.0]],), ValueError,
     "matrix is ragged: matrix[0] has 1 numbers but matrix[1] has 2"),
    (transpose, ([[1.0, 2.0], [1.0]],), ValueError,
     "matrix is ragged: matrix[0] has 2 numbers but matrix[1] has 1"),
    (transpose, ([1.0, 2.0],), TypeError, "matrix is not a list of rows of numbers"),
    (transpose, (None,), TypeError, "matrix is not a list of rows of numbers"),
    (matmul, ([[1.0, 2.0]], [[1.0, 2.0]]), ValueError,
     "a is 1 x 2 but b is 1 x 2: the first needs as many columns as the second has rows"),
    (matmul, ([[1.0]], [[1.0], [2.0]]), ValueError,
     "a is 1 x 1 but b is 2 x 1: the first needs as many columns as the second has rows"),
    (dot, ([1.0, 2.0], [1.0]), ValueError, "a has 2 numbers but b has 1"),
    (matmul, ([[1.0], [1.0, 2.0]], [[1.0]]), ValueError,
     "a is ragged: a[0] has 1 numbers but a[1] has 2"),
    (matmul, ([[1.0]], [[1.0], []]), ValueError, "b is ragged: b[0] has 1 numbers but b[1] has 0"),
    (matmul, ([1.0, 2.0], [[1.0], [2.0]]), TypeError, "a is not a list of rows of numbers"),
    (matmul, ([[1.0, 2.0]], []), ValueError, "b is empty, expected at least one row of one number"),
    (sqrt, (-1.0,), ValueError, "x is -1.0, expected a finite number from 0 up"),
    (sqrt, (-5e-324,), ValueError, "x is -5e-324, expected a finite number from 0 up"),
    (sqrt, (NAN,), ValueError, "x is nan, expected a finite number from 0 up"),
    (sqrt, (INF,), ValueError, "x is inf, expected a finite number from 0 up"),
    (softmax, ([],), ValueError, "scores is empty, expected at least one score"),
    (softmax, ([1.0, NAN],), ValueError, "scores[1] is nan, expected a number or -inf"),
    (softmax, ([NAN, 1.0],), ValueError, "scores[0] is nan, expected a number or -inf"),
    (softmax, ([-INF, 1.0, INF],), ValueError, "scores[2] is inf, expected a number or -inf"),
    (softmax, ([-INF, -INF],), ValueError, "scores are all -inf, expected at least one number"),
])
def test_arithmetic_refuses(function, arguments, error, message):
    with pytest.raises(error) as caught:
        function(*arguments)
    assert message in (None, str(caught.value))


def test_square_roots_of_squares_are_exact():
    generator = random.Random(1)
    for root in list(range(2000)) + [generator.randrange(94906266) for _ in range(2000)]:
        assert sqrt(root * root) == root
        assert type(sqrt(root * root)) is float


def test_square_roots_are_within_one_unit_in_the_last_place():
    generator = random.Random(2)
    numbers = [5e-324, 1e-323, 2.2250738585072014e-308, 1e308, sys.float_info.max, 0.1, 2.0, 3.0]
    numbers += [math.ldexp(generator.random() + 0.5, generator.randrange(-1074, 1024))
                for _ in range(3000)]
    numbers += [generator.random() * 8 for _ in range(1000)]
    for x in numbers:
        root = sqrt(x)
        unit = Fraction(math.ldexp(1.0, math.frexp(root)[1] - 53))
        assert (Fraction(root) - unit) ** 2 <= Fraction(x) <= (Fraction(root) + unit) ** 2
        assert abs(root - x ** 0.5) <= unit


# ---- Properties ---------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(5))
def test_properties(seed):
    generator = random.Random(seed)
    n, d_in, d_k, d_v = [generator.randrange(1, 8) for _ in range(4)]
    inputs = random_matrix(generator, n, d_in)
    matrices = [random_matrix(generator, d_in, d) for d in (d_k, d_k, d_v)]
    simplified, trainable = simplified_self_attention(inputs), self_attention(inputs, *matrices)
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
    for before, after in (
            (simplified, simplified_self_attention([inputs[i] for i in order])),
            (trainable, self_attention([inputs[i] for i in order], *matrices))):
        close([before.context_vectors[i] for i in order], after.context_vectors, 1e-15)
        close([[before.attention_weights[i][j] for j in order] for i in order],
              after.attention_weights, 1e-15)

    scores = [generator.uniform(-9, 9) for _ in range(n)]
    close([softmax(scores)], [softmax([score + 100.0 for score in scores])], 1e-13)


def close(expected, actual, tolerance):
    stage = "context_vectors"
    assert first_divergence({stage: expected}, {stage: actual}, tolerance) is None


def test_the_four_functions_agree_where_they_mean_the_same():
    one = [[1.0, 0.0], [0.0, 1.0]]
    inputs = [[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]
    trainable = self_attention(inputs, one, one, one)
    assert trainable == scaled_dot_product_attention(inputs, inputs, inputs)
    assert trainable == cross_attention(inputs, [list(row) for row in inputs], one, one, one)
    assert trainable.attention_scores == simplified_self_attention(inputs).attention_scores
    assert trainable.scaled_scores[0][0] == 5.0 / sqrt(2)


def test_the_simplified_version_neither_projects_nor_scales():
    assert SIMPLIFIED.queries == SIMPLIFIED.keys == SIMPLIFIED.values == INPUTS
    assert SIMPLIFIED.scaled_scores == SIMPLIFIED.attention_scores


def test_far_apart_scores_give_zero_and_one():
    result = scaled_dot_product_attention([[1.0]], [[1000.0], [-1000.0]], [[3.0], [5.0]])
    assert result.attention_weights == [[1.0, 0.0]]
    assert result.context_vectors == [[3.0]]


# ---- What goes in -------------------------------------------------------------------------------

class Array:
    """Stands for a numpy array or a torch tensor: it unpacks itself into plain Python."""

    def __init__(self, content):
        self.content = content

    def tolist(self):
        return self.content


class Sequence:
    """A sequence that is neither a list nor a tuple."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


@pytest.mark.parametrize("inputs", [
    ((1, 2), (3, 4)),
    [(1.0, 2), [3, 4.0]],
    [range(1, 3), range(3, 5)],
    [[True, Fraction(2)], [3, 4]],
    Array([[1.0, 2.0], [3.0, 4.0]]),
    [Array([1.0, 2.0]), Array([3, 4])],
    [[Array(1.0), Array(2)], [3, 4]],
    Sequence(Sequence(1, 2), Sequence(3, 4)),
])
def test_any_sequences_of_real_numbers(inputs):
    result = simplified_self_attention(inputs)
    assert result == simplified_self_attention([[1.0, 2.0], [3.0, 4.0]])
    assert all(type(x) is float for stage in result for row in stage for x in row)


@pytest.mark.parametrize("inputs, error, message", [
    (None, TypeError, "inputs is of type NoneType, expected rows of numbers"),
    (3.0, TypeError, "inputs is of type float, expected rows of numbers"),
    ("journey", TypeError, "inputs is of type str, expected rows of numbers"),
    ({0: [1.0]}, TypeError, "inputs is of type dict, expected rows of numbers"),
    ({(1.0, 2.0)}, TypeError, "inputs is of type set, expected rows of numbers"),
    ((row for row in [[1.0]]), TypeError, "inputs is of type generator, expected rows of numbers"),
    (Array(1.0), TypeError, "inputs is of type float, expected rows of numbers"),
    ([1.0, 2.0], TypeError, "inputs[0] is of type float, expected a row of numbers"),
    ([[1.0], None], TypeError, "inputs[1] is of type NoneType, expected a row of numbers"),
    ([[1.0], "2"], TypeError, "inputs[1] is of type str, expected a row of numbers"),
    ([[1.0], b"2"], TypeError, "inputs[1] is of type bytes, expected a row of numbers"),
    ([bytearray(b"2")], TypeError, "inputs[0] is of type bytearray, expected a row of numbers"),
    ([frozenset([1.0])], TypeError, "inputs[0] is of type frozenset, expected a row of numbers"),
    ([Array("2")], TypeError, "inputs[0] is of type str, expected a row of numbers"),
    ([[1.0], [2.0], ["3"]], TypeError, "inputs[2][0] is of type str, expected a real number"),
    ([[1.0, b"3"]], TypeError, "inputs[0][1] is of type bytes, expected a real number"),
    ([[None]], TypeError, "inputs[0][0] is of type NoneType, expected a real number"),
    ([[1j]], TypeError, "inputs[0][0] is of type complex, expected a real number"),
    ([[Array(1j)]], TypeError, "inputs[0][0] is of type complex, expected a real number"),
    ([[[1.0]]], TypeError, "inputs[0][0] is of type list, expected a real number"),
    ([], ValueError, "inputs is empty, expected at least one row of one number"),
    ([[]], ValueError, "inputs is empty, expected at least one row of one number"),
    ([[1.0], []], ValueError, "inputs is ragged: inputs[0] has 1 numbers but inputs[1] has 0"),
    ([[1.0, 2.0], [1.0]], ValueError,
     "inputs is ragged: inputs[0] has 2 numbers but inputs[1] has 1"),
    ([[1.0, NAN]], ValueError, "inputs[0][1] is nan, expected a finite number"),
    ([[1.0], [INF]], ValueError, "inputs[1][0] is inf, expected a finite number"),
    ([[-INF]], ValueError, "inputs[0][0] is -inf, expected a finite number"),
    ([[10 ** 400]], ValueError, "inputs[0][0] is too large for a float"),
    ([[1e200]], ValueError, "overflow: attention_scores[0][0] is inf, expected a finite number"),
    ([[1e200], [-1e200]], ValueError,
     "overflow: attention_scores[0][0] is inf, expected a finite number"),
])
def test_refuses_what_is_not_rows_of_numbers(inputs, error, message):
    """The simplified version, and the same for each argument of each other function."""
    refuses(simplified_self_attention, (inputs,), error, message)
    if message.startswith("overflow"):
        return
    good = [[1.0]]
    refuses(self_attention, (inputs, good, good, good), error, message)
    for function, names in (
            (scaled_dot_product_attention, ["queries", "keys", "values"]),
            (cross_attention, ["targets", "sources", "W_query", "W_key", "W_value"]),
            (self_attention, ["inputs", "W_query", "W_key", "W_value"])):
        for i, name in enumerate(names):
            arguments = [[[1.0]] for _ in names]
            arguments[i] = inputs
            refuses(function, arguments, error, message.replace("inputs", name))


def refuses(function, arguments, error, message):
    with pytest.raises(error) as caught:
        function(*arguments)
    assert str(caught.value) == message
    assert type(caught.value) is error


def matrix(rows, columns):
    return [[1.0] * columns for _ in range(rows)]


ROWS = "the first needs as many columns as the second has rows"
SAME = "a query and a key need the same width"


@pytest.mark.parametrize("function, shapes, message", [
    (self_attention, [(6, 4), (3, 2), (4, 2), (4, 2)],
     "inputs is 6 x 4 but W_query is 3 x 2: " + ROWS),
    (self_attention, [(6, 4), (4, 2), (5, 2), (4, 2)],
     "inputs is 6 x 4 but W_key is 5 x 2: " + ROWS),
    (self_attention, [(6, 4), (4, 2), (4, 2), (2, 4)],
     "inputs is 6 x 4 but W_value is 2 x 4: " + ROWS),
    (self_attention, [(6, 4), (4, 2), (4, 3), (4, 2)],
     "W_query is 4 x 2 but W_key is 4 x 3: " + SAME),
    (cross_attention, [(2, 3), (5, 4), (4, 2), (4, 2), (4, 2)],
     "targets is 2 x 3 but W_query is 4 x 2: " + ROWS),
    (cross_attention, [(2, 4), (5, 3), (4, 2), (4, 2), (4, 2)],
     "sources is 5 x 3 but W_key is 4 x 2: " + ROWS),
    (cross_attention, [(2, 4), (5, 3), (4, 2), (3, 2), (4, 2)],
     "sources is 5 x 3 but W_value is 4 x 2: " + ROWS),
    (scaled_dot_product_attention, [(2, 3), (5, 2), (5, 2)],
     "queries is 2 x 3 but keys is 5 x 2: " + SAME),
    (scaled_dot_product_attention, [(2, 3), (5, 3), (4, 3)],
     "keys is 5 x 3 but values is 4 x 3: each key needs a value"),
    (scaled_dot_product_attention, [(2, 3), (4, 3), (5, 3)],
     "keys is 4 x 3 but values is 5 x 3: each key needs a value"),
    (scaled_dot_product_attention, [(2, 2), (5, 3), (5, 3)],
     "queries is 2 x 2 but keys is 5 x 3: " + SAME),
    (self_attention, [(6, 4), (4, 3), (4, 2), (4, 2)],
     "W_query is 4 x 3 but W_key is 4 x 2: " + SAME),
])
def test_refuses_shapes_that_do_not_fit(function, shapes, message):
    refuses(function, [matrix(*shape) for shape in shapes], ValueError, message)


@pytest.mark.parametrize("arguments, message", [
    (([[1.0], [1e200]], [[0.0], [-1e200]], [[1.0], [1.0]]), "attention_scores[1][1] is -inf"),
    (([[1e200, 1e200]], [[1e200, -1e200]], [[1.0]]), "attention_scores[0][0] is nan"),
    # eleven times the float nearest to 1/11, added up, is a little more than 1
    (([[0.0]], [[0.0]] * 11, [[sys.float_info.max]] * 11), "context_vectors[0][0] is inf"),
])
def test_refuses_overflow(arguments, message):
    refuses(scaled_dot_product_attention, arguments, ValueError,
            "overflow: %s, expected a finite number" % message)


@pytest.mark.parametrize("stage, position", [("queries", 1), ("keys", 2), ("values", 3)])
def test_overflow_is_named_at_the_stage_where_it_begins(stage, position):
    arguments = [[[1e200, 1.0]]] + [[[0.0], [1.0]] for _ in range(3)]
    arguments[position] = [[1e200], [1.0]]
    refuses(self_attention, arguments, ValueError,
            "overflow: %s[0][0] is inf, expected a finite number" % stage)


def test_one_error_and_no_other_behind_it():
    for function, argument in ((transpose, [1.0]), (simplified_self_attention, [[10 ** 400]])):
        with pytest.raises((TypeError, ValueError)) as caught:
            function(argument)
        assert caught.value.__suppress_context__


def test_numpy_arrays():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    expected = simplified_self_attention([[1.0, 2.0], [3.0, 4.0]])
    for kind in ("float64", "float32", "float16", "int8"):
        array = numpy.array([[1, 2], [3, 4]], dtype=kind)
        assert simplified_self_attention(array) == expected
        assert simplified_self_attention([list(row) for row in array]) == expected
    for array, error, message in (
            (numpy.zeros(1), TypeError, "[0] is of type float, expected a row of numbers"),
            (numpy.zeros((1, 1, 1)), TypeError, "[0][0] is of type list, expected a real number"),
            (numpy.array([[1j]]), TypeError, "[0][0] is of type complex, expected a real number"),
            ([[numpy.complex64(1)]], TypeError,
             "[0][0] is of type complex, expected a real number"),
            (numpy.zeros((0, 3)), ValueError, " is empty, expected at least one row of one number"),
            (numpy.array([[numpy.nan]]), ValueError, "[0][0] is nan, expected a finite number")):
        refuses(simplified_self_attention, (array,), error, "inputs" + message)


def test_two_equal_sequences_are_still_two():
    refuses(cross_attention, (matrix(1, 1), matrix(1, 1), matrix(2, 1), matrix(1, 1), matrix(1, 1)),
            ValueError, "targets is 1 x 1 but W_query is 2 x 1: " + ROWS)


def test_hundreds_of_rows_and_columns():
    wide, high = matrix(1, 300), matrix(300, 1)
    assert dot(wide[0], wide[0]) == 300.0
    assert scaled_dot_product_attention(wide, wide, wide).attention_scores == [[300.0]]
    context_vectors = scaled_dot_product_attention([[1.0]], high, high).context_vectors
    close([[1.0]], context_vectors, 1e-12)
    assert self_attention([[1.0]], wide, wide, wide).attention_scores == [[300.0]]
    assert self_attention(wide, high, high, high).queries == [[300.0]]


def test_inputs_stay_as_they_are_and_nothing_is_shared():
    inputs, W_query, W_key, W_value = arguments = [
        [[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[3.0], [4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    before = json.dumps(arguments)
    for result in (
            simplified_self_attention(inputs),
            self_attention(*arguments),
            cross_attention(inputs, inputs, *arguments[1:]),
            scaled_dot_product_attention(inputs, inputs, inputs)):
        seen = [id(part) for given in arguments for part in [given] + given]
        for stage in result:
            for part in [stage] + stage:
                assert id(part) not in seen
                seen.append(id(part))
                part.reverse()
    assert json.dumps(arguments) == before


# ---- The four checks ----------------------------------------------------------------------------

def test_the_checks_name_every_stage_in_order():
    assert [check for check, _ in CHECKS] == [
        "1 projections", "2 scores", "3 scaling", "4 softmax", "context vectors"]
    assert tuple(stage for _, stages in CHECKS for stage in stages) == STAGES == Attention._fields


@pytest.mark.parametrize("stage", STAGES)
def test_the_first_stage_that_differs_is_named(stage):
    wrong = {name: [list(row) for row in rows] for name, rows in zip(STAGES, TRAINABLE)}
    for name in STAGES[STAGES.index(stage):]:
        wrong[name][4][1] += 0.001
        wrong[name][5][0] += 0.001
    right = getattr(TRAINABLE, stage)[4][1]
    assert first_divergence(TRAINABLE, wrong) == Divergence(stage, 4, 1, right, wrong[stage][4][1])
    assert first_divergence(TRAINABLE, Attention(**wrong)) == first_divergence(TRAINABLE, wrong)
    assert first_divergence(TRAINABLE, wrong, 0.0011) is None
    assert first_divergence({stage: [[1.0]]}, {stage: [[1.5]]}, 0.5) is None


@pytest.mark.parametrize("expected, actual, divergence", [
    ([[1.0]], [[1.00005]], None),
    ([[1.0]], [[1.00007]], ("keys", 0, 0, 1.0, 1.00007)),
    ([[1.0]], [[0.9999]], ("keys", 0, 0, 1.0, 0.9999)),
    ([[1.0, 2.0]], [[1.0, NAN]], "keys 0 1"),
    ([[NAN]], [[NAN]], "keys 0 0"),
    ([[INF]], [[1.0]], ("keys", 0, 0, INF, 1.0)),
    ([[-INF]], [[-INF]], None),  # as in masked scores
    ([[1.0], [2.0]], [[1.0]], ("keys", None, None, "2 x 1", "1 x 1")),
    ([[1.0]], [[1.0, 1.0]], ("keys", None, None, "1 x 1", "1 x 2")),
    ([[1.0]], ((1,),), None),
])
def test_divergence(expected, actual, divergence):
    found = first_divergence({"keys": expected}, {"keys": actual, "values": [[9.0]]})
    if isinstance(divergence, str):
        assert "%s %s %s" % found[:3] == divergence
    else:
        assert found == divergence


def test_four_rounded_decimals_do_not_diverge():
    for right in (SIMPLIFIED, TRAINABLE):
        screen = {name: [[round(x, 4) for x in row] for row in rows]
                  for name, rows in zip(STAGES, right)}
        assert first_divergence(right, screen) is None


@pytest.mark.parametrize("actual, error, message", [
    ({"scores": [[1.0]]}, ValueError, "actual has 'scores', expected stages: " + ", ".join(STAGES)),
    ({}, ValueError, "expected and actual have no stage in common"),
    ([[1.0]], TypeError, "actual is of type list, expected a mapping"),
    (None, TypeError, "actual is of type NoneType, expected a mapping"),
    ({"keys": None}, TypeError, "actual.keys is of type NoneType, expected rows of numbers"),
    ({"keys": [[1.0], [1.0, 2.0]]}, ValueError,
     "actual.keys is ragged: actual.keys[0] has 1 numbers but actual.keys[1] has 2"),
])
def test_first_divergence_refuses(actual, error, message):
    refuses(first_divergence, (TRAINABLE, actual), error, message)
    refuses(first_divergence, (actual, TRAINABLE), error,
            message.replace("actual", "expected") if actual != {} else message)


# ---- The command line ---------------------------------------------------------------------------

def run(*arguments):
    process = subprocess.Popen(
        [sys.executable, os.path.join(HERE, "attention.py")] + list(arguments),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    out, err = process.communicate()
    return process.returncode, out, err


def test_the_story(capsys):
    assert attention.main([]) == 0
    story = capsys.readouterr().out
    assert attention.main(["journey"]) == 0
    assert capsys.readouterr().out == story
    assert run("JOURNEY") == run() == (0, story, "")
    assert max(len(line) for line in story.splitlines()) <= 80
    assert not any(line.endswith(" ") for line in story.splitlines())
    assert all(ord(character) < 128 for character in story)
    for part in (
            'Your journey starts with one step\n\nThe query is element 2, "journey".',
            "6 attention scores, from these pairs of positions:\n"
            "  (2,1) (2,2) (2,3) (2,4) (2,5) (2,6)\n",
            "  step       0.0500   0.8000   0.5500\n\n=== SIMPLIFIED",
            "\nattention_scores: the dot product of the query with each key.\n"
            "               Your  journey   starts     with      one     step\n"
            "             0.9544   1.4950   1.4754   0.8434   0.7070   1.0865\n",
            "  journey    0.2379  ############\n  starts     0.2333  ############\n",
            "\ncontext_vectors: the values times their attention weights, added up.\n"
            "             0.4419   0.6515   0.5683\n\n=== TRAINABLE",
            "\nqueries: the query word's input, projected by W_query.\n"
            "             0.4306   1.4551\n\nkeys: each input, projected by W_key.\n"
            "  Your       0.3669   0.7646\n",
            "\nvalues: each input, projected by W_value.\n  Your       0.1855   0.8812\n",
            "             1.2705   1.8524   1.8111   1.0795   0.5577   1.5440\n",
            "\nscaled_scores: the scores divided by the square root of d_k, the width of a key.\n"
            "               Your  journey   starts     with      one     step\n"
            "             0.8984   1.3098   1.2806   0.7633   0.3944   1.0918\n",
            "\nattention_weights: softmax made positive shares of them, which add up to 1.\n"
            "  Your       0.1500  ########\n  journey    0.2264  ###########\n",
            "             0.3061   0.8210\n\n=== ALL CONTEXT VECTORS",
            "  Your       0.4421   0.5931   0.5790\n  journey    0.4419   0.6515   0.5683\n",
            "\n  Your       0.2996   0.8053\n  journey    0.3061   0.8210\n"):
        assert part in story
    for stage, count in zip(STAGES, (1, 1, 1, 2, 1, 2, 2)):
        assert story.count("\n%s: " % stage) == count
    assert story.endswith("  step       0.2990   0.8040\n")


@pytest.mark.parametrize("number, word", list(enumerate(TOKENS, start=1)))
def test_every_word_can_be_the_query(capsys, number, word):
    assert attention.main([word.upper()]) == 0
    story = capsys.readouterr().out
    assert 'The query is element %d, "%s".' % (number, word) in story
    assert " ".join("(%d,%d)" % (number, key) for key in range(1, 7)) in story
    for result in (SIMPLIFIED, TRAINABLE):
        for stage in ("attention_scores", "context_vectors"):
            row = "".join("%9.4f" % x for x in getattr(result, stage)[number - 1])
            assert "\n          %s\n" % row in story


def test_json_has_every_stage_at_full_precision():
    status, out, err = run("--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "tokens": TOKENS, "inputs": INPUTS,
        "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE,
        "simplified": dict(zip(STAGES, SIMPLIFIED)), "trainable": dict(zip(STAGES, TRAINABLE))}


def test_help():
    assert run("--help") == (0, (
        "usage: python3 attention.py [CHOICE]\n"
        "CHOICE: Your | journey | starts | with | one | step | --json | --help\n"
        "The query is journey if none is named; --json prints every stage in full.\n"), "")


@pytest.mark.parametrize("arguments", [
    ["walk"], ["two\nlines"], ["--jsn"], ["journey", "starts"], ["starts", "--json"],
    ["--json", "one"], [""]])
def test_wrong_arguments(arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err == "attention.py: %r: expected %s\n" % (
        " ".join(arguments), "Your | journey | starts | with | one | step | --json | --help")


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
def test_output_cut_short_ends_quietly():
    read_end, write_end = os.pipe()
    os.close(read_end)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen([sys.executable, os.path.join(HERE, "attention.py")],
                               stdout=write_end, stderr=subprocess.PIPE, env=buffered)
    os.close(write_end)
    assert process.communicate()[1] == b""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_said_in_one_line():
    with open("/dev/full", "w") as full:
        process = subprocess.Popen([sys.executable, os.path.join(HERE, "attention.py")],
                                   stdout=full, stderr=subprocess.PIPE, universal_newlines=True)
        err = process.communicate()[1]
    assert process.returncode == 1
    assert err.startswith("cannot print: ") and err.count("\n") == 1


# ---- The file itself ----------------------------------------------------------------------------

def test_the_examples_in_the_docstrings():
    with open(os.path.join(HERE, "attention.py")) as file:
        examples = file.read().count(">>> ")
    assert doctest.testmod(attention) == (0, examples)


def test_the_examples_in_the_readme():
    failed, tried = doctest.testfile("README.md", encoding="utf-8")
    assert failed == 0 and tried > 0


@pytest.mark.parametrize("folder", [".", "examples"])
def test_the_links_in_the_readme(folder):
    folder = os.path.join(HERE, folder)
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        for link in re.findall(r"\]\(([^)#:]+)\)", file.read()):
            assert os.path.exists(os.path.join(folder, link)), link


def test_the_readme_shows_what_the_command_prints(capsys):
    attention.main([])
    story = capsys.readouterr().out
    with open(os.path.join(HERE, "README.md")) as file:
        excerpt = file.read().split("```text\n")[1].split("```")[0]
    assert excerpt in story


def test_house_rules():
    with open(os.path.join(HERE, "attention.py"), "rb") as file:
        source = file.read().decode("ascii")
    assert source.count("\n") <= 400
    tree = ast.parse(source)
    imports = [ast.dump(node) for node in tree.body
               if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert imports == [ast.dump(node) for node in ast.parse(
        "from collections import namedtuple\nfrom math import exp").body]
    called = [node.func.id for node in ast.walk(tree)
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    assert "sum" not in called
