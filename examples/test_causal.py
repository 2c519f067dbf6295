import sys

import pytest

from attention import INPUTS
from examples.causal import causal_self_attention, main
from examples.conftest import REFERENCE
from examples.tools.common import first_difference
from examples.tools.matrices import INF, replace


def matrices_of(case):
    return case["W_query"], case["W_key"], case["W_value"]


CASE = REFERENCE["linear_seed_789"]
MATRICES = matrices_of(CASE)


def close(actual, expected, tolerance):
    assert first_difference(expected, actual, tolerance) is None


def test_reference():
    attention = causal_self_attention(INPUTS, *MATRICES)
    for stage in "attention_scores", "scaled_scores":
        close(getattr(attention, stage), replace(CASE["stages"][stage], -INF), 1e-14)
    close(attention.attention_weights, CASE["causal_attention_weights"], 1e-14)


def test_refusals():
    with pytest.raises(ValueError, match="query 3"):
        causal_self_attention(INPUTS, *MATRICES, hidden=lambda query, key: query == 3)
    # Twelve twelfths of the largest float are that float, eleven elevenths are inf.
    with pytest.raises(ValueError, match="overflow: context_vectors.10."):
        causal_self_attention([[1.0]] * 12, [[0.0]], [[0.0]], [[sys.float_info.max]])


def test_what_it_prints(printed):
    lines = printed(main)
    assert lines[2][1:] == ["%.4f" % CASE["stages"]["scaled_scores"][0][0]] + ["-inf"] * 5
    for row, book in zip(lines[11:17], [  # the book's attention weights
            "1.0000", "0.5517 0.4483", "0.3800 0.3097 0.3103",
            "0.2758 0.2460 0.2462 0.2319", "0.2175 0.1983 0.1984 0.1888 0.1971",
            "0.1935 0.1663 0.1666 0.1542 0.1666 0.1529"]):
        assert row[1:] == (book.split() + ["0.0000"] * 5)[:6]
    assert lines[18][-1] == lines[19][-1] == "True"
    for i, row in enumerate(lines[-6:]):  # with a window, each sees itself and one more
        assert [x != "0.0000" for x in row[1:]] == [k in (i - 1, i) for k in range(6)]
