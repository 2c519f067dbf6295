from math import exp

import pytest

from examples.two_sequences import ENGLISH, FRENCH, main, translation


@pytest.mark.parametrize("word, scores", [  # the dot products, by hand
    ("Je", [12.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("aime", [0.0, 2.4, 0.0, 12.0, 0.0, 0.0]),
    ("pas", [0.0, 2.4, 12.0, 0.0, 0.0, 0.0]),
    ("les", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("chats", [0.0, 0.0, 0.0, 0.0, 0.0, 12.0]),
    ("noirs", [0.0, 0.0, 0.0, 0.0, 12.0, 0.0])])
def test_by_hand(word, scores, printed):
    powers = [exp(score / 5.0 ** 0.5) for score in scores]
    expected = [power / sum(powers) for power in powers]
    q, result = FRENCH.index(word), translation()
    assert result.attention_weights[q] == pytest.approx(expected, abs=1e-15)
    deny = 0.2 * expected[1] + expected[2]  # "do" has a bit of it, "not" all
    assert abs(result.context_vectors[q][1] - deny) < 1e-15
    lines = printed(main)
    assert lines[0] == ENGLISH and lines[1 + q] == [word] + ["%.3f" % x for x in expected]
