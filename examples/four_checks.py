"""The four checks: python3 -m examples.four_checks

Your context vectors are not those of the book. Six stages lead to them: where to look?
Predict it: every query meets the next key, by an index that is off by one. Which stages
are wrong? A stage inherits the mistakes of those before it. So check in the order of the
computation and believe the first difference: the mistake is in the step that leads to it.

    1 projections    another word's query? keys of another sentence? inputs that somebody
                     rounded? another weight matrix, or one laid out as [d_out, d_in]?
    2 scores         an index that is off by one? keys in the place of queries?
    3 scaling        no division? by d_k without the root? by the root of d_in?
    4 softmax        scores taken for attention weights? columns that add up to 1?
    context vectors  inputs blended in the place of values? in other shares?
"""

from collections import namedtuple

from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, matmul
from attention import cross_attention, scaled_dot_product_attention, self_attention
from examples.tools.common import run_without_arguments

CHECKS = (
    ("1 projections", STAGES[0:3]), ("2 scores", STAGES[3:4]), ("3 scaling", STAGES[4:5]),
    ("4 softmax", STAGES[5:6]), ("context vectors", STAGES[6:7]))
Divergence = namedtuple("Divergence", ["stage", "row", "column", "expected", "actual"])


def first_divergence(expected, actual, tolerance=0.00006, query=None):
    """Return the first Divergence of actual from expected, or None. Each is a result of
    attention.py, a tuple of the seven stages, or a dict of some. Numbers agree if no more
    than tolerance apart: 0.00006 suits four decimals. Where sizes differ, row and column
    are None. Try your own numbers; for single rows, say which query's they are. Here, the
    scores are right, so it is the scaling, which is not given, or softmax:
    >>> right = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    >>> mine = {"attention_scores": [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
    ...         "attention_weights": [0.1401, 0.2507, 0.2406, 0.1157, 0.0687, 0.1842]}
    >>> found = first_divergence(right, mine, query=1)
    >>> found.stage, found.row, found.column, round(found.expected, 4), found.actual
    ('attention_weights', 1, 0, 0.15, 0.1401)
    """
    if not (isinstance(tolerance, (int, float)) and tolerance >= 0.0):
        raise ValueError("tolerance is %r, expected a number from 0 up" % (tolerance,))
    expected, actual = to_stages("expected", expected), to_stages("actual", actual)
    common = [stage for stage in STAGES if stage in expected and stage in actual]
    if not common:
        raise ValueError("expected and actual have no stage in common")
    for stage in common:
        a, b, first = expected[stage], actual[stage], 0
        if query is not None and len(b) == 1:
            a, first = [a[query]], query
        if size(a) != size(b):
            return Divergence(stage, None, None, size(a), size(b))
        for i, row in enumerate(a):
            for j, x in enumerate(row):
                if x != b[i][j] and not abs(x - b[i][j]) <= tolerance:  # so nan differs
                    return Divergence(stage, first + i, j, x, b[i][j])
    return None


def to_stages(name, given):  # -> a dict of lists of lists of floats
    if isinstance(given, tuple) and len(given) == len(STAGES):
        given = dict(zip(getattr(given, "_fields", STAGES), given))
    if not isinstance(given, dict):
        raise TypeError("%s is neither a dict nor a tuple of the seven stages" % name)
    stages = {}
    for stage, rows in given.items():
        if stage not in STAGES:
            raise ValueError("%s has %r, expected %s" % (name, stage, ", ".join(STAGES)))
        try:
            rows = rows.tolist() if hasattr(rows, "tolist") else rows
            if not hasattr(rows[0], "__len__"):  # one row alone
                rows = [rows]
            stages[stage] = [[float(x + 0) for x in row] for row in rows]  # no text + 0
        except (TypeError, LookupError, OverflowError):
            raise TypeError("%s.%s is not rows of numbers" % (name, stage)) from None
    return stages


def size(rows):
    return "%d x %s" % (len(rows), " or ".join(sorted({str(len(row)) for row in rows})))


def main():
    right = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    keys = right.keys[1:] + right.keys[:1]
    shifted = scaled_dot_product_attention(right.queries, keys, right.values)
    rounded = [[int(10.0 * x) / 10.0 for x in row] for row in INPUTS]
    # Another sentence. With INPUTS[::-1], the last stage is right: no order is seen.
    others = [[1.0 - x for x in row] for row in INPUTS]
    mistakes = [
        ("inputs rounded in a figure", self_attention(rounded, W_QUERY, W_KEY, W_VALUE)),
        ("two sequences", cross_attention(INPUTS, others, W_QUERY, W_KEY, W_VALUE)),
        ("each query meets the next key", shifted._replace(keys=right.keys)),
        ("scores as attention weights", right._replace(
            attention_weights=right.attention_scores,
            context_vectors=matmul(right.attention_scores, right.values))),
        ("inputs blended, not values", right._replace(
            context_vectors=matmul(right.attention_weights, INPUTS))),
    ]
    print("A mark for each stage, . right or X wrong, and the first that is wrong:")
    for what, wrong in mistakes:
        marks = ""
        for stage, x, y in zip(STAGES, right, wrong):
            marks += "." if first_divergence({stage: x}, {stage: y}) is None else "X"
        print("  %-30s %s  %s" % (what, marks, first_divergence(right, wrong).stage))


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
