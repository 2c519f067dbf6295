"""Print vectors.json again, with every expected number computed anew from its arguments.

    python3 -m examples.porting.make_vectors > new.json
    mv new.json examples/porting/vectors.json

To add a case, write it into vectors.json with {} as what is expected. The expected
numbers do not come from attention.py, which they test: projections and attention scores
are exact fractions, everything after the first square root has 60 digits, and each result
is rounded to a double once, at the end.
"""

import decimal
import json
import re
import sys
from decimal import Decimal
from fractions import Fraction

from examples.tools.common import complain, run

VECTORS = __file__.replace("make_vectors.py", "vectors.json")
STAGES = ("queries", "keys", "values", "attention_scores", "scaled_scores",
          "attention_weights", "context_vectors")
DIGITS = decimal.Context(prec=60)


# ---- The stages, exactly


def stages(function, arguments):
    """Return what the function must compute, as {stage: matrix}."""
    given = {}
    for name, matrix in arguments.items():
        given[name] = [[Fraction(x) for x in row] for row in matrix]
    targets = given.get("targets", given.get("inputs"))
    sources = given.get("sources", given.get("inputs"))
    d_k = 1
    if function == "simplified_self_attention":
        queries = keys = values = sources
    elif function == "scaled_dot_product_attention":
        queries, keys, values = given["queries"], given["keys"], given["values"]
        d_k = len(keys[0])
    else:
        queries = product(targets, given["W_query"])
        keys = product(sources, given["W_key"])
        values = product(sources, given["W_value"])
        d_k = len(keys[0])
    scores = product(queries, list(zip(*keys)))
    root = DIGITS.sqrt(Decimal(d_k))
    scaled = [[DIGITS.divide(to_decimal(x), root) for x in row] for row in scores]
    weights = [softmax(row) for row in scaled]
    shares = [[Fraction(x) for x in row] for row in weights]
    found = (queries, keys, values, scores, scaled, weights, product(shares, values))
    return {stage: [[float(x) for x in row] for row in matrix]
            for stage, matrix in zip(STAGES, found)}


def product(a, b):  # [n, m] @ [m, p] -> [n, p]
    columns = list(zip(*b))
    assert {len(row) for row in a} == {len(b)}, "sizes do not fit: a refusal?"
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def to_decimal(x):
    return DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator))


def softmax(scores):
    powers = [DIGITS.exp(DIGITS.subtract(score, max(scores))) for score in scores]
    total = Decimal(0)
    for power in powers:
        total = DIGITS.add(total, power)
    return [DIGITS.divide(power, total) for power in powers]


# ---- The file, with one line per row


def make():
    """Return the text of vectors.json."""
    with open(VECTORS) as file:
        vectors = json.load(file)
    for case in vectors["cases"]:
        if "error" not in case["expected"]:
            case["expected"] = stages(case["function"], case["arguments"])
    text = json.dumps(vectors, indent=1)
    rows = re.compile(r"\[\n *([^][{}]+)\n *\]")
    return rows.sub(lambda row: "[" + re.sub(r"\n *", " ", row.group(1)) + "]", text)


def main():
    if sys.argv[1:]:
        return complain("usage: python3 -m examples.porting.make_vectors")
    print(make())


if __name__ == "__main__":
    run(main)
