"""Write mistakes.js, the mistakes that the page can plant:

    python3 -m examples.page.make_mistakes

What happened and how to put it right comes from examples.find_the_mistake. STEPS adds
what the page does instead, in the words of compute.js: it computes by this, and explains
by this.
"""

import json
import os

from examples.tools.common import run
from examples.find_the_mistake.steps import MISTAKES

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mistakes.js")

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


def make_script():
    script = "// Made by make_mistakes.py from examples.find_the_mistake.\n"
    script += "const MISTAKES = [\n"
    for mistake in MISTAKES:
        if mistake.name in STEPS:
            script += "{\n"
            for name in ("name", "stage", "what", "fix"):
                script += "  %s: %s,\n" % (name, json.dumps(getattr(mistake, name)))
            script += "  steps: {\n"
            for stage, step in sorted(STEPS[mistake.name].items()):
                script += "    %s: %s,\n" % (stage, json.dumps(step))
            script += "  }},\n"
    return script + "];\n"


def main():
    with open(SCRIPT, "w", encoding="ascii", newline="\n") as file:
        file.write(make_script())


if __name__ == "__main__":
    run(main)
