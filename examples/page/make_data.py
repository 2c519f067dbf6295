"""Write data.js, what the page knows from elsewhere in the repository:

    python3 -m examples.page.make_data

MISTAKES that the page can plant. What happened and how to put it right comes from
examples.find_the_mistake. STEPS adds what the page does instead, in the words of
compute.js: it computes by this, and explains by this.

LINES of attention.py: which one computes the numbers of a stage.

TRAINED, the example with trained matrices: examples/trained.json, and BEFORE, the random
matrices that its training began with.
"""

import json
import os

import attention
from examples.find_the_mistake.steps import MISTAKES
from examples.tools.common import run
from examples.tools.torch_random import manual_seed, three_linears

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "data.js")
TABLES = ["inputs", "W_query", "W_key", "W_value"]

STEPS = {
    "query-and-key-swapped": {
        "queries": {"product": ["inputs", "W_key"]},
        "keys": {"product": ["inputs", "W_query"]}},
    "keys-times-queries": {"attention_scores": {"product": ["keys", "queries^T"]}},
    "scaling-forgotten": {"scaled_scores": {"copy": "attention_scores"}},
    "divided-by-d_k": {"scaled_scores": {"scale": "/", "by": "d_k"}},
    "multiplied-by-sqrt-d_k": {"scaled_scores": {"scale": "*", "by": "sqrt(d_k)"}},
    "softmax-down-the-columns": {"attention_weights": {"softmax": "column"}},
    "softmax-left-out": {"attention_weights": {"copy": "scaled_scores"}},
    "attention-weights-transposed": {
        "context_vectors": {"product": ["attention_weights^T", "values"]}},
    "keys-blended": {"context_vectors": {"product": ["attention_weights", "keys"]}},
}

# Where the numbers of a table are computed: the function, and how the line begins.
PLACES = {
    "inputs": ("", "INPUTS = "),
    "queries": ("self_attention", "queries = "),
    "keys": ("self_attention", "keys = "),
    "values": ("self_attention", "values = "),
    "attention_scores": ("scaled_dot_product_attention", "attention_scores = "),
    "scaled_scores": ("scaled_dot_product_attention", "scaled_scores = "),
    "powers": ("softmax", "powers = "),
    "attention_weights": ("scaled_dot_product_attention", "attention_weights = "),
    "weighted_values": ("matmul", "total += "),
    "simplified weighted_values": ("blend", "total += "),
    "context_vectors": ("scaled_dot_product_attention", "context_vectors = "),
    "simplified attention_scores": ("simplified_self_attention", "attention_scores = "),
    "simplified attention_weights": ("simplified_self_attention", "attention_weights = "),
    "simplified context_vectors": ("simplified_self_attention", "context_vectors = "),
}


def find_line(lines, function, start):  # -> [line number, code]
    """Return the first line of the function, or before any, that begins in this way."""
    inside = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("def "):
            inside = line[4:line.index("(")]
        if inside == function and line.strip().startswith(start):
            return [number, line.strip()]
    raise ValueError("attention.py has no line %r in %s()" % (start + "...", function))


def find_lines():
    with open(attention.__file__, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return {name: find_line(lines, *place) for name, place in PLACES.items()}


def find_mistakes():
    return [
        {"name": mistake.name, "what": mistake.what, "fix": mistake.fix,
         "steps": STEPS[mistake.name]}
        for mistake in MISTAKES if mistake.name in STEPS]


def rounded(matrix):
    """Return the matrix with two decimals, and 1 for 1.0."""
    return [[float("%.2f" % x) if x % 1.0 else int(x) for x in row] for row in matrix]


def find_trained():  # -> the trained example, and the matrices that training began with
    with open(os.path.join(HERE, os.pardir, "trained.json"), encoding="utf-8") as file:
        given = json.load(file)
    trained = {name: rounded(given[name]) for name in TABLES}
    trained["tokens"] = given["tokens"]
    d_in, d_k, d_v = [len(given[name][0]) for name in ("inputs", "W_key", "W_value")]
    before = three_linears(manual_seed(123), d_in, d_k, d_v)
    return trained, {"W_query": rounded(before[0]), "W_key": rounded(before[1])}


def in_javascript(thing):
    """Return a list with a line for each item, a dictionary with one for each name."""
    if isinstance(thing, list):
        return "[%s\n]" % ",".join("\n  " + json.dumps(x, sort_keys=True) for x in thing)
    items = sorted(thing.items())
    return "{%s\n}" % ",".join("\n  %s: %s" % (json.dumps(name), json.dumps(x))
                               for name, x in items)


def make_script():
    trained, before = find_trained()
    script = "// Made by make_data.py, which says from what.\n"
    for name, thing in (("MISTAKES", find_mistakes()), ("LINES", find_lines()),
                        ("TRAINED", trained), ("BEFORE", before)):
        script += "const %s = %s;\n" % (name, in_javascript(thing))
    return script


def main():
    with open(SCRIPT, "w", encoding="ascii", newline="\n") as file:
        file.write(make_script())


if __name__ == "__main__":
    run(main)
