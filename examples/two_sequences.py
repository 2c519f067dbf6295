"""Traditional attention on a translation: python3 -m examples.two_sequences

A translator has read "I do not like black cats" (the sources) and writes "Je n'aime pas les
chats noirs" (the targets). Which English words does it look at for each French word? That is
attention from one sequence to another: queries from the French words, keys and values from the
English ones; the attention weights have a row for each French word and a column for each
English one, and need not be square.

The numbers below are made by hand, so that you can read them: each number of an embedding has a
meaning, and W_query, W_key and W_value carry the meanings over unmixed. In a trained
translator, all of them are learned and no single number can be read like that; and the query
comes from what has been written so far, as the next word is not known yet.
"""

from attention import Attention, Matrix, cross_attention
from examples import tell

#            who  deny  like  animal  dark: 5 numbers, d_in
ENGLISH = ["I", "do", "not", "like", "black", "cats"]
SOURCES = [[1.0, 0.0, 0.0, 0.0, 0.0],   # I
           [0.0, 0.2, 0.2, 0.0, 0.0],   # do: it only helps "not" and "like"
           [0.0, 1.0, 0.0, 0.0, 0.0],   # not
           [0.0, 0.0, 1.0, 0.0, 0.0],   # like
           [0.0, 0.0, 0.0, 0.0, 1.0],   # black
           [0.0, 0.0, 0.0, 1.0, 0.0]]   # cats

#            who  deny  like  animal  dark  article: 6 numbers, d_t
FRENCH = ["Je", "n'", "aime", "pas", "les", "chats", "noirs"]
TARGETS = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0],   # Je: I
           [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],   # n': French denies with two words,
           [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],   # aime: like
           [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],   # pas: of which this is the second
           [0.0, 0.0, 0.0, 0.4, 0.2, 1.0],   # les: "the", which the English sentence leaves out
           [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],   # chats: cats
           [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]   # noirs: black, after its noun

# Queries and keys are d_k = 5 wide, though the words of the two languages are not equally wide:
# W_query leaves the article out, which no key could answer. The 12 makes the scores spread, so
# that the largest stands out: the dot product of a word with its translation is 12.
W_QUERY = [[12.0, 0.0, 0.0, 0.0, 0.0],   # who
           [0.0, 12.0, 0.0, 0.0, 0.0],   # deny
           [0.0, 0.0, 12.0, 0.0, 0.0],   # like
           [0.0, 0.0, 0.0, 12.0, 0.0],   # animal
           [0.0, 0.0, 0.0, 0.0, 12.0],   # dark
           [0.0, 0.0, 0.0, 0.0, 0.0]]    # article
W_KEY = [[1.0, 0.0, 0.0, 0.0, 0.0],
         [0.0, 1.0, 0.0, 0.0, 0.0],
         [0.0, 0.0, 1.0, 0.0, 0.0],
         [0.0, 0.0, 0.0, 1.0, 0.0],
         [0.0, 0.0, 0.0, 0.0, 1.0]]
W_VALUE = [row[:] for row in W_KEY]  # a value is the English word's embedding, as it is

def translation() -> Attention:
    """Return what cross_attention makes of the two sentences.
    >>> attention = translation()
    >>> len(attention.attention_weights), len(attention.attention_weights[0])
    (7, 6)
    """
    return cross_attention(TARGETS, SOURCES, W_QUERY, W_KEY, W_VALUE)

# ---- The command line ---------------------------------------------------------------------------
def table(header: list, matrix: Matrix, places: int) -> str:
    text = " " * 8 + "".join("%8s" % word for word in header) + "\n"
    for word, row in zip(FRENCH, matrix):
        text += "  %-6s" % word + "".join("%8.*f" % (places, x) for x in row) + "\n"
    return text

def picture(weights: Matrix) -> str:
    text = (" " * 10 + "".join("%-9s" % word for word in ENGLISH)).rstrip() + "\n"
    for word, row in zip(FRENCH, weights):
        bars = ["%-9s" % ("#" * int(8 * weight + 0.5) or ".") for weight in row]
        text += ("  %-8s" % word + "".join(bars)).rstrip() + "\n"
    return text

def story() -> str:
    attention = translation()
    return "".join((
        "The sources: ", " ".join(ENGLISH), "\nThe targets: ", " ".join(FRENCH),
        "\n\nThe embeddings and weight matrices are made by hand, to show what attention does\n",
        "once it is trained; see the source.\n",
        "\nattention weights (query = French word = row, key = English word = column):\n",
        table(ENGLISH, attention.attention_weights, 2),
        "\nthe same as bars, ######## for 1:\n", picture(attention.attention_weights), """
The words cross: "noirs" comes last and attends to "black", which comes before "cats".
Both "n'" and "pas" attend to "not"; nobody attends to "do" much. "les" has no word of its
own, so it shares its attention: softmax always hands out all of 1.

context vectors: what each French word gets from the English sentence. "les" gets a bit of
everything; the others get, nearly, the embedding of their translation.
""", table(["who", "deny", "like", "animal", "dark"], attention.context_vectors, 2)))

if __name__ == "__main__":
    raise SystemExit(tell(story))
