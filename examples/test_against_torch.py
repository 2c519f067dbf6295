"""The README's table of names, row by row, against PyTorch."""

import pytest

from attention import (
    cross_attention, matmul, scaled_dot_product_attention, self_attention,
    simplified_self_attention, softmax, transpose)
from examples.tools.torch_random import manual_seed, rand

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
attend = torch.nn.functional.scaled_dot_product_attention


def tensor(matrix):
    return torch.tensor(matrix, dtype=torch.float64)


def same(ours, theirs):
    return torch.allclose(tensor(ours), theirs, rtol=0, atol=1e-14)


DRAW = manual_seed(7)
INPUTS, TARGETS = rand(DRAW, 5, 4), rand(DRAW, 3, 4)  # n = 5, m = 3, d_in = 4
MATRICES = [rand(DRAW, 4, d) for d in (2, 2, 6)]  # d_k = 2, d_v = 6
X, T, W_QUERY, W_KEY, W_VALUE = [tensor(M) for M in [INPUTS, TARGETS] + MATRICES]


def test_arithmetic():
    assert same(matmul(INPUTS, MATRICES[0]), X @ W_QUERY)
    assert same(transpose(INPUTS), X.T)
    assert same([softmax(row) for row in INPUTS], torch.softmax(X, dim=-1))


def test_linear_layer():
    layer = torch.nn.Linear(4, 2, bias=False, dtype=torch.float64)
    W_query = layer.weight.T  # requires its gradient, and goes in, too
    result = self_attention(X, W_query, W_KEY, W_VALUE)
    assert same(result.queries, layer(X))
    assert result == self_attention(INPUTS, W_query.tolist(), *MATRICES[1:])


def test_attention():
    queries, keys, values = TARGETS, INPUTS, rand(DRAW, 5, 6)
    ours = scaled_dot_product_attention(queries, keys, values).context_vectors
    assert same(ours, attend(T, X, tensor(values)))
    ours = simplified_self_attention(INPUTS).context_vectors
    assert same(ours, attend(X, X, X, scale=1.0))
    ours = cross_attention(TARGETS, INPUTS, *MATRICES).context_vectors
    assert same(ours, attend(T @ W_QUERY, X @ W_KEY, X @ W_VALUE))
