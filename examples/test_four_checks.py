from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.four_checks import five_mistakes, main
from examples.tools.common import first_divergence

RIGHT = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)


def test_each_mistake_is_first_seen_in_its_own_step():
    found = []
    for wrong in five_mistakes(RIGHT):
        differing = [stage for stage, a, b in zip(STAGES, RIGHT, wrong) if a != b]
        assert differing[-1] == "context_vectors"
        found.append(differing[0])
        assert first_divergence(RIGHT, wrong)[0] == differing[0]
    assert found == ["keys"] + list(STAGES[3:])


def test_what_it_prints(printed):
    lines = printed(main)
    marks = [line[1:] for line in lines if line[:1] and line[0] in STAGES]
    first = [row.index("X") if "X" in row else None for row in zip(*marks)]
    assert first == [1, 3, 4, 5, 6]
    assert [line[1].split("[")[0] for line in lines[-5:]] == [STAGES[i] for i in first]
    assert lines[-5][-1] == "%.4f" % RIGHT.keys[0][0]
