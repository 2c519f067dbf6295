"""Compute the cases of vectors.json with attention.py, in this interpreter, and compare.

    python3 -m examples.porting.self_check

It says whether this interpreter computes right. Of the standard library it needs only
json and sys, so that MicroPython can run it as well.
"""

import json
import sys

import attention
from attention import STAGES

VECTORS = __file__.replace("self_check.py", "vectors.json")
DOUBLE = 1e-12  # README.md, "The tolerances", says why
FUNCTIONS = {
    "simplified_self_attention": attention.simplified_self_attention,
    "self_attention": attention.self_attention,
    "cross_attention": attention.cross_attention,
    "scaled_dot_product_attention": attention.scaled_dot_product_attention}


def load_cases(path=VECTORS):
    with open(path) as file:
        return json.load(file)["cases"]


def answer(function, arguments):
    """Return the stages that function computes, or {"error": why it refuses}.

    >>> answer("simplified_self_attention", {"inputs": [[2.0]]})["attention_scores"]
    [[4.0]]
    >>> answer("simplified_self_attention", {"inputs": [["nan"]]})
    {'error': 'inputs[0][0] is nan, expected a finite number'}
    """
    if function not in FUNCTIONS:
        return {"error": "no function is named %r" % (function,)}
    try:
        matrices = {}
        for name, rows in arguments.items():
            matrices[name] = [[to_number(x) for x in row] for row in rows]
        return dict(zip(STAGES, FUNCTIONS[function](**matrices)))
    except (TypeError, ValueError) as error:
        return {"error": str(error)}


def to_number(x):
    """JSON has no NaN and no infinity: they are the strings "nan", "inf" and "-inf"."""
    return float(x) if x in ("nan", "inf", "-inf") else x


def difference(stage, expected, rows, tolerance):
    """Return in one line where a stage first differs from what is expected, or "".

    Numbers agree if they are no more than tolerance apart; for a stage with numbers above
    1, it is multiplied by the largest of them.

    >>> difference("values", [[1.0, 2000.0]], [[2.0, 2003.0]], 0.001)
    'values[0][1] is 2003.0, expected 2000.0'
    """
    sizes = (len(rows), len(rows[0]), len(expected), len(expected[0]))
    if sizes[:2] != sizes[2:]:
        return "%s is %d x %d, expected %d x %d" % ((stage,) + sizes)
    largest = 1.0
    for row in expected:
        for x in row:
            largest = max(largest, abs(x))
    for i, row in enumerate(expected):
        for j, x in enumerate(row):
            if not abs(x - rows[i][j]) <= tolerance * largest:  # so, NaN differs
                return "%s[%d][%d] is %s, expected %s" % (stage, i, j, rows[i][j], x)
    return ""


def complaint(expected, given, tolerance):
    """Return what is wrong with an answer, in one line, or "". No stage is missed."""
    if "error" in expected:
        if "error" in given:
            return ""
        return "accepted, but must be refused: " + expected["error"]
    if "error" in given:
        return "refused: %s" % given["error"]
    for stage in STAGES:
        if stage in given:
            text = difference(stage, expected[stage], given[stage], tolerance)
            if text:
                return text
    return ""


def main(args=None):
    if sys.argv[1:] if args is None else args:
        print("usage: python3 -m examples.porting.self_check", file=sys.stderr)
        return 2
    cases, wrong = load_cases(), 0
    for case in cases:
        given = answer(case["function"], case["arguments"])
        text = complaint(case["expected"], given, DOUBLE)
        wrong += text != ""
        print(case["name"] + ": " + (text or "ok"))
    print("%d of %d cases agree" % (len(cases) - wrong, len(cases)))
    return 1 if wrong else 0


if __name__ == "__main__":
    from examples.tools.common import run  # MicroPython has no need of it
    run(main)
