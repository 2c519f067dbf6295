"""Self-attention by hand: lists, floats and loops. Read this file from top to bottom.

How much should a word take from each word of its sentence? What "journey" means in "Your
journey starts with one step" depends on the other five words. Self-attention gives each word
a share of every word, and blends the words in these shares. This is the whole computation:

    queries           = inputs @ W_query               what each word looks for
    keys              = inputs @ W_key                 what each word can be found by
    values            = inputs @ W_value               what each word hands over
    attention_scores  = queries @ keys^T               how well each query matches each key
    scaled_scores     = attention_scores / sqrt(d_k)   long keys must not score higher
    attention_weights = softmax of each row            scores become shares of 1
    context_vectors   = attention_weights @ values     the values, blended in these shares

The words for it:

    token               a word; large models also cut long words into several tokens
    embedding, input    the list of numbers that stands for a word
    query, key, value   the three roles of a word: it asks, it is found, it hands over
    attention score     how well a query matches a key: one number, of any size
    attention weight    the share that a query takes from a word: from 0 to 1
    weight matrix       W_query, W_key or W_value: numbers that training has found
    context vector      a word's new list of numbers: the blend of all words' values
    d_in, d_k, d_v      how many numbers an input, a key (or query) and a value have

How it is written:

    [n, d]              a matrix: a list of n rows, each a list of d floats; a row is a word
    a @ b, a^T          matrix product and transpose: matmul(a, b) and transpose(a) below
    scores[1][4]        query 1 and key 4: a row for each query, a column for each key, and
                        everything is counted from 0, as Python does: journey is word 1

Errors, once for all functions: what is not made of numbers is a TypeError, and numbers that
are wrong (shapes that do not fit, nan, infinity, overflow) are a ValueError, with the name
and the place. Arguments are never changed; what is returned is new.
"""

from collections import namedtuple
from math import exp  # e^x: the only arithmetic that is borrowed


# ---- 1. The running example --------------------------------------------------------------
# The sentence, its embeddings and the numbers they lead to are those of chapter 3 of
# S. Raschka's book "Build a Large Language Model (From Scratch)". Each word has become
# d_in = 3 numbers. They are made up: a language model finds its own, hundreds for a word.

TOKENS = ["Your", "journey", "starts", "with", "one", "step"]

INPUTS = [
    [0.43, 0.15, 0.89],  # Your
    [0.55, 0.87, 0.66],  # journey
    [0.57, 0.85, 0.64],  # starts
    [0.22, 0.58, 0.33],  # with
    [0.77, 0.25, 0.10],  # one
    [0.05, 0.80, 0.55],  # step
]

# Three weight matrices, [d_in, d_k], [d_in, d_k] and [d_in, d_v], with d_k = d_v = 2. They
# are random and not trained, so the results of part 4 are right, but mean nothing yet.
# (torch.rand(3, 2) three times, after torch.manual_seed(123). With four decimals only, the
# scores would not come out as in the book.)

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


# ---- 2. Arithmetic by hand ---------------------------------------------------------------
# These five take and return floats and lists of floats, and nothing else.


def dot(a, b):  # [d], [d] -> one number
    """Return the dot product: a[0]*b[0] + a[1]*b[1] + ... It measures how well two lists
    match: where both numbers are large, or both far below 0, it grows; where their signs
    differ, it shrinks. (It also grows with the numbers themselves.)
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
            for k in places:
                total += row[k] * column[k]
            entries.append(total)
        product.append(entries)
    return product


def sqrt(x):
    """Return the square root of x, found by Heron's method: if guess is above the root, then
    x / guess is below it, and their mean is a better guess.
    >>> sqrt(9.0)
    3.0
    """
    x = to_float("x", x)
    if x < 0.0:
        raise ValueError("x is %s, expected a number from 0 up" % x)
    if x == 0.0:
        return 0.0
    guess = max(1.0, x)  # never below the root
    better = (guess + x / guess) / 2
    while better < guess:  # it falls until rounding stops it
        guess = better
        better = (guess + x / guess) / 2
    return guess


def softmax(scores):  # [n] -> [n]
    """Return shares of 1: each e^score, divided by the sum of all e^score. A higher score
    gets a larger share, and none is negative. With e^0 = 1 and e^1.0986123 = 3:
    >>> [round(share, 4) for share in softmax([0.0, 1.0986123])]
    [0.25, 0.75]
    """
    if len(scores) == 0:
        raise ValueError("scores is empty, expected at least one score")
    # e^1000 is too large for a float. With the largest score subtracted from all, no power
    # exceeds e^0 = 1; all are smaller by the same factor, which cancels in the division.
    largest = max(scores)
    powers = [exp(score - largest) for score in scores]
    total = 0.0
    for power in powers:
        total += power
    if not total >= 1.0:  # the largest score adds e^0 = 1: without it, total is nan
        refuse_scores(scores)
    return [power / total for power in powers]


# What the attention functions return: every stage, in the order of the computation.
Attention = namedtuple("Attention", [
    "queries", "keys", "values", "attention_scores",
    "scaled_scores", "attention_weights", "context_vectors"])


# ---- 3. Simplified self-attention --------------------------------------------------------
# No weight matrices yet: the inputs themselves are compared and blended, in three steps.
#
#     attention scores     compare the query with each input: one dot product for each
#     attention weights    make the scores shares of 1: softmax
#     context vector       blend the inputs: each times its attention weight, added up


def simplified_self_attention(inputs):  # [n, d_in] -> context_vectors [n, d_in]
    """Let each word in turn be the query. First "journey" alone, step by step: six scores,

    >>> query = INPUTS[1]
    >>> attention_scores = [dot(query, x) for x in INPUTS]
    >>> [round(score, 4) for score in attention_scores]
    [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865]

    six attention weights, which say how much it takes from each word (24 % from itself),

    >>> attention_weights = softmax(attention_scores)
    >>> [round(weight, 4) for weight in attention_weights]
    [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581]

    and the blend:

    >>> context_vector = [0.0, 0.0, 0.0]
    >>> for weight, x in zip(attention_weights, INPUTS):
    ...     for j in range(3):
    ...         context_vector[j] += weight * x[j]
    >>> [round(number, 4) for number in context_vector]
    [0.4419, 0.6515, 0.5683]

    All six words at once are two matrix products. In inputs @ inputs^T, row 1 is the scores
    of query 1; in attention_weights @ inputs, row 1 is the inputs, blended for query 1.

    >>> result = simplified_self_attention(INPUTS)
    >>> result.attention_scores[1] == attention_scores
    True
    >>> result.context_vectors[1] == context_vector
    True
    """
    [inputs] = checked(("inputs", inputs, "n", "d_in"))
    attention_scores = matmul(inputs, transpose(inputs))
    check_finite("attention_scores", attention_scores)
    attention_weights = [softmax(row) for row in attention_scores]
    context_vectors = matmul(attention_weights, inputs)
    check_finite("context_vectors", context_vectors)
    return Attention(
        queries=[list(row) for row in inputs],  # not projected: copies
        keys=[list(row) for row in inputs],
        values=inputs,
        attention_scores=attention_scores,
        scaled_scores=[list(row) for row in attention_scores],  # not scaled
        attention_weights=attention_weights,
        context_vectors=context_vectors)


# ---- 4. Trainable self-attention ---------------------------------------------------------
# Above, nothing can be learned: two words always match as their embeddings do. So let each
# word play three roles, with numbers of its own for each, as when you search a library:
#
#     query    what this word looks for            (what you type)
#     key      what it can be found by             (the title that is compared with it)
#     value    what it hands over when found       (the book)
#
# A word's query is its input times a weight matrix, x @ W_query; key and value likewise.
#
# "Weight" now has two meanings. Keep them apart:
#
#     weight matrices      parameters. Training changes their numbers bit by bit, until the
#                          model makes fewer mistakes; from then on they are the same for
#                          every word of every sentence.
#     attention weights    results. They are computed anew for each query from the words that
#                          are there, and are not stored anywhere. Training never sets them.
#
# Why scores are divided by sqrt(d_k): a dot product adds up d_k products, and the more it
# adds up, the further from 0 it gets. The typical size (the root of the mean square) of the
# dot products of random keys and queries grows like sqrt(d_k); divided by it, it is 1:
#
#     d_k              4      16      64
#     typical size     2       4       8
#
# Softmax of 1 and -1 is 0.88 and 0.12; of 8 and -8, it is 0.9999999 and 0.0000001. There one
# word takes all, a small change of the scores changes nothing, and training stands still.


def scaled_dot_product_attention(queries, keys, values):
    # [m, d_k], [n, d_k], [n, d_v] -> context_vectors [m, d_v]
    """Compare m queries with n keys, and blend the n values for each query. Two keys that
    match the query equally well get half of it each, and (3 + 5) / 2 is 4:
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
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [n, d_v]
    """Project the inputs into three roles, and let the words attend to each other. First
    "journey" alone again. One query, but the keys and the values of all six words:

    >>> [query] = matmul([INPUTS[1]], W_QUERY)
    >>> keys = matmul(INPUTS, W_KEY)
    >>> values = matmul(INPUTS, W_VALUE)
    >>> [round(number, 4) for number in query]
    [0.4306, 1.4551]
    >>> attention_scores = [dot(query, key) for key in keys]
    >>> [round(score, 4) for score in attention_scores]
    [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.544]

    A quick check when you compute all six at once: entry 1 is the dot product with key 1.
    (With key 2, the check would see 1.8111: an index that is off by one gives no error.)

    >>> matmul([query], transpose(keys))[0][1] == dot(query, keys[1])
    True

    Scale, softmax, blend:

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


# ---- 5. Traditional attention: one sequence attends to another ---------------------------
# A translator looks back at the sentence it reads (the sources) for each word that it writes
# (the targets). The queries come from the targets, keys and values from the sources, and the
# rest is the same: "self" only means that both are one and the same sequence.


def cross_attention(targets, sources, W_query, W_key, W_value):
    # [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [m, d_v]
    """Let each of m targets attend to n sources. Two equal sources get half of it each:
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


# ==========================================================================================
# The tutorial ends here: this is all of self-attention. What follows keeps bad input out,
# and prints the running example.
# ==========================================================================================


# ---- 6. Bad input ------------------------------------------------------------------------


def checked(*arguments):  # (name, matrix, "n", "d"), ... -> new matrices
    """Return the matrices as new lists of floats. A size has the same number wherever it has
    the same name:
    >>> checked(("a", [(1, 2)], "n", "d"), ("b", [[3], [4]], "d", "p"))
    [[[1.0, 2.0]], [[3.0], [4.0]]]
    >>> checked(("a", [[1, 2]], "n", "d"), ("b", [[3]], "d", "p"))
    Traceback (most recent call last):
    ValueError: a is 1 x 2 but b is 1 x 1: d cannot be both 2 and 1
    """
    copies = []
    for name, matrix, height, width in arguments:
        copies.append((name, to_matrix(name, matrix), height, width))
    check_sizes(*copies)
    return [matrix for name, matrix, height, width in copies]


def check_sizes(*arguments):  # (name, matrix, "n", "d"), ...
    known = {}
    for name, matrix, height, width in arguments:
        check_rows(name, matrix)
        sizes = (height, len(matrix)), (width, len(matrix[0]))
        for size, number in sizes:
            if known.setdefault(size, number) != number:
                refuse_sizes(size, arguments)


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


def check_rows(name, matrix):
    """A matrix has at least one number, and as many in each row."""
    try:
        even = len(matrix) > 0 and len(matrix[0]) > 0
        for row in matrix:
            if len(row) != len(matrix[0]):
                even = False
    except TypeError:  # a vector, perhaps: its numbers have no length
        raise TypeError("%s is not a list of rows of numbers" % name) from None
    if not even:
        refuse_rows(name, matrix)


def refuse_rows(name, matrix):
    for i, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise ValueError("%s is ragged: %s[0] has %d numbers but %s[%d] has %d" % (
                name, name, len(matrix[0]), name, i, len(row)))
    raise ValueError("%s is empty, expected at least one row of one number" % name)


def to_matrix(name, rows):
    """Return rows as new lists of finite floats, or say where this fails."""
    matrix = []
    for i, row in enumerate(to_list(name, rows, "rows of numbers")):
        if type(row) is not list:
            row = to_list("%s[%d]" % (name, i), row, "a row of numbers")
        for x in row:
            if type(x) is not float or x - x != 0.0:  # inf - inf and nan - nan are nan
                place = "%s[%d]" % (name, i)
                row = [to_float("%s[%d]" % (place, j), x) for j, x in enumerate(row)]
                break
        matrix.append(list(row))
    return matrix


def to_list(place, thing, expected):
    thing = unpacked(place, thing)
    if not isinstance(thing, (list, tuple)):
        raise_type_error(place, thing, expected)
    return thing


def to_float(place, x):
    """Return x, which may be any real number (int, Fraction, Decimal, ...), as a float."""
    x = unpacked(place, x)
    if not isinstance(x, (int, float)):
        if not (hasattr(x, "__float__") and hasattr(x, "__abs__")):
            raise_type_error(place, x, "a real number")
    try:
        number = float(x)
    except OverflowError:
        raise ValueError("%s is too large for a float" % place) from None
    except Exception:
        raise_type_error(place, x, "a real number")
    if number - number != 0.0:
        raise ValueError("%s is %s, expected a finite number" % (place, number))
    return number


def unpacked(place, thing):
    """Return an array or a tensor as plain lists and numbers, anything else as it is."""
    kind = getattr(thing, "dtype", getattr(thing, "typecode", None))
    if kind is None:
        return thing
    if getattr(kind, "kind", "f") not in "biufO":  # of numpy's kinds, these have real numbers
        raise TypeError("%s is of dtype %s, expected real numbers" % (place, kind))
    try:
        return thing.tolist()
    except Exception as error:  # a tensor without numbers, or packed ones
        raise TypeError("%s cannot be read: %s" % (place, error)) from None


def raise_type_error(place, thing, expected):
    raise TypeError(
        "%s is of type %s, expected %s" % (place, type(thing).__name__, expected)) from None


def check_finite(stage, matrix):
    for row in matrix:
        for x in row:
            if x - x != 0.0:
                to_matrix("overflow: " + stage, matrix)  # says where


def refuse_scores(scores):
    for i, score in enumerate(scores):
        if not score < float("inf"):
            raise ValueError("scores[%d] is %s, expected a number or -inf" % (i, score))
    raise ValueError("scores are all -inf, expected at least one number")
