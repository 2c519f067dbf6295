"""What are these numbers, compared with the expected ones? One sentence, or nothing.

A relation is mentioned only if it holds within the tolerance, and if more numbers agree
with it than it takes to choose it: one number is always some multiple of another.
"""

from math import factorial

from attention import matmul, transpose
from examples.causal import INF
from examples.find_the_mistake.steps import added_up, flat
from examples.tools.common import first_difference, near, size

CLEAR = 20  # what is not so many tolerances away from 0 decides nothing


def describe(expected, actual, tolerance, others=None):
    """Return in a sentence what the actual matrix is, compared with the expected one.

    others: {"your keys": matrix}, which it may equal. The sentence is "" if nothing fits.

    >>> describe([[1.5, 2.0], [3.0, 4.0]], [[3.0, 4.0], [6.0, 8.0]], 1e-9)
    'Every number is 2 times the expected one.'
    """
    if same(expected, actual, tolerance):
        return ""
    for name, matrix in (others or {}).items():
        if len(flat(matrix)) > 1 and same(matrix, actual, tolerance):
            return "These are %s." % name
    looks = [moved]
    if size(expected) == size(actual):
        looks = [done_to_some, moved, divided_again, done_to_each_row, done_by_distance,
                 mapped, wrong_in_few, ordered]
    for look in looks:
        text = look(expected, actual, tolerance)
        if text:
            return text
    return ""


def same(expected, actual, tolerance):
    return first_difference(expected, actual, tolerance) is None


def pairs_of(expected, actual):
    return list(zip(flat(expected), flat(actual)))


def listed(things):
    texts = [str(thing) for thing in things]
    if len(texts) > 8:
        texts[7:] = ["so on"]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def counted(what, places):
    """Return places in words.

    >>> counted("row", [2]), counted("row", [0, 2]), counted("row", [1, 2, 3])
    ('row 2', 'rows 0 and 2', 'rows 1 to 3')
    """
    first, last = places[0], places[-1]
    if len(places) == 1:
        return "%s %d" % (what, first)
    if len(places) > 2 and places == list(range(first, last + 1)):
        return "%ss %d to %d" % (what, first, last)
    return "%ss %s" % (what, listed(places))


# ---- The right numbers in other places


def moved(expected, actual, tolerance):
    numbers, mine = flat(expected), flat(actual)
    if len(mine) < 2:
        return ""
    if same(transpose(expected), actual, tolerance):
        return "This is the transpose of what is expected."
    if same([numbers], [mine], tolerance):
        return "These are the expected numbers as %s, not as %s." % (
            size(actual), size(expected))
    text = reordered("row", expected, actual, tolerance) or reordered(
        "column", transpose(expected), transpose(actual), tolerance)
    if not text and same([sorted(numbers)], [sorted(mine)], tolerance):
        return "These are the expected numbers, but in other places."
    return text


def reordered(what, expected, actual, tolerance):
    sources = [source(i, row, expected, tolerance) for i, row in enumerate(actual)]
    places = list(range(len(expected)))
    if len(places) < 2 or sources == places:
        return ""
    if sources == places[::-1]:
        return "The %ss are in reverse order." % what
    if sources in (places[1:] + places[:1], places[-1:] + places[:-1]):
        return "The %ss are shifted by one: %s 0 is the expected %s %d." % (
            what, what, what, sources[0])
    if len(places) > 2 and sources[1:] == places[:-1]:
        return "From %s 1 on, each %s is the expected one before it." % (what, what)
    if len(places) > 2 and sources[:-1] == places[1:]:
        return "Up to the last, each %s is the expected one after it." % what
    if None in sources:
        return ""
    if len(sources) > 1 and len(set(sources)) == 1:
        return "Every %s is the expected %s %d." % (what, what, sources[0])
    missing = [i for i in places if i not in sources]
    if sources == sorted(set(sources)):
        return "%s missing; the rest is right." % (
            counted(what, missing).capitalize() + (" is", " are")[len(missing) > 1])
    return "The %ss are the expected %s, in this order." % (what, counted(what, sources))


def source(i, row, expected, tolerance):
    """Return which expected row this is, its own place first, or None."""
    for k in [i] * (i < len(expected)) + list(range(len(expected))):
        if same([expected[k]], [row], tolerance):
            return k
    return None


# ---- The same done to all numbers


def simplest(intervals):
    """Return the number of fewest decimals that lies in all intervals, or None.

    >>> simplest([(0.70706, 0.70714), (0.7, 0.71)]), simplest([(1.0, 2.0), (3.0, 4.0)])
    (0.7071, None)
    """
    low = max([low for low, high in intervals] + [-INF])
    high = min([high for low, high in intervals] + [INF])
    if low == high or low - low == high - high == 0.0 and low <= high:
        for digits in range(17):
            x = round((low + high) / 2, digits)
            if low <= x <= high:
                return x
        return (low + high) / 2
    return None


def factor(pairs, tolerance):  # (expected, actual), ... -> x, if x * expected = actual
    clear = [(e, a) for e, a in pairs if abs(e) > CLEAR * tolerance]
    x = simplest([sorted([(a - tolerance) / e, (a + tolerance) / e]) for e, a in clear]
                 or [(1.0, 0.0)])
    if x is None or not all(near(x * e, a, tolerance * max(1, abs(x))) for e, a in pairs):
        return None
    return x


def added(pairs, tolerance):  # likewise, if x + expected = actual
    return simplest([(a - e - tolerance, a - e + tolerance) for e, a in pairs])


def is_enough(pairs, free, tolerance):
    """Do so many pairs agree that it is no accident, if some numbers were free to choose?
    Whole numbers agree by accident more often."""
    if not is_finite(pairs):
        return False
    clear = [a for e, a in pairs if min(abs(e), abs(a)) > CLEAR * tolerance]
    return len(clear) - free > (2 if all(a == int(a) for a in clear) else 1)


def what_was_done(pairs, tolerance):
    """Return what these numbers have in common, such as "2 times the expected one"."""
    x = simplest([(a - tolerance, a + tolerance) for e, a in pairs])
    if x is not None and all(a == a for e, a in pairs):
        return "%.6g" % x
    if not is_enough(pairs, 1, tolerance):
        return ""
    x = factor(pairs, tolerance)
    if x is not None:
        return "minus the expected one" if x == -1 else "%.6g times the expected one" % x
    x = added(pairs, tolerance)
    if x is not None:
        return "%.6g %s than expected" % (abs(x), "more" if x > 0 else "less")
    return ""


def is_finite(pairs):
    return all(e - e == a - a for e, a in pairs)  # inf - inf is nan


# ---- The same done to some numbers


def done_to_some(expected, actual, tolerance):
    cells, where = differing(expected, actual, tolerance)
    done = what_was_done([(expected[i][j], actual[i][j]) for i, j in cells], tolerance)
    count = len(flat(expected))
    if len(cells) == count > 1 and done:
        return "Every number is %s." % done
    if not where and len(cells) > 2:
        where = "%d of %d numbers are" % (len(cells), count)
    if not where or not done or len(cells) == 1 and done not in ("0", "-inf"):
        return ""
    text = "Only %s wrong: every number there is %s" % (where, done)
    if done == "0" and are_shares(expected):
        text += ", and the rows were not divided by their sum again"
    return text + "."


def wrong_in_few(expected, actual, tolerance):
    cells, where = differing(expected, actual, tolerance)
    if where and 2 * len(cells) <= len(flat(expected)):
        return "Only %s wrong." % where
    return ""


def differing(expected, actual, tolerance):
    """Return the cells in which the two differ, and in words where they are."""
    cells = [(i, j) for i, row in enumerate(expected) for j, e in enumerate(row)
             if not near(e, actual[i][j], tolerance)]
    where = where_is(cells, expected, tolerance)
    return cells, where and where + (" is" if where.count("[") == 2 else " are")


def are_shares(rows):
    return min(flat(rows)) >= 0 and all(abs(added_up(row) - 1) < 0.01 for row in rows)


def divided_again(expected, actual, tolerance):
    """Some numbers are 0, and each row has been divided by the sum of what is left."""
    cells, rows = [], []
    for i, row in enumerate(expected):
        left = [e if abs(a) > tolerance else 0.0 for e, a in zip(row, actual[i])]
        rows.append([x / (added_up(left) or 1.0) for x in left])
        cells += [(i, j) for j, x in enumerate(left) if x != row[j]]
    where = where_is(cells, expected, tolerance)
    if not where or not are_shares(expected) or not same(rows, actual, tolerance):
        return ""
    return "%s are 0, and each row was divided by its sum again." % (
        where[0].upper() + where[1:])


PLACES = (
    ("where column > row (later keys)", lambda q, k: k > q),
    ("where column < row (earlier keys)", lambda q, k: k < q),
    ("on the diagonal", lambda q, k: k == q),
    ("where column >= row (the diagonal and later keys)", lambda q, k: k >= q),
    ("where column <= row (the diagonal and earlier keys)", lambda q, k: k <= q))


def windows(n):
    for w in range(1, min(n - 1, 8)):
        yield "where column > row + %d" % w, lambda q, k, w=w: k > q + w
        yield "where column < row - %d" % w, lambda q, k, w=w: k < q - w
        yield "more than %d from the diagonal" % w, lambda q, k, w=w: abs(q - k) > w
        yield ("where column > row or column < row - %d" % w,
               lambda q, k, w=w: not q - w <= k <= q)


def where_is(cells, matrix, tolerance):
    """Return the place of these cells in words, or "". A cell whose number is 0 may be
    one of them: that cannot be seen."""
    n, d, cells = len(matrix), len(matrix[0]), set(cells)
    if len(cells) in (0, n * d):
        return ""
    rows, columns = [sorted(set(places)) for places in zip(*cells)]
    patterns = [("in " + counted("row", rows), lambda q, k: q in rows),
                ("in " + counted("column", columns), lambda q, k: k in columns)]
    if min(n, d) > 1 and (len(rows) > 1 < len(columns) or len(cells) == 1):
        patterns = list(PLACES) + list(windows(max(n, d))) + patterns
    for words, is_there in patterns:
        there = {(i, j) for i in range(n) for j in range(d) if is_there(i, j)}
        if cells <= there and 1 < len(there) < n * d or there == cells and n == d == 2:
            if all(abs(matrix[i][j]) <= tolerance for i, j in there - cells):
                return "the numbers " + words
    if len(cells) < 4 and 2 * len(cells) <= n * d:
        return listed("[%d][%d]" % cell for cell in sorted(cells))
    return ""


# ---- Something else was done to each row, column, or step of distance


def done_to_each_row(expected, actual, tolerance):
    columns = transpose(expected), transpose(actual)
    for done, words in ((factor, "Each %s was multiplied by a number of its own: %s."),
                        (added, "Each %s had a number of its own added: %s.")):
        for what, a, b in (("row", expected, actual), ("column",) + columns):
            pairs = [list(zip(row, mine)) for row, mine in zip(a, b)]
            if len(a) < 2 or not is_enough(pairs_of(a, b), len(a) + 1, tolerance):
                continue
            numbers = [done(row, tolerance) for row in pairs]
            if None not in numbers:
                return words % (what, listed(["%.6g" % x for x in numbers]))
    return ""


def done_by_distance(expected, actual, tolerance):
    for words, steps in (("away from the diagonal", lambda q, k: abs(k - q)),
                         ("to the right", lambda q, k: k - q)):
        pairs = [(steps(q, k), actual[q][k] - e) for q, row in enumerate(expected)
                 for k, e in enumerate(row) if e - e == 0.0 or e != actual[q][k]]
        if len(expected) > 1 and is_enough(pairs, 1, tolerance):
            x = factor(pairs, tolerance)
            if x is not None:
                return "%.6g was %s for each step %s." % (
                    abs(x), "added" if x > 0 else "subtracted", words)
    return ""


# ---- Whatever was done


def mapped(expected, actual, tolerance):
    if not is_finite(pairs_of(expected, actual)):
        return ""
    if len(actual) > 1 and same(actual[1:], actual[:-1], tolerance):
        return "All rows are the same."
    all_numbers = [[x] for x in flat(expected)], [[x] for x in flat(actual)]
    matrix = least_squares(*all_numbers, tolerance)
    if matrix:
        return "Every number is %.4g times the expected one, plus %.4g." % (
            matrix[0][0], matrix[1][0])
    if len(expected[0]) > 1 and least_squares(expected, actual, tolerance):
        return "Each row is the expected row times some matrix, plus an offset."
    return ""


def least_squares(rows, others, tolerance):
    """Return the matrix and in a last row the offset that make the others of the rows,
    or None."""
    ones = [row + [1.0] for row in rows]
    spread = max(flat(rows)) - min(flat(rows))
    if len(rows) < len(ones[0]) + 2 or spread < CLEAR * tolerance:
        return None
    turned = transpose(ones)
    matrix = solve(matmul(turned, ones), matmul(turned, others))
    if matrix and same(matmul(ones, matrix), others, tolerance):
        return matrix
    return None


def solve(a, b):  # -> x, if a @ x = b; None if there is no single x
    rows = [row + more for row, more in zip(a, b)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if abs(rows[i][i]) <= 1e-12 * abs(a[i][i]):
            return None
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[len(a):] for row in rows]


def ordered(expected, actual, tolerance):
    rows = [list(zip(row, mine)) for row, mine in zip(expected, actual)]
    for parts, words in (([pairs_of(expected, actual)], ""), (rows, "Within each row, ")):
        for sign, kind in ((1, "an increasing"), (-1, "a falling")):
            chances = 1
            for part in parts:
                pairs = [(e, sign * a) for e, a in part]
                count = levels(pairs, tolerance)
                chances *= factorial(count) if count else 0
            if chances >= 720:
                text = words + "this is %s function of the expected numbers." % kind
                return text[0].upper() + text[1:]
    return ""


def levels(pairs, tolerance):
    """Return how many levels the actual number rises through as the expected one rises;
    0 if it also falls, or if equal numbers have become different ones."""
    pairs, below, highest, top, count = sorted(pairs), 0, -INF, -INF, 0
    for k, (e, a) in enumerate(pairs):
        while pairs[below][0] < e - tolerance:
            highest = max(highest, pairs[below][1])
            below += 1
        apart = max([abs(a - other) for near_e, other in pairs[below:k]] + [0.0])
        if not a >= highest - tolerance or apart > CLEAR * tolerance:
            return 0
        if a > top + CLEAR * tolerance:
            top, count = a, count + 1
    return count
