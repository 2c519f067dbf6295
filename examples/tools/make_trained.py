"""Train the model of examples.next_word and print it, rounded, as examples/trained.json.

    python3 -m examples.tools.make_trained > new.json
"""

import json

from examples.next_word import LENGTH, NEW_SENTENCES, SENTENCES, VOCABULARY, WORDS
from examples.next_word import embed, learn
from examples.tools.common import run_without_arguments

NAMES = ["W_query", "W_key", "W_value", "W_out"]
DECIMALS = 1  # with whole numbers, the verbs are right, too, but some keys are 0


def rounded(matrix):
    # + 0.0 turns -0.0 into 0.0.
    return [[round(x, DECIMALS) + 0.0 for x in row] for row in matrix]


def as_json(model):  # -> text, each row of a matrix on a line
    columns = WORDS + ["position %d" % position for position in range(LENGTH)]
    parts = [("about", "A causal model, trained on %d other sentences, finds the verb of "
              "the subject: see examples/next_word.py." % len(SENTENCES)),
             ("columns", columns), ("vocabulary", VOCABULARY)]
    parts += list(zip(NAMES, map(rounded, model)))
    first, second = [sentence.split() for sentence in NEW_SENTENCES[:2]]
    parts += [("tokens", first[:-1]), ("inputs", embed(first[:-1])), ("next", first[-1]),
              ("other_tokens", second[:-1]), ("other_inputs", embed(second[:-1])),
              ("other_next", second[-1])]
    lines = []
    for name, value in parts:
        text = json.dumps(value).replace("[[", "[\n  [").replace("], [", "],\n  [")
        lines.append(' "%s": %s' % (name, text))
    return "{\n%s\n}" % ",\n".join(lines)


def main():
    print(as_json(learn(SENTENCES, seed=123)[0]))


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
