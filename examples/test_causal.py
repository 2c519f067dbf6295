import doctest
import json
import os

import pytest

from attention import INF, INPUTS, W_KEY, W_QUERY, W_VALUE, first_divergence, self_attention
from examples import causal
from examples.causal import causal_self_attention, renormalise, replace_later

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "reference.json"), encoding="utf-8") as file:
    REFERENCE = json.load(file)
CASE = REFERENCE["linear_seed_789"]
MATRICES = [CASE["W_query"], CASE["W_key"], CASE["W_value"]]

def close(actual, expected, tolerance):
    assert [len(row) for row in actual] == [len(row) for row in expected]
    for row, other in zip(actual, expected):
        for x, y in zip(row, other):
            assert abs(x - y) <= tolerance

def test_doctests():
    result = doctest.testmod(causal)
    assert result.attempted > 0 and result.failed == 0

def test_the_books_attention_weights():  # four decimals, as printed
    weights = causal_self_attention(INPUTS, *MATRICES).attention_weights
    book = [[1.0], [0.5517, 0.4483], [0.3800, 0.3097, 0.3103],
            [0.2758, 0.2460, 0.2462, 0.2319], [0.2175, 0.1983, 0.1984, 0.1888, 0.1971],
            [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]]
    close(weights, [row + [0.0] * (6 - len(row)) for row in book], 0.00005001)

def test_reference():
    attention = causal_self_attention(INPUTS, *MATRICES)
    close(attention.attention_weights, CASE["causal_attention_weights"], 1e-14)
    for q in range(6):
        for k in range(6):
            for stage in "attention_scores", "scaled_scores":
                x = getattr(attention, stage)[q][k]
                if k > q:
                    assert x == -INF and attention.attention_weights[q][k] == 0.0
                else:
                    assert abs(x - CASE["stages"][stage][q][k]) < 1e-14
    head = REFERENCE["causal_multi_head_seed_123"]["heads"][0]
    vectors = causal_self_attention(INPUTS, head["W_query"], head["W_key"],
                                    head["W_value"]).context_vectors
    close(vectors, head["context_vectors"], 1e-14)
    close(vectors[:2], [[-0.4519, 0.2216], [-0.5874, 0.0058]], 0.00005001)  # the book's

def test_the_output_of_the_command():
    text = causal.story()
    assert "  starts     0.3800   0.3097   0.3103   0.0000   0.0000   0.0000\n" in text
    assert "  journey    0.3293   0.1218     -inf     -inf     -inf     -inf\n" in text
    assert "  journey   -0.5874   0.0058\n" in text

def test_both_ways_give_the_same_attention_weights():
    for matrices in MATRICES, [W_QUERY, W_KEY, W_VALUE]:
        seeing = self_attention(INPUTS, *matrices).attention_weights
        again = renormalise(replace_later(seeing, 0.0))
        close(again, causal_self_attention(INPUTS, *matrices).attention_weights, 1e-15)

def test_renormalising_fails_where_masking_does_not():
    inputs = [[1.0], [750.0]]
    one = [[1.0]]
    assert causal_self_attention(inputs, one, one, one).attention_weights[0] == [1.0, 0.0]
    zeroed = replace_later(self_attention(inputs, one, one, one).attention_weights, 0.0)
    with pytest.raises(ValueError) as caught:
        renormalise(zeroed)
    assert str(caught.value) == "attention_weights[0] adds up to 0.0, nothing to divide by"

def test_later_words_change_nothing():
    changed = [row[:] for row in INPUTS]
    changed[4], changed[5] = [9.0, -9.0, 5.0], [-3.0, 1.0, 0.0]
    before = causal_self_attention(INPUTS, *MATRICES)
    after = causal_self_attention(changed, *MATRICES)
    assert before.context_vectors[:4] == after.context_vectors[:4]
    assert before.context_vectors[4] != after.context_vectors[4]
    assert first_divergence(before, after).stage == "queries"

def test_inputs_are_not_changed_and_nothing_is_shared():
    matrix = [[1.0, 2.0], [3.0, 4.0]]
    result = replace_later(matrix, 0.0)
    result[1][0] = 99.0
    assert matrix == [[1.0, 2.0], [3.0, 4.0]]
    inputs = [row[:] for row in INPUTS]
    causal_self_attention(inputs, *MATRICES)
    assert inputs == INPUTS

@pytest.mark.parametrize("call, error, message", [
    (lambda: causal_self_attention([[1.0, 2.0]], W_QUERY, W_KEY, W_VALUE), ValueError,
     "inputs is 1 x 2 but W_query is 3 x 2: "),
    (lambda: causal_self_attention(None, W_QUERY, W_KEY, W_VALUE), TypeError, "inputs"),
    (lambda: causal_self_attention([[float("nan")]], [[1.0]], [[1.0]], [[1.0]]), ValueError,
     "inputs[0][0] is nan"),
    (lambda: replace_later([[1.0, 2.0]], 0.0), ValueError,
     "matrix is 1 x 2, expected a column for each row"),
    (lambda: renormalise([[0.5], [0.0]]), ValueError, "attention_weights[1] adds up to 0.0"),
    (lambda: renormalise([[0.5, INF]]), ValueError, "attention_weights[0][1] is inf"),
])
def test_errors(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(message)
