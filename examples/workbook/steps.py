"""The steps of the workbook, in the order of attention.py, and what it has not."""

from collections import namedtuple

import attention
from attention import dot, matmul, softmax

# names, stages: what is taken and returned, as examples.find_the_mistake calls it
Step = namedtuple("Step", ["name", "function", "names", "stages"])

MATRICES = " W_query W_key W_value"
ATTENDED = "attention_scores scaled_scores attention_weights context_vectors"

STEPS = [
    Step(name, name.replace("_large", ""), names.split(), stages.split())
    for name, names, stages in [
        ("dot", "a b", "result"),
        ("softmax", "scaled_scores", "attention_weights"),
        ("softmax_large", "scaled_scores", "attention_weights"),
        ("scores_of", "queries sources", "result"),
        ("attention_weights_of", "queries sources", "attention_weights"),
        ("blend", "attention_weights sources", "context_vectors"),
        ("simplified_self_attention", "sources", ATTENDED.replace("scaled_scores", "")),
        ("transpose", "matrix", "result"),
        ("matmul", "targets W_query", "queries"),
        ("sqrt", "x", "result"),
        ("scaled_dot_product_attention", "queries keys values", ATTENDED),
        ("project", "sources" + MATRICES, "queries keys values"),
        ("self_attention", "sources" + MATRICES, ATTENDED),
        ("cross_attention", "targets sources" + MATRICES, ATTENDED),
        ("causal_attention_weights", "scaled_scores", "attention_weights")]]
NAMES = [step.name for step in STEPS]
STEP = dict(zip(NAMES, STEPS))


def right(step):
    return getattr(attention, step.function, None) or globals()[step.function]


def in_stages(step, result):  # attention.py has more stages, and names for them
    if hasattr(result, "_fields"):
        return [getattr(result, stage) for stage in step.stages]
    return result if len(step.stages) > 1 else [result]


# ---- Right functions that attention.py has not


def scores_of(query, inputs):  # [d], [n, d] -> [n]
    """Compare: return the dot product of the query (a word's input) with each input."""
    return [dot(query, x) for x in inputs]


def attention_weights_of(query, inputs):  # [d], [n, d] -> [n]
    """Share out: return the share that the query takes from each word."""
    return softmax(scores_of(query, inputs))


def project(inputs, W_query, W_key, W_value):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    """Return the queries, keys and values: inputs @ each weight matrix."""
    return matmul(inputs, W_query), matmul(inputs, W_key), matmul(inputs, W_value)


def causal_attention_weights(scaled_scores):  # [n, n] -> [n, n]
    """An extra: query i sees only keys 0 to i, the others get 0; rows add up to 1."""
    rows = []
    for i, row in enumerate(scaled_scores):
        later = [0.0] * (len(row) - i - 1)
        rows.append(softmax(row[:i + 1]) + later)
    return rows
