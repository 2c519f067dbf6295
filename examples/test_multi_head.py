import doctest
import json
import os

import pytest

from attention import INPUTS, transpose
from examples import multi_head
from examples.causal import causal_self_attention
from examples.multi_head import multi_head_attention, split_heads, split_multi_head_attention

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "reference.json"), encoding="utf-8") as file:
    REFERENCE = json.load(file)
HEADS = [(head["W_query"], head["W_key"], head["W_value"])
         for head in REFERENCE["causal_multi_head_seed_123"]["heads"]]
SPLIT = REFERENCE["multi_head_split_seed_123"]
W_OUT, B_OUT = transpose(SPLIT["out_proj_weight"]), SPLIT["out_proj_bias"]

def close(actual, expected, tolerance):
    assert [len(row) for row in actual] == [len(row) for row in expected]
    for row, other in zip(actual, expected):
        for x, y in zip(row, other):
            assert abs(x - y) <= tolerance

def split(number_of_heads=2, W_out=W_OUT, b_out=B_OUT, inputs=INPUTS, W_value=SPLIT["W_value"]):
    return split_multi_head_attention(inputs, SPLIT["W_query"], SPLIT["W_key"], W_value,
                                      number_of_heads, W_out, b_out)

def test_doctests():
    result = doctest.testmod(multi_head)
    assert result.attempted > 0 and result.failed == 0

def test_side_by_side():
    joined = multi_head_attention(INPUTS, HEADS)
    close(joined[:1], [[-0.4519, 0.2216, 0.4772, 0.1063]], 0.00005001)  # the book's
    first, second = [head["context_vectors"]
                     for head in REFERENCE["causal_multi_head_seed_123"]["heads"]]
    close(joined, [a + b for a, b in zip(first, second)], 1e-14)

def test_split():
    close(split()[:1], [[0.3190, 0.4858]], 0.00005001)  # the book's
    close(split(), SPLIT["context_vectors"], 1e-14)

def test_one_head_is_causal_self_attention():
    expected = causal_self_attention(INPUTS, *HEADS[0]).context_vectors
    assert multi_head_attention(INPUTS, HEADS[:1]) == expected
    assert split(1, [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0]) == expected

def test_the_output_of_the_command():
    text = multi_head.story()
    assert "  Your      -0.4519   0.2216   0.4772   0.1063\n" in text
    assert "  Your       0.3190   0.4858\n" in text

def test_heads_and_outputs_may_differ_in_width():
    # values 4 wide, 2 per head; the output projection makes 3 of the 4
    W_value = [[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    W_out = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    result = split(2, W_out, [0.0, 0.0, 10.0], W_value=W_value)
    first = [0.43 + 0.89, 2 * 0.43 + 0.15 + 0.89, 3 * 0.43 + 0.89 + 10.0]  # sees itself only
    close(result[:1], [first], 1e-14)

def test_nothing_is_shared():
    W = [[1.0, 2.0]]
    split_heads("W", W, 2)[0][0][0] = 99.0
    split_heads("W", W, 1)[0][0][0] = 99.0
    assert W == [[1.0, 2.0]]

@pytest.mark.parametrize("call, error, message", [
    (lambda: multi_head_attention(INPUTS, []), ValueError, "heads has length 0, expected one "),
    (lambda: multi_head_attention(INPUTS, None), TypeError, "heads is of type NoneType, "),
    (lambda: multi_head_attention(INPUTS, [HEADS[0], HEADS[1][:2]]), ValueError,
     "heads[1] has length 2, expected (W_query, W_key, W_value)"),
    (lambda: multi_head_attention(INPUTS, [7]), TypeError, "heads[0] is of type int, "),
    (lambda: multi_head_attention(INPUTS, [HEADS[0], ([[1.0]], [[1.0]], [[1.0]])]), ValueError,
     "heads[1]: inputs is 6 x 3 but W_query is 1 x 1: "),
    (lambda: multi_head_attention(None, HEADS), TypeError, "inputs is of type NoneType, "),
    (lambda: split(3), ValueError,
     "W_query is 3 x 2: number_of_heads = 3 does not divide its columns"),
    (lambda: split(0), ValueError, "W_query is 3 x 2: number_of_heads = 0 "),
    (lambda: split("2"), TypeError, "number_of_heads is of type str, expected an int"),
    (lambda: split(W_out=[[1.0, 2.0]]), ValueError, "joined is 6 x 2 but W_out is 1 x 2: "),
    (lambda: split(b_out=[0.0]), ValueError, "[b_out] is 1 x 1 but W_out is 2 x 2: "),
    (lambda: split(b_out=None), TypeError, "[b_out][0] is of type NoneType, "),
    (lambda: split(b_out=[0.0, float("nan")]), ValueError, "[b_out][0][1] is nan, "),
    (lambda: split(inputs=[[1.0]]), ValueError,
     "heads[0]: inputs is 1 x 1 but W_query is 3 x 1: "),
    (lambda: split(W_out=[[1e308, 0.0], [1e308, 0.0]], b_out=[-1.7e308, 0.0]), ValueError,
     "overflow: context_vectors["),
])
def test_errors(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(message)
