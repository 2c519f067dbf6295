"""The steps of the workbook: what each is checked with, hints, and why it works."""

import json
import os
from collections import namedtuple

import attention
from attention import dot, matmul, softmax
from examples.find_the_mistake.steps import before, compute

# stages, names: what is returned and taken, as examples.find_the_mistake calls it
# cases: the arguments, or dicts that hold them
Step = namedtuple("Step", ["name", "stages", "names", "cases", "hint", "why"])


# ---- Right functions where attention.py has none ---------------------------------------


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
    queries = matmul(inputs, W_query)
    keys = matmul(inputs, W_key)
    values = matmul(inputs, W_value)
    return queries, keys, values


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


# ---- Cases: a small one, then those of reference.json ----------------------------------


def computed(case):  # with all its stages
    return dict(vars(before(case)), **compute(case)._asdict())


def last_query(case):
    names = ["queries", "attention_scores", "scaled_scores", "attention_weights"]
    return dict(case, **{name: case[name][-1] for name in names})


SMALL = {
    "inputs": [[1, -2, 0.5], [0, 1, -1]],
    "W_query": [[1, 0, 2, -1, 0.5], [0, -1, 1, 1, 2], [0.5, 1, 0, 2, -1]],
    "W_key": [[0, 2, 1, 0.5, -1], [1, 0.5, 0, -1, 2], [-1, 0, 1, 2, 0.5]],
    "W_value": [[2], [-1], [0.5]]}
with open(os.path.join(os.path.dirname(__file__), "..", "reference.json")) as file:
    REFERENCE = json.load(file)
CASES = [SMALL, REFERENCE["running_example"]["trainable"]] + REFERENCE["cases"]
ONE = [computed(case) for case in CASES]
TWO = [computed(REFERENCE["two_sequences"])]
WORDS = [computed({"inputs": case["inputs"]}) for case in CASES]
WORD = [last_query(case) for case in WORDS]


# ---- The steps, in the order of attention.py -------------------------------------------

MATRICES = " W_query W_key W_value"
ATTENDED = "attention_scores scaled_scores attention_weights context_vectors"

STEPS = [
    Step("dot", "attention_scores", "queries keys", [
        ([1, 2], [3, 4]), ([-3], [2]), ([1.5, -2, 0.25], [4, 3, -9])],
        "Start with total = 0.0; zip(a, b) hands out pairs of numbers.",
        "It is large if both are large in the same places: it measures a match."),
    Step("transpose", "result", "matrix", [
        [[[1, 2, 3], [4, 5, 6]]], [[[1], [-2]]], [SMALL["W_key"]]],
        "Row j of the result has number j of each row.",
        "It lets a dot product take columns, too."),
    Step("matmul", "queries", "targets W_query", [
        ([[1, 2]], [[3, 4, 5], [6, 7, 8]]), ([[2], [-1]], [[3, 0.5, 1]]),
        (SMALL["inputs"], SMALL["W_key"])],
        "A loop over the rows of a, and in it one over the columns of b.",
        "Each row of a meets each column of b."),
    Step("sqrt", "result", "x", [[9.0], [2.0], [0.25], [0.0], [1e10], [1e-10]],
        "Guess the larger of x and 1.0, and better it while it falls; but 0.0 for 0.0.",
        "Near the root, each guess doubles the number of right digits."),
    Step("softmax", "attention_weights", "scaled_scores", [
        [[1, 2]], [[-3]], [[-1, 0.5, 2]]],
        "Make a list of e^score for all scores, and divide each by what they add up to.",
        "e^score is above 0 and grows with the score, and so do the shares."),
    Step("softmax_large", "attention_weights", "scaled_scores", [
        [[1000, 1001]], [[-1000, -1001, -1003]], [[-800, 3, 800]]],
        "softmax([1000, 1001]) is softmax([0, 1]): only differences count.",
        "All powers shrink by one factor, which cancels in the division."),
    Step("scores_of", "attention_scores", "queries sources", WORD,
        "One dot product for each input; the query is in all of them.",
        "The query meets each word in the same way, itself included."),
    Step("attention_weights_of", "attention_weights", "queries sources", WORD,
        "You have written both parts.",
        "Scores have any size; shares say how much to take."),
    Step("blend", "context_vectors", "attention_weights sources", WORD,
        "Start with a 0.0 for each place of an input, and add to them word by word.",
        "Shares of 1 keep it among the inputs, nearest to the best match."),
    Step("simplified_self_attention", ATTENDED.replace("scaled_scores ", ""), "sources",
         WORDS,
         "Row i belongs to the query inputs[i]; the scores are inputs @ inputs^T.",
         "All queries at once: two matrix products, softmax between them."),
    Step("project", "queries keys values", "sources" + MATRICES, ONE,
        "Three matrix products; the inputs stand on the left.",
        "Training can now choose what a word asks, is found by, hands over."),
    Step("scaled_dot_product_attention", ATTENDED, "queries keys values", ONE + TWO,
        "The scores are queries @ keys^T; d_k is len(keys[0]).",
        "Longer keys make larger dot products; the division undoes that."),
    Step("self_attention", ATTENDED, "sources" + MATRICES, ONE,
        "Two calls: project comes first.",
        "Queries, keys and values come from the same words: that is the self."),
    Step("cross_attention", ATTENDED, "targets sources" + MATRICES, TWO,
        "Only the queries differ from self_attention.",
        "If the targets are the sources, this is self_attention."),
    Step("causal_attention_weights", "attention_weights", "scaled_scores", [
        [[[0, 9], [2, 2]]], [[[1, -2, 800], [0.5, 1, -3], [2, 0, -1]]]],
        "In row i, i + 1 keys count: softmax of these alone.",
        "What softmax never sees is in no total: the rest adds up to 1."),
]
