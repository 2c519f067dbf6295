"""Print vectors.json: what every port must compute, and what it must refuse.

    python3 -m examples.porting.make_vectors > examples/porting/vectors.json

The expected numbers do not come from attention.py, which is one of the programs they test. Those
of the first cases are copied from ../reference.json. Those of the further cases are computed here:
projections and attention scores as exact fractions, everything after the first square root with
60 digits; each result is rounded to a double once, at the end.
"""

import decimal
import json
import os
import random
from decimal import Decimal
from fractions import Fraction

from examples import tell

REFERENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                         "reference.json")
DIGITS = decimal.Context(prec=60)
ARGUMENTS = {
    "simplified_self_attention": ("inputs",),
    "self_attention": ("inputs", "W_query", "W_key", "W_value"),
    "cross_attention": ("targets", "sources", "W_query", "W_key", "W_value"),
    "scaled_dot_product_attention": ("queries", "keys", "values")}
ABOUT = (
    "Test vectors for ports of attention.py; README.md beside this file explains them.",
    "A case: call function with arguments, and compare with every stage in expected.",
    "Or expected is an error: then a port must refuse the arguments, in words of its own.",
    "The strings nan, inf and -inf stand for numbers that JSON cannot write.",
    "Made by make_vectors.py: exact fractions and 60 digits, rounded to a double once.")

# ---- The stages, exactly ------------------------------------------------------------------------
def exact(matrix):
    return [[Fraction(x) for x in row] for row in matrix]

def product(a, b):  # [n, m] @ [m, p] -> [n, p]
    return [[sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a]

def to_decimal(x):
    return DIGITS.divide(Decimal(x.numerator), Decimal(x.denominator))

def softmax(scores):
    powers = [DIGITS.exp(DIGITS.subtract(score, max(scores))) for score in scores]
    total = Decimal(0)
    for power in powers:
        total = DIGITS.add(total, power)
    return [DIGITS.divide(power, total) for power in powers]

def stages(function, arguments):
    given = {name: exact(matrix) for name, matrix in arguments.items()}
    if function == "scaled_dot_product_attention":
        queries, keys, values = given["queries"], given["keys"], given["values"]
    elif function == "simplified_self_attention":
        queries = keys = values = given["inputs"]
    else:
        sources = given["sources"] if function == "cross_attention" else given["inputs"]
        targets = given["targets"] if function == "cross_attention" else given["inputs"]
        queries = product(targets, given["W_query"])
        keys, values = product(sources, given["W_key"]), product(sources, given["W_value"])
    scores = product(queries, list(zip(*keys)))
    root = DIGITS.sqrt(Decimal(1 if function == "simplified_self_attention" else len(keys[0])))
    scaled = [[DIGITS.divide(to_decimal(x), root) for x in row] for row in scores]
    weights = [softmax(row) for row in scaled]
    contexts = product(exact(weights), values)
    named = (("queries", queries), ("keys", keys), ("values", values),
             ("attention_scores", scores), ("scaled_scores", scaled),
             ("attention_weights", weights), ("context_vectors", contexts))
    return {name: [[float(x) for x in row] for row in matrix] for name, matrix in named}

# ---- The cases ----------------------------------------------------------------------------------
def reference_case(name, why, found):
    function = ("cross_attention" if "targets" in found else
                "self_attention" if "W_query" in found else "simplified_self_attention")
    arguments = {argument: found[argument] for argument in ARGUMENTS[function]}
    return {"name": name, "why": why, "function": function, "arguments": arguments,
            "expected": found["stages"]}

def reference_cases():
    with open(REFERENCE) as file:
        reference = json.load(file)
    running, others = reference["running_example"], reference["cases"]
    return [reference_case(*case) for case in (
        ("the running example, simplified",
         "the inputs are queries, keys and values, and nothing is scaled", running["simplified"]),
        ("the running example", "three weight matrices, scaled scores", running["trainable"]),
        ("one token", "it attends to itself alone, with the attention weight 1", others[0]),
        ("one dimension", "every width is 1", others[1]),
        ("values wider than keys", "d_v is not d_k", others[2]),
        ("large scores", "softmax must subtract the maximum: e^8699 is too large", others[3]),
        ("very negative scores", "the maximum may be far below 0", others[4]),
        ("identical tokens", "all attention weights of a row are the same", others[5]),
        ("7 tokens, d_in 5, d_k 3, d_v 4", "four different sizes", others[6]),
        ("two sequences", "2 targets attend to 5 sources", reference["two_sequences"]))]

def further_case(name, why, function, *matrices):
    arguments = dict(zip(ARGUMENTS[function], matrices))
    return {"name": name, "why": why, "function": function, "arguments": arguments,
            "expected": stages(function, arguments)}

def further_cases():
    numbers = random.Random(3)  # random() gives the same numbers in every version of Python

    def some(*sizes):
        return [[[round(2 * numbers.random() - 1, 3) for column in range(columns)]
                 for row in range(rows)] for rows, columns in sizes]

    # These matrices make queries [32*a, t, -t, 1] and keys [64, t, 1, a] of inputs [a, 1, t].
    # So scores are near 2048*a and scaled scores near 1024*a, and all of them are exact, even in
    # single precision: otherwise the attention weights would show the scores' rounding errors.
    far = [[[32.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0]],
           [[0.0, 0.0, 0.0, 1.0], [64.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
           [[0.5, -1.0], [2.0, 0.25], [-1.5, 1.0]]]
    up = [[1.0, 1.0, -1.5], [1.0, 1.0, 0.5], [1.0, 1.0, 2.0], [1.0, 1.0, 0.0]]
    down = [[-1.0, 1.0, -1.5], [-1.0, 1.0, 0.5], [-1.0, 1.0, 2.0], [-1.0, 1.0, 0.0]]
    apart = [[1.0, 1.0, -1.5], [-1.0, 1.0, 0.5], [0.0, 1.0, 2.0], [-1.0, 1.0, 1.0]]
    return [
        further_case("scores near 1024, close together",
                     "softmax must subtract the maximum: e^1024 is too large",
                     "self_attention", up, *far),
        further_case("scores near -1024, close together",
                     "a maximum that starts at 0 leaves nothing but zeros: start at -infinity",
                     "self_attention", down, *far),
        further_case("rows of scores far apart",
                     "each row needs its own maximum: with a common one, small rows vanish",
                     "self_attention", apart, *far),
        further_case("scores near -4294967296",
                     "a maximum that starts at -1e9 is too large: start at -infinity",
                     "scaled_dot_product_attention",
                     [[-65536.0]], [[65536.0], [65535.0]], [[1.0, 2.0], [3.0, -4.0]]),
        further_case("3 tokens, d_in 4, d_k 6, d_v 2", "four different sizes",
                     "self_attention", *some((3, 4), (4, 6), (4, 6), (4, 2))),
        further_case("6 tokens, d_in 2, d_k 5, d_v 3", "four different sizes",
                     "self_attention", *some((6, 2), (2, 5), (2, 5), (2, 3))),
        further_case("all sizes are 3", "square matrices hide a transposition from the shapes",
                     "self_attention", *some((3, 3), (3, 3), (3, 3), (3, 3))),
        further_case("2 tokens of 5 numbers, simplified", "fewer tokens than dimensions",
                     "simplified_self_attention", *some((2, 5))),
        further_case("two sequences of different widths",
                     "4 targets of 2 numbers attend to 3 sources of 5 numbers",
                     "cross_attention", *some((4, 2), (3, 5), (2, 6), (5, 6), (5, 7))),
        further_case("queries, keys and values as they are", "nothing is projected",
                     "scaled_dot_product_attention", *some((2, 3), (5, 3), (5, 4))),
        further_case("numbers with exponents", "1e-17 and 2e+16 are numbers, too",
                     "self_attention", [[3e-17, 1e-17], [-2e-17, 4e-17], [5e-17, -1e-17]],
                     [[2e+16, -5e+16], [4e+16, 1e+16]], [[-3e+16, 2e+16], [1e+16, 6e+16]],
                     [[5e+16, 1e+16, -2e+16], [-1e+16, 3e+16, 4e+16]])]

# ---- What must be refused -----------------------------------------------------------------------
def refusal(name, why, function, *matrices):
    return {"name": name, "function": function,
            "arguments": dict(zip(ARGUMENTS[function], matrices)), "expected": {"error": why}}

def refusals():
    simplified, trainable = "simplified_self_attention", "self_attention"
    two, direct = "cross_attention", "scaled_dot_product_attention"
    x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    W, V = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0], [8.0], [9.0]]
    q, k, v = [[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], V
    high = W + [[7.0, 8.0]]  # all fits in self_attention(x, W, W, V), and in (q, k, v)
    return [refusal(*spoilt) for spoilt in (
        ("W_query too low", "inputs have 3 columns, W_query 2 rows", trainable, x, W[:2], W, V),
        ("W_query too high", "inputs have 3 columns, W_query 4 rows", trainable, x, high, W, V),
        ("W_key too low", "inputs have 3 columns, W_key 2 rows", trainable, x, W, W[:2], V),
        ("W_key too high", "inputs have 3 columns, W_key 4 rows", trainable, x, W, high, V),
        ("W_value too low", "inputs have 3 columns, W_value 2 rows", trainable, x, W, W, V[:2]),
        ("W_value too high", "inputs have 3 columns, W_value 4 rows",
         trainable, x, W, W, V + V[:1]),
        ("W_query and W_key of different widths", "a query and a key need the same width",
         trainable, x, W, V, V),
        ("weight matrices as nn.Linear stores them", "inputs have 3 columns, W_query 2 rows",
         trainable, x, transposed(W), transposed(W), transposed(V)),
        ("targets too narrow", "targets have 2 columns, W_query 3 rows", two, q, x, W, W, V),
        ("sources too narrow", "sources have 2 columns, W_key and W_value 3 rows",
         two, x, k, W, W, V),
        ("queries wider than keys", "a query has 2 numbers, a key 1", direct, q, V, v),
        ("queries narrower than keys", "a query has 1 number, a key 2", direct, V, k, v),
        ("fewer values than keys", "2 values for 3 keys", direct, q, k, v[:2]),
        ("more values than keys", "4 values for 3 keys", direct, q, k, v + v[:1]),
        ("no rows", "inputs is empty", simplified, []),
        ("rows without numbers", "inputs has 2 rows of no numbers", simplified, [[], []]),
        ("no queries", "queries is empty", direct, [], k, v),
        ("no keys and values", "keys and values are empty", direct, q, [], []),
        ("W_value without columns", "W_value has 3 rows of no numbers",
         trainable, x, W, W, [[], [], []]),
        ("a short row", "inputs is ragged", simplified, [[1.0, 2.0], [3.0]]),
        ("a long row", "inputs is ragged", simplified, [[1.0, 2.0], [3.0, 4.0, 5.0]]),
        ("a short row in W_key", "W_key is ragged", trainable, x, W, W[:2] + [[5.0]], V),
        ("a long row in values", "values is ragged", direct, q, k, [[1.0], [2.0], [3.0, 4.0]]),
        ("NaN in inputs", "inputs[1][0] is NaN", simplified, [[1.0, 2.0], ["nan", 4.0]]),
        ("NaN in W_value", "W_value[2][0] is NaN", trainable, x, W, W, V[:2] + [["nan"]]),
        ("infinity in inputs", "inputs[0][1] is infinity", simplified, [[1.0, "inf"]]),
        ("infinity in values", "values[0][0] is -infinity", direct, q, k, [["-inf"]] + v[1:]),
        ("infinity in keys", "a score of -infinity would become the attention weight 0, unnoticed",
         direct, q, [["-inf", 4.0]] + k[1:], v),
        ("projections overflow", "1e200 * 1e200 is too large for a double",
         trainable, [[1e200]], [[1e200]], [[1.0]], [[1.0]]),
        ("attention scores overflow", "1e200 * 1e200 is too large for a double",
         simplified, [[1e200]]),
        ("an attention score overflows to -infinity",
         "a score of -infinity would become the attention weight 0, unnoticed",
         direct, [[1e200]], [[-1e200], [1.0]], [[1.0], [2.0]]))]

def transposed(matrix):
    return [list(column) for column in zip(*matrix)]

# ---- The file: one block per case, one line per row ---------------------------------------------
def block(case):
    lines = ["  " + json.dumps(key) + ": " + json.dumps(case[key])
             for key in ("name", "why", "function") if key in case]
    for key in ("arguments", "expected"):
        parts = ["   " + json.dumps(name) + ": " + written(case[key][name]) for name in case[key]]
        lines.append("  " + json.dumps(key) + ": {\n" + ",\n".join(parts) + "}")
    return " {\n" + ",\n".join(lines) + "}"

def written(thing):
    if not isinstance(thing, list) or not thing:
        return json.dumps(thing)
    return "[" + ",\n     ".join(json.dumps(row) for row in thing) + "]"

def make():
    """Return the text of vectors.json."""
    cases = reference_cases() + further_cases() + refusals()
    about = ",\n ".join(json.dumps(line) for line in ABOUT)
    return ('{"about": [\n ' + about + '],\n"cases": [\n'
            + ",\n".join(block(case) for case in cases) + "]}")

if __name__ == "__main__":
    raise SystemExit(tell(make))
