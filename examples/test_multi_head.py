import pytest

from attention import INPUTS, transpose
from examples.conftest import REFERENCE
from examples.multi_head import main, one_projection, project, side_by_side
from examples.test_causal import close, matrices_of
from examples.tools.matrices import split_heads
from examples.tools.torch_random import manual_seed, three_linears


def test_reference():
    heads = REFERENCE["causal_multi_head_seed_123"]["heads"]
    joined = side_by_side(INPUTS, [matrices_of(head) for head in heads])
    close(joined[:1], [[-0.4519, 0.2216, 0.4772, 0.1063]], 0.00005001)  # the book's
    first, second = [head["context_vectors"] for head in heads]
    close(joined, [a + b for a, b in zip(first, second)], 1e-14)
    case = REFERENCE["multi_head_split_seed_123"]
    joined = one_projection(INPUTS, matrices_of(case), 2)
    W_out = transpose(case["out_proj_weight"])
    context_vectors = project(joined, W_out, case["out_proj_bias"])
    close(context_vectors[:1], [[0.3190, 0.4858]], 0.00005001)  # the book's
    close(context_vectors, case["context_vectors"], 1e-14)


def test_three_heads_in_both_ways():
    wide = three_linears(manual_seed(5), 3, 6, 6)
    heads = split_heads(wide, 3)
    assert side_by_side(INPUTS, heads) == one_projection(INPUTS, wide, 3)


@pytest.mark.parametrize("heads", [4, 0])
def test_refusals(heads):
    with pytest.raises(ValueError, match="%d heads cannot share 6" % heads):
        split_heads([[[1.0] * 6]], heads)


def test_two_heads_find_what_one_cannot(printed):
    lines = printed(main)
    one, first, second = [float(line[-1]) for line in lines if "loss" in line]
    assert one > 0.04 and max(first, second) < 0.005
    small = [line for line in lines if line[:1] == ["small"] and len(line) == 4]
    assert [row.index(max(row[1:])) for row in small] == [3, 2, 3]  # of one; of two
    assert lines[-9][-1] == "True" and len(lines[-1]) == 3
