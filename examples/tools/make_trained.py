"""Train the model of examples.next_word and print it, rounded: examples/trained.json.

    python3 -m examples.tools.make_trained > new.json
"""

import json

from examples.next_word import (
    LENGTH, NEW_SENTENCES, SENTENCES, VOCABULARY, WORDS, embed, learn)
from examples.tools.common import run_lesson

NAMES = ["W_query", "W_key", "W_value", "W_out"]
DECIMALS = 1  # whole numbers get the verbs right, too, but some keys would be 0


def rounded(matrix):
    # + 0.0 turns -0.0 into 0.0.
    return [[round(x, DECIMALS) + 0.0 for x in row] for row in matrix]


def as_json(model):  # -> text, each row of a matrix on a line
    parts = [("about", "A causal model that has read nine other sentences finds the verb "
              "of the subject: see examples/next_word.py."),
             ("columns", WORDS + ["position %d" % i for i in range(LENGTH)]),
             ("vocabulary", VOCABULARY)]
    parts += zip(NAMES, map(rounded, model))
    for prefix, sentence in zip(["", "other_"], NEW_SENTENCES):
        words = sentence.split()
        parts += [(prefix + "tokens", words[:-1]), (prefix + "next", words[-1]),
                  (prefix + "inputs", embed(words[:-1]))]
    lines = [' "%s": %s' % (name, json.dumps(value)) for name, value in parts]
    text = "{\n%s\n}" % ",\n".join(lines)
    return text.replace("[[", "[\n  [").replace("], [", "],\n  [")


def main():
    print(as_json(learn(SENTENCES, seed=123)[0]))


if __name__ == "__main__":
    run_lesson(main, __doc__)
