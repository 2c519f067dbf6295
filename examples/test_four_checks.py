from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.four_checks import five_mistakes, main


def test_each_mistake_is_first_seen_in_its_own_step(printed):
    right = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    lines = printed(main)
    marks = [line[1:] for line in lines[1:8]]
    ends = [line[-1].rstrip(".") for line in lines[-5:]]
    expected = ["keys"] + list(STAGES[3:])
    for i, wrong in enumerate(five_mistakes(right)):
        differs = [a != b for a, b in zip(right, wrong)]
        assert [row[i] == "X" for row in marks] == differs and differs[-1]
        assert STAGES[differs.index(True)] == ends[i] == expected[i]
