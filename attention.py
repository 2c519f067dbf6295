"""Self-attention by hand: lists, floats and loops. Read this file from top to bottom.

What does "journey" mean in "Your journey starts with one step"? That depends on the word
itself and on the others. Self-attention gives each word new numbers: a blend of the
numbers of the words in the sentence, its own included. Here is its simplest form, for
"journey" (the three numbers of each word are made up; each # is about 2 %):

  word        its numbers   score   share                 share * its numbers
  Your     0.43 0.15 0.89  0.9544  0.1385  #######       0.0596 0.0208 0.1233
  journey  0.55 0.87 0.66  1.4950  0.2379  ############  0.1308 0.2070 0.1570
  starts   0.57 0.85 0.64  1.4754  0.2333  ############  0.1330 0.1983 0.1493
  with     0.22 0.58 0.33  0.8434  0.1240  ######        0.0273 0.0719 0.0409
  one      0.77 0.25 0.10  0.7070  0.1082  #####         0.0833 0.0270 0.0108
  step     0.05 0.80 0.55  1.0865  0.1581  ########      0.0079 0.1265 0.0870
  total                            1.0000                0.4419 0.6515 0.5683

The computation has three steps, from left to right:

    compare      Multiply the numbers of "journey" by those of each word, pair by pair,
                 and add up. The sum is the attention score, a measure of how well they
                 match: 0.55*0.57 + 0.87*0.85 + 0.66*0.64 = 1.4754 for "starts"
    share out    Turn the scores into attention weights, shares that add up to 1:
                 e^1.4754 = 4.3728, all six such powers add up to 18.7453, and
                 4.3728 / 18.7453 = 0.2333 for "starts" (part 2 says why e^)
    blend        Multiply each word's numbers by its share, and add up each column:
                 0.2333*0.57 = 0.1330 is what "starts" adds to the first total, 0.4419

The three totals on the right are the result: the context vector of "journey" (a vector is
a list of numbers). A score is not what a word contributes: "starts" scores 1.4754, but
contributes 0.2333 times its numbers. Displayed numbers are rounded.

Part 2 computes this table for every word, part 3 writes it as products of tables
(matrices), and part 4 adds what language models have on top, mainly matrices that are
learned. "python3 attention.py starts" shows this table, and one for part 4, for another
word; "python3 -i attention.py" lets you try the examples below. To use your own numbers,
as lists of rows (part 4 explains the W matrices):

    from attention import self_attention
    result = self_attention(inputs, W_query, W_key, W_value)
    for row in result.context_vectors:  # or another stage, such as attention_weights
        print(["%.4f" % x for x in row])

attention-by-hand 2.0.0, MIT License, copyright 2026 the attention-by-hand authors
"""

from collections import namedtuple
from math import exp  # exp(x) is e^x, where e = 2.718...


# ---- 1. The running example ----------------------------------------------------------
# Self-attention computes with numbers, so each word is given a list of them, its
# embedding. The lists below are made up, and short enough to check by hand: the shares
# above show how attention works, but say nothing about English. A language model (a
# program that guesses the next word of a text) learns its embeddings: hundreds or
# thousands of numbers for each token (a word or part of one), none of which need mean
# anything by itself. To attention, a word is only its numbers (parts of an image would do
# as well): words with equal lists get equal scores, shares and context vectors; words
# with similar lists, similar ones.
#
# Words are counted from 0, as in Python: "journey" is word 1. All numbers of the example
# come from S. Raschka, "Build a Large Language Model (From Scratch)", chapter 3.

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]

INPUTS = [
    [0.43, 0.15, 0.89],  # Your
    [0.55, 0.87, 0.66],  # journey
    [0.57, 0.85, 0.64],  # starts
    [0.22, 0.58, 0.33],  # with
    [0.77, 0.25, 0.10],  # one
    [0.05, 0.80, 0.55],  # step
]


# ---- 2. Simplified self-attention ----------------------------------------------------
# Compare, share out, blend: each step is a function. The word whose context vector is
# being computed is called the query: it asks, and every word answers, itself included.
# "Self" means that the words of one sentence ask one another, and themselves.
#
# Comments give sizes, for n words of d numbers each: [d] is a list of d numbers, [n, d] a
# list of n such lists. "[n], [n, d] -> [d]" takes n numbers and n lists of d, and returns
# d numbers. Lines with check_... or to_... refuse bad input: skip them until part 6.


def dot(a, b):  # [d], [d] -> one number
    """Compare: return the dot product a[0]*b[0] + a[1]*b[1] + ...

    Pairs of the same sign raise the sum, pairs of different signs lower it. It tends to
    be large if the lists are alike, but size counts, too: if all numbers of one list are
    doubled, so is the sum; if both lists are, it is four times as large. For the query
    "with", the score of "with" itself is 0.4937, that of the larger "journey" 0.8434.

    >>> round(dot(INPUTS[1], INPUTS[2]), 4)  # "journey" and "starts"
    1.4754
    """
    if len(a) != len(b):
        raise ValueError("a has length %d but b has length %d" % (len(a), len(b)))
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def softmax(scores):  # [n] -> [n]
    """Share out: return each e^score divided by the sum of all these powers.

    The higher the score, the larger the share; equal scores get equal shares. Two shares
    have the ratio e^(difference of their scores). If one score rises, the sum grows, so
    all other shares shrink by the same factor. (A plain maximum would give everything to
    the top score. This soft one gives it the most, but the others still get something.)

    Why e^score? Scores divided by their sum could be negative, and the sum could be 0.
    But e^score is positive for every finite score, and so is the share (unless rounded to
    0). Any base above 1 would do; e keeps the formulas of training short.

    >>> scores = [dot(INPUTS[1], x) for x in INPUTS]  # "journey" and each word
    >>> [round(share, 4) for share in softmax(scores)]
    [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581]
    """
    check_not_empty("scores", scores)
    # e^1000 is too large for a float, so subtract the largest score from all of them.
    # This divides every power by e^largest: the shares stay the same, and no power is
    # above e^0 = 1. (Minus infinity, -inf, gets the share 0: it hides a word.)
    largest = max(scores)
    powers = [exp(score - largest) for score in scores]
    total = 0.0
    for power in powers:  # Python's own sum rounds differently since 3.12
        total += power
    check_total(total, scores)
    return [power / total for power in powers]


def blend(shares, rows):  # [n], [n, d] -> [d]
    """Blend: return the sum of the rows, each multiplied by its share.

    This is called a weighted sum; if all shares are equal, it is the average. A share is
    not the chance that a row is picked: every row goes in. Shares are not negative and
    add up to 1, so each number of the blend is between the smallest and the largest of
    its column: 4 <= 7 <= 8 below. (Given scores, it returns nonsense, without an error.)

    >>> blend([0.25, 0.75], [[4.0, 0.0], [8.0, 4.0]])
    [7.0, 3.0]
    >>> shares = softmax([dot(INPUTS[1], x) for x in INPUTS])
    >>> [round(x, 4) for x in blend(shares, INPUTS)]  # the context vector of "journey"
    [0.4419, 0.6515, 0.5683]
    """
    check_rows("rows", rows)
    check_lengths("shares", shares, "rows", rows)
    blended = []
    for j in range(len(rows[0])):
        total = 0.0
        for i in range(len(rows)):
            total += shares[i] * rows[i][j]
        blended.append(total)
    return blended


# The attention functions return every stage by name, for instance
# result.attention_weights. (Queries, keys and values are new in part 4. Until then, all
# three are the inputs, and the scaled scores are the attention scores.) In scores and
# shares, row 1 is query 1, "journey", and column 2 is word 2, "starts". Papers count from
# 1 to T: x^(2), no square, is inputs[1]; omega_23 is attention_scores[1][2]; alpha_23 is
# attention_weights[1][2]; z^(2) is context_vectors[1], the sum Sigma_j of alpha_2j x^(j).
STAGES = (
    "queries", "keys", "values", "attention_scores",
    "scaled_scores", "attention_weights", "context_vectors")
Attention = namedtuple("Attention", STAGES)


def simplified_self_attention(inputs):  # [n, d] -> Attention
    """Let each word in turn be the query: compare it with every word, share out, blend.

    >>> result = simplified_self_attention(INPUTS)
    >>> [round(x, 4) for x in result.attention_scores[1]]  # row 1: the query "journey"
    [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865]
    >>> [round(x, 4) for x in result.context_vectors[1]]
    [0.4419, 0.6515, 0.5683]

    If the words trade places, each keeps its context vector, up to rounding: attention
    does not see where a word is. One more word would leave the scores above as they are,
    but take a share for itself, so all other shares would shrink.
    """
    inputs = to_matrix("inputs", inputs)
    attention_scores = [[dot(query, x) for x in inputs] for query in inputs]
    check_finite("attention_scores", attention_scores)
    attention_weights = [softmax(scores) for scores in attention_scores]
    context_vectors = [blend(shares, inputs) for shares in attention_weights]
    return Attention(
        inputs, inputs, inputs, attention_scores,
        attention_scores, attention_weights, context_vectors)


# ---- 3. Part 2 as matrix products, and a square root ---------------------------------
# A matrix is a table of numbers, written as a list of rows; its shape is [n, d] if it has
# n rows of d numbers (such a row is called d-dimensional). INPUTS has the shape [6, 3], a
# row for each word. The scores have the shape [6, 6], a row for each query and a column
# for each word that it is compared with: a square, however many numbers a word has. So do
# the shares; each of their rows adds up to 1, but a column need not: softmax takes each
# row by itself.
#
# The matrix product A @ B is the table of all dot products of a row of A and a column of
# B: row i and column j give entry [i][j]. (Lists have no @, so a function, matmul, does
# it.) A score is the dot product of two rows of the inputs, so B is the inputs
# transposed: their rows become columns. A blend needs no transposing: 0.4419 is the dot
# product of a row of shares and a column of inputs. Papers and fast programs are written
# like this, with softmax in between:
#
#     attention_scores = inputs @ (inputs transposed)
#     context_vectors  = attention_weights @ inputs


def transpose(matrix):  # [n, d] -> [d, n]
    """Return the matrix with its columns as rows.

    >>> transpose([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    check_rows("matrix", matrix)
    columns = []
    for j in range(len(matrix[0])):
        columns.append([row[j] for row in matrix])
    return columns


def matmul(a, b):  # [n, d] @ [d, p] -> [n, p]
    """Return a @ b: entry [i][j] is the dot product of row i of a and column j of b,
    which must have the same length, d.

    Here 15 = 1*3 + 2*6, 18 = 1*4 + 2*7 and 21 = 1*5 + 2*8:

    >>> matmul([[1.0, 2.0]], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    [[15.0, 18.0, 21.0]]

    Part 2 again (adding up in another order could round differently):

    >>> result = simplified_self_attention(INPUTS)
    >>> matmul(INPUTS, transpose(INPUTS)) == result.attention_scores
    True
    >>> matmul(result.attention_weights, INPUTS) == result.context_vectors
    True
    """
    check_product(a, b)
    columns = [[row[j] for row in b] for j in range(len(b[0]))]  # as in transpose
    places = range(len(b))
    product = []
    for row in a:
        entries = []
        for column in columns:
            total = 0.0  # dot(row, column), written out here because that is faster
            for k in places:
                total += row[k] * column[k]
            entries.append(total)
        product.append(entries)
    return product


def sqrt(x):
    """Return the square root of x, for part 4. (You may skip how: if a guess is too high,
    x / guess is too low, and the number halfway between them is a better guess.)

    >>> sqrt(9.0)
    3.0
    """
    x = to_float("x", x)
    if x < 0.0:
        raise ValueError("x is %s, expected 0 or more" % x)
    if x == 0.0:
        return 0.0
    guess = max(1.0, x)  # the root of x is at most this
    better = (guess + x / guess) / 2
    while better < guess:  # guesses fall until rounding stops them
        guess = better
        better = (guess + x / guess) / 2
    return guess


# ---- 4. Trainable self-attention -----------------------------------------------------
# So far, training could change only the embeddings: words are compared and blended as
# they are. "journey" and "starts" give each other the same score (though not the same
# share, since each row has its own sum). But a pronoun may need to find its noun, while
# the noun has no use for the pronoun; and the numbers by which a word is found need not
# be those that it gives. So real models give each word three lists of numbers, for three
# roles. Think of a book search that takes a share of every book:
#
#     query    what the word looks for              what you type into the search box
#     key      what it can be found by              the title of a book
#     value    what it hands over                   what the book says
#
# (From here on, "query" means such a list, no longer the word that asks.) The query is
# compared with every key, and the values are blended. The dot product requires queries
# and keys of the same length, d_k; values may have a different length, d_v.
#
# One more step is new: before softmax, each score is divided by sqrt(d_k), the square
# root of d_k. Why? The longer the lists, the more products a dot product adds up, and the
# further from 0 it tends to be. For lists of random 1s and -1s, the products partly
# cancel: the square of their sum is d_k on average. (If d_k = 2, the sum is 1+1, 1-1,
# -1+1 or -1-1; the squares are 4, 0, 0 and 4.) So the typical size of the sum is
# sqrt(d_k): 3 for d_k = 9, but 8 for d_k = 64.
#
# If one score is far above the rest, its word gets nearly all: softmax turns [1, 0]
# into 0.73 and 0.27, but [8, 0] into 0.9997 and 0.0003. Then a small change in a score
# hardly changes the shares, and training (see below), which works by small changes, gets
# nowhere. Divided by sqrt(64) = 8, [8, 0] becomes [1, 0]: scores stay moderate even if
# keys are long. (Divided by d_k, it would be [0.125, 0], and the shares nearly equal. To
# multiply by d_k ** -0.5, as some programs do, is to divide by the root.)


def scaled_dot_product_attention(queries, keys, values):
    # [m, d_k], [n, d_k], [n, d_v] -> Attention
    """Compare m queries with n keys, scale, share out, and blend the n values, one for
    each key. (In self-attention, m = n; below, m = 1 and n = 2.)

    Below, the only query is [0.0]. It scores 0 with both keys, so it takes half
    of each value: 3/2 + 5/2 = 4.

    >>> result = scaled_dot_product_attention([[0.0]], [[1.0], [2.0]], [[3.0], [5.0]])
    >>> result.attention_weights, result.context_vectors
    ([[0.5, 0.5]], [[4.0]])

    If a key is doubled, so are its scores. A positive score rises, so all other shares
    of its row shrink; a negative score falls, so they grow; a score of 0 stays 0.
    """
    queries, keys, values = to_matrices(
        ("queries", queries, "m", "d_k"),
        ("keys", keys, "n", "d_k"),
        ("values", values, "n", "d_v"))
    d_k = len(keys[0])
    root = sqrt(d_k)
    attention_scores = matmul(queries, transpose(keys))
    check_finite("attention_scores", attention_scores)
    scaled_scores = [[score / root for score in row] for row in attention_scores]
    attention_weights = [softmax(row) for row in scaled_scores]
    context_vectors = matmul(attention_weights, values)
    check_finite("context_vectors", context_vectors)
    return Attention(
        queries, keys, values, attention_scores,
        scaled_scores, attention_weights, context_vectors)


# Where do queries, keys and values come from? Three weight matrices turn the embedding x
# of a word (as a matrix of one row) into its three lists: x @ W_query, x @ W_key and
# x @ W_value. This is called a projection. (Papers that write x as a column have W x;
# their W is the transpose of the one here.) With the first column of W_QUERY below, the
# query of "journey" begins with 0.55*0.29611 + 0.87*0.25167 + 0.66*0.07397 = 0.4306.
#
# Here is the whole of self-attention, for inputs with a row for each of n words and d_in
# numbers in each row (^T means transposed; papers write Q, K and V for the first three):
#
#     queries           = inputs @ W_query               [n, d_k]
#     keys              = inputs @ W_key                 [n, d_k]
#     values            = inputs @ W_value               [n, d_v]
#     attention_scores  = queries @ keys^T               [n, n]    compare
#     scaled_scores     = each score / sqrt(d_k)         [n, n]    keep them moderate
#     attention_weights = softmax of each row            [n, n]    share out
#     context_vectors   = attention_weights @ values     [n, d_v]  blend
#
# The word "weight" thus has two meanings. Keep them apart:
#
#     weight matrices      W_query, W_key and W_value, with numbers of any sign. They are
#                          learned: in training, a model guesses the next word, over and
#                          over, and its matrices and embeddings are changed a little each
#                          time, so that it guesses better. After that they are fixed, the
#                          same for every sentence.
#     attention weights    the shares, from 0 to 1. They are computed anew for each query,
#                          from the words at hand. Training changes them only through
#                          the matrices and embeddings they are computed from.
#
# The three matrices below are random, as before training. All numbers computed from them
# are right, but mean nothing yet; other matrices would give other numbers. Their shape
# is [3, 2]: d_in = 3, d_k = d_v = 2. (Whoever builds a model chooses d_k and d_v.)

W_QUERY = [
    [0.29611194, 0.51656228],
    [0.25167072, 0.68855679],
    [0.07397246, 0.86652195],
]
W_KEY = [
    [0.13657987, 0.10247904],
    [0.18405646, 0.72644675],
    [0.31525391, 0.68710667],
]
W_VALUE = [
    [0.07563531, 0.19663817],
    [0.31641197, 0.40174013],
    [0.11856830, 0.82739538],
]


def self_attention(inputs, W_query, W_key, W_value):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    """Project each input to its query, key and value, and let attention do the rest.
    Shown for "journey": its query, scores, scaled scores, shares and context vector.

    >>> result = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    >>> for stage in (result.queries, result.attention_scores, result.scaled_scores,
    ...               result.attention_weights, result.context_vectors):
    ...     print([round(x, 4) for x in stage[1]])
    [0.4306, 1.4551]
    [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.544]
    [0.8984, 1.3098, 1.2806, 0.7633, 0.3944, 1.0918]
    [0.15, 0.2264, 0.2199, 0.1311, 0.0906, 0.182]
    [0.3061, 0.821]

    1.8111 is the score of query 1 ("journey") with key 2 ("starts"). A program that
    takes key 1 by mistake gets 1.8524 and no error. So compute one score separately:

    >>> result.attention_scores[1][2] == dot(result.queries[1], result.keys[2])
    True
    """
    inputs, W_query, W_key, W_value = to_matrices(
        ("inputs", inputs, "n", "d_in"),
        ("W_query", W_query, "d_in", "d_k"),
        ("W_key", W_key, "d_in", "d_k"),
        ("W_value", W_value, "d_in", "d_v"))
    queries = matmul(inputs, W_query)
    keys = matmul(inputs, W_key)
    values = matmul(inputs, W_value)
    return scaled_dot_product_attention(queries, keys, values)


# ---- 5. Traditional attention, or cross-attention ------------------------------------
# Attention was first used between two sequences, for instance two sentences. After each
# word it writes (a target), a translation program looks back at the words it has read
# (the sources). The queries come from m targets of d_t numbers each, the keys and values
# from n sources of d_in numbers each. The scores have the shape [m, n], the context
# vectors [m, d_v]. In self-attention, both sequences are the same: self_attention(x, ...)
# gives the same as cross_attention(x, x, ...).


def cross_attention(targets, sources, W_query, W_key, W_value):
    # [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    """Project targets to queries, sources to keys and values; the rest is as before.

    Here the two sources are equal, so the target takes half of each:

    >>> W = [[1.0]]
    >>> cross_attention([[5.0]], [[2.0], [2.0]], W, W, W).attention_weights
    [[0.5, 0.5]]
    """
    targets, sources, W_query, W_key, W_value = to_matrices(
        ("targets", targets, "m", "d_t"),
        ("sources", sources, "n", "d_in"),
        ("W_query", W_query, "d_t", "d_k"),
        ("W_key", W_key, "d_in", "d_k"),
        ("W_value", W_value, "d_in", "d_v"))
    queries = matmul(targets, W_query)
    keys = matmul(sources, W_key)
    values = matmul(sources, W_value)
    return scaled_dot_product_attention(queries, keys, values)


# ---- Where to go from here -----------------------------------------------------------
# If your own program and this file disagree, compare the stages in the order of the
# computation. A mistake carries over to later stages: look at the first that differs
# by more than rounding.
#
# A language model repeats self-attention in dozens of layers, each with several
# self-attentions (heads) side by side, all with weight matrices of their own. Their
# results for a word are put end to end, and one more matrix turns them into d_in numbers,
# which are added to the word's inputs; after some more steps, the next layer starts from
# there. From the last layer's numbers for a word, the model guesses the next word. In
# training, that word is there already, and must not be seen. So later words are hidden: a
# query's scores with them are set to -inf, and their shares are 0.
#
# Since attention by itself does not see where a word is, models add numbers for its
# position to its embedding. Newer models take the numbers of each query and key in pairs,
# as points in a plane, and turn each point by an angle that depends on the position.
#
# ======================================================================================
# The tutorial ends here. The code below refuses bad input and prints the running example.
# ======================================================================================


# ---- 6. Bad input --------------------------------------------------------------------
# check_... raises an error if something is wrong. to_... does so, too, and returns what
# it was given, converted: a matrix as new lists of floats. Anything but rows of real
# numbers raises a TypeError; wrong numbers (sizes that do not fit, nan, infinity) raise a
# ValueError. The error names the argument and the place; if a stage overflows, it names
# the stage.


def type_error(place, thing, expected):
    kind = type(thing).__name__
    return TypeError("%s is of type %s, expected %s" % (place, kind, expected))


def to_plain(place, thing):
    """Return an array or a tensor as lists and numbers, anything else as it is."""
    dtype = getattr(thing, "dtype", getattr(thing, "typecode", None))
    if dtype is None:
        return thing
    if getattr(dtype, "kind", "f") not in "biufO":  # numpy's kinds of real numbers
        raise TypeError("%s is of dtype %s, expected real numbers" % (place, dtype))
    try:
        return thing.tolist()
    except Exception as error:  # a tensor without numbers, perhaps
        raise TypeError("%s cannot be read: %s" % (place, error)) from None


def to_list(place, thing, expected):
    if not isinstance(thing, (list, tuple)):
        thing = to_plain(place, thing)
        if not isinstance(thing, (list, tuple)):
            raise type_error(place, thing, expected)
    return list(thing)


def to_float(place, x):
    """Return x as a float; it may be any real number (int, Fraction, Decimal, ...)."""
    if not isinstance(x, (int, float)):
        x = to_plain(place, x)
        if not (hasattr(x, "__float__") and hasattr(x, "__abs__")):  # text has neither
            raise type_error(place, x, "a real number")
    try:
        number = float(x)
    except OverflowError:
        raise ValueError("%s is too large for a float" % place) from None
    except Exception:
        raise type_error(place, x, "a real number") from None
    if number - number != 0.0:  # inf - inf and nan - nan are nan
        raise ValueError("%s is %s, expected a finite number" % (place, number))
    return number


def to_row(place, numbers):
    return [to_float("%s[%d]" % (place, j), x) for j, x in enumerate(numbers)]


def to_matrix(name, rows):
    if type(rows) is not list:
        rows = to_list(name, rows, "rows of numbers")
    matrix = []
    for i, row in enumerate(rows):
        if type(row) is not list:
            row = to_list("%s[%d]" % (name, i), row, "a row of numbers")
        for x in row:
            if type(x) is not float or x - x != 0.0:  # nan or infinite
                row = to_row("%s[%d]" % (name, i), row)
                break
        matrix.append(row[:])
    check_rows(name, matrix)
    return matrix


def to_matrices(*arguments):  # (name, rows, "n", "d"), ...
    """Return the matrices. Sizes with the same name must be equal.

    >>> to_matrices(("a", [(1, 2)], "n", "d"), ("b", [[3], [4]], "d", "p"))
    [[[1.0, 2.0]], [[3.0], [4.0]]]
    >>> to_matrices(("a", [(1, 2)], "n", "d"), ("b", [[3]], "d", "p"))
    Traceback (most recent call last):
    ValueError: a is 1 x 2 but b is 1 x 1: d cannot be both 2 and 1
    """
    matrices = []
    known = {}
    for name, rows, height, width in arguments:
        matrix = to_matrix(name, rows)
        check_size(known, height, len(matrix), name, matrix)
        check_size(known, width, len(matrix[0]), name, matrix)
        matrices.append(matrix)
    return matrices


def check_size(known, size, number, name, matrix):
    """Record the number for this size, or refuse it if a different one is on record."""
    expected, other, m = known.setdefault(size, (number, name, matrix))
    if number != expected:
        shapes = (other, len(m), len(m[0]), name, len(matrix), len(matrix[0]))
        raise ValueError("%s is %d x %d but %s is %d x %d: " % shapes + (
            "%s cannot be both %d and %d" % (size, expected, number)))


def check_product(a, b):
    check_rows("a", a)
    check_rows("b", b)
    if len(a[0]) != len(b):
        check_size({"d": (len(a[0]), "a", a)}, "d", len(b), "b", b)


def check_rows(name, matrix):
    """Refuse a matrix without numbers, or with rows of different lengths."""
    try:
        width = len(matrix[0]) if len(matrix) > 0 else 0
        for row in matrix:
            if len(row) != width:
                raise ValueError("%s[0] has length %d but %s[%d] has length %d" % (
                    name, width, name, matrix.index(row), len(row)))
    except TypeError:  # a vector, perhaps: its numbers have no length
        raise TypeError("%s is not a list of rows of numbers" % name) from None
    if width == 0:
        raise ValueError("%s is empty, expected at least one row of one number" % name)


def check_lengths(name, a, other, b):
    if len(a) != len(b):
        raise ValueError("%s has length %d but %s has length %d" % (
            name, len(a), other, len(b)))


def check_finite(stage, matrix):
    for row in matrix:
        for x in row:
            if x - x != 0.0:  # nan or infinite
                to_matrix("overflow: " + stage, matrix)  # refuses it, and names the place


def check_not_empty(name, numbers):
    if len(numbers) == 0:
        raise ValueError("%s is empty, expected at least one number" % name)


def check_total(total, scores):
    """One of the powers is e^0 = 1, so the total is at least 1 unless a score is bad."""
    if total >= 1.0:
        return
    for i, score in enumerate(scores):
        if not score < float("inf"):
            raise ValueError("scores[%d] is %s, expected a number or -inf" % (i, score))
    raise ValueError("scores are all -inf, expected at least one number")


# ---- 7. The command line -------------------------------------------------------------

STORY = """%s

The query is word %d (counting from 0), %s. It is compared with every word;
its context vector is at the bottom right of each table.

SIMPLIFIED SELF-ATTENTION: words are compared and blended as they are

%s

score: the dot product of the word's numbers with those of %s
share: e^score divided by the sum of all %d such powers (one # is about 2 %%)

%s

TRAINABLE SELF-ATTENTION: each word has a query, a key and a value

%s

query of %s: its numbers @ W_query = %s (key, value: likewise)
score: the dot product of this query with the key; scaled: score / sqrt(%d)

%s

%s

Now read attention.py from the top. --help lists the other words and options."""

HELP = """usage: python3 attention.py [WORD | --all | --json | --help]

WORD     a word of "%s", as the query
         (journey if none is given)
--all    the context vectors of all words
--json   every stage, with all digits""" % " ".join(TOKENS)


def text_column(title, rows, form="%.4f"):  # -> texts
    return [title] + [" ".join([form % x for x in row]) for row in rows]


def table(*columns):  # -> text
    lines = [""] * len(columns[0])
    for texts in columns:
        width = max([len(text) for text in texts])
        for i in range(len(lines)):
            text = texts[i] if i < len(texts) else ""
            space = " " * (width - len(text))
            left = texts[0] in ("word", "")  # words and bars
            lines[i] += "  " + (text + space if left else space + text)
    return "\n".join([line.rstrip() for line in lines])


def ledger(result, q):  # -> text
    """Return the table of query q: a row for each word, a column for each step."""
    shares = result.attention_weights[q]
    parts = [[share * x for x in row] for share, row in zip(shares, result.values)]
    parts.append(result.context_vectors[q])
    words = ["word"] + TOKENS + ["total"]
    scores = text_column("score", transpose([result.attention_scores[q]]))
    taken = text_column("share", transpose([shares + [dot(shares, [1.0] * len(shares))]]))
    if result.keys == result.values:  # both are the inputs
        bars = [""] + ["#" * int(50 * share + 0.5) for share in shares]
        return table(
            words, text_column("its numbers", result.keys, "%.2f"), scores, taken, bars,
            text_column("share * its numbers", parts))
    scaled = text_column("scaled", transpose([result.scaled_scores[q]]))
    return table(
        words, text_column("key", result.keys), scores, scaled, taken,
        text_column("value", result.values), text_column("share * value", parts))


def read_aloud(result, q):  # -> text
    shares = result.attention_weights[q]
    own = int(100 * shares[q] + 0.5)
    most, k = max([(share, k) for k, share in enumerate(shares) if k != q])
    text = "%s takes %d %% from itself, %d %% from the others (%s gives most: %d %%)."
    return text % (TOKENS[q], own, 100 - own, TOKENS[k], int(100 * most + 0.5))


def complain(text):  # -> the exit status
    import sys
    try:
        sys.stderr.write("%s\n" % text)
    except (AttributeError, OSError):
        pass  # nowhere to say it
    return 2


def main(*args):  # in a notebook: main("starts")
    simplified = simplified_self_attention(INPUTS)
    trainable = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    matrices = (("W_query", W_QUERY), ("W_key", W_KEY), ("W_value", W_VALUE))
    words = [token.lower() for token in TOKENS]
    choice = " ".join(args).lower() if args else "journey"
    if choice in words:
        q = words.index(choice)
        print(STORY % (
            " ".join(TOKENS), q, TOKENS[q], ledger(simplified, q), TOKENS[q], len(TOKENS),
            read_aloud(simplified, q),
            table(*[text_column(name, W, "%.8f") for name, W in matrices]),
            TOKENS[q], text_column("", [trainable.queries[q]])[1],
            len(W_KEY[0]), ledger(trainable, q), read_aloud(trainable, q)))
    elif choice == "--all":
        print(table(
            ["word"] + TOKENS, text_column("simplified", simplified.context_vectors),
            text_column("trainable", trainable.context_vectors)))
    elif choice == "--json":
        import json
        print(json.dumps(dict(
            matrices, tokens=TOKENS, inputs=INPUTS,
            simplified=dict(zip(STAGES, simplified)),
            trainable=dict(zip(STAGES, trainable)))))
    elif choice == "--help":
        print(HELP)
    else:
        expected = " | ".join(TOKENS + ["--all", "--json", "--help"])
        return complain("attention.py: %r: expected %s" % (" ".join(args), expected))


def run(command, *args):  # -> the exit status; None, too, says that all is well
    """Call the command. If its reader has gone, end quietly; if it fails, in one line."""
    import sys
    try:
        status = command(*args)
        if hasattr(sys.stdout, "flush"):
            sys.stdout.flush()
        return status
    except OSError as error:
        import errno
        import os
        # At exit, Python prints what is left in its buffer, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A reader who has seen enough (`head`) is no failure. EINVAL: EPIPE on Windows.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            return complain("cannot print: %s" % error)


def from_shell():
    import sys
    status = run(main, *sys.argv[1:])
    if status:
        raise SystemExit(status)


if __name__ == "__main__":
    import sys
    if not hasattr(sys, "ps1") or "__file__" in globals():  # not pasted into a session
        from_shell()
