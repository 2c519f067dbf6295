"""Write data.js, what the page takes from elsewhere in the repository:

    python3 -m examples.page.make_data

MISTAKES that compute.js can plant: what they do and how to put it right.
LINES of attention.py that compute the numbers of a stage.
TRAINED, the example with trained matrices, and BEFORE, those its training began with.
"""

import inspect
import json
import os

import attention
from examples.find_the_mistake.steps import MISTAKES
from examples.next_word import start
from examples.tools.common import run_lesson

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "data.js")
SEED = 123  # of the lesson's training
TABLES = ["inputs", "W_query", "W_key", "W_value"]

# The functions that compute a version, and the tables that they compute
COMPUTE = {
    "simplified": {
        "simplified_self_attention": [
            "attention_scores", "attention_weights", "context_vectors"],
        "blend": ["weighted_values"]},
    "trainable": {
        "self_attention": ["queries", "keys", "values"],
        "scaled_dot_product_attention": [
            "attention_scores", "scaled_scores", "attention_weights", "context_vectors"],
        "softmax": ["powers"],
        "matmul": ["weighted_values"]},
}
STARTS = {"weighted_values": "total += "}


def find_lines(functions):  # -> {table: [line number, code]}, of each the first
    found = {}
    for function, tables in functions.items():
        lines, first = inspect.getsourcelines(getattr(attention, function))
        for number, line in enumerate(lines, first):
            for table in tables:
                if line.strip().startswith(STARTS.get(table, table + " = ")):
                    found.setdefault(table, [number, line.strip()])
    return found


def find_mistakes():  # -> {name: {"what": ..., "fix": ...}}
    with open(os.path.join(HERE, "compute.js"), encoding="utf-8") as file:
        planted = file.read().partition("PLANTED = {")[2]
    return {mistake.name: {"what": mistake.what, "fix": mistake.fix}
            for mistake in MISTAKES if '"%s": {' % mistake.name in planted}


def rounded(matrix):
    """Return the matrix with two decimals, and 1 for 1.0."""
    return [[float("%.2f" % x) if x % 1.0 else int(x) for x in row] for row in matrix]


def find_trained():  # -> the trained example, and the matrices that training began with
    with open(os.path.join(HERE, os.pardir, "trained.json"), encoding="utf-8") as file:
        given = json.load(file)
    trained = {name: rounded(given[name]) for name in TABLES}
    trained["tokens"] = given["tokens"]
    W_query, W_key, *rest = start(SEED)
    return trained, {"W_query": rounded(W_query), "W_key": rounded(W_key)}


def make_script():
    trained, before = find_trained()
    lines = {version: find_lines(functions) for version, functions in COMPUTE.items()}
    script = "// Made by make_data.py, which says from what.\n"
    for name, thing in (("MISTAKES", find_mistakes()), ("LINES", lines),
                        ("TRAINED", trained), ("BEFORE", before)):
        text = json.dumps(thing, sort_keys=True)
        script += "const %s = %s;\n" % (name, text.replace("}, ", "},\n"))
    return script


def main():
    with open(SCRIPT, "w", encoding="ascii", newline="\n") as file:
        file.write(make_script())


if __name__ == "__main__":
    run_lesson(main, __doc__)
