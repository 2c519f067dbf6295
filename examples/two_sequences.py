"""Attention between two sequences: python3 -m examples.two_sequences

A translator has read an English sentence (the sources) and writes a French one (the
targets). Which English words does it look at for each French word? The queries come from
the French words, the keys and values from the English ones. So the attention weights
have a row for each French word and a column for each English word.

Predict: "I do not like black cats" becomes "Je n'aime pas les chats noirs". Where does
the last word, "noirs", look? And "n'" and "pas", which together mean "not"? And "les",
which translates no English word?

"noirs" takes 98 % from "black", although the order differs. "n'" and "pas" each take 97 %
from "not". "les" takes a sixth from each word: the shares add up to 1, whether or not a
key fits.

All numbers are made by hand. A real translator has a harder task: the numbers of its
embeddings need not mean anything by themselves, and it has to guess the next French word.
"""

from attention import cross_attention
from examples.tools.common import print_table, run_lesson

MEANINGS = ["who", "deny", "like", "animal", "dark"]  # d_in = 5
ENGLISH = ["I", "do", "not", "like", "black", "cats"]
SOURCES = [
    [1.0, 0.0, 0.0, 0.0, 0.0],  # I
    [0.0, 0.2, 0.2, 0.0, 0.0],  # do: it only helps "not" and "like"
    [0.0, 1.0, 0.0, 0.0, 0.0],  # not
    [0.0, 0.0, 1.0, 0.0, 0.0],  # like
    [0.0, 0.0, 0.0, 0.0, 1.0],  # black
    [0.0, 0.0, 0.0, 1.0, 0.0],  # cats
]
FRENCH = ["Je", "n'", "aime", "pas", "les", "chats", "noirs"]
TARGETS = [  # the same meanings, and "article": d_t = 6
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # Je
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],  # n'
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],  # aime
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],  # pas
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],  # les: try 0.4 for "animal"
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],  # chats
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],  # noirs
]


def carry_over(size, rows, columns):  # -> [rows, columns]
    """Return a weight matrix that carries each meaning over, times size."""
    return [[size if i == j else 0.0 for j in range(columns)] for i in range(rows)]


# A word scores 12 with its translation (5.367 after the division by sqrt(5)), and 0 with
# other words. As e^5.367 = 214 and e^0 = 1, the share of the translation is
# 214 / (214 + 5 * 1) = 0.977, or 0.969 where "do" takes a little. (Try 2.0 instead of
# 12.0.) W_query leaves out the article, so all scores of "les" are 0.
W_QUERY = carry_over(12.0, len(TARGETS[0]), len(MEANINGS))
W_KEY = W_VALUE = carry_over(1.0, len(MEANINGS), len(MEANINGS))


def translation():  # -> attention_weights [7, 6], context_vectors [7, 5]
    return cross_attention(TARGETS, SOURCES, W_QUERY, W_KEY, W_VALUE)


def main():
    print_table(translation().attention_weights, FRENCH, ENGLISH, places=3)


if __name__ == "__main__":
    run_lesson(main, __doc__)
