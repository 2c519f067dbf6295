"""The steps of attention, each done right and in every wrong way that we know.

People really made these mistakes. A step is a function of `s`:

    s.targets, s.sources    the inputs: in self-attention, both are the same
    s.W_query, s.queries    and so on: the weight matrices, the stages before it
    s.hidden                hidden(query, key) in causal attention, or None
    s.got                   your numbers, for mistakes of any size (a bias)
"""

import json
import os
from collections import namedtuple
from math import exp, log
from types import SimpleNamespace

from attention import (
    STAGES, Attention, matmul, scaled_dot_product_attention, softmax, sqrt, transpose)
from examples.causal import masked
from examples.multi_head import join
from examples.tools.matrices import INF, add, later, renormalise, replace, split_heads


# ---- The steps, done right


def products(multiply):
    """Five of the steps are matrix products: return them, each with multiply(a, b)."""
    return {
        "queries": lambda s: multiply(s.targets, s.W_query),
        "keys": lambda s: multiply(s.sources, s.W_key),
        "values": lambda s: multiply(s.sources, s.W_value),
        "attention_scores": lambda s: multiply(s.queries, transpose(s.keys)),
        "context_vectors": lambda s: multiply(s.attention_weights, s.values)}


def projections(project):
    """Return the first three of them, with project(rows, weight_matrix) for each."""
    steps = products(project)
    return {stage: steps[stage] for stage in STAGES[:3]}


RIGHT = products(matmul)
RIGHT["scaled_scores"] = lambda s: divide(s.attention_scores, sqrt(width(s.keys)))
RIGHT["attention_weights"] = lambda s: softmax_rows(s.scaled_scores)

# The simplified version projects and scales nothing.
SIMPLIFIED = dict(
    RIGHT,
    queries=lambda s: s.targets,
    keys=lambda s: s.sources,
    values=lambda s: s.sources,
    scaled_scores=lambda s: s.attention_scores)


def before(case):
    """Return s as it is before the first step; what the case does not have is None."""
    names = ("targets", "sources", "W_query", "W_key", "W_value", "hidden", "got")
    names += STAGES
    s = SimpleNamespace(**{name: case.get(name) for name in names})
    if "inputs" in case:
        s.targets = s.sources = case["inputs"]
    return s


def right_steps(case):
    """Return {stage: step} for a case: a dict with inputs, or targets and sources, and
    with W_query, W_key and W_value, unless it is simplified; or with queries, keys and
    values alone."""
    if "queries" in case:
        own = {stage: lambda s, rows=case[stage]: rows for stage in STAGES[:3]}
        return dict(RIGHT, **own)
    return RIGHT if "W_query" in case else SIMPLIFIED


def compute(case, replaced={}):
    """Return all stages of a case, with some steps replaced, such as a mistake's."""
    stages, steps = vars(before(case)), dict(right_steps(case), **replaced)
    for stage in STAGES:
        stages[stage] = steps[stage](SimpleNamespace(**stages))
    return Attention(*[stages[stage] for stage in STAGES])


# ---- What both need


def width(matrix):
    return len(matrix[0])


def each(function, matrix):
    return [[function(x) for x in row] for row in matrix]


def pairwise(function, a, b):  # numbers in the same place
    return [[function(x, y) for x, y in zip(row, other)] for row, other in zip(a, b)]


def divide(matrix, divisor):
    return each(lambda x: x / divisor, matrix)


def softmax_rows(scores):  # where all keys are hidden, 0 / 0
    return [softmax(row) if max(row) > -INF else [INF - INF] * len(row)
            for row in scores]


def added_up(row):
    total = 0.0
    for x in row:
        total += x
    return total


def flat(matrix):
    return [x for row in matrix for x in row]


def reshape(matrix, rows, columns):
    numbers = flat(matrix)
    return [numbers[i * columns:(i + 1) * columns] for i in range(rows)]


# ---- The same steps, done wrong


def product(a, b):  # by their names, such as "keys"
    return lambda s: matmul(getattr(s, a), getattr(s, b))


def with_bias(right):
    def step(s):
        if not s.got or len(s.got) < 2:
            return None
        bias = [y - x for x, y in zip(right(s)[0], s.got[0])]
        return any(bias) and [[x + b for x, b in zip(row, bias)] for row in right(s)]
    return step


def never_reset(a, b):
    total, rows = 0.0, matmul(a, b)
    for row in rows:
        for j in range(len(row)):
            total += row[j]
            row[j] = total
    return rows


def of_another_query(s):
    rows = RIGHT["queries"](s) if s.W_query else s.targets
    return rows[1:] + rows[:1]


def divided_by(divisor):
    return lambda s: divide(s.attention_scores, divisor(s))


def with_mask(hidden, x=-INF):
    """The mask is in the scaled scores, or comes between them and softmax."""
    return {
        "scaled_scores": lambda s: replace(RIGHT["scaled_scores"](s), x, hidden),
        "attention_weights": lambda s: softmax_rows(replace(s.scaled_scores, x, hidden))}


def of_each_row(function):
    return lambda s: [function(row) for row in s.scaled_scores]


def powers(row):
    return [exp(x) for x in row]


def without_keepdims(s):
    rows = [powers(row) for row in s.scaled_scores]
    totals = [added_up(row) for row in rows]
    return [[x / total for x, total in zip(row, totals)] for row in rows]


def dropout(s):
    rows = softmax_rows(s.scaled_scores)
    pairs = list(zip(flat(rows), flat(s.got or [])))
    kept = [(y, y / x) for x, y in pairs if y]
    is_dropped = any(x > 0.001 for x, y in pairs if not y)
    if not is_dropped or len(kept) < 2 or max(kept)[1] < 1.02:
        return None
    return pairwise(lambda x, y: x * max(kept)[1] if y else 0.0, rows, s.got)


def per_head(s, heads):
    """Return the Attention of each head, from its own columns."""
    found = []
    for parts in split_heads([s.queries, s.keys, s.values], heads):
        seeing = scaled_dot_product_attention(*parts)
        found.append(masked(seeing, s.hidden) if s.hidden else seeing)
    return found


# ---- The catalogue: how each mistake is made. mistakes.json has the words.
# stage: the first of `steps`, {stage: step}. If there are several, it may happen at any
# of them, or at all; `whole`: at all of them together.

Mistake = namedtuple("Mistake", ["name", "stage", "what", "fix", "steps", "whole"])
MISTAKES = []
with open(os.path.join(os.path.dirname(__file__), "mistakes.json")) as file:
    WORDS = {words["name"]: words for words in json.load(file)}


def known(stage, catalogue, whole=False):
    """Add {name: step} of a stage; if there is no stage, {name: {stage: step}}."""
    for name, step in catalogue.items():
        steps = {stage: step} if stage else step
        MISTAKES.append(Mistake(
            name, list(steps)[0], WORDS[name]["what"], WORDS[name]["fix"], steps, whole))


MADE_WITH, NOT_PROJECTED = {}, projections(lambda x, W: W and x)
for stage, rows, W in (("queries", "targets", "W_query"), ("keys", "sources", "W_key"),
                       ("values", "sources", "W_value")):
    for other in ("W_query", "W_key", "W_value"):
        if other != W:
            MADE_WITH[stage, other] = product(rows, other)
            known(stage, {"%s-made-with-%s" % (stage, other): MADE_WITH[stage, other]})
    known(stage, {stage + "-not-projected": NOT_PROJECTED[stage]})
known(None, {
    "query-and-key-swapped": {"queries": MADE_WITH["queries", "W_key"],
                              "keys": MADE_WITH["keys", "W_query"]},
    "nothing-projected": NOT_PROJECTED}, whole=True)
known(None, {
    "transposed-weight-matrix": projections(lambda x, W: matmul(x, transpose(W))),
    "weight-matrix-read-by-columns": projections(
        lambda x, W: matmul(x, reshape(transpose(W), len(W), width(W))))})
known(None, {
    "weight-matrix-read-by-columns": projections(
        lambda x, W: matmul(x, transpose(reshape(W, width(W), len(W))))),
    "bias-added": {stage: with_bias(RIGHT[stage]) for stage in STAGES[:3]},
    "relu-applied": projections(
        lambda x, W: each(lambda y: max(0.0, y), matmul(x, W))),
    "queries-from-sources": {"queries": product("sources", "W_query")},
    "keys-from-targets": {"keys": product("targets", "W_key")},
    "values-from-targets": {"values": product("targets", "W_value")},
    "row-of-another-query": {"queries": of_another_query}})
known(None, {
    "total-never-reset": products(never_reset),
    "last-product-left-out": products(
        lambda a, b: matmul([row[:-1] for row in a], b[:-1])),
    "multiplied-elementwise": products(
        lambda a, b: pairwise(lambda x, y: x * y, a, transpose(b))),
    "rows-aliased": products(lambda a, b: [matmul(a, b)[-1]] * len(a)),
    "rows-aliased-and-added-up": products(
        lambda a, b: matmul([[1.0] * len(a)] * len(a), matmul(a, b))),
    "cut-to-whole-numbers": {
        stage: lambda s, right=RIGHT[stage]: each(lambda x: float(int(x)), right(s))
        for stage in STAGES}})
known("attention_scores", {
    "keys-not-transposed": product("queries", "keys"),
    "keys-reshaped": lambda s: matmul(
        s.queries, reshape(s.keys, width(s.keys), len(s.keys))),
    "keys-times-queries": lambda s: matmul(s.keys, transpose(s.queries)),
    "queries-times-values": lambda s: matmul(s.queries, transpose(s.values)),
    "queries-times-queries": lambda s: matmul(s.queries, transpose(s.queries)),
    "keys-times-keys": lambda s: matmul(s.keys, transpose(s.keys)),
    "scores-without-sign": lambda s: each(abs, RIGHT["attention_scores"](s))})
known("scaled_scores", {
    "scaling-forgotten": lambda s: s.attention_scores,
    "divided-by-d_k": divided_by(lambda s: width(s.keys)),
    "multiplied-by-sqrt-d_k": divided_by(lambda s: 1 / sqrt(width(s.keys))),
    "divided-by-half-d_k": divided_by(lambda s: width(s.keys) / 2),
    "divided-by-twice-d_k": divided_by(lambda s: width(s.keys) * 2),
    "divided-by-int-sqrt-d_k": divided_by(lambda s: int(sqrt(width(s.keys)))),
    "divided-by-sqrt-d_in": divided_by(lambda s: sqrt(width(s.sources))),
    "divided-by-sqrt-d_v": divided_by(lambda s: sqrt(width(s.values))),
    "divided-by-sqrt-n": divided_by(lambda s: sqrt(len(s.keys))),
    "divided-by-sqrt-m": lambda s: len(s.queries) != len(s.keys) and divide(
        s.attention_scores, sqrt(len(s.queries))),
    "multiplied-by-0": lambda s: each(lambda x: 0.0 * x, s.attention_scores)})
known(None, {
    "divided-by-n": {
        "scaled_scores": divided_by(lambda s: len(s.keys)),
        "attention_weights": lambda s: divide(s.scaled_scores, len(s.keys))},
    "mask-of-the-other-triangle": with_mask(lambda q, k: k < q),
    "mask-of-the-diagonal-too": with_mask(lambda q, k: k >= q, -1e9),
    "mask-one-too-late": with_mask(lambda q, k: k > q + 1),
    "mask-filled-with-0": with_mask(later, 0.0),
    "mask-filled-with-1e-9": with_mask(later, 1e-9)})
known("attention_weights", {
    "mask-missing": lambda s: s.hidden and softmax_rows(RIGHT["scaled_scores"](s)),
    "mask-after-softmax": lambda s: replace(softmax_rows(s.scaled_scores), 0.0),
    "softmax-down-the-columns": lambda s: transpose(
        softmax_rows(transpose(s.scaled_scores))),
    "softmax-over-the-whole-matrix": lambda s: reshape(
        [softmax(flat(s.scaled_scores))], len(s.scaled_scores), width(s.scaled_scores)),
    "keepdims-missing": without_keepdims,
    "softmax-left-out": lambda s: s.scaled_scores,
    "softmax-of-unscaled-scores": lambda s: softmax_rows(s.attention_scores),
    "softmax-twice": of_each_row(lambda row: softmax(softmax(row))),
    "scaled-after-softmax": lambda s: divide(
        softmax_rows(s.attention_scores), sqrt(width(s.keys))),
    "log-softmax": of_each_row(lambda row: [log(x) for x in softmax(row)]),
    "divided-by-the-sum": lambda s: renormalise(s.scaled_scores),
    "not-divided-by-the-sum": of_each_row(powers),
    "divided-by-the-largest": of_each_row(
        lambda row: [exp(x - max(row)) for x in row]),
    "divided-by-the-sum-of-scores": of_each_row(
        lambda row: [exp(x) / added_up(row) for x in row]),
    "sum-plus-1": of_each_row(lambda row: softmax(row + [0.0])[:-1]),
    "powers-of-2": of_each_row(lambda row: softmax([x * log(2) for x in row])),
    "sign-turned": of_each_row(lambda row: softmax([-x for x in row])),
    "sigmoid": of_each_row(lambda row: [1 / (1 + exp(-x)) for x in row]),
    "one-hot": of_each_row(lambda row: [1.0 if x == max(row) else 0.0 for x in row]),
    "all-equal": of_each_row(lambda row: [1 / len(row)] * len(row)),
    "divided-by-n-too": of_each_row(lambda row: [x / len(row) for x in softmax(row)]),
    "dropout": dropout})
known("context_vectors", {
    "attention-weights-transposed": lambda s: matmul(
        transpose(s.attention_weights), s.values),
    "inputs-blended": product("attention_weights", "sources"),
    "keys-blended": product("attention_weights", "keys"),
    "queries-blended": product("attention_weights", "queries"),
    "residual-added": lambda s: add(RIGHT["context_vectors"](s), s.targets),
    "blend-doubled": lambda s: divide(RIGHT["context_vectors"](s), 0.5)})
for heads in (2, 3, 4, 6, 8, 12, 16):
    known("context_vectors", {
        "split-into-%d-heads" % heads: lambda s, heads=heads: join(per_head(s, heads))})

MISTAKE = {mistake.name: mistake for mistake in MISTAKES}
