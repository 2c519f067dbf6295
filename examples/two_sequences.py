"""Traditional attention on a translation: python3 -m examples.two_sequences

A translator has read an English sentence (the sources) and writes a French one (the
targets). Which English words does it look at for each French word? Queries come from the
French words, keys and values from the English ones: the attention weights have a row for
each French word and a column for each English word. A context vector is the values of the
English words, blended in these shares: what the translator knows of them when it writes.

Predict it: "I do not like black cats" becomes "Je n'aime pas les chats noirs". Where does
"noirs" look, the last word? "n'" and "pas", two words for one? "les", which has no
counterpart?

The numbers are made by hand, and simpler than a real translator in two ways. Each number
of an embedding has a meaning here; training finds numbers that nobody can read. And a
real query comes from what is written already, as the next word is not known yet.

Why softmax, and not just each score divided by the sum of all? Scores can be 0 or below:
of the scores 1 and -1, the sum is 0; of 3 and -1, the shares would be 1.5 and -0.5. All
powers e^score are above 0, so all shares are, and they keep the order of the scores.
"""

from attention import cross_attention
from examples.tools.common import print_table, run_without_arguments

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
    [0.0, 0.0, 0.0, 0.4, 0.2, 1.0],  # les: "the", for animals here, and for dark ones
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],  # chats
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],  # noirs
]


def carry_over(size, rows, columns):  # -> [rows, columns]
    """Return a weight matrix that carries each meaning over, times size.
    >>> carry_over(3.0, 3, 2)
    [[3.0, 0.0], [0.0, 3.0], [0.0, 0.0]]
    """
    return [[size if i == j else 0.0 for j in range(columns)] for i in range(rows)]


# A word and its translation have the score 12.0, and 5.367 after the division by sqrt(5).
# Others have 0. With e^5.367 = 214 and e^0 = 1, its share is 214 / (214 + 5 * 1) = 0.977,
# or 0.969 where "do" takes a little more.
# (Try 2.0 in the place of 12.0: it is 0.33, and nothing stands out.) W_query leaves the
# article out, as no key could answer it. So "les" has the scaled scores 0.4 * 5.367 and
# 0.2 * 5.367; e^2.147 = 8.56 and e^1.073 = 2.93, so its shares are 8.56 / 15.48, 2.93 /
# 15.48 and four times 1 / 15.48. Softmax hands out all of 1, whether or not a key fits.
W_QUERY = carry_over(12.0, len(TARGETS[0]), len(MEANINGS))
W_KEY = carry_over(1.0, len(MEANINGS), len(MEANINGS))
W_VALUE = carry_over(1.0, len(MEANINGS), len(MEANINGS))


def translation():  # -> attention_weights [7, 6], context_vectors [7, 5]
    """Return what cross_attention makes of the two sentences."""
    return cross_attention(TARGETS, SOURCES, W_QUERY, W_KEY, W_VALUE)


def main():
    attention_weights = translation().attention_weights
    print("Simplified: a real query comes from what is written already.")
    print_table(attention_weights, FRENCH, ENGLISH, places=3)
    for word, row in zip(FRENCH, attention_weights):
        print("%s looks most at %s." % (word, ENGLISH[row.index(max(row))]))


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
