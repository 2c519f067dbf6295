"""Causal attention, or hiding later words: python3 -m examples.causal

A model that learns to continue a text must not see the continuation: each word may attend to
itself and to the words before it. There are two ways to hide the words after it:

  mask, then softmax      set the scores of later words to -inf. e^-inf is 0, so softmax gives
                          them the attention weight 0.0 exactly, and the rest adds up to 1.
  softmax, then zero      set the attention weights of later words to 0. The rest adds up to
                          less than 1, for softmax has divided by a total with all words in it:
                          renormalise, which is to divide each row by what it adds up to now.

Both give the same attention weights. Softmax is e^score / total, and dividing by the row's sum
makes the total cancel: a hidden word leaves no trace. But mask first: a later word's score that
is 750 higher makes e^(score - maximum) 0 for all earlier words, and nothing is left to divide.
"""

from attention import (INF, INPUTS, TOKENS, Attention, Matrix,
                       matmul, self_attention, shape, softmax, table, to_matrix, transpose)
from examples import tell
from examples.torch_random import linear, manual_seed

def causal_self_attention(inputs: Matrix, W_query: Matrix, W_key: Matrix, W_value: Matrix):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> Attention: context_vectors [n, d_v]
    """Return self_attention in which query i has only keys 0 to i.

    The scores of later words are -inf in attention_scores and scaled_scores. Errors as in
    self_attention.
    >>> causal_self_attention([[1.0], [1.0]], [[1.0]], [[1.0]], [[1.0]]).attention_weights
    [[1.0, 0.0], [0.5, 0.5]]
    """
    seeing = self_attention(inputs, W_query, W_key, W_value)
    scaled_scores = replace_later(seeing.scaled_scores, -INF)
    attention_weights = [softmax(row) for row in scaled_scores]
    context_vectors = matmul(attention_weights, seeing.values)
    return Attention(seeing.queries, seeing.keys, seeing.values,
                     replace_later(seeing.attention_scores, -INF), scaled_scores,
                     attention_weights, to_matrix("overflow: context_vectors", context_vectors))

def replace_later(matrix: Matrix, x: float) -> Matrix:  # [n, n] -> [n, n]
    """Return matrix with x wherever the key comes later than the query: column > row.

    ValueError if matrix is not square.
    >>> replace_later([[1.0, 2.0], [3.0, 4.0]], 0.0)
    [[1.0, 0.0], [3.0, 4.0]]
    """
    matrix = to_matrix("matrix", matrix, False)  # -inf may be in it already
    if len(matrix) != len(matrix[0]):
        raise ValueError("matrix is %s, expected a column for each row" % shape(matrix))
    return [[x if k > q else old for k, old in enumerate(row)] for q, row in enumerate(matrix)]

def renormalise(attention_weights: Matrix) -> Matrix:  # [n, n] -> [n, n]
    """Return each row divided by what it adds up to; ValueError if that is 0.
    >>> renormalise([[0.25, 0.0], [0.5, 0.5]])
    [[1.0, 0.0], [0.5, 0.5]]
    """
    shares = []
    for i, row in enumerate(to_matrix("attention_weights", attention_weights)):
        total = 0.0
        for weight in row:
            total += weight
        if not total > 0.0:
            raise ValueError("attention_weights[%d] adds up to %s, nothing to divide by"
                             % (i, total))
        shares.append([weight / total for weight in row])
    return shares

# ---- The command line ---------------------------------------------------------------------------
def three_linears(generator) -> list:  # as the book's classes make W_query, W_key, W_value
    return [transpose(linear(generator, 3, 2, bias=False)[0]) for role in range(3)]

def sums(matrix: Matrix) -> str:
    ones = [[1.0] for column in matrix[0]]  # times 1 and added up
    return "  ".join("%.4f" % total for [total] in matmul(matrix, ones))

def story() -> str:
    matrices = three_linears(manual_seed(789))
    seeing, causal = self_attention(INPUTS, *matrices), causal_self_attention(INPUTS, *matrices)
    zeroed = replace_later(seeing.attention_weights, 0.0)
    again = renormalise(zeroed)
    apart = max(abs(x - y) for a, b in zip(again, causal.attention_weights) for x, y in zip(a, b))
    header = " " * 10 + "".join("%9s" % token for token in TOKENS) + "\n"
    return "".join((
        "Weight matrices: nn.Linear after torch.manual_seed(789), as in the book.\n",
        "\nAttention weights, nothing hidden (query = row, key = column):\n", header,
        table(seeing.attention_weights),
        "\n=== MASK, THEN SOFTMAX ===\n\nscaled scores, later words masked with -inf:\n", header,
        table(causal.scaled_scores), "\nattention weights, the softmax of each row:\n", header,
        table(causal.attention_weights), "\nthe rows add up to   ", sums(causal.attention_weights),
        "\n\n=== SOFTMAX, THEN ZERO ===\n\nattention weights, later words set to 0:\n", header,
        table(zeroed), "\nthe rows add up to   ", sums(zeroed),
        "\n\nattention weights, renormalised: each row divided by its sum:\n", header,
        table(again), "\nthe largest difference from the other way: %.0e (rounding)\n" % apart,
        "\n=== CONTEXT VECTORS ===\n\nwith other weight matrices, for the book's next table: ",
        "nn.Linear after\ntorch.manual_seed(123). (attention.py's are torch.rand after that seed.)\n",
        table(causal_self_attention(INPUTS, *three_linears(manual_seed(123))).context_vectors)))

if __name__ == "__main__":
    raise SystemExit(tell(story))
