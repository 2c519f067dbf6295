"""The README's table of names, row by row, against PyTorch (skipped where it is missing)."""

import random

import pytest

from attention import (
    cross_attention, matmul, scaled_dot_product_attention, self_attention,
    simplified_self_attention, softmax, transpose)

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

GENERATOR = random.Random(7)
N, M, D_IN, D_K, D_V = 5, 3, 4, 2, 6


def random_matrix(n, d):
    return [[GENERATOR.uniform(-1, 1) for _ in range(d)] for _ in range(n)]


INPUTS, TARGETS = random_matrix(N, D_IN), random_matrix(M, D_IN)
W_QUERY, W_KEY, W_VALUE = [random_matrix(D_IN, d) for d in (D_K, D_K, D_V)]


def tensor(matrix):
    return torch.tensor(matrix, dtype=torch.float64)


def linear(W):
    """Return an nn.Linear without bias that does what x @ W does."""
    layer = torch.nn.Linear(len(W), len(W[0]), bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(tensor(W).T)
    return layer


def same(ours, theirs):
    return torch.allclose(tensor(ours), theirs, rtol=0, atol=1e-14)


def test_matmul_transpose_softmax():
    assert same(matmul(INPUTS, W_QUERY), tensor(INPUTS) @ tensor(W_QUERY))
    assert same(transpose(INPUTS), tensor(INPUTS).T)
    assert same([softmax(row) for row in INPUTS], torch.softmax(tensor(INPUTS), dim=-1))


def test_a_weight_matrix_is_the_transposed_weight_of_a_linear_layer():
    layer = linear(W_QUERY)
    assert same(W_QUERY, layer.weight.T)
    assert same(self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE).queries, layer(tensor(INPUTS)))


def test_scaled_dot_product_attention():
    queries, keys, values = random_matrix(M, D_K), random_matrix(N, D_K), random_matrix(N, D_V)
    ours = scaled_dot_product_attention(queries, keys, values).context_vectors
    assert same(ours, torch.nn.functional.scaled_dot_product_attention(
        tensor(queries), tensor(keys), tensor(values)))


def test_self_attention_and_cross_attention():
    for targets, ours in (
            (INPUTS, self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)),
            (TARGETS, cross_attention(TARGETS, INPUTS, W_QUERY, W_KEY, W_VALUE))):
        assert same(ours.context_vectors, torch.nn.functional.scaled_dot_product_attention(
            linear(W_QUERY)(tensor(targets)), linear(W_KEY)(tensor(INPUTS)),
            linear(W_VALUE)(tensor(INPUTS))))


def test_simplified_self_attention():
    x = tensor(INPUTS)
    assert same(simplified_self_attention(INPUTS).context_vectors,
                torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=1.0))


def test_tensors_go_in():
    ours = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    assert tensor(INPUTS).tolist() == INPUTS
    W = linear(W_QUERY).weight.T  # still requires its gradient
    assert self_attention(tensor(INPUTS), W, tensor(W_KEY), tensor(W_VALUE)) == ours
    with pytest.raises(TypeError, match="inputs.0..0. is of type complex, expected a real number"):
        simplified_self_attention(torch.tensor([[1j]]))
