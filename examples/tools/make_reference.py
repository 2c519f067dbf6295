"""Compute every result in reference.json anew, with 60 digits, and print the file.

    python3 -m examples.tools.make_reference > new.json

Only inputs and weight matrices are read from it. The rest is computed from them without
attention.py, and rounded to a float once.
"""

import json
import os
from decimal import Decimal, getcontext

from attention import STAGES
from examples.tools.common import run_lesson
from examples.tools.matrices import split_heads

REFERENCE = os.path.join(os.path.dirname(__file__), "..", "reference.json")


def exact(matrix):
    return [[Decimal(x) for x in row] for row in matrix]


def rounded(matrix):
    return [[float(x) for x in row] for row in matrix]


def transpose(matrix):
    return [list(column) for column in zip(*matrix)]


def matmul(a, b):
    if len(a[0]) != len(b):
        raise ValueError("%d columns times %d rows" % (len(a[0]), len(b)))
    columns = transpose(b)
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def softmax(scores):
    largest = max(scores)
    powers = [(score - largest).exp() for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def attend(queries, keys, values, scale=True, causal=False):
    attention_scores = matmul(queries, transpose(keys))
    root = Decimal(len(keys[0]) if scale else 1).sqrt()
    scaled_scores = [[score / root for score in row] for row in attention_scores]
    attention_weights = []
    for q, row in enumerate(scaled_scores):
        seen = row[:q + 1] if causal else row
        zeros = [Decimal(0)] * (len(row) - len(seen))
        attention_weights.append(softmax(seen) + zeros)
    context_vectors = matmul(attention_weights, values)
    return [queries, keys, values, attention_scores, scaled_scores, attention_weights,
            context_vectors]


def project(case, inputs):
    targets = exact(case.get("targets", inputs))
    sources = exact(case.get("sources", inputs))
    return [
        matmul(targets, exact(case["W_query"])),
        matmul(sources, exact(case["W_key"])),
        matmul(sources, exact(case["W_value"]))]


def stages_of(case):
    """Return {stage: matrix} for inputs, queries or targets, as rounded floats."""
    getcontext().prec = 60
    if "queries" in case:
        stages = attend(*[exact(case[name]) for name in ("queries", "keys", "values")])
    elif "W_query" in case:
        stages = attend(*project(case, case.get("inputs")))
    else:
        stages = attend(*[exact(case["inputs"])] * 3, scale=False)
    return dict(zip(STAGES, map(rounded, stages)))


def multi_head(case, inputs):
    """Two causal heads, joined, and a linear layer of torch."""
    first, second = [attend(*head, causal=True)[-1]
                     for head in split_heads(project(case, inputs), 2)]
    joined = [a + b + [Decimal(1)] for a, b in zip(first, second)]
    W_out = transpose(exact(case["out_proj_weight"]))
    return matmul(joined, W_out + exact([case["out_proj_bias"]]))


def main():
    with open(REFERENCE) as file:
        reference = json.load(file)
    running, linear = reference["running_example"], reference["linear_seed_789"]
    inputs = running["simplified"]["inputs"]
    cases = [running["simplified"], running["trainable"], linear]
    for case in cases + reference["cases"] + [reference["two_sequences"]]:
        case["stages"] = stages_of(case)
    stages = attend(*project(linear, inputs), causal=True)
    linear["causal_attention_weights"] = rounded(stages[-2])
    for head in reference["causal_multi_head_seed_123"]["heads"]:
        stages = attend(*project(head, inputs), causal=True)
        head["context_vectors"] = rounded(stages[-1])
    split = reference["multi_head_split_seed_123"]
    split["context_vectors"] = rounded(multi_head(split, inputs))
    print(json.dumps(reference, indent=1), end="")


if __name__ == "__main__":
    run_lesson(main, __doc__)
