from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.four_checks import five_mistakes, main
from examples.tools.common import first_difference


def test_each_mistake_is_first_seen_in_its_own_step(printed):
    lines = printed(main)
    assert [line[0] for line in lines[1:]] == list(STAGES)
    columns = list(zip(*[line[1:] for line in lines[1:]]))
    firsts = [STAGES[column.index("X")] for column in columns]
    assert firsts == ["keys"] + list(STAGES[3:])
    right = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    for column, wrong in zip(columns, five_mistakes(right)):
        for mark, a, b in zip(column, right, wrong):
            assert (mark == "X") == (first_difference(a, b, 0.001) is not None)
