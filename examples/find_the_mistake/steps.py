"""The steps of attention, each done right and in every wrong way that we know.

People really made these mistakes, as public reports tell. A step is a function of `s`:

    s.targets, s.sources    the inputs: in self-attention, both are the same
    s.W_query, s.queries    and so on: the weight matrices, the stages before it
    s.hidden                hidden(query, key) in causal attention, or None
    s.got                   your numbers, for mistakes of any size (a bias)
"""

from collections import namedtuple
from math import exp, log
from types import SimpleNamespace

from attention import STAGES, Attention, matmul, softmax, sqrt, transpose
from examples.causal import INF, later, renormalise, replace
from examples.multi_head import split_heads


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


def product(a, b):  # by their names, such as "keys^T"
    return lambda s: matmul(getattr(s, a), transpose(getattr(s, b[:-2])) if b[-2:] == "^T"
                            else getattr(s, b))


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
    totals = [added_up(powers(row)) for row in s.scaled_scores]
    return [[exp(x) / total for x, total in zip(row, totals)] for row in s.scaled_scores]


def dropout(s):
    rows = softmax_rows(s.scaled_scores)
    pairs = list(zip(flat(rows), flat(s.got or [])))
    kept = [(y, y / x) for x, y in pairs if y]
    is_dropped = any(x > 0.001 for x, y in pairs if not y)
    if not is_dropped or len(kept) < 2 or max(kept)[1] < 1.02:
        return None
    return pairwise(lambda x, y: x * max(kept)[1] if y else 0.0, rows, s.got)


def per_head(s, heads):
    """Return (attention weights, values) of each head: it has its own columns."""
    found = []
    for queries, keys, values in split_heads([s.queries, s.keys, s.values], heads):
        scores = divide(matmul(queries, transpose(keys)), sqrt(width(keys)))
        if s.hidden:
            scores = replace(scores, -INF, s.hidden)
        found.append((softmax_rows(scores), values))
    return found


def in_heads(s, heads):  # as in examples.multi_head
    joined = [[] for query in s.queries]
    for attention_weights, values in per_head(s, heads):
        rows = matmul(attention_weights, values)
        joined = [old + new for old, new in zip(joined, rows)]
    return joined


# ---- The catalogue
# stage: the first of `steps`, {stage: step}. Where there are several, it may happen at
# any of them, or at all; if it counts only at all of them together, `whole` is True.

Mistake = namedtuple("Mistake", ["name", "stage", "what", "fix", "steps", "whole"])
MISTAKES = []


def known(stage, fix, *rows):
    """Add mistakes that are put right alike: rows of name, what, step; if there is no
    stage, of name, what, {stage: step}."""
    for name, what, step in rows:
        steps = {stage: step} if stage else step
        MISTAKES.append(Mistake(name, list(steps)[0], what, fix, steps, False))


# Projections.

def known_of_projection(stage, rows, W):
    for other in ("W_query", "W_key", "W_value"):
        if other != W:
            name = "%s-made-with-%s" % (stage, other)
            known(stage, "inputs @ " + W, (
                name, "inputs @ " + other, product(rows, other)))
    known(stage, "inputs @ " + W, (
        stage + "-not-projected", "inputs as they are",
        lambda s: getattr(s, W) and getattr(s, rows)))


def known_together(name, what, fix, *parts):
    steps = {it.stage: it.steps[it.stage] for it in MISTAKES if it.name in parts}
    MISTAKES.append(Mistake(name, "queries", what, fix, steps, True))


known_of_projection("queries", "targets", "W_query")
known_of_projection("keys", "sources", "W_key")
known_of_projection("values", "sources", "W_value")
known_together(
    "query-and-key-swapped", "queries = inputs @ W_key, keys = inputs @ W_query",
    "queries = inputs @ W_query, keys = inputs @ W_key",
    "queries-made-with-W_key", "keys-made-with-W_query")
known_together(
    "nothing-projected", "queries = keys = values = inputs",
    "queries = inputs @ W_query, keys and values likewise",
    "queries-not-projected", "keys-not-projected", "values-not-projected")
known(
    None, "x @ W needs W as d_in x d_out; nn.Linear stores the transpose: x @ weight.T",
    ("transposed-weight-matrix", "x @ W^T, which only fits if W is square",
     projections(lambda x, W: matmul(x, transpose(W)))),
    ("weight-matrix-read-by-columns", "W was read by columns, written by rows",
     projections(lambda x, W: matmul(x, reshape(transpose(W), len(W), width(W))))),
    ("weight-matrix-read-by-columns", "W was read by rows, written by columns",
     projections(lambda x, W: matmul(x, transpose(reshape(W, width(W), len(W)))))))
known(
    None, "x @ W and nothing else: bias=False, no activation",
    ("bias-added", "the same numbers were added to each row",
     {stage: with_bias(RIGHT[stage]) for stage in STAGES[:3]}),
    ("relu-applied", "what is below 0 was set to 0",
     projections(lambda x, W: each(lambda y: max(0.0, y), matmul(x, W)))))
known(
    None, "queries come from the targets, keys and values from the sources",
    ("queries-from-sources", "sources @ W_query",
     {"queries": product("sources", "W_query")}),
    ("keys-from-targets", "targets @ W_key", {"keys": product("targets", "W_key")}),
    ("values-from-targets", "targets @ W_value",
     {"values": product("targets", "W_value")}))
known(
    "queries", "count rows from 0: the second word is row 1",
    ("row-of-another-query", "right, but the numbers of another query",
     of_another_query))

# What any matrix product can suffer.

known(
    None, "for each row and column: total = 0; for each k: total += a[i][k] * b[k][j]",
    ("total-never-reset", "total = 0 stands before all loops", products(never_reset)),
    ("multiplied-elementwise", "a[i][j] * b[j][i] was taken, and nothing added up",
     products(lambda a, b: pairwise(lambda x, y: x * y, a, transpose(b)))))
known(
    None, "[[0] * p for i in range(n)]: in [[0] * p] * n, all rows are the same list",
    ("rows-aliased", "all rows are the last",
     products(lambda a, b: [matmul(a, b)[-1]] * len(a))),
    ("rows-aliased-and-added-up", "all rows are the sum of all",
     products(lambda a, b: matmul([[1.0] * len(a)] * len(a), matmul(a, b)))))

known(
    None, "floats, not whole numbers",
    ("cut-to-whole-numbers", "what comes after the point was left out",
     {stage: lambda s, right=RIGHT[stage]: each(lambda x: float(int(x)), right(s))
      for stage in STAGES}))

# Attention scores.

known(
    "attention_scores", "queries @ keys^T: each query with each key",
    ("keys-not-transposed", "queries @ keys, which only fits if n = d_k",
     product("queries", "keys")),
    ("keys-reshaped", "keys reshaped to d_k x n: not their transpose",
     lambda s: matmul(s.queries, reshape(s.keys, width(s.keys), len(s.keys)))),
    ("keys-times-queries", "keys @ queries^T: a row for each key",
     product("keys", "queries^T")),
    ("queries-times-values", "queries @ values^T", product("queries", "values^T")),
    ("queries-times-queries", "queries @ queries^T",
     product("queries", "queries^T")),
    ("keys-times-keys", "keys @ keys^T", product("keys", "keys^T")),
    ("scores-without-sign", "scores below 0 have lost their minus sign",
     lambda s: each(abs, RIGHT["attention_scores"](s))))

# Scaled scores.

known(
    "scaled_scores", "scores / sqrt(d_k), once; d_k = the width of a key",
    ("scaling-forgotten", "scores as they are", lambda s: s.attention_scores),
    ("divided-by-d_k", "scores / d_k: no square root, or scaled twice",
     divided_by(lambda s: width(s.keys))),
    ("multiplied-by-sqrt-d_k", "scores * sqrt(d_k)",
     divided_by(lambda s: 1 / sqrt(width(s.keys)))),
    ("divided-by-half-d_k", "scores / (d_k / 2): `d_k ** 1/2` is not d_k ** 0.5",
     divided_by(lambda s: width(s.keys) / 2)),
    ("divided-by-twice-d_k",
     "scores / (2 * d_k): `scores / d_k ** 1/2` is (scores / d_k) / 2",
     divided_by(lambda s: width(s.keys) * 2)),
    ("divided-by-int-sqrt-d_k", "scores / int(sqrt(d_k))",
     divided_by(lambda s: int(sqrt(width(s.keys))))),
    ("divided-by-sqrt-d_in", "scores / sqrt(d_in)",
     divided_by(lambda s: sqrt(width(s.sources)))),
    ("divided-by-sqrt-d_v", "scores / sqrt(d_v)",
     divided_by(lambda s: sqrt(width(s.values)))),
    ("divided-by-sqrt-n", "scores / sqrt(n)", divided_by(lambda s: sqrt(len(s.keys)))),
    ("multiplied-by-0", "scores * 0: `1 // sqrt(d_k)` is 0",
     lambda s: each(lambda x: 0.0 * x, s.attention_scores)))

known(
    None, "scores / sqrt(d_k), then softmax of each row",
    ("divided-by-n", "divided by n, the number of keys", {
        "scaled_scores": divided_by(lambda s: len(s.keys)),
        "attention_weights": lambda s: divide(s.scaled_scores, len(s.keys))}))

# Masks: examples.causal sets the scores of later words to -inf.

known(
    None, "hide key k from query q where k > q, and nothing else",
    ("mask-of-the-other-triangle", "k < q was hidden", with_mask(lambda q, k: k < q)),
    ("mask-of-the-diagonal-too", "k >= q was hidden",
     with_mask(lambda q, k: k >= q, -1e9)),
    ("mask-one-too-late", "only k > q + 1 was hidden", with_mask(lambda q, k: k > q + 1)))
known(
    None, "hide with -inf: e^-inf is 0, but e^0 is 1",
    ("mask-filled-with-0", "later scores = 0", with_mask(later, 0.0)),
    ("mask-filled-with-1e-9", "later scores = 1e-9, not -1e9", with_mask(later, 1e-9)))
known(
    "attention_weights", "hide later words before softmax",
    ("mask-missing", "no word was hidden",
     lambda s: s.hidden and softmax_rows(RIGHT["scaled_scores"](s))))
known(
    "attention_weights", "mask before softmax, or divide each row by its sum again",
    ("mask-after-softmax", "later attention weights = 0",
     lambda s: replace(softmax_rows(s.scaled_scores), 0.0)))

# Attention weights.

known(
    "attention_weights", "softmax of each row (dim=-1 in torch, axis=-1 in NumPy)",
    ("softmax-down-the-columns", "each column adds up to 1, not each row",
     lambda s: transpose(softmax_rows(transpose(s.scaled_scores)))),
    ("softmax-over-the-whole-matrix", "all attention weights together add up to 1",
     lambda s: reshape([softmax(flat(s.scaled_scores))],
                       len(s.scaled_scores), width(s.scaled_scores))),
    ("keepdims-missing", "each column was divided by the sum of a row", without_keepdims))
known(
    "attention_weights", "softmax of scaled scores: e^score / sum of the row's e^score",
    ("softmax-left-out", "scaled scores as they are", lambda s: s.scaled_scores),
    ("softmax-twice", "softmax of softmax",
     of_each_row(lambda row: softmax(softmax(row)))),
    ("scaled-after-softmax", "softmax of the attention scores, then / sqrt(d_k)",
     lambda s: divide(softmax_rows(s.attention_scores), sqrt(width(s.keys)))),
    ("log-softmax", "log of softmax",
     of_each_row(lambda row: [log(x) for x in softmax(row)])),
    ("divided-by-the-sum", "score / sum of scores",
     lambda s: renormalise(s.scaled_scores)),
    ("not-divided-by-the-sum", "e^score as it is", of_each_row(powers)),
    ("divided-by-the-sum-of-scores", "e^score / sum of scores",
     of_each_row(lambda row: [exp(x) / added_up(row) for x in row])),
    ("sum-plus-1", "e^score / (sum + 1)",
     of_each_row(lambda row: softmax(row + [0.0])[:-1])),
    ("powers-of-2", "2^score, not e^score",
     of_each_row(lambda row: softmax([x * log(2) for x in row]))),
    ("sign-turned", "e^-score, not e^score",
     of_each_row(lambda row: softmax([-x for x in row]))),
    ("sigmoid", "1 / (1 + e^-score)",
     of_each_row(lambda row: [1 / (1 + exp(-x)) for x in row])),
    ("one-hot", "1 for the highest score, 0 for all others",
     of_each_row(lambda row: [1.0 if x == max(row) else 0.0 for x in row])),
    ("all-equal", "1 / n for all", of_each_row(lambda row: [1 / len(row)] * len(row))),
    ("divided-by-n-too", "softmax / n",
     of_each_row(lambda row: [x / len(row) for x in softmax(row)])))
known(
    "attention_weights", "no dropout except in training: model.eval()",
    ("dropout", "some were set to 0, all others made larger", dropout))

# Context vectors.

known(
    "context_vectors", "attention_weights @ values, and nothing else",
    ("attention-weights-transposed", "attention_weights^T @ values",
     lambda s: matmul(transpose(s.attention_weights), s.values)),
    ("inputs-blended", "attention_weights @ inputs",
     product("attention_weights", "sources")),
    ("keys-blended", "attention_weights @ keys", product("attention_weights", "keys")),
    ("queries-blended", "attention_weights @ queries",
     product("attention_weights", "queries")),
    ("residual-added", "inputs + attention_weights @ values",
     lambda s: pairwise(lambda x, y: x + y, RIGHT["context_vectors"](s), s.targets)),
    ("blend-doubled", "everything was added twice",
     lambda s: divide(RIGHT["context_vectors"](s), 0.5)))
for heads in (2, 3, 4, 6, 8, 12, 16):
    known(
        "context_vectors", 'if wanted, say "heads": %d; see examples.multi_head' % heads,
        ("split-into-%d-heads" % heads, "it looks like d_out = %d heads * d_k" % heads,
         lambda s, heads=heads: in_heads(s, heads)))

MISTAKE = {mistake.name: mistake for mistake in MISTAKES}
