"""Write attention: replace each `raise`; use what stands above. Do not round.

[n, d] is a matrix: a list of n rows (words) of d numbers.
"""

from math import exp  # e^x


def dot(a, b):  # [d], [d] -> a number
    """Multiply number by number, and add up the products.
    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    """
    raise NotImplementedError


def transpose(matrix):  # [n, d] -> [d, n]
    """Return the columns as rows.
    >>> transpose([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    raise NotImplementedError


def matmul(a, b):  # [n, m], [m, p] -> [n, p]
    """Return a @ b: entry [i][j] is the dot product of row i of a and column j of b.
    >>> matmul([[1.0, 2.0]], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    [[15.0, 18.0, 21.0]]
    """
    raise NotImplementedError


def sqrt(x):  # a number from 0 up -> a number
    """Return the square root. If a guess is too large, x / guess is too small; their mean
    is a better guess.
    >>> sqrt(9.0)
    3.0
    """
    raise NotImplementedError


def softmax(scores):  # [n] -> [n]
    """Return shares of 1: each e^score, divided by the sum of all. (Step softmax_large:
    e^1000 is too large for a float.)
    >>> softmax([3.0, 3.0])
    [0.5, 0.5]
    """
    raise NotImplementedError


def scores_of(query, inputs):  # [d], [n, d] -> [n]
    """An input is a word's numbers; the query is that of the word that asks. Their dot
    product, a score, says how well they match. Return one for each input.
    >>> scores_of([1.0, 2.0], [[3.0, 4.0], [0.0, -1.0]])
    [11.0, -2.0]
    """
    raise NotImplementedError


def attention_weights_of(query, inputs):  # [d], [n, d] -> [n]
    """Return attention weights, the shares that the query takes from the words: the
    scores, made shares of 1.
    >>> attention_weights_of([1.0], [[2.0], [2.0]])
    [0.5, 0.5]
    """
    raise NotImplementedError


def blend(attention_weights, inputs):  # [n], [n, d] -> [d]
    """Return the context vector, a word's new numbers: each input times its attention
    weight, added up.
    >>> blend([0.25, 0.75], [[4.0, 0.0], [8.0, 4.0]])
    [7.0, 3.0]
    """
    raise NotImplementedError


def simplified_self_attention(inputs):  # [n, d] -> [n, n], [n, n], [n, d]
    """Each input is the query in turn. Return attention_scores, attention_weights and
    context_vectors, with a row for each.
    >>> simplified_self_attention([[2.0]])
    ([[4.0]], [[1.0]], [[2.0]])
    """
    raise NotImplementedError


def project(inputs, W_query, W_key, W_value):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> [n, d_k], [n, d_k], [n, d_v]
    """A word's query asks, its key is found, its value handed over. Return queries, keys,
    values: inputs @ a weight matrix each.
    >>> project([[2.0]], [[3.0]], [[4.0]], [[5.0]])
    ([[6.0]], [[8.0]], [[10.0]])
    """
    raise NotImplementedError


def scaled_dot_product_attention(queries, keys, values):
    # [m, d_k], [n, d_k], [n, d_v] -> [m, n], [m, n], [m, n], [m, d_v]
    """Score each query with each key; divide by sqrt(d_k); make each row shares of 1;
    blend the values. Return attention_scores, scaled_scores, attention_weights and
    context_vectors.
    >>> scaled_dot_product_attention([[2.0] * 4], [[1.0] * 4], [[5.0]])
    ([[8.0]], [[4.0]], [[1.0]], [[5.0]])
    """
    raise NotImplementedError


def self_attention(inputs, W_query, W_key, W_value):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> four, as above
    """Project, then attend.
    >>> self_attention([[2.0]], [[3.0]], [[4.0]], [[5.0]])
    ([[48.0]], [[48.0]], [[1.0]], [[10.0]])
    """
    raise NotImplementedError


def cross_attention(targets, sources, W_query, W_key, W_value):
    # [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> four, as above
    """The targets ask; the sources are found and hand over.
    >>> cross_attention([[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]])
    ([[24.0]], [[24.0]], [[1.0]], [[10.0]])
    """
    raise NotImplementedError


def causal_attention_weights(scaled_scores):  # [n, n] -> [n, n]
    """An extra: query i sees keys 0 to i only. The others get 0.0, and each row adds up
    to 1.
    >>> causal_attention_weights([[0.0, 9.0], [2.0, 2.0]])
    [[1.0, 0.0], [0.5, 0.5]]
    """
    raise NotImplementedError
