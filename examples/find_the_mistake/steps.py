"""The steps of attention, each done right and in every wrong way that we know.

Attention is seven steps, and each makes one stage. A mistake is a step done in another way:
a name, what happened, how to put it right, and a function that does the step like this. The
mistakes come from public reports. Read those of a stage before you write it.

A step is a function of `s`, which holds all that there is before it:

    s.targets, s.sources           the inputs: in self-attention, both are the same
    s.W_query, s.W_key, s.W_value
    s.queries, s.keys, ...         the stages before it
    s.got                          your numbers, for mistakes that come in any size (a bias)
"""

from collections import namedtuple
from math import exp, log
from types import SimpleNamespace

from attention import STAGES, Attention, matmul, softmax, sqrt, transpose


# ---- The steps, done right ---------------------------------------------------------------


def products(multiply):
    """Five of the steps are matrix products: return them, with multiply(a, b) for each."""
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
    names = ("targets", "sources", "W_query", "W_key", "W_value", "got") + STAGES
    s = SimpleNamespace(**{name: case.get(name) for name in names})
    if "inputs" in case:
        s.targets = s.sources = case["inputs"]
    return s


def right_steps(case):
    """Return {stage: step} for a case: a dict with `inputs`, or `targets` and `sources`, and
    with `W_query`, `W_key` and `W_value`; without these three, it is the simplified version.
    Or it has `queries`, `keys` and `values` alone.
    """
    if "queries" in case:
        own = {stage: lambda s, rows=case[stage]: rows for stage in STAGES[:3]}
        return dict(RIGHT, **own)
    return RIGHT if "W_query" in case else SIMPLIFIED


def compute(case, replaced={}):
    """Return all stages of a case, with some steps replaced, such as a mistake's.

    >>> one = [[1.0]]
    >>> case = {"inputs": [[1.0], [3.0]], "W_query": one, "W_key": one, "W_value": [[2.0]]}
    >>> compute(case).values, compute(case, MISTAKE["values-not-projected"].steps).values
    ([[2.0], [6.0]], [[1.0], [3.0]])
    """
    s, steps = before(case), dict(right_steps(case), **replaced)
    for stage in STAGES:
        setattr(s, stage, steps[stage](s))
    return Attention(*[getattr(s, stage) for stage in STAGES])


# ---- What both need ----------------------------------------------------------------------


def width(matrix):
    return len(matrix[0])


def each(function, matrix):  # a number at a time
    return [[function(x) for x in row] for row in matrix]


def pairwise(function, a, b):  # two numbers in the same place at a time
    return [[function(x, y) for x, y in zip(row, other)] for row, other in zip(a, b)]


def divide(matrix, divisor):
    return each(lambda x: x / divisor, matrix)


def softmax_rows(scores):
    return [softmax(row) for row in scores]


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


# ---- The same steps, done wrong ----------------------------------------------------------
# Only what does not fit in a line of the catalogue below.


def project(rows, W):  # by their names
    return lambda s: matmul(getattr(s, rows), getattr(s, W))


def project_not(rows, W):
    return lambda s: getattr(s, W) and getattr(s, rows)


def with_bias(right):
    def step(s):
        if not s.got or len(s.got) < 2:
            return None
        bias = [y - x for x, y in zip(right(s)[0], s.got[0])]
        return [[x + b for x, b in zip(row, bias)] for row in right(s)]
    return step


def never_reset(a, b):
    total, product = 0.0, matmul(a, b)
    for row in product:
        for j in range(len(row)):
            total += row[j]
            row[j] = total
    return product


def rolled(rows):
    return rows[1:] + rows[:1]


def unit_length(rows):
    return [[x / sqrt(added_up([y * y for y in row])) for x in row] for row in rows]


def divided_by(divisor):
    return lambda s: divide(s.attention_scores, divisor(s))


def masked(rows, hidden, x=float("-inf")):
    return [[x if hidden(q, k) else score for k, score in enumerate(row)]
            for q, row in enumerate(rows)]


def later(q, k):
    return k > q


def with_mask(hidden, x=float("-inf")):
    """The mask is in the scaled scores, or comes between them and softmax."""
    return {
        "scaled_scores": lambda s: masked(RIGHT["scaled_scores"](s), hidden, x),
        "attention_weights": lambda s: softmax_rows(masked(s.scaled_scores, hidden, x))}


def of_each_row(function):
    return lambda s: [function(row) for row in s.scaled_scores]


def powers(row):
    return [exp(x) for x in row]


def without_keepdims(s):
    totals = [added_up(powers(row)) for row in s.scaled_scores]
    return [[exp(x) / total for x, total in zip(row, totals)] for row in s.scaled_scores]


def dropout(s):
    rows = softmax_rows(s.scaled_scores)
    factors = [y / x for x, y in zip(flat(rows), flat(s.got or [])) if y]
    if not 1 < len(factors) < len(flat(rows)) or min(factors) <= 1:
        return None
    return pairwise(lambda x, y: x * max(factors) if y else 0.0, rows, s.got)


def in_heads(s, heads):  # as in examples.multi_head: each head has its own columns
    def part(matrix, head):
        size = width(matrix) // heads
        return [row[head * size:(head + 1) * size] for row in matrix]

    blended = [[] for query in s.queries]
    for head in range(heads):
        scores = matmul(part(s.queries, head), transpose(part(s.keys, head)))
        weights = softmax_rows(divide(scores, sqrt(width(s.keys) // heads)))
        rows = matmul(weights, part(s.values, head))
        blended = [old + new for old, new in zip(blended, rows)]
    return blended


def some_heads(s):  # 2, 3, ...: as many as come nearest to your numbers
    found = []
    for heads in range(2, width(s.keys) + 1):
        if width(s.keys) % heads == 0 and width(s.values) % heads == 0:
            rows = in_heads(s, heads)
            apart = [abs(x - y) for x, y in zip(flat(rows), flat(s.got or rows))]
            found.append((max(apart), rows))
    return min(found)[1]


# ---- The catalogue -----------------------------------------------------------------------
# name     what it is called, here, on the page and in the porting kit
# stage    where it happens: the first of `steps`
# what     what happened
# fix      how to put it right
# steps    {stage: step}. Where there are several, it may happen at any of them, or at all.
# whole    True if it counts only at all of them together

Mistake = namedtuple("Mistake", ["name", "stage", "what", "fix", "steps", "whole"])
MISTAKES = []


def known_at_any(fix, *rows):
    """Add mistakes that are put right in the same way: rows of name, what, steps."""
    for name, what, steps in rows:
        MISTAKES.append(Mistake(name, list(steps)[0], what, fix, steps, False))


def known(stage, fix, *rows):
    """The same for a single stage: rows of name, what, step."""
    for name, what, step in rows:
        known_at_any(fix, (name, what, {stage: step}))


def known_together(name, what, fix, *parts):
    steps = {}
    for mistake in MISTAKES:
        if mistake.name in parts:
            steps.update(mistake.steps)
    MISTAKES.append(Mistake(name, list(steps)[0], what, fix, steps, True))


# Projections.

for stage, rows, W in (("queries", "targets", "W_query"), ("keys", "sources", "W_key"),
                       ("values", "sources", "W_value")):
    fix = "%s = inputs @ %s" % (stage, W)
    for other in ("W_query", "W_key", "W_value"):
        if other != W:
            known(stage, fix, (
                "%s-made-with-%s" % (stage, other), "%s were made with %s" % (stage, other),
                project(rows, other)))
    known(stage, fix, (
        stage + "-not-projected", "the inputs themselves were taken as " + stage,
        project_not(rows, W)))
known_together(
    "query-and-key-swapped", "queries were made with W_key, and keys with W_query",
    "queries = inputs @ W_query, keys = inputs @ W_key",
    "queries-made-with-W_key", "keys-made-with-W_query")
known_together(
    "nothing-projected", "the inputs themselves were taken as queries, keys and values",
    "queries = inputs @ W_query, keys and values likewise",
    "queries-not-projected", "keys-not-projected", "values-not-projected")
known_at_any(
    "x @ W needs W as d_in x d_out; nn.Linear stores the transpose: x @ weight.T",
    ("transposed-weight-matrix",
     "a weight matrix was used as its transpose, which only fits if it is square",
     projections(lambda x, W: matmul(x, transpose(W)))),
    ("weight-matrix-read-by-columns", "a weight matrix was filled in column by column",
     projections(lambda x, W: matmul(x, reshape(transpose(W), len(W), width(W))))))
known_at_any(
    "the product with the weight matrix alone: bias=False, no activation",
    ("bias-added", "the same numbers were added to each row: a bias",
     {stage: with_bias(RIGHT[stage]) for stage in STAGES[:3]}),
    ("relu-applied", "what is below 0 was set to 0, as ReLU does",
     projections(lambda x, W: each(lambda y: max(0.0, y), matmul(x, W)))))
known_at_any(
    "queries come from the targets, keys and values from the sources",
    ("queries-from-sources", "queries were made of the sources",
     {"queries": project("sources", "W_query")}),
    ("keys-from-targets", "keys were made of the targets",
     {"keys": project("targets", "W_key")}),
    ("values-from-targets", "values were made of the targets",
     {"values": project("targets", "W_value")}))
known(
    "queries", "count rows from 0: the second word is row 1",
    ("row-of-another-query", "the numbers are right, but they belong to another query",
     lambda s: rolled(matmul(s.targets, s.W_query) if s.W_query else s.targets)))

# What any matrix product can suffer.

known_at_any(
    "for each row and column: total = 0, then total += a[i][k] * b[k][j] for each k",
    ("total-never-reset", "the total was set to 0 only once, before all loops",
     products(never_reset)),
    ("total-reset-for-each-row", "the total was set to 0 for each row, not for each number",
     products(lambda a, b: [never_reset([row], b)[0] for row in a])),
    ("multiplied-elementwise", "a[i][j] * b[j][i] was taken, and nothing added up",
     products(lambda a, b: pairwise(lambda x, y: x * y, a, transpose(b)))))
known_at_any(
    "[[0] * p for i in range(n)]: in [[0] * p] * n, all rows are one and the same list",
    ("rows-aliased", "all rows are one list, which holds the last row",
     products(lambda a, b: [matmul(a, b)[-1]] * len(a))),
    ("rows-aliased-and-added-up", "all rows are one list, to which all rows were added",
     products(lambda a, b: matmul([[1.0] * len(a)] * len(a), matmul(a, b)))))

# Attention scores.

known(
    "attention_scores", "scores = queries @ keys^T: each query with each key",
    ("keys-not-transposed", "scores = queries @ keys, which only fits if there are d_k keys",
     lambda s: matmul(s.queries, s.keys)),
    ("keys-reshaped", "keys were reshaped to d_k x n, which is not their transpose",
     lambda s: matmul(s.queries, reshape(s.keys, width(s.keys), len(s.keys)))),
    ("keys-times-queries", "scores = keys @ queries^T, with a row for each key",
     lambda s: matmul(s.keys, transpose(s.queries))),
    ("queries-times-queries", "scores = queries @ queries^T",
     lambda s: matmul(s.queries, transpose(s.queries))),
    ("keys-times-keys", "scores = keys @ keys^T",
     lambda s: matmul(s.keys, transpose(s.keys))),
    ("scores-of-the-next-key", "each score is that of the next key",
     lambda s: matmul(s.queries, transpose(rolled(s.keys)))),
    ("scores-without-sign", "scores below 0 have lost their minus sign",
     lambda s: each(abs, RIGHT["attention_scores"](s))),
    ("cosines-taken", "queries and keys were brought to length 1 first",
     lambda s: matmul(unit_length(s.queries), transpose(unit_length(s.keys)))))

# Scaled scores.

known(
    "scaled_scores", "divide by sqrt(d_k), once; d_k = the width of a key",
    ("scaling-forgotten", "the scores were not scaled", lambda s: s.attention_scores),
    ("divided-by-d_k", "the scores were divided by d_k: no square root, or scaled twice",
     divided_by(lambda s: width(s.keys))),
    ("multiplied-by-sqrt-d_k", "the scores were multiplied by sqrt(d_k)",
     divided_by(lambda s: 1 / sqrt(width(s.keys)))),
    ("divided-by-half-d_k",
     "the scores were divided by d_k / 2: `d_k ** 1/2` is (d_k ** 1) / 2, not d_k ** 0.5",
     divided_by(lambda s: width(s.keys) / 2)),
    ("divided-by-int-sqrt-d_k", "the scores were divided by int(sqrt(d_k))",
     divided_by(lambda s: int(sqrt(width(s.keys))))),
    ("divided-by-sqrt-d_in", "the scores were divided by sqrt(d_in), the width of an input",
     divided_by(lambda s: sqrt(width(s.sources)))),
    ("divided-by-sqrt-d_v", "the scores were divided by sqrt(d_v), the width of a value",
     divided_by(lambda s: sqrt(width(s.values)))),
    ("divided-by-sqrt-n", "the scores were divided by sqrt(n), n = the number of keys",
     divided_by(lambda s: sqrt(len(s.keys)))),
    ("divided-by-n", "the scores were divided by n, the number of keys",
     divided_by(lambda s: len(s.keys))),
    ("multiplied-by-0", "the scores were multiplied by 0: `1 // sqrt(d_k)` is 0",
     lambda s: each(lambda x: 0.0 * x, s.attention_scores)))

# Masks: examples.causal sets the scores of later words to -inf.

known_at_any(
    "hide key k from query q where k > q, and nothing else",
    ("mask-of-the-other-triangle", "the words before the query were hidden",
     with_mask(lambda q, k: k < q)),
    ("mask-of-the-diagonal-too", "each word was hidden from itself, too",
     with_mask(lambda q, k: k >= q, -1e9)),
    ("mask-one-too-late", "only words from the next but one on were hidden",
     with_mask(lambda q, k: k > q + 1)))
known_at_any(
    "hide with -inf: e^-inf is 0, but e^0 is 1",
    ("mask-filled-with-0", "the scores of later words were set to 0", with_mask(later, 0.0)),
    ("mask-filled-with-1e-9", "the scores of later words were set to 1e-9, not to -1e9",
     with_mask(later, 1e-9)))
known(
    "attention_weights", "mask before softmax, or divide each row by its sum again",
    ("mask-after-softmax", "the attention weights of later words were set to 0",
     lambda s: masked(softmax_rows(s.scaled_scores), later, 0.0)))

# Attention weights.

known(
    "attention_weights", "softmax of each row, over the keys (dim=-1 in torch, axis=-1 in NumPy)",
    ("softmax-down-the-columns",
     "softmax went down the columns: each column adds up to 1, not each row",
     lambda s: transpose(softmax_rows(transpose(s.scaled_scores)))),
    ("softmax-over-the-whole-matrix", "all attention weights together add up to 1",
     lambda s: reshape([softmax(flat(s.scaled_scores))],
                       len(s.scaled_scores), width(s.scaled_scores))),
    ("keepdims-missing", "each column was divided by the sum of a row", without_keepdims))
known(
    "attention_weights", "softmax: e^score of each scaled score, divided by the row's sum",
    ("softmax-left-out", "the scaled scores were used as attention weights",
     lambda s: s.scaled_scores),
    ("softmax-twice", "softmax was taken of softmax",
     of_each_row(lambda row: softmax(softmax(row)))),
    ("softmax-of-unscaled-scores", "softmax took the scores before scaling",
     lambda s: softmax_rows(s.attention_scores)),
    ("scaled-after-softmax",
     "softmax took the scores unscaled; then its result was divided by sqrt(d_k)",
     lambda s: divide(softmax_rows(s.attention_scores), sqrt(width(s.keys)))),
    ("log-softmax", "the logarithm of softmax was taken",
     of_each_row(lambda row: [log(x) for x in softmax(row)])),
    ("divided-by-the-sum", "each row was divided by its sum, without e^score",
     of_each_row(lambda row: [x / added_up(row) for x in row])),
    ("not-divided-by-the-sum", "e^score was not divided by the sum", of_each_row(powers)),
    ("divided-by-the-sum-of-scores", "e^score was divided by the sum of the scores",
     of_each_row(lambda row: [exp(x) / added_up(row) for x in row])),
    ("sum-plus-1", "e^score was divided by the sum + 1",
     of_each_row(lambda row: softmax(row + [0.0])[:-1])),
    ("powers-of-2", "2^score was taken, not e^score",
     of_each_row(lambda row: softmax([x * log(2) for x in row]))),
    ("sign-turned", "softmax took -score: the lowest score has the largest share",
     of_each_row(lambda row: softmax([-x for x in row]))),
    ("sigmoid", "each score was made a share by itself: 1 / (1 + e^-score)",
     of_each_row(lambda row: [1 / (1 + exp(-x)) for x in row])),
    ("one-hot", "the highest score got 1, all others 0",
     of_each_row(lambda row: [1.0 if x == max(row) else 0.0 for x in row])),
    ("all-equal", "all attention weights are 1 / n, whatever the scores",
     of_each_row(lambda row: [1 / len(row)] * len(row))),
    ("divided-by-n-too", "the attention weights were divided by n as well",
     of_each_row(lambda row: [x / len(row) for x in softmax(row)])))
known(
    "attention_weights", "no dropout except in training: model.eval()",
    ("dropout", "some were set to 0 and all others made larger", dropout))

# Context vectors.

known(
    "context_vectors", "context_vectors = attention_weights @ values, and nothing else",
    ("attention-weights-transposed", "context_vectors = attention_weights^T @ values",
     lambda s: matmul(transpose(s.attention_weights), s.values)),
    ("inputs-blended", "the inputs were blended, not the values",
     lambda s: matmul(s.attention_weights, s.sources)),
    ("keys-blended", "the keys were blended, not the values",
     lambda s: matmul(s.attention_weights, s.keys)),
    ("queries-blended", "the queries were blended, not the values",
     lambda s: matmul(s.attention_weights, s.queries)),
    ("residual-added", "the inputs were added to the blend",
     lambda s: pairwise(lambda x, y: x + y, RIGHT["context_vectors"](s), s.targets)),
    ("blend-doubled", "all numbers are doubled: added up twice",
     lambda s: divide(RIGHT["context_vectors"](s), 0.5)),
    ("blend-divided-by-n", "the blend was divided by n, as for a mean",
     lambda s: divide(RIGHT["context_vectors"](s), len(s.keys))))
known(
    "context_vectors", 'if you want heads, say "heads": 2, and see examples.multi_head',
    ("split-into-heads", "it looks like d_out = heads * d_k: each head has its own columns",
     some_heads))

MISTAKE = {mistake.name: mistake for mistake in MISTAKES}
