"""Self-attention by hand: lists, floats and loops. Read this file from top to bottom.

How much should a word take from each word of its sentence? What "journey" means in "Your
journey starts with one step" depends on the other five words. Self-attention gives each
word a share of every word, and blends the words in these shares. The whole computation,
with the terms explained below:

    queries           = inputs @ W_query               [n, d_k]  what each word looks for
    keys              = inputs @ W_key                 [n, d_k]  what it can be found by
    values            = inputs @ W_value               [n, d_v]  what it hands over
    attention_scores  = queries @ keys^T               [n, n]    how well they match
    scaled_scores     = attention_scores / sqrt(d_k)   [n, n]    so that d_k matters less
    attention_weights = softmax of each row            [n, n]    shares that add up to 1
    context_vectors   = attention_weights @ values     [n, d_v]  values, blended

The terms:

    token               a word (large models also have parts of words as tokens)
    embedding, input    the list of numbers that stands for a word
    query, key, value   a word's three roles: it asks, it is found, it hands over
    attention score     how well a query matches a key: one number, of any size
    attention weight    the share that a query takes from a word: a number from 0 to 1
    weight matrix       W_query, W_key or W_value: a table of numbers, set by training
    context vector      a word's new list of numbers: the values of all words, blended.
                        In a language model the next layer goes on with it, instead of
                        with the embedding.
    d_in, d_k, d_v      how many numbers an input, a key and a value have (a query: d_k)

How it is written:

    [n, d]              the shape of a matrix: a list of n rows, each a list of d floats.
                        Of inputs, queries, keys and values, each row is a word.
    a @ b, a^T          matrix product and transpose: matmul(a, b) and transpose(a) below
    x @ W               to project: the inputs x, one in each row, times a weight matrix
                        W with d_in rows
    scores[1][4]        query 1 and key 4: query = row, key = column. Everything is
                        counted from 0, as Python does: "journey" is word 1.

On your own numbers (lists, tuples, arrays or tensors of any real numbers):

    from attention import self_attention
    result = self_attention(inputs, W_query, W_key, W_value)
    result.context_vectors, result.attention_weights  # and the other stages

Errors, the same for all attention functions: a TypeError for what is not rows of
numbers, a ValueError for numbers that are wrong (shapes that do not fit, nan, infinity),
with the name and the place. A stage whose numbers outgrow a float is refused by its name.
The arithmetic of part 2 takes lists of floats as they are and checks shapes. Arguments
are never changed, and what is returned is new.
"""

from collections import namedtuple
from math import exp  # e^x: the only arithmetic that is borrowed


# ---- 1. The running example ----------------------------------------------------------
# The sentence, its embeddings and all the numbers below are those of S. Raschka's book
# "Build a Large Language Model (From Scratch)", chapter 3. Each word has become d_in = 3
# numbers. They are made up, and no single one means anything; a language model learns
# its own, hundreds for each word.

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]

INPUTS = [
    [0.43, 0.15, 0.89],  # Your
    [0.55, 0.87, 0.66],  # journey
    [0.57, 0.85, 0.64],  # starts
    [0.22, 0.58, 0.33],  # with
    [0.77, 0.25, 0.10],  # one
    [0.05, 0.80, 0.55],  # step
]

# Three weight matrices, with d_k = d_v = 2. They are random: nothing has trained them. So
# what comes out of them in part 4 is computed right, but means nothing yet. (The book
# draws them with PyTorch: torch.manual_seed(123), then torch.rand(3, 2) three times. Here
# they have eight decimals: with four, the results would differ from the book's.)

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


# ---- 2. Arithmetic by hand -----------------------------------------------------------
# These five take and return floats and lists of floats. (Names with "check" guard the
# input, here and below: check_... refuses what is bad, and checked(...) hands its input
# back as new lists of floats. Both stand in part 6; read on without them.)


def dot(a, b):  # [d], [d] -> one number
    """Return the dot product, a[0]*b[0] + a[1]*b[1] + ... It tells how well two lists
    match: a place where both numbers have the same sign adds to it, a place where the
    signs differ takes away. (Larger numbers make it larger, too: so a word may match
    another one with larger numbers better than itself.)
    >>> dot([1.0, 2.0], [3.0, 4.0])
    11.0
    >>> dot([1.0, -2.0], [3.0, 4.0])
    -5.0
    """
    if len(a) != len(b):
        raise ValueError("a has %d numbers but b has %d" % (len(a), len(b)))
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def transpose(matrix):  # [n, d] -> [d, n]
    """Return the columns of the matrix as rows.
    >>> transpose([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    check_rows("matrix", matrix)
    columns = []
    for j in range(len(matrix[0])):
        columns.append([row[j] for row in matrix])
    return columns


def matmul(a, b):  # [n, m] @ [m, p] -> [n, p]
    """Return a @ b: entry [i][j] is the dot product of row i of a and column j of b.
    Here, 15 = 1*3 + 2*6, 18 = 1*4 + 2*7 and 21 = 1*5 + 2*8:
    >>> matmul([[1.0, 2.0]], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    [[15.0, 18.0, 21.0]]
    """
    check_sizes(("a", a, "n", "m"), ("b", b, "m", "p"))
    columns = transpose(b)
    places = range(len(b))
    product = []
    for row in a:
        entries = []
        for column in columns:
            total = 0.0
            for k in places:  # dot(row, column), written out: it is faster
                total += row[k] * column[k]
            entries.append(total)
        product.append(entries)
    return product


def sqrt(x):
    """Return the square root of x by Heron's method: if a guess is above the root, then
    x / guess is below it, and halfway between the two is a better guess.
    >>> sqrt(9.0)
    3.0
    """
    x = to_float("x", x)
    if x < 0.0:
        raise ValueError("x is %s, expected a number from 0 up" % x)
    if x == 0.0:
        return 0.0
    guess = max(1.0, x)  # not below the root: where x < 1, the root of x is below 1
    better = (guess + x / guess) / 2
    while better < guess:  # it falls until rounding stops it
        guess = better
        better = (guess + x / guess) / 2
    return guess


def softmax(scores):  # [n] -> [n]
    """Return shares that add up to 1: each e^score, divided by the sum of all of them.
    (Scores divided by their sum would not do: some may be below 0, and e^score never is.)
    What counts is how far scores are apart: e^0 = 1 and e^1.0986123 = 3 give 1/4 and 3/4.
    >>> [round(share, 4) for share in softmax([0.0, 1.0986123])]
    [0.25, 0.75]
    """
    if len(scores) == 0:
        raise ValueError("scores is empty, expected at least one score")
    # e^1000 is too large for a float. With the largest score subtracted from all of them,
    # no power exceeds e^0 = 1. All powers are smaller by the same factor, which makes no
    # difference to the shares. (A score of -inf gets the share 0: this hides a word.)
    largest = max(scores)
    powers = []
    total = 0.0
    for score in scores:
        power = exp(score - largest)
        powers.append(power)
        total += power
    if not total >= 1.0:  # e^0 = 1 is part of it, unless a score was nan or inf
        refuse_scores(scores)
    return [power / total for power in powers]


# What the attention functions return: every stage, in the order of the computation. The
# last, context_vectors, is the result.
Attention = namedtuple("Attention", [
    "queries", "keys", "values", "attention_scores",
    "scaled_scores", "attention_weights", "context_vectors"])


# ---- 3. Simplified self-attention ----------------------------------------------------
# No weight matrices yet: the inputs themselves are compared and blended, in three steps.
#
#     attention scores     compare: the dot product of the query with each input
#     attention weights    share out: softmax turns the scores into shares of 1
#     context vector       blend: each input times its attention weight, added up


def simplified_self_attention(inputs):  # [n, d_in] -> Attention
    """Let each word in turn be the query. First "journey" alone, step by step. Scores:

    >>> query = INPUTS[1]
    >>> attention_scores = [dot(query, x) for x in INPUTS]
    >>> [round(score, 4) for score in attention_scores]
    [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865]

    Six attention weights: it takes 14 % from "Your", 24 % from itself, and so on.

    >>> attention_weights = softmax(attention_scores)
    >>> [round(weight, 4) for weight in attention_weights]
    [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581]

    The blend, which starts from nothing and adds one word after the other:

    >>> context_vector = [0.0, 0.0, 0.0]
    >>> for weight, x in zip(attention_weights, INPUTS):
    ...     for j in range(3):
    ...         context_vector[j] += weight * x[j]
    >>> [round(number, 4) for number in context_vector]
    [0.4419, 0.6515, 0.5683]

    All six words at once take two matrix products: row 1 of inputs @ inputs^T is the six
    scores of query 1, and row 1 of attention_weights @ inputs is its blend.

    >>> result = simplified_self_attention(INPUTS)
    >>> result.attention_scores[1] == attention_scores
    True
    >>> result.context_vectors[1] == context_vector
    True

    (Words in another order would get the same context vectors: attention does not see
    where a word stands. Language models add that to the embeddings.)
    """
    inputs = checked(("inputs", inputs, "n", "d_in"))[0]
    attention_scores = matmul(inputs, transpose(inputs))
    check_finite("attention_scores", attention_scores)
    attention_weights = [softmax(row) for row in attention_scores]
    context_vectors = matmul(attention_weights, inputs)
    return Attention(
        queries=[list(row) for row in inputs],  # a copy: nothing is projected
        keys=[list(row) for row in inputs],
        values=inputs,
        attention_scores=attention_scores,
        scaled_scores=[list(row) for row in attention_scores],  # nothing is scaled
        attention_weights=attention_weights,
        context_vectors=context_vectors)


# ---- 4. Trainable self-attention -----------------------------------------------------
# In part 3, how well two words match depends on their embeddings alone, and each word is
# compared, found and blended as the same list of numbers. Now each word gets three lists
# for its three roles, as in a library:
#
#     query    what this word looks for           what you ask for
#     key      what this word can be found by     the title on the spine of each book
#     value    what it hands over when found      what is in the book
#
# Each input is projected three times: to its query, x @ W_query, its key, x @ W_key, and
# its value, x @ W_value. What a good query is, nobody says: training finds the matrices.
#
# So "weight" has two meanings. Keep them apart:
#
#     weight matrices      are learned. In training, a language model guesses the next
#                          word of many texts, and all its weight matrices are changed a
#                          little, so that it guesses better. After that they stay the
#                          same, for every word of every sentence.
#     attention weights    are computed, anew for each query, from the words that are
#                          there. Training never sets them, and the model keeps none.
#
# Why the scores are divided by sqrt(d_k): a dot product of more numbers adds up more
# products, and so gets further away from 0. Take vectors of d_k numbers, each 1 or -1.
# The typical size of their dot products (the root of the mean of the squares) is
#
#     d_k               4     16     64
#     typical size      2      4      8     = sqrt(d_k)
#
# (For d_k = 4, there are 16 such vectors. The dot products of one with all 16 are 6 times
# 0, 8 times 2 or -2, twice 4 or -4. The mean of the squares is (8*4 + 2*16) / 16 = 4, and
# its root is 2.) Scores that are far apart make softmax give nearly all to one key: of
# [1, 0], it makes 0.73 and 0.27; of [8, 0], 0.9997 and 0.0003. There, changing a score a
# little changes next to nothing. But training works by such little changes: it tries in
# which direction they help. Divided by sqrt(d_k), these scores have the typical size 1 at
# any width.


def scaled_dot_product_attention(queries, keys, values):
    # [m, d_k], [n, d_k], [n, d_v] -> Attention
    """Compare m queries with n keys, and blend the n values for each query. Here two keys
    match one query equally well: half from each value, and 3/2 + 5/2 = 4.
    >>> result = scaled_dot_product_attention([[0.0]], [[1.0], [2.0]], [[3.0], [5.0]])
    >>> result.attention_weights, result.context_vectors
    ([[0.5, 0.5]], [[4.0]])
    """
    queries, keys, values = checked(
        ("queries", queries, "m", "d_k"),
        ("keys", keys, "n", "d_k"),
        ("values", values, "n", "d_v"))
    root = sqrt(len(keys[0]))
    attention_scores = matmul(queries, transpose(keys))
    check_finite("attention_scores", attention_scores)
    scaled_scores = [[score / root for score in row] for row in attention_scores]
    attention_weights = [softmax(row) for row in scaled_scores]
    context_vectors = matmul(attention_weights, values)
    check_finite("context_vectors", context_vectors)
    return Attention(
        queries=queries,
        keys=keys,
        values=values,
        attention_scores=attention_scores,
        scaled_scores=scaled_scores,
        attention_weights=attention_weights,
        context_vectors=context_vectors)


def self_attention(inputs, W_query, W_key, W_value):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    """Project the inputs to queries, keys and values, and compare and blend these. First
    "journey" alone: one query, but the keys and the values of all six words.

    >>> query = matmul([INPUTS[1]], W_QUERY)[0]  # a matrix of one row, and that row
    >>> keys = matmul(INPUTS, W_KEY)
    >>> values = matmul(INPUTS, W_VALUE)
    >>> [round(number, 4) for number in query]
    [0.4306, 1.4551]
    >>> attention_scores = [dot(query, key) for key in keys]
    >>> [round(score, 4) for score in attention_scores]
    [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.544]

    All six scores at once are query @ keys^T. A quick check of one of them: entry 1 must
    be the dot product with key 1, 1.8524. (With keys[2] it would be 1.8111, no error.)

    >>> scores = matmul([query], transpose(keys))[0]
    >>> scores[1] == dot(query, keys[1])
    True

    Scale, share out, blend the values:

    >>> scaled_scores = [score / sqrt(2) for score in attention_scores]
    >>> [round(score, 4) for score in scaled_scores]
    [0.8984, 1.3098, 1.2806, 0.7633, 0.3944, 1.0918]
    >>> attention_weights = softmax(scaled_scores)
    >>> [round(weight, 4) for weight in attention_weights]
    [0.15, 0.2264, 0.2199, 0.1311, 0.0906, 0.182]
    >>> context_vector = [0.0, 0.0]
    >>> for weight, value in zip(attention_weights, values):
    ...     for j in range(2):
    ...         context_vector[j] += weight * value[j]
    >>> [round(number, 4) for number in context_vector]
    [0.3061, 0.821]

    And all six words at once:

    >>> result = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    >>> result.context_vectors[1] == context_vector
    True
    """
    inputs, W_query, W_key, W_value = checked(
        ("inputs", inputs, "n", "d_in"),
        ("W_query", W_query, "d_in", "d_k"),
        ("W_key", W_key, "d_in", "d_k"),
        ("W_value", W_value, "d_in", "d_v"))
    queries = matmul(inputs, W_query)
    keys = matmul(inputs, W_key)
    values = matmul(inputs, W_value)
    return scaled_dot_product_attention(queries, keys, values)


# ---- 5. Traditional attention, or cross-attention ------------------------------------
# Attention between two sequences of words is older than self-attention.
# A translator looks back at the sentence it reads (the sources) for each word that it
# writes (the targets). Queries come from the targets, keys and values from the sources.
# The rest is the same: "self" only says that both are one and the same sequence.


def cross_attention(targets, sources, W_query, W_key, W_value):
    # [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    """Make m queries from targets, n keys and values from sources, compare and blend.
    Here the two sources are equal, so that the target takes half from each:
    >>> one = [[1.0]]
    >>> cross_attention([[5.0]], [[2.0], [2.0]], one, one, one).attention_weights
    [[0.5, 0.5]]
    """
    targets, sources, W_query, W_key, W_value = checked(
        ("targets", targets, "m", "d_t"),
        ("sources", sources, "n", "d_in"),
        ("W_query", W_query, "d_t", "d_k"),
        ("W_key", W_key, "d_in", "d_k"),
        ("W_value", W_value, "d_in", "d_v"))
    queries = matmul(targets, W_query)
    keys = matmul(sources, W_key)
    values = matmul(sources, W_value)
    return scaled_dot_product_attention(queries, keys, values)


# ======================================================================================
# The tutorial ends here: this was all of self-attention. Below, bad input is kept out
# (checked, check_...), and the running example is printed.
# ======================================================================================


# ---- 6. Bad input --------------------------------------------------------------------


def raise_type_error(place, thing, expected):
    kind = type(thing).__name__
    raise TypeError("%s is of type %s, expected %s" % (place, kind, expected)) from None


def unpacked(place, thing):
    """Return an array's or a tensor's plain lists and numbers, anything else as it is."""
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
        thing = unpacked(place, thing)
        if not isinstance(thing, (list, tuple)):
            raise_type_error(place, thing, expected)
    return list(thing)


def to_float(place, x):
    """Return x as a float; it may be any real number (int, Fraction, Decimal, ...)."""
    if not isinstance(x, (int, float)):
        x = unpacked(place, x)
        if not (hasattr(x, "__float__") and hasattr(x, "__abs__")):  # as text has not
            raise_type_error(place, x, "a real number")
    try:
        number = float(x)
    except OverflowError:
        raise ValueError("%s is too large for a float" % place) from None
    except Exception:
        raise_type_error(place, x, "a real number")
    if number - number != 0.0:  # inf - inf and nan - nan are nan
        raise ValueError("%s is %s, expected a finite number" % (place, number))
    return number


def to_row(place, numbers):
    return [to_float("%s[%d]" % (place, j), x) for j, x in enumerate(numbers)]


def to_matrix(name, rows):
    """Return rows as new lists of finite floats."""
    matrix = to_list(name, rows, "rows of numbers")
    for i, row in enumerate(matrix):
        if type(row) is not list:
            row = to_list("%s[%d]" % (name, i), row, "a row of numbers")
        for x in row:
            if type(x) is not float or x - x != 0.0:  # nan or infinite
                row = to_row("%s[%d]" % (name, i), row)
                break
        matrix[i] = row[:]
    return matrix


def check_finite(stage, matrix):
    for row in matrix:
        for x in row:
            if x - x != 0.0:  # nan or infinite
                to_matrix("overflow: " + stage, matrix)  # refuses it, with the place


def refuse_rows(name, matrix):
    for i, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise ValueError("%s is ragged: %s[0] has %d numbers but %s[%d] has %d" % (
                name, name, len(matrix[0]), name, i, len(row)))
    raise ValueError("%s is empty, expected at least one row of one number" % name)


def check_rows(name, matrix):
    """A matrix has at least one number, and as many in each row."""
    try:
        width = len(matrix[0]) if len(matrix) > 0 else 0
        even = width > 0
        for row in matrix:
            if len(row) != width:
                even = False
    except TypeError:  # a vector, perhaps: its numbers have no length
        raise TypeError("%s is not a list of rows of numbers" % name) from None
    if not even:
        refuse_rows(name, matrix)


def refuse_sizes(size, arguments):
    found = []
    for name, matrix, height, width in arguments:
        shape = "%s is %d x %d" % (name, len(matrix), len(matrix[0]))
        if height == size:
            found.append((len(matrix), shape))
        if width == size:
            found.append((len(matrix[0]), shape))
    expected, first = found[0]
    for number, other in found:
        if number != expected:
            raise ValueError("%s but %s: %s cannot be both %d and %d" % (
                first, other, size, expected, number))


def check_sizes(*arguments):  # (name, matrix, "n", "d"), ...
    """A size is the same number wherever it has the same name."""
    known = {}
    for name, matrix, height, width in arguments:
        check_rows(name, matrix)
        n = len(matrix)
        d = len(matrix[0])
        if known.setdefault(height, n) != n:
            refuse_sizes(height, arguments)
        if known.setdefault(width, d) != d:
            refuse_sizes(width, arguments)


def checked(*arguments):  # (name, matrix, "n", "d"), ... -> new matrices
    """Return the matrices as new lists of floats whose sizes fit.
    >>> checked(("a", [(1, 2)], "n", "d"), ("b", [[3], [4]], "d", "p"))
    [[[1.0, 2.0]], [[3.0], [4.0]]]
    >>> checked(("a", [(1, 2)], "n", "d"), ("b", [[3]], "d", "p"))
    Traceback (most recent call last):
    ValueError: a is 1 x 2 but b is 1 x 1: d cannot be both 2 and 1
    """
    copies = []
    for name, matrix, height, width in arguments:
        copies.append((name, to_matrix(name, matrix), height, width))
    check_sizes(*copies)
    return [copy[1] for copy in copies]


def refuse_scores(scores):
    for i, score in enumerate(scores):
        if not score < float("inf"):
            raise ValueError("scores[%d] is %s, expected a number or -inf" % (i, score))
    raise ValueError("scores are all -inf, expected at least one number")


# ---- 7. The command line -------------------------------------------------------------

STAGES = (
    "queries", "keys", "values", "attention_scores",
    "scaled_scores", "attention_weights", "context_vectors")

CHOICES = " | ".join(TOKENS + ["--json", "--help"])


def print_numbers(label, numbers):
    print("  %-8s" % label + "".join("%9.4f" % x for x in numbers))


def print_scores(scores):
    print(" " * 10 + "".join("%9s" % token for token in TOKENS))
    print_numbers("", scores)


def print_matrix(matrix):
    for token, row in zip(TOKENS, matrix):
        print_numbers(token, row)


def print_shares(attention_weights):
    for token, weight in zip(TOKENS, attention_weights):
        bar = "#" * int(50 * weight + 0.5)
        print("  %-8s%9.4f  %s" % (token, weight, bar))


def read_aloud(q, attention_weights):
    """Say how much the query takes from whom, the largest share first."""
    order = sorted(range(len(TOKENS)), key=lambda k: -attention_weights[k])
    parts = []
    for k in order:
        name = "itself" if k == q else TOKENS[k]
        parts.append("%.0f %% from %s" % (100 * attention_weights[k], name))
    print("%s takes %s," % (TOKENS[q], ", ".join(parts[:3])))
    print("%s and %s." % (", ".join(parts[3:-1]), parts[-1]))


def print_story(q):
    n = len(TOKENS)
    print(" ".join(TOKENS))
    print()
    print("The query is word %d (counted from 0), %s. It is compared with each word," % (
        q, TOKENS[q]))
    print("itself included: %d attention scores, from these pairs (query, key):" % n)
    print("  " + " ".join("(%d,%d)" % (q, k) for k in range(n)))
    print()
    print("inputs: each word has become an embedding, here of 3 numbers.")
    print_matrix(INPUTS)
    print()
    print("=== SIMPLIFIED SELF-ATTENTION: the inputs are compared and blended ===")
    print()
    simplified = simplified_self_attention(INPUTS)
    print("attention_scores: the dot product of the query with each input.")
    print_scores(simplified.attention_scores[q])
    print()
    print("attention_weights: softmax made shares of them, which add up to 1.")
    print_shares(simplified.attention_weights[q])
    print()
    read_aloud(q, simplified.attention_weights[q])
    print()
    print("context_vectors: the inputs times their attention weights, added up.")
    print_numbers("", simplified.context_vectors[q])
    print()
    print("=== TRAINABLE SELF-ATTENTION: weight matrices (random here, not trained) ===")
    print()
    trainable = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    print("queries: the query word's input, projected by W_query.")
    print_numbers("", trainable.queries[q])
    print()
    print("keys: each input, projected by W_key.")
    print_matrix(trainable.keys)
    print()
    print("values: each input, projected by W_value.")
    print_matrix(trainable.values)
    print()
    print("attention_scores: the dot product of the query with each key.")
    print_scores(trainable.attention_scores[q])
    print()
    print("scaled_scores: divided by the square root of d_k = 2, the width of a key.")
    print_scores(trainable.scaled_scores[q])
    print()
    print("attention_weights: softmax made shares of them, which add up to 1.")
    print_shares(trainable.attention_weights[q])
    print()
    read_aloud(q, trainable.attention_weights[q])
    print()
    print("context_vectors: the values times their attention weights, added up.")
    print_numbers("", trainable.context_vectors[q])
    print()
    print("=== ALL CONTEXT VECTORS: each word in turn was the query ===")
    print()
    print("simplified: blends of inputs, 3 numbers.")
    print_matrix(simplified.context_vectors)
    print()
    print("trainable: blends of values, 2 numbers.")
    print_matrix(trainable.context_vectors)


def print_json():
    import json
    simplified = simplified_self_attention(INPUTS)
    trainable = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    print(json.dumps({
        "tokens": TOKENS,
        "inputs": INPUTS,
        "W_query": W_QUERY,
        "W_key": W_KEY,
        "W_value": W_VALUE,
        "simplified": dict(zip(STAGES, simplified)),
        "trainable": dict(zip(STAGES, trainable))}))


def complain(text):  # -> the exit status
    import sys
    if sys.stderr is not None:
        print("attention.py: " + text, file=sys.stderr)
    return 2


def command(args):  # -> the exit status
    words = [token.lower() for token in TOKENS]
    if not args:
        args = ["journey"]
    if len(args) == 1 and args[0].lower() in words:
        print_story(words.index(args[0].lower()))
    elif args == ["--json"]:
        print_json()
    elif args == ["--help"]:
        print("usage: python3 attention.py [CHOICE]")
        print("CHOICE: " + CHOICES)
        print("The query is journey if none is named; --json prints every stage in full.")
    else:
        return complain("%r: expected %s" % (" ".join(args), CHOICES))
    return 0


def main(args=None):  # -> the exit status
    import sys
    try:
        status = command(sys.argv[1:] if args is None else args)
        if hasattr(sys.stdout, "flush"):
            sys.stdout.flush()
        return status
    except OSError as error:
        import errno
        import os
        # Python writes what is left when it ends, and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno in (errno.EPIPE, errno.EINVAL):  # EINVAL: EPIPE on Windows
            return 0  # the reader, `head` for instance, has seen enough
        return complain("cannot print: %s" % error)
    except KeyboardInterrupt:
        complain("interrupted")
        return 130


if __name__ == "__main__":
    import sys
    pasted = hasattr(sys, "ps1") and "__file__" not in globals()
    if not pasted:  # into a notebook or an interactive session: only define the names
        status = main()
        if status != 0:
            raise SystemExit(status)
