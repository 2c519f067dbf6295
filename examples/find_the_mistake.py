"""Find the mistake: at which stage does a hand-written attention go wrong, and how?

Your numbers differ from the expected ones. The rule: work through the stages in the order in
which they come to be; the first one that diverges is where the mistake is. This program does
it for you, and goes one step further: it makes every mistake that it knows on purpose, and
tells you which of them gives your numbers.

    python3 -m examples.find_the_mistake values.json

One pipeline makes that possible. Each of its steps can be replaced:

    project -> score -> scale -> normalise -> blend -> read

A mistake is a replaced step. If the whole pipeline then gives all the numbers that you gave,
this is what happened to you, or something that cannot be told from it with your input. No
stage needs rules of its own, and even the context vectors alone can be enough.
"""

import json
import sys
import textwrap
from collections import namedtuple

from attention import (
    Attention, CHECKS, INF, INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE, cross_attention,
    first_divergence, matmul, self_attention, simplified_self_attention, softmax, sqrt, to_matrix,
    transpose)
from examples import say

TOLERANCE = 0.00006  # as in first_divergence: suits numbers with four decimals
WEIGHT_MATRICES = ("W_query", "W_key", "W_value")

# ---- The steps, done right ----------------------------------------------------------------------
# m targets ask, n sources answer; in self-attention both are the inputs, and m = n.

def project(targets, sources, W_query, W_key, W_value):  # -> [m, d_k], [n, d_k], [n, d_v]
    return matmul(targets, W_query), matmul(sources, W_key), matmul(sources, W_value)

def score(queries, keys):  # -> [m, n]
    return matmul(queries, transpose(keys))

def scale(scores, d_k, d_in, n):  # [m, n] -> [m, n]
    return divide(scores, sqrt(d_k))

def normalise(scaled_scores, scores, d_k):  # [m, n] -> [m, n]
    return [softmax(row) for row in scaled_scores]

def blend(attention_weights, values, keys, sources):  # -> [m, d_v]
    return matmul(attention_weights, values)

def read(rows):  # rows that belong to queries 0, 1, 2, ... in this order
    return rows

def divide(rows, x):
    return [[number / x for number in row] for row in rows]

# ---- The same steps, done wrong -----------------------------------------------------------------
# Only what does not fit in a line of the table below.

def project_nothing(targets, sources, W_query, W_key, W_value):
    return targets, sources, sources

def forget_to_scale(scores, d_k, d_in, n):
    return scores

def softmax_columns(scaled_scores, scores, d_k):
    return transpose([softmax(column) for column in transpose(scaled_scores)])

def softmax_everything(scaled_scores, scores, d_k):
    n = len(scaled_scores[0])
    shares = softmax([score for row in scaled_scores for score in row])
    return [shares[start:start + n] for start in range(0, len(shares), n)]

def divide_by_sum(scaled_scores, scores, d_k):
    rows = []
    for row in scaled_scores:
        total = 0.0
        for score in row:
            total += score
        rows.append([score / total for score in row])
    return rows

RIGHT = {"project": project, "score": score, "scale": scale, "normalise": normalise,
         "blend": blend, "read": read}
SIMPLIFIED = dict(RIGHT, project=project_nothing, scale=forget_to_scale)  # here, that is right

# ---- The catalogue ------------------------------------------------------------------------------
# From public reports: people really made these mistakes.
Mistake = namedtuple("Mistake", ("name", "what", "fix", "step", "function"))
SQRT_D_K = "divide by sqrt(d_k), d_k = the width of a key"

MISTAKES = (
    Mistake("transposed-weight-matrix",
            "each weight matrix was used as its transpose, which only fits if it is square",
            "x @ W needs W as d_in x d_out; nn.Linear stores the transpose: x @ weight.T",
            "project", lambda targets, sources, W_query, W_key, W_value:
            project(targets, sources, transpose(W_query), transpose(W_key), transpose(W_value))),
    Mistake("query-and-key-swapped",
            "queries were made with W_key, and keys with W_query",
            "queries = inputs @ W_query, keys = inputs @ W_key",
            "project", lambda targets, sources, W_query, W_key, W_value:
            project(targets, sources, W_key, W_query, W_value)),
    Mistake("values-made-with-W_key",
            "values were made with W_key",
            "values = inputs @ W_value",
            "project", lambda targets, sources, W_query, W_key, W_value:
            project(targets, sources, W_query, W_key, W_key)),
    Mistake("values-not-projected",
            "the inputs themselves were taken as values",
            "values = inputs @ W_value",
            "project", lambda targets, sources, W_query, W_key, W_value:
            (matmul(targets, W_query), matmul(sources, W_key), sources)),
    Mistake("nothing-projected",
            "the inputs themselves were taken as queries, keys and values",
            "queries = inputs @ W_query, keys = inputs @ W_key, values = inputs @ W_value",
            "project", project_nothing),
    Mistake("queries-from-sources",
            "queries were made of the sources, which keys and values are made of",
            "queries = targets @ W_query",
            "project", lambda targets, sources, W_query, W_key, W_value:
            project(sources, sources, W_query, W_key, W_value)),

    Mistake("keys-not-transposed",
            "scores = queries @ keys, which only fits if there are d_k keys",
            "scores = queries @ keys^T: each query with each key",
            "score", lambda queries, keys: matmul(queries, keys)),
    Mistake("keys-times-queries",
            "scores = keys @ queries^T, with a row for each key",
            "scores = queries @ keys^T: query = row, key = column",
            "score", lambda queries, keys: matmul(keys, transpose(queries))),
    Mistake("queries-times-queries",
            "scores = queries @ queries^T",
            "scores = queries @ keys^T: each query with each key",
            "score", lambda queries, keys: matmul(queries, transpose(queries))),

    Mistake("scaling-forgotten", "the scores were not scaled", SQRT_D_K,
            "scale", forget_to_scale),
    Mistake("divided-by-d_k", "the scores were divided by d_k, without a square root", SQRT_D_K,
            "scale", lambda scores, d_k, d_in, n: divide(scores, d_k)),
    Mistake("multiplied-by-sqrt-d_k", "the scores were multiplied by sqrt(d_k)", SQRT_D_K,
            "scale", lambda scores, d_k, d_in, n: divide(scores, 1 / sqrt(d_k))),
    Mistake("divided-by-half-d_k",
            "the scores were divided by d_k / 2: `d_k ** 1/2` is (d_k ** 1) / 2",
            SQRT_D_K + ": `d_k ** 0.5`",
            "scale", lambda scores, d_k, d_in, n: divide(scores, d_k / 2)),
    Mistake("divided-by-sqrt-d_in",
            "the scores were divided by sqrt(d_in), d_in = the width of an input", SQRT_D_K,
            "scale", lambda scores, d_k, d_in, n: divide(scores, sqrt(d_in))),
    Mistake("divided-by-sqrt-n",
            "the scores were divided by sqrt(n), n = the number of keys", SQRT_D_K,
            "scale", lambda scores, d_k, d_in, n: divide(scores, sqrt(n))),

    Mistake("softmax-down-the-columns",
            "softmax went down the columns: each column adds up to 1, not each row",
            "softmax of each row, over the keys (dim=-1 in torch, axis=-1 in NumPy)",
            "normalise", softmax_columns),
    Mistake("softmax-over-the-whole-matrix",
            "one softmax took all scores: all attention weights together add up to 1",
            "softmax of each row, over the keys (dim=-1 in torch, axis=-1 in NumPy)",
            "normalise", softmax_everything),
    Mistake("softmax-left-out",
            "the scaled scores were used as attention weights",
            "attention_weights = softmax of each row of the scaled scores",
            "normalise", lambda scaled_scores, scores, d_k: scaled_scores),
    Mistake("divided-by-the-sum",
            "each row was divided by its sum, without e^score",
            "softmax takes e^score first, then divides by the sum of these",
            "normalise", divide_by_sum),
    Mistake("scaled-after-softmax",
            "softmax took the scores unscaled; then its result was divided by sqrt(d_k)",
            "scale the scores before softmax, not its result (simplified version: neither)",
            "normalise", lambda scaled_scores, scores, d_k:
            divide([softmax(row) for row in scores], sqrt(d_k))),

    Mistake("attention-weights-transposed",
            "context_vectors = attention_weights^T @ values",
            "context_vectors = attention_weights @ values, a row of weights for each query",
            "blend", lambda attention_weights, values, keys, sources:
            matmul(transpose(attention_weights), values)),
    Mistake("inputs-blended",
            "the inputs were blended, not the values",
            "context_vectors = attention_weights @ values",
            "blend", lambda attention_weights, values, keys, sources:
            matmul(attention_weights, sources)),
    Mistake("keys-blended",
            "the keys were blended, not the values",
            "context_vectors = attention_weights @ values",
            "blend", lambda attention_weights, values, keys, sources:
            matmul(attention_weights, keys)),

    Mistake("row-of-another-query",
            "the numbers are right, but they belong to another query",
            "count rows from 0: the second word is row 1",
            "read", lambda rows: rows[1:] + rows[:1]),
)

# ---- The pipeline -------------------------------------------------------------------------------
def run(case, mistake=None):
    """Return the Attention of the case, with one step replaced if there is a mistake.

    case is a dict with `inputs`, or `targets` and `sources`, and with `W_query`, `W_key` and
    `W_value`; without these three it is the simplified version. None if the mistake cannot be
    made on this case: shapes do not fit, numbers overflow, or there is nothing to get wrong.
    TypeError or ValueError for a case that cannot be computed rightly, either.

    >>> case = {"inputs": [[1.0], [3.0]], "W_query": [[1.0]], "W_key": [[0.0]], "W_value": [[2.0]]}
    >>> run(case).context_vectors
    [[4.0], [4.0]]
    >>> left_out = [mistake for mistake in MISTAKES if mistake.name == "softmax-left-out"][0]
    >>> run(case, left_out).context_vectors
    [[0.0], [0.0]]
    """
    simplified = "W_query" not in case
    steps = dict(SIMPLIFIED if simplified else RIGHT)
    targets = to_matrix("targets", case.get("targets", case.get("inputs")))
    sources = to_matrix("sources", case.get("sources", case.get("inputs")))
    W_query, W_key, W_value = [None if simplified else to_matrix(name, case.get(name))
                               for name in WEIGHT_MATRICES]
    if mistake is not None:
        if simplified and mistake.step == "project" or mistake.function is steps[mistake.step]:
            return None  # there, nothing is projected, and not to scale is right
        steps[mistake.step] = mistake.function
    try:
        queries, keys, values = steps["project"](targets, sources, W_query, W_key, W_value)
        scores = steps["score"](queries, keys)
        scaled_scores = steps["scale"](scores, len(keys[0]), len(sources[0]), len(keys))
        attention_weights = steps["normalise"](scaled_scores, scores, len(keys[0]))
        context_vectors = steps["blend"](attention_weights, values, keys, sources)
        queries, scores, scaled_scores, attention_weights, context_vectors = [
            steps["read"](rows)
            for rows in (queries, scores, scaled_scores, attention_weights, context_vectors)]
        stages = (queries, keys, values, scores, scaled_scores, attention_weights,
                  context_vectors)
        return Attention(*[to_matrix(stage, rows) for stage, rows in zip(STAGES, stages)])
    except (ValueError, ArithmeticError):
        if mistake is None:
            raise
        return None

# ---- Which mistakes give these numbers? ---------------------------------------------------------
def compare(record, given, case={}):
    """Return the first Divergence of the given stages from the record, or None.

    A single row is compared with the row of case["query"]. case["tolerance"] (TOLERANCE where
    there is none) is for numbers up to 1; in a stage with larger ones, it is multiplied by the
    largest expected.
    """
    for stage in STAGES:
        if stage in given:
            rows = view(record, stage, given, case)
            largest = 1.0
            for row in rows:
                for x in row:
                    largest = max(largest, abs(x))
            divergence = first_divergence({stage: rows}, {stage: given[stage]},
                                          case.get("tolerance", TOLERANCE) * largest)
            if divergence is not None:
                return divergence
    return None

def view(record, stage, given, case):
    """Return the rows of this stage, or only the query's where only one row is given."""
    rows, query = getattr(record, stage), case.get("query")
    if query is not None and query < len(rows) and is_single_row(stage, given):
        return [rows[query]]
    return rows

def is_single_row(stage, given):
    return stage not in ("keys", "values") and len(given[stage]) == 1

def ways(case, record):
    """Return the record, and the records of those who scale the queries before the product.

    Their scores are scaled scores at once; what follows is the same. They may have noted
    their queries before or after scaling.
    """
    if "W_query" not in case:
        return [record]
    before = record._replace(attention_scores=record.scaled_scores)
    after = before._replace(queries=divide(record.queries, sqrt(len(record.keys[0]))))
    return [record, before, after]

def fits(case, record, given):
    """Is there a way in which the record gives all the stages given?"""
    return any(compare(way, given, case) is None for way in ways(case, record))

def find_mistakes(case, given, tolerance=TOLERANCE):
    """Return the Mistakes that give all the stages given; [] if these are as they should be.

    case is as in run; case["query"] may say whose row it is where a stage is given as a
    single row. tolerance is as in compare. given maps names of stages to matrices. Errors as in run, first_divergence.

    >>> case = {"inputs": [[1.0], [3.0]], "W_query": [[1.0]], "W_key": [[0.0]], "W_value": [[2.0]]}
    >>> [mistake.name for mistake in find_mistakes(case, {"context_vectors": [[0.0], [0.0]]})]
    ['values-made-with-W_key', 'softmax-left-out', 'keys-blended']
    """
    case, right, found = dict(case, tolerance=tolerance), run(case), []
    first_divergence(right, given)  # refuses what is no mapping of stages to matrices
    if fits(case, right, given):
        return found
    for mistake in MISTAKES:
        record = run(case, mistake)
        if record is not None and fits(case, record, given):
            found.append(mistake)
        elif mistake.step == "read" and other_queries(case, given):
            found.append(mistake)
    return found

def other_queries(case, given):
    """Return the indices of the queries that the single rows given could belong to."""
    right = run(case)
    queries = range(len(right.queries)) if "query" in case else []
    return [q for q in queries if fits(dict(case, query=q), right, given)]

def closest_right_way(case, given):
    """Return the right way (see ways) that the given stages follow farthest."""
    closest, farthest = None, -1
    for way in ways(case, run(case)):
        divergence = compare(way, given, case)
        reached = len(STAGES) if divergence is None else STAGES.index(divergence.stage)
        if reached > farthest:
            closest, farthest = way, reached
    return closest

def blind_spots(case, given):
    """Return the names of mistakes that leave the given stages right, and lists of names of
    mistakes that all make the same of them.

    Mistakes in the steps after the last stage given are left out: it is no news that these
    cannot be seen.
    """
    right = run(case)
    last = max(i for i, (check, stages) in enumerate(CHECKS) for stage in stages if stage in given)
    steps = list(RIGHT)[:last + 1] + ["read"]  # there is a step for each of CHECKS, then "read"
    unseen, groups = [], []
    for mistake in MISTAKES:
        record = run(case, mistake)
        if record is None or mistake.step not in steps:
            continue
        stages = {stage: view(record, stage, given, case) for stage in given}
        if compare(right, stages, case) is None:
            unseen.append(mistake.name)
            continue
        alike = [names for other, names in groups if compare(other, stages, case) is None]
        if alike:
            alike[0].append(mistake.name)
        else:
            groups.append((record, [mistake.name]))
    return unseen, [names for other, names in groups if len(names) > 1]

# ---- The file -----------------------------------------------------------------------------------
KEYS = (STAGES + ("inputs", "targets", "sources") + WEIGHT_MATRICES
        + ("simplified", "query", "tolerance"))

def load(data):
    """Return (case, given) from a JSON object; TypeError or ValueError says what is wrong."""
    if not isinstance(data, dict):
        raise TypeError('expected an object such as {"context_vectors": [[0.5, 0.25]]}')
    for key in data:
        if key not in KEYS:
            raise ValueError("unknown key %a, expected %s" % (key, ", ".join(KEYS)))
    given = {}
    for stage in STAGES:
        if stage in data:
            rows = data[stage]
            if isinstance(rows, list) and rows and not any(isinstance(x, list) for x in rows):
                rows = [rows]  # a single row without its outer brackets
            given[stage] = to_matrix(stage, rows, False)
    if not given:
        raise ValueError("no stage given, expected at least one of " + ", ".join(STAGES))
    case = load_case(data)
    query = load_query(case, data, given)
    if query is not None:
        case["query"] = query
    if "tolerance" in data:
        case["tolerance"] = data["tolerance"]
        if type(case["tolerance"]) not in (int, float) or not 0 <= case["tolerance"] < INF:
            raise ValueError("tolerance is %a, expected a number from 0 up" % (data["tolerance"],))
    return case, given

def load_case(data):
    """Return checked inputs and weight matrices: the running example's where data has none."""
    simplified = data.get("simplified", False)
    absent = [name for name in WEIGHT_MATRICES if name not in data]
    if not isinstance(simplified, bool):
        raise TypeError("simplified is %a, expected true or false" % (simplified,))
    if simplified and len(absent) < 3:
        raise ValueError("simplified is true, but there are weight matrices")
    if 0 < len(absent) < 3:
        raise ValueError("%s is missing, expected all three weight matrices or none" % absent[0])
    case = {"inputs": data.get("inputs", INPUTS)}
    if "targets" in data or "sources" in data:
        if "inputs" in data or simplified or "targets" not in data or "sources" not in data:
            raise ValueError("targets and sources go together, without inputs or simplified")
        case = {"targets": data["targets"], "sources": data["sources"]}
    if simplified:
        simplified_self_attention(case["inputs"])  # attention.py checks whatever it computes with
        return case
    for name, matrix in zip(WEIGHT_MATRICES, (W_QUERY, W_KEY, W_VALUE)):
        case[name] = data.get(name, matrix)
    attend = self_attention if "inputs" in case else cross_attention
    try:
        attend(**case)
    except ValueError as error:
        if absent:
            raise ValueError("%s (the weight matrices are the running example's: you gave none)"
                             % error)
        raise
    return case

def load_query(case, data, given):
    """Return the index of the query that a single row belongs to; None if it is not needed."""
    is_running = case.get("inputs") is INPUTS
    words = [token.lower() for token in TOKENS] if is_running else []
    count = len(case.get("targets", case.get("inputs")))
    query = data.get("query", 1 if is_running else None)
    if isinstance(query, str) and query.lower() in words:
        query = words.index(query.lower())
    if "query" in data and (type(query) is not int or not 0 <= query < count):
        choices = " or one of " + ", ".join(TOKENS) if is_running else ""
        raise ValueError("query is %a, expected a number from 0 to %d%s"
                         % (query, count - 1, choices))
    for stage in given:
        if query is None and is_single_row(stage, given) and count > 1:
            raise ValueError("%s has one row, expected %d rows, or a query from 0 to %d to say "
                             "whose row it is" % (stage, count, count - 1))
    return query

# ---- The report ---------------------------------------------------------------------------------
def report(case, given, mistakes):
    """Return all that there is to say, as text."""
    right, expected = run(case), closest_right_way(case, given)
    text, first = heading(case, given) + "\n", None
    for check, stages in CHECKS:
        for stage in stages:
            status = "not given"
            if stage in given:
                only = {stage: given[stage]}
                divergence = compare(expected, only, case)
                if divergence is not None:
                    status = describe(divergence)
                    first = first or stage
                elif compare(right, only, case) is not None:
                    status = "ok, scaled already"
                else:
                    status = "ok"
            text += "%-17s%-19s%s\n" % (check, stage, status)
            check = ""  # named once is enough
    text += "\n"
    if expected != right:
        text += wrap("Here the queries are scaled before the product, so the attention scores are "
                     "scaled at once. That is no mistake; just do not scale them again.")
    if first is None:
        text += "All numbers given are as they should be, to within %g.\n" % case.get(
            "tolerance", TOLERANCE)
    else:
        text += verdict(case, given, first, mistakes)
    return text + "\n" + limits(case, given)

def heading(case, given):
    is_running = case.get("inputs") is INPUTS
    text = "your inputs" if "inputs" in case else "your targets and sources"
    if is_running:
        text = "the running example's inputs"
    if "W_query" not in case:
        text += " in the simplified version"
    elif case["W_query"] is not W_QUERY:
        text += " and your weight matrices"
    elif is_running:
        text = "the running example"
    else:
        text += " and the running example's weight matrices"
    text = wrap("Expected: what attention.py makes of " + text + ".")
    text += "Sizes: " + ", ".join("%s = %d" % size for size in sizes(case)) + ".\n"
    if "query" in case and any(is_single_row(stage, given) for stage in given):
        text += "A single row is taken as that of query %s.\n" % label(case, case["query"])
    return text

def sizes(case):
    """Return pairs of a size's name and the size."""
    pairs = []
    for rows, count, d in (("targets", "m", "d_t"), ("sources", "n", "d_in"),
                           ("inputs", "n", "d_in")):
        if rows in case:
            pairs += [(count, len(case[rows])), (d, len(case[rows][0]))]
    if "W_query" in case:
        pairs += [("d_k", len(case["W_key"][0])), ("d_v", len(case["W_value"][0]))]
    return pairs

def label(case, query):
    return "%d (%s)" % (query, TOKENS[query]) if case.get("inputs") is INPUTS else str(query)

def describe(divergence):
    if divergence.row is None:
        return "diverges: expected %s, got %s" % (divergence.expected, divergence.actual)
    return "diverges at [%d][%d]: expected %.6g, got %.6g" % divergence[1:]

def verdict(case, given, first, mistakes):
    """Say where to look, and which mistakes give these numbers."""
    text = "The first divergence is in %s: the mistake is there" % first
    if first not in STAGES[:3] and any(
            stage not in given for stage in STAGES[:STAGES.index(first)]):
        text += ", or in a stage before it that is not given"
    text = wrap(text + ".")
    if not mistakes:
        text += "None of the %d known mistakes gives all these numbers.\n" % len(MISTAKES)
    elif len(mistakes) == 1:
        text += "One known mistake gives all these numbers:\n"
    else:
        text += "Each of these known mistakes gives all these numbers:\n"
    for mistake in mistakes:
        what, fix = mistake.what, mistake.fix
        if mistake.step == "scale" and "W_query" not in case:
            fix = "do not scale: the simplified version does not"
        queries = [label(case, q) for q in other_queries(case, given)]
        if mistake.step == "read" and queries:
            what += ", " + " or ".join(queries)
        text += "\n  %s\n    what happened: %s\n    put it right:  %s\n" % (
            mistake.name, what, fix)
    if "W_query" in case and "inputs" in case:
        try:
            simplified = run({"inputs": case["inputs"]})
        except ValueError:  # overflow
            return text
        if compare(simplified, given, case) is None:
            text += ('\nThe simplified version gives all these numbers. If that is what you want,\n'
                     'add "simplified": true.\n')
    return text

def limits(case, given):
    """Say what cannot be seen, however right the numbers are."""
    unseen, groups = blind_spots(case, given)
    lines = []
    if unseen:
        lines.append("These mistakes give the right numbers, too: " + ", ".join(unseen) + ".")
    if groups:
        lines.append("These mistakes give the same numbers as each other: "
                     + "; ".join(" = ".join(names) for names in groups) + ".")
    if "W_query" not in case:
        lines.append("There are no weight matrices to mix up, and no scaling to forget.")
    scores = run(case).attention_scores
    if len(scores) == len(scores[0]) > 1 and scores == transpose(scores):
        lines.append("The attention scores are symmetric: transposed, they stay as they are.")
    known = []
    for size in [size for name, size in sizes(case)]:
        names = [name for name, other in sizes(case) if other == size]
        if len(names) > 1 and names not in known:
            known.append(names)
            lines.append("%s = %d: no shape changes if these are mixed up."
                         % (" = ".join(names), size))
    text = "Cannot be seen with this input:\n"
    for line in lines:
        text += wrap("- " + line)
    return text if lines else ""

def wrap(text):
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 88, subsequent_indent=indent, break_on_hyphens=False) + "\n"

# ---- The command line ---------------------------------------------------------------------------
USAGE = "usage: python3 -m examples.find_the_mistake [--json] FILE"
HELP = USAGE + """

At which stage does a hand-written attention go wrong, and which mistake is it?

FILE (- for standard input) holds a JSON object with one or more of the stages that you have:
  queries, keys, values, attention_scores, scaled_scores, attention_weights, context_vectors
each a list of rows, and optionally:
  "inputs", "W_query", "W_key", "W_value"   what they come from (default: the running example);
                                            W_query is d_in x d_k (nn.Linear: weight.T)
  "targets", "sources"                      instead of inputs, if there are two sequences
  "simplified": true                        there are no weight matrices
  "query": 2                                whose row it is, where a stage is a single row;
                                            counted from 0; in the running example also a word
                                            (default there: "journey")
  "tolerance": 1e-9                         for small numbers in full precision (default: 0.00006)

Numbers agree if they are no more than the tolerance apart; its default lets you round to four
decimals. In a stage with numbers above 1, it is multiplied by the largest expected number.

To tell as many mistakes as possible apart, give all stages, of an input where n, d_in, d_k
and d_v are all different, d_k is not 1, 2 or 4, and W_query is unlike W_key.

  --json   print {"divergence": null or {"stage", "row", "column", "expected", "actual"},
           "mistakes": [names]}; where shapes differ, row and column are null

Exit status: 0 all agrees, 1 something diverges, 2 unusable input."""

def to_json(divergence, mistakes):
    if divergence is not None:
        divergence = divergence._asdict()
        for name in ("expected", "actual"):
            if divergence[name] in (INF, -INF) or divergence[name] != divergence[name]:
                divergence[name] = str(divergence[name])  # JSON has no such numbers
    return json.dumps({"divergence": divergence, "mistakes": [m.name for m in mistakes]})

def main(args=None):
    args = sys.argv[1:] if args is None else args
    files = [arg for arg in args if arg != "--json"]
    if args == ["--help"]:
        say(HELP)
        return 0
    if len(files) != 1 or files[0].startswith("-") and files[0] != "-":
        print(USAGE, file=sys.stderr)
        return 2
    name = "standard input" if files == ["-"] else files[0]
    try:
        if files == ["-"] and sys.stdin is None:
            return complain(name, "it is closed")
        if files == ["-"]:
            content = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                content = file.read()
    except OSError as error:
        return complain(name, error.strerror)
    try:
        data = json.loads(content)
    except RecursionError:
        return complain(name, "no JSON: nested too deeply")
    except ValueError as error:
        return complain(name, "no JSON: %s" % error)
    try:
        case, given = load(data)
    except (TypeError, ValueError) as error:
        return complain(name, error)
    mistakes = find_mistakes(case, given, case.get("tolerance", TOLERANCE))
    divergence = compare(closest_right_way(case, given), given, case)
    text = to_json(divergence, mistakes) if "--json" in args else report(case, given, mistakes)
    say(text.rstrip())
    return 0 if divergence is None else 1

def complain(name, problem):
    print("find_the_mistake: %s: %s" % (name, problem), file=sys.stderr)
    return 2

if __name__ == "__main__":
    raise SystemExit(main())
