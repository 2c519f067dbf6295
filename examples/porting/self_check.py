"""Compute the cases of vectors.json with attention.py, in this interpreter, and compare.

    python3 -m examples.porting.self_check           one line per case
    python3 -m examples.porting.self_check --json    every number in full

The first says whether this interpreter computes right; the second is for comparing two. Run it
from the repository root. Of the standard library it needs only json and sys, so that MicroPython
can run it as well.
"""

import json
import sys

import attention
from examples import say

VECTORS = __file__.replace("self_check.py", "vectors.json")
DOUBLE = 1e-12  # README.md, "The tolerances", says why
FUNCTIONS = {"simplified_self_attention": attention.simplified_self_attention,
             "self_attention": attention.self_attention,
             "cross_attention": attention.cross_attention,
             "scaled_dot_product_attention": attention.scaled_dot_product_attention}

def load_cases(path=VECTORS):
    with open(path) as file:
        return json.load(file)["cases"]

# ---- Ask attention.py ---------------------------------------------------------------------------
def answer(function, arguments):
    """Return the stages that function computes from arguments, or {"error": why it refuses}.

    >>> answer("simplified_self_attention", {"inputs": [[2.0]]})["attention_scores"]
    [[4.0]]
    >>> answer("simplified_self_attention", {"inputs": [["nan"]]})
    {'error': 'inputs[0][0] is nan, expected a finite number'}
    """
    if function not in FUNCTIONS:
        return {"error": "no function is named %r" % (function,)}
    try:
        matrices = {name: to_numbers(rows) for name, rows in arguments.items()}
        return dict(zip(attention.STAGES, FUNCTIONS[function](**matrices)))
    except (TypeError, ValueError) as error:
        return {"error": str(error)}

def to_numbers(rows):
    """Return rows with numbers in place of "nan", "inf" and "-inf", which JSON has no numbers for.

    >>> to_numbers([[1.0, "-inf"]])
    [[1.0, -inf]]
    """
    return [[float(x) if x in ("nan", "inf", "-inf") else x for x in row] for row in rows]

# ---- Compare an answer with what is expected ----------------------------------------------------
def complaint(expected, given, tolerance):
    """Return what is wrong with an answer in one line, or "" if it is as expected.

    Stages that are not given are not missed. Numbers agree if they are no more than tolerance
    apart; for a stage with numbers above 1, it is multiplied by the largest of them.

    >>> complaint({"values": [[1.0, 2000.0]]}, {"values": [[2.0, 2003.0]]}, 0.001)
    'values[0][1] is 2003.0, expected 2000.0'
    >>> complaint({"error": "why"}, {"error": "other words"}, 0.001)
    ''
    """
    if "error" in given and len(given) > 1:
        return "the answer has an error and something else: a refusal is an error alone"
    if "error" in expected:
        return "" if "error" in given else "accepted, but must be refused: " + expected["error"]
    if "error" in given:
        return "refused: " + " ".join(str(given["error"]).split())  # in one line
    for stage in attention.STAGES:
        if stage in given:
            largest = max([1.0] + [abs(x) for row in expected[stage] for x in row])
            found = attention.first_divergence(
                {stage: expected[stage]}, {stage: given[stage]}, tolerance * largest)
            if found:
                place = "" if found.row is None else "[%d][%d]" % (found.row, found.column)
                return "%s%s is %s, expected %s" % (stage, place, found.actual, found.expected)
    return ""

# ---- The command line ---------------------------------------------------------------------------
show = print if sys.implementation.name == "micropython" else say  # its print cannot flush

def main(args=None):
    args = sys.argv[1:] if args is None else args
    if args not in ([], ["--json"]):
        print("usage: python3 -m examples.porting.self_check [--json]", file=sys.stderr)
        return 2
    cases = load_cases()
    answers = [answer(case["function"], case["arguments"]) for case in cases]
    if args:
        show(json.dumps([{"name": case["name"], "answer": given}
                         for case, given in zip(cases, answers)]))
        return 0
    wrong = 0
    for case, given in zip(cases, answers):
        text = complaint(case["expected"], given, DOUBLE)
        wrong += text != ""
        show(case["name"] + ": " + (text or "ok"))
    show("%d of %d cases agree" % (len(cases) - wrong, len(cases)))
    return 1 if wrong else 0

if __name__ == "__main__":
    sys.exit(main())
