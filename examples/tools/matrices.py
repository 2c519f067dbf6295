"""Small steps with matrices that lessons and tools share."""

INF = float("inf")


def add(a, b, factor=1.0):  # [n, m], [n, m] -> [n, m]
    """Return a + factor * b.
    >>> add([[1.0, 2.0]], [[10.0, 20.0]], 0.5)
    [[6.0, 12.0]]
    """
    if [len(row) for row in a] != [len(row) for row in b]:
        raise ValueError("a and b differ in size")
    return [[x + factor * y for x, y in zip(row, other)] for row, other in zip(a, b)]


def later(query, key):
    return key > query


def replace(matrix, x, hidden=later):  # [n, n] -> [n, n]
    """Return the matrix with x wherever hidden(query, key) is true."""
    rows = []
    for q, row in enumerate(matrix):
        rows.append([x if hidden(q, k) else old for k, old in enumerate(row)])
    return rows


def renormalise(attention_weights):  # [n, n] -> [n, n]
    """Return each row divided by its sum."""
    rows = []
    for row in attention_weights:
        total = 0.0
        for weight in row:
            total += weight
        rows.append([weight / total for weight in row])
    return rows


def split_heads(matrices, heads):  # -> for each head, each [rows, columns / heads]
    """Divide the columns of each matrix among the heads, from left to right.
    >>> split_heads([[[1.0, 2.0]], [[3.0, 4.0, 5.0, 6.0]]], 2)
    [[[[1.0]], [[3.0, 4.0]]], [[[2.0]], [[5.0, 6.0]]]]
    """
    parts = [[] for h in range(heads)]
    for W in matrices:
        if heads < 1 or len(W[0]) % heads != 0:
            raise ValueError("%d heads cannot share %d columns" % (heads, len(W[0])))
        width = len(W[0]) // heads
        for h in range(heads):
            parts[h].append([row[h * width:(h + 1) * width] for row in W])
    return parts
