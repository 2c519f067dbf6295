"""Self-attention by hand: lists and floats. See `python3 attention.py` at work, then read on.

  1. Arithmetic by hand          dot, transpose, matmul, sqrt, softmax
  2. Simplified self-attention   no weight matrices: words are compared as they are
  3. Trainable self-attention    W_query, W_key, W_value: queries, keys and values
  4. Traditional attention       queries from one sequence, keys and values from another
  5. Bad input                   refused, with its name and place
  6. The four checks             at which stage do two computations part?
  7. The running example         six words and three weight matrices
  8. The command line

Shapes: [n, d] is a list of n rows, each a list of d floats. One row stands for one token (a
word); n tokens of d_in numbers each become queries and keys of d_k numbers, and values and
context vectors of d_v numbers. Vectors are rows and multiply matrices from the left: x @ W,
where W is d_in x d_out, and d_out is d_k or d_v (torch's nn.Linear stores the transpose).

In attention scores and attention weights, query = row and key = column: [1][4] is about query
1 and key 4, counted from 0 as Python does (the command line counts words from 1).
"""

from collections import namedtuple
from math import exp  # e to the power of x: the only arithmetic that is borrowed

Vector = list  # [d]: d floats
Matrix = list  # [n, d]: n rows of d floats
INF = float("inf")

# What attention returns: every stage, in the order in which the numbers come to be.
STAGES = ("queries", "keys", "values", "attention_scores", "scaled_scores",
          "attention_weights", "context_vectors")
Attention = namedtuple("Attention", STAGES)

# ---- 1. Arithmetic by hand ----------------------------------------------------------------------
def dot(a: Vector, b: Vector) -> float:  # [d], [d] -> one number
    """Return a[0]*b[0] + a[1]*b[1] + ...; ValueError if the lengths differ.
    >>> dot([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    32.0
    """
    if len(a) != len(b):
        raise ValueError("a has %d numbers but b has %d" % (len(a), len(b)))
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total

def transpose(matrix: Matrix, name: str = "matrix") -> Matrix:  # [n, d] -> [d, n]
    """Return the columns as rows; ValueError if empty or ragged, TypeError if no matrix.
    >>> transpose([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    return [[row[j] for row in matrix] for j in range(width(name, matrix))]

def matmul(a: Matrix, b: Matrix, a_name: str = "a", b_name: str = "b") -> Matrix:
    # [n, m] @ [m, p] -> [n, p]; the names are for the errors
    """Return a @ b, whose entry [i][j] is row i of a dot column j of b.
    ValueError if a is not as wide as b is high, or one is empty or ragged; TypeError if no matrix.
    >>> matmul([[1.0, 2.0]], [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])
    [[15.0, 18.0, 21.0]]
    """
    columns = transpose(b, b_name)
    check_fit(width(a_name, a) == len(b), a_name, a, b_name, b,
              "the first needs as many columns as the second has rows")
    return [[dot(row, column) for column in columns] for row in a]

def sqrt(x: float) -> float:
    """Return the square root of x, which is x ** 0.5; ValueError if x < 0, inf or NaN.
    Heron's method: if guess is above the root, x / guess is below it, and their mean is better.
    The last guess is within one unit in the last place of the root.
    >>> sqrt(9), 9 ** 0.5
    (3.0, 3.0)
    """
    if not 0.0 <= x < INF:  # NaN fails every comparison
        raise ValueError("x is %s, expected a finite number from 0 up" % x)
    if x == 0.0:
        return 0.0
    guess, better = INF, max(1.0, x)  # never below the root
    while better < guess:  # it falls until rounding stops it
        guess = better
        better = (guess + x / guess) / 2
    return guess

def softmax(scores: Vector) -> Vector:  # [n] -> [n]
    """Return attention weights from 0 to 1 that add up to 1: e^score over the sum of all e^score.
    A score of -inf gets 0.0 exactly. ValueError for no scores, NaN, +inf, or nothing but -inf.
    >>> softmax([1.0, 1.0, float("-inf")])
    [0.5, 0.5, 0.0]
    """
    if len(scores) == 0:
        raise ValueError("scores is empty, expected at least one score")
    # e^1000 is too large for a float. With the maximum subtracted, no power exceeds e^0 = 1;
    # all have shrunk by the same factor, which cancels in the division.
    largest = max(scores)
    powers = [exp(score - largest) for score in scores]
    total = 0.0
    for power in powers:
        total += power
    if total != total:  # NaN alone differs from itself; inf - inf is NaN, too
        for i, score in enumerate(scores):
            if not score < INF:
                raise ValueError("scores[%d] is %s, expected a number or -inf" % (i, score))
        raise ValueError("scores are all -inf, expected at least one number")
    return [power / total for power in powers]

# ---- 2. Simplified self-attention: no weight matrices -------------------------------------------
# How much should a word take from each word of its sentence? Three steps give the answer:
#   attention scores     compare: the dot product of the query with each input
#   attention weights    normalise: softmax turns the scores into shares of 1
#   context vector       blend: each input times its attention weight, added up

def simplified_self_attention(inputs: Matrix) -> Attention:  # [n, d] -> context_vectors [n, d]
    """Let each input in turn be the query. First only "journey", step by step:

    >>> query = INPUTS[1]
    >>> scores = [dot(query, x) for x in INPUTS]
    >>> [round(score, 4) for score in scores]
    [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865]
    >>> attention_weights = softmax(scores)
    >>> [round(weight, 4) for weight in attention_weights]
    [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581]
    >>> context_vector = [dot(attention_weights, column) for column in transpose(INPUTS)]
    >>> [round(x, 4) for x in context_vector]
    [0.4419, 0.6515, 0.5683]

    Then all six at once; the second row is what the single query gave:

    >>> simplified_self_attention(INPUTS).context_vectors[1] == context_vector
    True

    Queries, keys and values are the inputs, and nothing is scaled. TypeError if inputs is
    not rows of numbers; ValueError if it is empty, ragged or not finite, or if scores overflow.
    """
    queries, keys, values = [to_matrix("inputs", inputs) for copy in range(3)]  # share no list
    return attend(queries, keys, values, 1.0)

def attend(queries: Matrix, keys: Matrix, values: Matrix, root: float) -> Attention:
    # [m, d_k], [n, d_k], [n, d_v] -> context_vectors [m, d_v]
    """Take the three steps for all queries; root is what scores are divided by (see part 3).
      attention_scores  = queries @ keys^T                [m, n]
      scaled_scores     = attention_scores / root         [m, n]
      attention_weights = softmax of each row             [m, n]
      context_vectors   = attention_weights @ values      [m, d_v]
    """
    scores = [[dot(query, key) for key in keys] for query in queries]
    check_finite("overflow: attention_scores", scores)
    scaled = [[score / root for score in row] for row in scores]
    attention_weights = [softmax(row) for row in scaled]
    context_vectors = matmul(attention_weights, values)
    check_finite("overflow: context_vectors", context_vectors)
    return Attention(queries, keys, values, scores, scaled, attention_weights, context_vectors)

# ---- 3. Trainable self-attention ----------------------------------------------------------------
# "Weight" has two meanings here:
#   weight matrices      parameters: once trained, the same for every word of every sentence
#   attention weights    computed afresh for each query, from the words that are there
#
# The weight matrices project each input, x @ W, into three roles:
#   query                what this word looks for
#   key                  what it can be found by: queries are compared with keys
#   value                what it hands over when it is found: values are blended

def scaled_dot_product_attention(queries: Matrix, keys: Matrix, values: Matrix) -> Attention:
    # [m, d_k], [n, d_k], [n, d_v] -> context_vectors [m, d_v]
    """Compare queries with keys, divide the scores by sqrt(d_k), and blend the values.
    Why divide: a dot product adds up d_k numbers, so scores spread like sqrt(d_k). Spread
    wide, they make softmax give nearly 1 to one key and 0 to the rest. There it hardly
    moves when the scores do, and training stands still.

    Errors as in simplified_self_attention; also ValueError if queries and keys differ in
    width, or keys and values in number.
    >>> scaled_dot_product_attention([[0.0]], [[1.0], [2.0]], [[3.0], [5.0]]).context_vectors
    [[4.0]]
    """
    queries, keys = to_matrix("queries", queries), to_matrix("keys", keys)
    values = to_matrix("values", values)
    check_fit(len(queries[0]) == len(keys[0]), "queries", queries, "keys", keys, SAME_WIDTH)
    check_fit(len(keys) == len(values), "keys", keys, "values", values, "each key needs a value")
    return attend(queries, keys, values, sqrt(len(keys[0])))

def self_attention(inputs: Matrix, W_query: Matrix, W_key: Matrix, W_value: Matrix) -> Attention:
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [n, d_v]
    """Project inputs to queries, keys and values, and let them attend to each other (part 4).
    Even one query needs the keys and the values of all inputs. Here is "journey":

    >>> queries, keys = matmul(INPUTS, W_QUERY), matmul(INPUTS, W_KEY)
    >>> scores = matmul([queries[1]], transpose(keys))[0]
    >>> [round(score, 4) for score in scores]
    [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.544]

    A quick check: the second entry must be the single dot product with the second key.

    >>> scores[1] == dot(queries[1], keys[1])
    True

    Errors as in scaled_dot_product_attention; also ValueError if a weight matrix does not
    have as many rows as an input has numbers.
    """
    return cross_attention(inputs, inputs, W_query, W_key, W_value)

# ---- 4. Traditional attention: one sequence attends to another ----------------------------------
# A translator looks back at the sentence it reads (the sources) for each word that it writes
# (the targets). Self-attention is the case of one sequence in both places.

def cross_attention(targets: Matrix, sources: Matrix,
                    W_query: Matrix, W_key: Matrix, W_value: Matrix) -> Attention:
    # [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [m, d_v]
    """Make queries of targets, keys and values of sources; errors as in self_attention. Where
    targets and sources are one object, the errors call it inputs, as self_attention does.
    >>> cross_attention([[1.0]], [[0.0], [0.0]], [[1.0]], [[1.0]], [[1.0]]).attention_weights
    [[0.5, 0.5]]
    """
    t, s = ("inputs", "inputs") if targets is sources else ("targets", "sources")  # for errors
    targets, sources = to_matrix(t, targets), to_matrix(s, sources)
    W_query, W_key = to_matrix("W_query", W_query), to_matrix("W_key", W_key)
    check_fit(len(W_query[0]) == len(W_key[0]), "W_query", W_query, "W_key", W_key, SAME_WIDTH)
    queries = matmul(targets, W_query, t, "W_query")
    keys = matmul(sources, W_key, s, "W_key")
    values = matmul(sources, to_matrix("W_value", W_value), s, "W_value")
    for stage, matrix in zip(STAGES, (queries, keys, values)):
        check_finite("overflow: " + stage, matrix)
    return attend(queries, keys, values, sqrt(len(keys[0])))

# ---- 5. Bad input: say what is wrong and where, never compute with it ---------------------------
SAME_WIDTH = "a query and a key need the same width"
def to_matrix(name: str, rows, finite: bool = True) -> Matrix:
    """Return rows as new lists of floats, or say where that fails; finite refuses inf and NaN."""
    matrix = convert(list, rows, "rows of numbers", name)
    for i, row in enumerate(matrix):
        matrix[i] = numbers = convert(list, row, "a row of numbers", name, i)
        for j, x in enumerate(numbers):
            if type(x) is not float:
                numbers[j] = x = convert(float, x, "a real number", name, i, j)
            if x - x != 0.0 and finite:  # inf - inf and NaN - NaN are NaN
                raise ValueError("%s[%d][%d] is %s, expected a finite number" % (name, i, j, x))
    width(name, matrix)
    return matrix

def convert(kind: type, thing, expected: str, name: str, *place):
    if type(thing) is kind:
        return kind(thing)
    if hasattr(thing, "tolist"):  # numpy arrays and torch tensors unpack themselves
        thing = thing.tolist()
    where = name + "".join("[%d]" % index for index in place)
    if not isinstance(thing, (str, bytes, bytearray, dict, set, frozenset)):  # no float("1")
        try:
            if kind is list:
                len(thing)  # an iterator has no length: it could be read only once
            return kind(thing)
        except OverflowError:
            raise ValueError("%s is too large for a float" % where) from None
        except (TypeError, ValueError):
            pass
    raise TypeError("%s is of type %s, expected %s" % (where, type(thing).__name__, expected))

def check_finite(name: str, matrix: Matrix):
    for i, row in enumerate(matrix):
        for j, x in enumerate(row):
            if x - x != 0.0:  # inf - inf and NaN - NaN are NaN
                raise ValueError("%s[%d][%d] is %s, expected a finite number" % (name, i, j, x))

def width(name: str, matrix: Matrix) -> int:
    """Return the length of the rows; ValueError if there is none, or if they differ."""
    try:
        if len(matrix) == 0 or len(matrix[0]) == 0:
            raise ValueError("%s is empty, expected at least one row of one number" % name)
        for i, row in enumerate(matrix):
            if len(row) != len(matrix[0]):
                raise ValueError("%s is ragged: %s[0] has %d numbers but %s[%d] has %d"
                                 % (name, name, len(matrix[0]), name, i, len(row)))
    except TypeError:  # a vector, perhaps: its numbers have no length
        raise TypeError("%s is not a list of rows of numbers" % name) from None
    return len(matrix[0])

def check_fit(fits: bool, a_name: str, a: Matrix, b_name: str, b: Matrix, rule: str):
    if not fits:
        raise ValueError("%s is %s but %s is %s: %s" % (a_name, shape(a), b_name, shape(b), rule))

def shape(matrix: Matrix) -> str:
    return "%d x %d" % (len(matrix), len(matrix[0]))

# ---- 6. The four checks: at which stage do two computations part? -------------------------------
CHECKS = (("1 projections", STAGES[:3]), ("2 scores", STAGES[3:4]), ("3 scaling", STAGES[4:5]),
          ("4 softmax", STAGES[5:6]), ("context vectors", STAGES[6:]))
Divergence = namedtuple("Divergence", ("stage", "row", "column", "expected", "actual"))

def first_divergence(expected, actual, tolerance: float = 0.00006):
    """Return the first Divergence of actual from expected, in the order of CHECKS, or None.
    Each is an Attention, or a mapping from stages to matrices that may leave stages out.
    Numbers agree if no more than tolerance apart (the default suits four decimals); NaN never
    agrees. Where shapes differ, row and column are None. TypeError or ValueError for bad
    matrices, unknown stages, and no stage in common.
    >>> first_divergence({"keys": [[0.0], [1.0]]}, {"keys": [[0.0], [2.0]]})
    Divergence(stage='keys', row=1, column=0, expected=1.0, actual=2.0)
    """
    expected, actual = to_stages("expected", expected), to_stages("actual", actual)
    common = [stage for stage in STAGES if stage in expected and stage in actual]
    if not common:
        raise ValueError("expected and actual have no stage in common")
    for stage in common:
        a, b = expected[stage], actual[stage]
        if shape(a) != shape(b):
            return Divergence(stage, None, None, shape(a), shape(b))
        for i, row in enumerate(a):
            for j, x in enumerate(row):
                if x != b[i][j] and not abs(x - b[i][j]) <= tolerance:  # so, NaN differs
                    return Divergence(stage, i, j, x, b[i][j])
    return None

def to_stages(name: str, record) -> dict:
    record = dict(zip(STAGES, record)) if isinstance(record, Attention) else record
    if not hasattr(record, "keys"):
        raise TypeError("%s is of type %s, expected a mapping" % (name, type(record).__name__))
    for stage in record.keys():
        if stage not in STAGES:
            raise ValueError("%s has %r, expected stages: %s" % (name, stage, ", ".join(STAGES)))
    return {stage: to_matrix(name + "." + stage, record[stage], False) for stage in record.keys()}

# ---- 7. The running example: S. Raschka, "Build a Large Language Model", chapter 3 --------------
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
INPUTS = [[0.43, 0.15, 0.89],  # Your
          [0.55, 0.87, 0.66],  # journey
          [0.57, 0.85, 0.64],  # starts
          [0.22, 0.58, 0.33],  # with
          [0.77, 0.25, 0.10],  # one
          [0.05, 0.80, 0.55]]  # step
# torch.manual_seed(123), then torch.rand(3, 2) thrice; four decimals would not give the book's.
W_QUERY = [[0.29611194, 0.51656228], [0.25167072, 0.68855679], [0.07397246, 0.86652195]]
W_KEY = [[0.13657987, 0.10247904], [0.18405646, 0.72644675], [0.31525391, 0.68710667]]
W_VALUE = [[0.07563531, 0.19663817], [0.31641197, 0.40174013], [0.11856830, 0.82739538]]

# ---- 8. The command line ------------------------------------------------------------------------
CHOICES = " | ".join(TOKENS + ["--json", "--help"])
SENTENCES = ("the query word's input, projected by W_query",  # one for each of STAGES
             "each input, projected by W_key",
             "each input, projected by W_value",
             "the dot product of the query with each key",
             "the scores divided by the square root of d_k, the width of a key",
             "softmax made positive shares of them, which add up to 1",
             "the values times their attention weights, added up")

def line(label: str, vector: Vector) -> str:
    return "  %-8s" % label + "".join("%9.4f" % x for x in vector) + "\n"

def table(matrix: Matrix) -> str:
    return "".join(line(token, row) for token, row in zip(TOKENS, matrix))

def story(q: int, simplified: Attention, trainable: Attention) -> str:
    text = '%s\n\nThe query is element %d, "%s". It is compared with every element, itself\n' % (
        " ".join(TOKENS), q + 1, TOKENS[q])
    text += "included: %d attention scores, from these pairs of positions:\n  " % len(TOKENS)
    text += " ".join("(%d,%d)" % (q + 1, k + 1) for k in range(len(TOKENS)))
    text += "\n\ninputs: each word has become an embedding, here of 3 numbers.\n" + table(INPUTS)
    for title, attention in (
            ("SIMPLIFIED SELF-ATTENTION: the inputs are queries, keys and values", simplified),
            ("TRAINABLE SELF-ATTENTION: three weight matrices project the inputs", trainable)):
        text += "\n=== %s ===\n" % title
        before = INPUTS
        for stage, sentence, rows in zip(STAGES, SENTENCES, attention):
            if rows != before:  # simplified: no projections and no scaling to show
                text += "\n%s: %s.\n" % (stage, sentence)
                if stage in ("keys", "values"):
                    text += table(rows)
                elif stage == "attention_weights":
                    for token, x in zip(TOKENS, rows[q]):
                        text += "  %-8s%9.4f  %s\n" % (token, x, "#" * int(50 * x + 0.5))
                else:
                    if stage in ("attention_scores", "scaled_scores"):
                        text += " " * 10 + "".join("%9s" % token for token in TOKENS) + "\n"
                    text += line("", rows[q])
            before = rows
    text += "\n=== ALL CONTEXT VECTORS: each word in turn was the query ===\n"
    text += "\nsimplified: blends of inputs, 3 numbers.\n" + table(simplified.context_vectors)
    return text + "\ntrainable: blends of values, 2 numbers.\n" + table(trainable.context_vectors)

def main(args=None):  # -> the exit status
    import json, os, sys
    args = sys.argv[1:] if args is None else args
    word, words = args[0].lower() if args else "journey", [token.lower() for token in TOKENS]
    simplified = simplified_self_attention(INPUTS)
    trainable = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    if len(args) <= 1 and word in words:
        text = story(words.index(word), simplified, trainable)
    elif args == ["--json"]:
        text = json.dumps(dict(
            tokens=TOKENS, inputs=INPUTS, W_query=W_QUERY, W_key=W_KEY, W_value=W_VALUE,
            simplified=dict(zip(STAGES, simplified)), trainable=dict(zip(STAGES, trainable))))
    elif args == ["--help"]:
        text = ("usage: python3 attention.py [CHOICE]\nCHOICE: %s\nThe query is journey if none "
                "is named; --json prints every stage in full." % CHOICES)
    else:
        print("attention.py: %r: expected %s" % (" ".join(args), CHOICES), file=sys.stderr)
        return 2
    try:
        print(text.rstrip(), flush=True)
    except OSError as error:  # a full disk, or the reader, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if isinstance(error, BrokenPipeError) else "cannot print: %s" % error
    return 0

if __name__ == "__main__":
    raise SystemExit(main())
