"""The steps of the workbook: what each is checked with, hints, and why it works."""

import json
import os
from collections import namedtuple

import attention
from attention import dot, matmul, softmax
from examples.find_the_mistake.steps import before, compute

# stages, names: what is returned and taken, as examples.find_the_mistake has it
# cases: arguments, or dicts with them
Step = namedtuple("Step", ["name", "stages", "names", "cases", "hint", "why"])


# ---- Right functions that attention.py has not


def scores_of(query, inputs):
    return [dot(query, x) for x in inputs]


def attention_weights_of(query, inputs):
    return softmax(scores_of(query, inputs))


def blend(attention_weights, inputs):
    context_vector = [0.0] * len(inputs[0])
    for weight, x in zip(attention_weights, inputs):
        for j in range(len(x)):
            context_vector[j] += weight * x[j]
    return context_vector


def project(inputs, W_query, W_key, W_value):
    return matmul(inputs, W_query), matmul(inputs, W_key), matmul(inputs, W_value)


def causal_attention_weights(scaled_scores):
    rows = []
    for i, row in enumerate(scaled_scores):
        later = [0.0] * (len(row) - i - 1)
        rows.append(softmax(row[:i + 1]) + later)
    return rows


def function_of(name):  # two steps are one function
    return name.replace("_large", "")


def right(name):
    return globals().get(name) or getattr(attention, function_of(name))


# ---- Cases: a small one, then those of reference.json


def computed(case):
    return dict(vars(before(case)), **compute(case)._asdict())


def last_query(case):
    return dict(case, **{name: case[name][-1] for name in [
        "queries", "attention_scores", "scaled_scores", "attention_weights"]})


SMALL = {  # n = 3, d_in = 2, d_k = 5, d_v = 6
    "inputs": [[1, -2], [0.5, 1], [-1, 0.25]],
    "W_query": [[1, 0, 2, -1, 0.5], [0.5, -1, 1, 1, 2]],
    "W_key": [[0, 2, 1, 0.5, -1], [1, 0.5, 0, -1, 2]],
    "W_value": [[2, -1, 0.5, 1, 0, 3], [1, 0, -2, 0.5, 4, -1]]}
with open(os.path.join(os.path.dirname(__file__), "..", "reference.json")) as file:
    REFERENCE = json.load(file)
CASES = [SMALL, REFERENCE["running_example"]["trainable"]] + REFERENCE["cases"]
ONE = [computed(case) for case in CASES]
TWO = [computed(REFERENCE["two_sequences"])]
WORDS = [computed({"inputs": case["inputs"]}) for case in CASES]
WORD = [last_query(case) for case in WORDS]


# ---- The steps, in the order of attention.py

MATRICES = " W_query W_key W_value"
ATTENDED = "attention_scores scaled_scores attention_weights context_vectors"

STEPS = [
    Step("dot", "attention_scores", "queries keys", [
        ([1, 2], [3, 4]), ([-3], [2]), ([1.5, -2, 0.25], [4, 3, -9])],
        "Start with total = 0.0; zip(a, b) gives pairs.",
        "Numbers that are large in the same places make it large."),
    Step("transpose", "result", "matrix", [
        [[[1, 2, 3], [4, 5, 6]]], [[[1], [-2]]], [SMALL["W_key"]]],
        "Row j has number j of each row.",
        "Rows can now meet what were columns."),
    Step("matmul", "queries", "targets W_query", [
        ([[1, 2]], [[3, 4, 5], [6, 7, 8]]), ([[2], [-1]], [[3, 0.5, 1]]),
        (SMALL["inputs"], SMALL["W_key"])],
        "Rows of a in the outer loop, columns of b in the inner.",
        "Each row of a meets each column of b."),
    Step("sqrt", "result", "x", [[9.0], [2.0], [0.25], [0.0], [1e10], [1e-10]],
        "Guess max(x, 1.0); go on while guesses fall. 0.0 for 0.0.",
        "Near the root, each guess doubles the right digits."),
    Step("softmax", "attention_weights", "scaled_scores", [
        [[1, 3]], [[-3]], [[-1, 0.5, 2]]],
        "List all e^score, then divide by their total.",
        "e^score is above 0 and grows with the score."),
    Step("softmax_large", "attention_weights", "scaled_scores", [
        [[1000, 1001]], [[-1000, -1001, -1003]], [[-800, 3, 800]]],
        "softmax([1000, 1001]) is softmax([0, 1]).",
        "All powers shrink by one factor, which cancels."),
    Step("scores_of", "attention_scores", "queries sources", WORD,
        "The query stays, the inputs change.",
        "The query meets all words alike."),
    Step("attention_weights_of", "attention_weights", "queries sources", WORD,
        "You have written both parts.",
        "Scores have any size; shares say how much to take."),
    Step("blend", "context_vectors", "attention_weights sources", WORD,
        "Start with 0.0 for each place; add word by word.",
        "Shares of 1 keep it among the inputs."),
    Step("simplified_self_attention", ATTENDED.replace("scaled_scores ", ""), "sources",
         WORDS,
         "The scores are inputs @ inputs^T.",
         "It is two products, softmax between them."),
    Step("project", "queries keys values", "sources" + MATRICES, ONE,
        "Three products; inputs stand on the left.",
        "Training can now choose each word's three roles."),
    Step("scaled_dot_product_attention", ATTENDED, "queries keys values", ONE + TWO,
        "The scores are queries @ keys^T; d_k is len(keys[0]).",
        "Longer keys make larger scores; sqrt(d_k) undoes that."),
    Step("self_attention", ATTENDED, "sources" + MATRICES, ONE,
        "Two calls: project comes first.",
        "The same words have all three roles: the self."),
    Step("cross_attention", ATTENDED, "targets sources" + MATRICES, TWO,
        "Only the queries differ from self_attention.",
        "With targets = sources, this is self_attention."),
    Step("causal_attention_weights", "attention_weights", "scaled_scores", [
        [[[1, -2, 3], [0.5, 1, -3], [2, 0, -1]]], [[[0, 800], [2, 2]]]],
        "In row i, softmax of i + 1 scores alone.",
        "What softmax never sees takes no share."),
]
