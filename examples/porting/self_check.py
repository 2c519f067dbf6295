"""Compute the cases of vectors.json with attention.py, in this interpreter, and compare.

    python3 -m examples.porting.self_check

Of the standard library it needs only collections, json and sys, so that MicroPython can
run it as well.
"""

import json
import sys

import attention
from attention import STAGES
from examples.tools.common import first_difference

VECTORS = __file__.replace("self_check.py", "vectors.json")
DOUBLE = 1e-12  # README.md, "For maintainers", says why


def load_cases(path=VECTORS):
    with open(path) as file:
        return json.load(file)["cases"]


def answer(function, arguments):
    """Return the stages that function computes, or {"error": why it refuses}."""
    try:
        matrices = {}
        for name, rows in arguments.items():
            matrices[name] = [[to_number(x) for x in row] for row in rows]
        return dict(zip(STAGES, getattr(attention, function)(**matrices)))
    except (TypeError, ValueError) as error:
        return {"error": str(error)}


def to_number(x):
    """JSON has no NaN and no infinity: they are the strings "nan", "inf" and "-inf"."""
    return float(x) if x in ("nan", "inf", "-inf") else x


def difference(stage, expected, rows, tolerance):
    """Return in one line where a stage first differs from what is expected, or ""."""
    found = first_difference(expected, rows, tolerance * largest(expected))
    if found is None:
        return ""
    place = "" if found.row is None else "[%d][%d]" % (found.row, found.column)
    return "%s%s is %s, expected %s" % (stage, place, found.actual, found.expected)


def largest(matrix):
    """Return the largest number without its sign, or 1: tolerances are relative to it."""
    return max([1.0] + [abs(x) for row in matrix for x in row])


def complaint(case, given, tolerance):
    """Return what is wrong with an answer, in one line, or "". No stage is missed."""
    if not case["valid"]:
        return "" if "error" in given else "accepted, but must be refused: " + case["why"]
    if "error" in given:
        return "refused: %s" % given["error"]
    for stage in STAGES:
        if stage in given:
            text = difference(stage, case["expected"][stage], given[stage], tolerance)
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
        text = complaint(case, given, DOUBLE)
        wrong += text != ""
        print(case["name"] + ": " + (text or "ok"))
    print("%d of %d cases agree" % (len(cases) - wrong, len(cases)))
    return 1 if wrong else 0


if __name__ == "__main__":
    from examples.tools.common import run  # MicroPython has no need of it
    run(main)
