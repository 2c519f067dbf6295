"""Train the model of examples.next_word and print it, rounded: examples/trained.json.

    python3 -m examples.tools.make_trained > new.json
"""

import json

from examples.next_word import NEW_SENTENCES, SENTENCES, VOCABULARY, embed, learn
from examples.tools.common import run_lesson

NAMES = ["W_query", "W_key", "W_value", "W_out"]
DECIMALS = 1  # whole numbers get the verbs right, too, but some keys would be 0


def rounded(matrix):
    # + 0.0 turns -0.0 into 0.0.
    return [[round(x, DECIMALS) + 0.0 for x in row] for row in matrix]


def stored(model):
    """Return the model, rounded, and a new sentence up to its verb."""
    tokens = NEW_SENTENCES[0].split()[:-1]
    matrices = dict(zip(NAMES, map(rounded, model)))
    return dict(matrices, vocabulary=VOCABULARY, tokens=tokens, inputs=embed(tokens))


def main():
    print(json.dumps(stored(learn(SENTENCES, seed=123)[0]), indent=1))


if __name__ == "__main__":
    run_lesson(main, __doc__)
