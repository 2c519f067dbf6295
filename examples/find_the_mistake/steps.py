"""The steps of attention, each done right and in every wrong way that we know.

Attention is seven steps. Each makes one stage from what there is before it, and each can be
replaced: a mistake is a step done in another way. So a mistake is data, with a name, what
happened, how to put it right, and a function that does the step in this way.

A step is a function of `s`, which holds all that there is before it:

    s.targets, s.sources           the inputs: one sequence has both names in self-attention
    s.W_query, s.W_key, s.W_value
    s.queries, s.keys, ...         the stages before it
    s.got                          the numbers that are to be explained, or None: for the two
                                   mistakes that have a size of their own (bias, dropout)

The mistakes come from public reports: people really made them. Read those of a stage before
you write it.
"""

from collections import namedtuple
from math import exp, log
from types import SimpleNamespace

from attention import Attention, matmul, softmax, sqrt, transpose

STAGES = Attention._fields


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
    return {stage: steps[stage] for stage in ("queries", "keys", "values")}


RIGHT = products(matmul)
RIGHT["scaled_scores"] = lambda s: divide(s.attention_scores, sqrt(width(s.keys)))
RIGHT["attention_weights"] = lambda s: each_row(softmax, s.scaled_scores)

# The simplified version projects and scales nothing.
SIMPLIFIED = dict(
    RIGHT,
    queries=lambda s: s.targets,
    keys=lambda s: s.sources,
    values=lambda s: s.sources,
    scaled_scores=lambda s: s.attention_scores)


def start(case):
    """Return (s, right) for a case: s holds what is there before the first stage, and right
    has a function for each stage.

    A case is a dict with `inputs`, or with `targets` and `sources`, and with `W_query`,
    `W_key` and `W_value`. Without these three, it is the simplified version. Or it has
    `queries`, `keys` and `values` alone.
    """
    s = before(case)
    if "inputs" in case:
        s.targets = s.sources = case["inputs"]
    if s.targets is None:
        own = {stage: lambda s, rows=case[stage]: rows for stage in STAGES[:3]}
        return s, dict(RIGHT, **own)
    return s, RIGHT if s.W_query else SIMPLIFIED


def before(known):
    names = ("targets", "sources", "W_query", "W_key", "W_value", "got") + STAGES
    return SimpleNamespace(**{name: known.get(name) for name in names})


def compute(case, replaced={}):
    """Return all stages of a case, with some steps replaced, as a mistake's `steps` are.

    >>> one = [[1.0]]
    >>> case = {"inputs": [[1.0], [3.0]], "W_query": one, "W_key": one, "W_value": [[2.0]]}
    >>> compute(case).values
    [[2.0], [6.0]]
    >>> compute(case, MISTAKE["values-not-projected"].steps).values
    [[1.0], [3.0]]
    """
    s, right = start(case)
    for stage in STAGES:
        setattr(s, stage, dict(right, **replaced)[stage](s))
    return Attention(*[getattr(s, stage) for stage in STAGES])


# ---- What both need ----------------------------------------------------------------------


def width(matrix):
    return len(matrix[0])


def each(function, matrix):  # a number at a time
    return [[function(x) for x in row] for row in matrix]


def each_row(function, matrix):
    return [function(row) for row in matrix]


def divide(matrix, divisor):
    return each(lambda x: x / divisor, matrix)


def pairwise(function, a, b):  # two numbers in the same place at a time
    return [[function(x, y) for x, y in zip(row, other)] for row, other in zip(a, b)]


def add(a, b):
    return pairwise(lambda x, y: x + y, a, b)


def added_up(row):
    total = 0.0
    for x in row:
        total += x
    return total


def flat(matrix):
    return [x for row in matrix for x in row]


def reshape(numbers, rows, columns):
    return [numbers[i * columns:(i + 1) * columns] for i in range(rows)]


# ---- The same steps, done wrong ----------------------------------------------------------
# Only what does not fit in a line of the catalogue below.


def never_reset(a, b):  # total = 0 stands before all loops
    total, product = 0.0, matmul(a, b)
    for row in product:
        for j in range(len(row)):
            total += row[j]
            row[j] = total
    return product


def reset_for_each_row(a, b):
    return [never_reset([row], b)[0] for row in a]


def aliased(a, b):  # product = [[0] * p] * n is one row, n times
    return [matmul(a, b)[-1]] * len(a)


def aliased_sum(a, b):
    return [[added_up(column) for column in transpose(matmul(a, b))]] * len(a)


def elementwise(a, b):
    return pairwise(lambda x, y: x * y, a, transpose(b))


def column_wise(x, W):
    return matmul(x, reshape(flat(transpose(W)), len(W), width(W)))


def with_bias(right):  # whichever: the same for each row
    def step(s):
        rows = right(s)
        if not s.got or len(rows) < 2:
            return None
        bias = [y - x for x, y in zip(rows[0], s.got[0])]
        return [[x + b for x, b in zip(row, bias)] for row in rows]
    return step


def rolled(rows):
    return rows[1:] + rows[:1]


def cosines(s):
    lengths = [[sqrt(added_up([x * x for x in row])) for row in rows]
               for rows in (s.queries, s.keys)]
    return [[x / q / k for x, k in zip(row, lengths[1])]
            for row, q in zip(matmul(s.queries, transpose(s.keys)), lengths[0])]


def divided_by(divisor):
    return lambda s: divide(s.attention_scores, divisor(s))


def masked(rows, hidden, x=float("-inf")):
    return [[x if hidden(q, k) else score for k, score in enumerate(row)]
            for q, row in enumerate(rows)]


def later(q, k):
    return k > q


def with_mask(hidden, x=float("-inf")):
    """The mask may already be in the scaled scores, or come on the way to softmax."""
    return {
        "scaled_scores": lambda s: masked(RIGHT["scaled_scores"](s), hidden, x),
        "attention_weights": lambda s: each_row(softmax, masked(s.scaled_scores, hidden, x))}


def columns(function, matrix):
    return transpose(each_row(function, transpose(matrix)))


def over_all(s):
    return reshape(softmax(flat(s.scaled_scores)), len(s.scaled_scores), width(s.scaled_scores))


def share(row):
    return [x / added_up(row) for x in row]


def powers(s):
    return each(exp, s.scaled_scores)


def without_keepdims(s):  # each power is divided by the sum of another row
    totals = each_row(added_up, powers(s))
    return [[power / total for power, total in zip(row, totals)] for row in powers(s)]


def dropout(s):  # zeros anywhere, and all others larger by one factor
    if not s.got:
        return None
    rows = each_row(softmax, s.scaled_scores)
    factors = [y / x for x, y in zip(flat(rows), flat(s.got)) if y]
    if not 1 < len(factors) < len(flat(rows)) or min(factors) <= 1:
        return None
    return pairwise(lambda x, y: x * max(factors) if y else 0.0, rows, s.got)


def in_heads(s, heads):  # each head attends with its own columns, as in examples.multi_head
    def part(matrix, head):
        size = width(matrix) // heads
        return [row[head * size:(head + 1) * size] for row in matrix]

    blended = [[] for query in s.queries]
    for head in range(heads):
        scores = matmul(part(s.queries, head), transpose(part(s.keys, head)))
        weights = each_row(softmax, divide(scores, sqrt(width(s.keys) // heads)))
        rows = matmul(weights, part(s.values, head))
        blended = [old + new for old, new in zip(blended, rows)]
    return blended


def some_heads(s):
    """Return the blend by 2, 3, ... heads: by as many as give s.got, where that is known."""
    found = None
    for heads in range(2, width(s.keys) + 1):
        if width(s.keys) % heads == 0 and width(s.values) % heads == 0:
            rows = in_heads(s, heads)
            distances = [abs(x - y) for x, y in zip(flat(rows), flat(s.got or rows))]
            if found is None or max(distances) < found[0]:
                found = max(distances), rows
    return found and found[1]


# ---- The catalogue -----------------------------------------------------------------------
# name     what it is called, here, on the page and in the porting kit
# stage    where it happens: the first of `steps`
# what     what happened
# fix      how to put it right
# steps    {stage: step}. With more than one stage, it may happen at any of them, or at all.
# whole    True if it only counts at all of them together

Mistake = namedtuple("Mistake", ["name", "stage", "what", "fix", "steps", "whole"])
MISTAKES = []


def known(fix, *rows):
    """Add mistakes that are put right in the same way: rows of name, what, steps."""
    for name, what, steps in rows:
        MISTAKES.append(Mistake(name, list(steps)[0], what, fix, steps, False))


def known_at(stage, fix, *rows):
    for name, what, step in rows:
        known(fix, (name, what, {stage: step}))


def known_whole(name, what, fix, *parts):
    """Add one mistake that is made of several: their names are the parts."""
    steps = {}
    for part in parts:
        steps.update([mistake for mistake in MISTAKES if mistake.name == part][0].steps)
    MISTAKES.append(Mistake(name, list(steps)[0], what, fix, steps, True))


# Projections: queries = inputs @ W_query, keys = inputs @ W_key, values = inputs @ W_value.

known(
    "x @ W needs W as d_in x d_out; nn.Linear stores the transpose: x @ weight.T",
    ("transposed-weight-matrix",
     "a weight matrix was used as its transpose, which only fits if it is square",
     projections(lambda x, W: matmul(x, transpose(W)))),
    ("weight-matrix-read-by-columns",
     "the numbers of a weight matrix were filled in column by column, not row by row",
     projections(column_wise)))
known(
    "nothing but the product with the weight matrix: bias=False, no activation",
    ("bias-added", "the same numbers were added to each row: a bias",
     {stage: with_bias(RIGHT[stage]) for stage in STAGES[:3]}),
    ("relu-applied", "what is below 0 was set to 0, as ReLU does",
     projections(lambda x, W: each(lambda y: max(0.0, y), matmul(x, W)))))
known_at(
    "queries", "queries = inputs @ W_query",
    ("queries-made-with-W_key", "queries were made with W_key",
     lambda s: matmul(s.targets, s.W_key)),
    ("queries-made-with-W_value", "queries were made with W_value",
     lambda s: matmul(s.targets, s.W_value)),
    ("queries-not-projected", "the inputs themselves were taken as queries",
     lambda s: s.W_query and s.targets))
known_at(
    "keys", "keys = inputs @ W_key",
    ("keys-made-with-W_query", "keys were made with W_query",
     lambda s: matmul(s.sources, s.W_query)),
    ("keys-made-with-W_value", "keys were made with W_value",
     lambda s: matmul(s.sources, s.W_value)),
    ("keys-not-projected", "the inputs themselves were taken as keys",
     lambda s: s.W_key and s.sources))
known_at(
    "values", "values = inputs @ W_value",
    ("values-made-with-W_query", "values were made with W_query",
     lambda s: matmul(s.sources, s.W_query)),
    ("values-made-with-W_key", "values were made with W_key",
     lambda s: matmul(s.sources, s.W_key)),
    ("values-not-projected", "the inputs themselves were taken as values",
     lambda s: s.W_value and s.sources))
known_whole(
    "query-and-key-swapped", "queries were made with W_key, and keys with W_query",
    "queries = inputs @ W_query, keys = inputs @ W_key",
    "queries-made-with-W_key", "keys-made-with-W_query")
known_whole(
    "nothing-projected", "the inputs themselves were taken as queries, keys and values",
    "queries = inputs @ W_query, keys = inputs @ W_key, values = inputs @ W_value",
    "queries-not-projected", "keys-not-projected", "values-not-projected")
known(
    "queries come from the targets, keys and values from the sources",
    ("queries-from-sources", "queries were made of the sources",
     {"queries": lambda s: matmul(s.sources, s.W_query)}),
    ("keys-from-targets", "keys were made of the targets",
     {"keys": lambda s: matmul(s.targets, s.W_key)}),
    ("values-from-targets", "values were made of the targets",
     {"values": lambda s: matmul(s.targets, s.W_value)}))
known_at(
    "queries", "count rows from 0: the second word is row 1",
    ("row-of-another-query", "the numbers are right, but they belong to another query",
     lambda s: rolled(RIGHT["queries"](s) if s.W_query else s.targets)))

# What any matrix product can suffer.

known(
    "for each row and each column anew: total = 0, then total += a[i][k] * b[k][j]",
    ("total-never-reset", "the total was set to 0 once, before all loops",
     products(never_reset)),
    ("total-reset-for-each-row", "the total was set to 0 for each row, not for each number",
     products(reset_for_each_row)),
    ("multiplied-elementwise",
     "numbers were multiplied in pairs, a[i][j] * b[j][i], and not added up",
     products(elementwise)))
known(
    "[[0] * p for i in range(n)]: in [[0] * p] * n, all rows are one and the same list",
    ("rows-aliased", "all rows are one list, which holds the last row",
     products(aliased)),
    ("rows-aliased-and-added-up", "all rows are one list, in which all rows were added up",
     products(aliased_sum)))

# Attention scores.

known_at(
    "attention_scores", "scores = queries @ keys^T: each query with each key",
    ("keys-not-transposed", "scores = queries @ keys, which only fits if there are d_k keys",
     lambda s: matmul(s.queries, s.keys)),
    ("keys-reshaped", "keys were reshaped to d_k x n, which is not their transpose",
     lambda s: matmul(s.queries, reshape(flat(s.keys), width(s.keys), len(s.keys)))),
    ("keys-times-queries", "scores = keys @ queries^T, with a row for each key",
     lambda s: matmul(s.keys, transpose(s.queries))),
    ("queries-times-queries", "scores = queries @ queries^T",
     lambda s: matmul(s.queries, transpose(s.queries))),
    ("keys-times-keys", "scores = keys @ keys^T",
     lambda s: matmul(s.keys, transpose(s.keys))),
    ("queries-times-values", "scores = queries @ values^T",
     lambda s: matmul(s.queries, transpose(s.values))),
    ("scores-of-the-next-key", "each score is that of the next key: an index is off by one",
     lambda s: matmul(s.queries, transpose(rolled(s.keys)))),
    ("scores-without-sign", "scores below 0 have lost their minus sign",
     lambda s: each(abs, RIGHT["attention_scores"](s))),
    ("cosines-taken", "queries and keys were brought to length 1 first", cosines))

# Scaled scores.

known_at(
    "scaled_scores", "divide by sqrt(d_k), once; d_k = the width of a key",
    ("scaling-forgotten", "the scores were not scaled", lambda s: s.attention_scores),
    ("divided-by-d_k", "the scores were divided by d_k: without a square root, or twice by it",
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

# Masks. To hide later words, set their scores to -inf before softmax: see examples.causal.

known(
    "hide key k from query q where k > q, and nothing else",
    ("mask-of-the-other-triangle", "the words before the query were hidden",
     with_mask(lambda q, k: k < q)),
    ("mask-of-the-diagonal-too", "each word is hidden from itself, too",
     with_mask(lambda q, k: k >= q, -1e9)),
    ("mask-one-too-late", "only words from the next but one on were hidden",
     with_mask(lambda q, k: k > q + 1)))
known(
    "hide with -inf: e^-inf is 0, but e^0 is 1",
    ("mask-filled-with-0", "the scores of later words were set to 0", with_mask(later, 0.0)),
    ("mask-filled-with-1e-9", "the scores of later words were set to 1e-9, not to -1e9",
     with_mask(later, 1e-9)))
known_at(
    "attention_weights", "mask the scores before softmax, or divide each row by its sum again",
    ("mask-after-softmax", "attention weights of later words were set to 0 after softmax",
     lambda s: masked(each_row(softmax, s.scaled_scores), later, 0.0)))

# Attention weights.

known_at(
    "attention_weights", "softmax of each row, over the keys (dim=-1 in torch, axis=-1 in NumPy)",
    ("softmax-down-the-columns",
     "softmax went down the columns: each column adds up to 1, not each row",
     lambda s: columns(softmax, s.scaled_scores)),
    ("softmax-over-the-whole-matrix",
     "one softmax took all scores: all attention weights together add up to 1", over_all),
    ("keepdims-missing", "each column was divided by the sum of a row, as without keepdims",
     without_keepdims))
known_at(
    "attention_weights", "softmax once: e^score of each scaled score, divided by the row's sum",
    ("softmax-left-out", "the scaled scores were used as attention weights",
     lambda s: s.scaled_scores),
    ("divided-by-the-sum", "each row was divided by its sum, without e^score",
     lambda s: each_row(share, s.scaled_scores)),
    ("not-divided-by-the-sum", "e^score was not divided by the sum", powers),
    ("maximum-subtracted-only", "e^(score - maximum) was not divided by the sum",
     lambda s: [[exp(x - max(row)) for x in row] for row in s.scaled_scores]),
    ("divided-by-the-sum-of-scores", "e^score was divided by the sum of the scores",
     lambda s: [[exp(x) / added_up(row) for x in row] for row in s.scaled_scores]),
    ("sum-plus-1", "e^score was divided by the sum + 1",
     lambda s: [softmax(row + [0.0])[:-1] for row in s.scaled_scores]),
    ("softmax-twice", "softmax was taken of softmax",
     lambda s: each_row(softmax, each_row(softmax, s.scaled_scores))),
    ("log-softmax", "the logarithm of softmax was taken",
     lambda s: each(log, each_row(softmax, s.scaled_scores))),
    ("softmax-of-unscaled-scores", "softmax took the scores before scaling",
     lambda s: each_row(softmax, s.attention_scores)),
    ("scaled-after-softmax",
     "softmax took the scores unscaled; then its result was divided by sqrt(d_k)",
     lambda s: divide(each_row(softmax, s.attention_scores), sqrt(width(s.keys)))),
    ("powers-of-2", "2^score was taken, not e^score",
     lambda s: each_row(softmax, each(lambda x: x * log(2), s.scaled_scores))),
    ("sign-turned", "softmax took -score: the lowest score has the largest share",
     lambda s: each_row(softmax, each(lambda x: -x, s.scaled_scores))),
    ("sigmoid", "each score was made a share by itself: 1 / (1 + e^-score)",
     lambda s: each(lambda x: 1 / (1 + exp(-x)), s.scaled_scores)),
    ("one-hot", "the highest score got 1, all others 0",
     lambda s: [[1.0 if x == max(row) else 0.0 for x in row] for row in s.scaled_scores]),
    ("all-equal", "all attention weights are 1 / n, whatever the scores",
     lambda s: each(lambda x: 1 / len(s.keys), s.scaled_scores)),
    ("divided-by-n-too", "the attention weights were divided by n as well",
     lambda s: divide(each_row(softmax, s.scaled_scores), len(s.keys))))
known_at(
    "attention_weights", "no dropout except in training: model.eval()",
    ("dropout", "some were set to 0 and all others made larger, as dropout does", dropout))

# Context vectors.

known_at(
    "context_vectors", "context_vectors = attention_weights @ values, and nothing else",
    ("attention-weights-transposed", "context_vectors = attention_weights^T @ values",
     lambda s: matmul(transpose(s.attention_weights), s.values)),
    ("inputs-blended", "the inputs were blended, not the values",
     lambda s: matmul(s.attention_weights, s.sources)),
    ("keys-blended", "the keys were blended, not the values",
     lambda s: matmul(s.attention_weights, s.keys)),
    ("queries-blended", "the queries were blended, not the values",
     lambda s: matmul(s.attention_weights, s.queries)),
    ("scores-blended", "the scaled scores were taken as shares, not the attention weights",
     lambda s: matmul(s.scaled_scores, s.values)),
    ("residual-added", "the inputs were added to the blend",
     lambda s: add(RIGHT["context_vectors"](s), s.targets)),
    ("blend-doubled", "everything was added twice: all numbers are doubled",
     lambda s: divide(RIGHT["context_vectors"](s), 0.5)),
    ("blend-divided-by-n", "the blend was divided by n, as for a mean",
     lambda s: divide(RIGHT["context_vectors"](s), len(s.keys))))
known_at(
    "context_vectors", 'if you meant that, say "heads": ..., and see examples.multi_head',
    ("split-into-heads", "it looks like d_out = heads * d_k: each head has its own columns",
     some_heads))

MISTAKE = {mistake.name: mistake for mistake in MISTAKES}
