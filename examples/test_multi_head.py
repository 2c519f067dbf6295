import pytest

from attention import INPUTS, transpose
from examples.causal import causal_self_attention
from examples.multi_head import FINDS, multi_head_attention, project, split_heads
from examples.test_causal import REFERENCE, close
from examples.tools.torch_random import manual_seed, three_linears
from examples.train import SENTENCES, task, train

HEADS = REFERENCE["causal_multi_head_seed_123"]["heads"]
SPLIT = REFERENCE["multi_head_split_seed_123"]
MATRICES = SPLIT["W_query"], SPLIT["W_key"], SPLIT["W_value"]


def test_side_by_side():
    joined = multi_head_attention(
        INPUTS, [(head["W_query"], head["W_key"], head["W_value"]) for head in HEADS])
    close(joined[:1], [[-0.4519, 0.2216, 0.4772, 0.1063]], 0.00005001)  # the book's
    first, second = [head["context_vectors"] for head in HEADS]
    close(joined, [a + b for a, b in zip(first, second)], 1e-14)


def test_split():
    joined = multi_head_attention(INPUTS, split_heads(MATRICES, 2))
    W_out = transpose(SPLIT["out_proj_weight"])
    context_vectors = project(joined, W_out, SPLIT["out_proj_bias"])
    close(context_vectors[:1], [[0.3190, 0.4858]], 0.00005001)  # the book's
    close(context_vectors, SPLIT["context_vectors"], 1e-14)


def test_splitting_columns_splits_projections():
    wide = three_linears(manual_seed(5), 3, 6, 6)
    heads = split_heads(wide, 3)
    values = causal_self_attention(INPUTS, *wide).values
    parts = [causal_self_attention(INPUTS, *head).values for head in heads]
    assert values == [a + b + c for a, b, c in zip(*parts)]
    assert multi_head_attention(INPUTS, [wide]) == (
        causal_self_attention(INPUTS, *wide).context_vectors)


def test_refusals():
    for heads in 4, 0:
        with pytest.raises(ValueError, match="%d heads cannot share 6" % heads):
            split_heads([[[1.0] * 6]], heads)
    for W_out, b_out in ([[1.0, 2.0]], [0.0, 0.0]), ([[1.0, 2.0], [3.0, 4.0]], [0.0]):
        with pytest.raises(ValueError):  # too few rows; too few numbers
            project([[1.0, 2.0]], W_out, b_out)


def test_two_heads_find_what_one_cannot():
    pairs, generator = task(SENTENCES, FINDS), manual_seed(1)
    assert train(pairs, three_linears(generator, 5, 4, 4), steps=300)[1][-1] > 0.04
    for h in 0, 2:
        job = [(inputs, [row[h:h + 2] for row in wanted]) for inputs, wanted in pairs]
        losses = train(job, three_linears(generator, 5, 2, 2), steps=300)[1]
        assert losses[-1] < 0.005
