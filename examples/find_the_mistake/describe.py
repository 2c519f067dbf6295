"""What are these numbers, compared with the expected ones? One sentence, or nothing.

A relation has to hold within the tolerance, for more numbers than it takes to choose it:
one number is always some multiple of another.
"""

from math import factorial

from attention import dot, sqrt, transpose
from examples.causal import INF
from examples.find_the_mistake.steps import added_up, flat, pairwise
from examples.tools.common import first_difference, near, size

CLEAR = 20  # what is not so many tolerances away from 0 decides nothing


def describe(expected, actual, tolerance, others={}):
    """Return in a sentence what the actual matrix is, compared with the expected one.

    others: {"your keys": matrix}, which it may equal. The sentence is "" if nothing fits.
    """
    if same(expected, actual, tolerance):
        return ""
    for name, matrix in others.items():
        if len(flat(matrix)) > 1 and same(matrix, actual, tolerance):
            return "These are %s." % name
    looks = [done_to_some, moved, divided_again, wrong_in_few, done_to_each_row,
             done_by_distance, mapped, ordered]
    if size(expected) != size(actual):
        looks = [moved]
    for look in looks:
        text = look(expected, actual, tolerance)
        if text:
            return text
    return ""


def same(expected, actual, tolerance):
    return first_difference(expected, actual, tolerance) is None


def listed(things):
    texts = [str(thing) for thing in things]
    if len(texts) > 8:
        texts[7:] = ["so on"]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def counted(what, places):
    """Return "rows 0 and 2"."""
    return what + "s" * (len(places) > 1) + " " + listed(places)


def both_ways(expected, actual):
    return (("row", expected, actual),
            ("column", transpose(expected), transpose(actual)))


# ---- The right numbers in other places


def moved(expected, actual, tolerance):
    if same(transpose(expected), actual, tolerance):
        return "This is the transpose of what is expected."
    for what, rows, mine in both_ways(expected, actual):
        sources = [source(i, row, rows, tolerance) for i, row in enumerate(mine)]
        is_moved = any(k not in ("?", i) for i, k in enumerate(sources))
        if (is_moved or len(mine) < len(rows)) and sources.count("?") <= len(mine) // 4:
            return "It consists of the expected %s." % counted(what, sources)
    if same([sorted(flat(expected))], [sorted(flat(actual))], tolerance):
        return "These are the expected numbers, but in other places."
    return ""


def source(i, row, expected, tolerance):
    """Return which expected row this is, its own place first."""
    for k in [i] * (i < len(expected)) + list(range(len(expected))):
        if same([expected[k]], [row], tolerance):
            return k
    return "?"


# ---- The same done to all numbers, or to some


def simplest(intervals):
    """Return the number of fewest decimals that lies in all intervals, or None."""
    low = max(low for low, high in intervals)
    high = min(high for low, high in intervals)
    for digits in range(17):
        x = low if low - low != 0.0 else round((low + high) / 2, digits)
        if low <= x <= high:
            return x
    return None


def factor(pairs, tolerance):  # (expected, actual), ... -> x, if x * expected = actual
    both = (-tolerance, tolerance)  # the expected numbers may be off, too
    ends = [sorted((a + s) / (e + t) for s in both for t in both)
            for e, a in pairs if abs(e) > CLEAR * tolerance]
    x = simplest([(four[0], four[-1]) for four in ends] or [(0.0, 0.0)])
    fits = x is not None and all(
        near(x * e, a, tolerance * (1 + abs(x))) for e, a in pairs)
    return x if fits else None


def added(pairs, tolerance):  # likewise, if x + expected = actual
    return simplest([(a - e - tolerance, a - e + tolerance) for e, a in pairs])


def is_enough(pairs, free, tolerance):
    """Do so many pairs agree that it is no accident, if some numbers were free to choose?
    Whole numbers agree by accident more often."""
    if any(e - e != 0.0 or a - a != 0.0 for e, a in pairs):
        return False
    clear = [a for e, a in pairs if min(abs(e), abs(a)) > CLEAR * tolerance]
    return len(clear) - free > (2 if all(a == int(a) for a in clear) else 1)


def what_was_done(pairs, tolerance):
    """Return what these numbers have in common, such as "2 times the expected one"."""
    if any(a != a for e, a in pairs):
        return ""
    x = simplest([(a - tolerance, a + tolerance) for e, a in pairs])
    if x is not None:
        return "%.6g" % x
    for done, words in ((factor, "%.6g times the expected one"),
                        (added, "%.6g more than expected")):
        x = done(pairs, tolerance) if is_enough(pairs, 1, tolerance) else None
        if x is not None:
            return words % x
    return ""


def done_to_some(expected, actual, tolerance):
    cells, count = differing(expected, actual, tolerance), len(flat(expected))
    done = what_was_done([(expected[i][j], actual[i][j]) for i, j in cells], tolerance)
    if not done or len(cells) == 1 and (count == 1 or done not in ("0", "-inf")):
        return ""
    if len(cells) == count:
        return "Every number is %s." % done
    place = where(cells, expected, tolerance) or "at %d of %d places" % (
        len(cells), count)
    text = "Wrong only %s: every number there is %s" % (place, done)
    if done == "0" and are_shares(expected):
        text += ", and the rows were not divided by their sum again"
    return text + "."


def wrong_in_few(expected, actual, tolerance):
    cells = differing(expected, actual, tolerance)
    place = where(cells, expected, tolerance)
    is_few = 2 * len(cells) <= len(flat(expected))
    return "Wrong only %s." % place if place and is_few else ""


def differing(expected, actual, tolerance):
    return [(i, j) for i, row in enumerate(expected) for j, e in enumerate(row)
            if not near(e, actual[i][j], tolerance)]


def are_shares(rows):
    return min(flat(rows)) >= 0 and all(abs(added_up(row) - 1) < 0.01 for row in rows)


def divided_again(expected, actual, tolerance):
    """Some numbers are 0, and each row has been divided by the sum of what is left."""
    left = pairwise(lambda e, a: e if abs(a) > tolerance else 0.0, expected, actual)
    place = where(differing(expected, left, tolerance), expected, tolerance)
    rows = [[x / (added_up(row) or 1.0) for x in row] for row in left]
    if not place or not are_shares(expected) or not same(rows, actual, tolerance):
        return ""
    return "Every number %s is 0, and each row was divided by its sum again." % place


def where(cells, matrix, tolerance):
    """Return the place of these cells in words, or "". A cell whose number is 0 may be
    one of them: that cannot be seen."""
    cells = set(cells)
    others = [(i, j) for i, row in enumerate(matrix) for j, x in enumerate(row)
              if (i, j) not in cells and abs(x) > tolerance]
    if not cells or not others:
        return ""
    for axis, what in enumerate(("row", "column")):
        places = sorted({cell[axis] for cell in cells})
        if not any(cell[axis] in places for cell in others):
            return "in " + counted(what, places)
    inside, outside = [{k - q for q, k in them} for them in (cells, others)]
    low, high = min(outside), max(outside)
    if inside == {0} and 0 not in outside and len(cells) > 1:
        return "on the diagonal"
    if len(cells) > 1 and all(not low <= place <= high for place in inside):
        later = "column > row" + beyond(high, "later")
        earlier = "column < row" + beyond(low, "earlier")
        return "where " + " or ".join([later] * (max(inside) > high)
                                      + [earlier] * (min(inside) < low))
    return "at " + listed("[%d][%d]" % cell for cell in sorted(cells)) if len(
        cells) < 4 else ""


def beyond(steps, which):
    return ("%+d" % steps).replace("+", " + ").replace("-", " - ") if steps else (
        " (%s keys)" % which)


# ---- Something else done to each row, column, or step of distance


def done_to_each_row(expected, actual, tolerance):
    for done, words in ((factor, "Each %s was multiplied by a number of its own: %s."),
                        (added, "Each %s had a number of its own added: %s.")):
        for what, rows, mine in both_ways(expected, actual):
            pairs = [list(zip(*both)) for both in zip(rows, mine)]
            if len(rows) > 1 and is_enough(sum(pairs, []), len(rows) + 1, tolerance):
                numbers = [done(row, tolerance) for row in pairs]
                if None not in numbers:
                    return words % (what, listed("%.6g" % x for x in numbers))
    return ""


def done_by_distance(expected, actual, tolerance):
    for words, steps in (("away from the diagonal", lambda q, k: abs(k - q)),
                         ("to the right", lambda q, k: k - q)):
        pairs = [(steps(q, k), actual[q][k] - e) for q, row in enumerate(expected)
                 for k, e in enumerate(row) if e - e == 0.0 or e != actual[q][k]]
        if len(expected) > 1 and is_enough(pairs, 1, tolerance):
            x = factor(pairs, tolerance)
            if x is not None:
                return "%.6g was added for each step %s." % (x, words)
    return ""


# ---- Whatever was done


def mapped(expected, actual, tolerance):
    """Is each column made of expected columns and of ones, each times a number?"""
    if len(actual) > 1 and same(actual[1:], actual[:-1], tolerance):
        return "All rows are the same."
    columns, basis = transpose(expected) + [[1.0] * len(expected)], []
    pairs = list(zip(flat(expected), flat(actual)))
    if len(expected) < len(columns) + 2 or not is_enough(pairs, 1, tolerance):
        return ""
    for column in columns:
        rest = left_over(column, basis)
        length = sqrt(dot(rest, rest))
        if length > CLEAR * tolerance:
            basis.append([x / length for x in rest])
    rests = [left_over(column, basis) for column in transpose(actual)]
    if any(abs(x) > tolerance for x in flat(rests)):
        return ""
    return "Each row is the expected row times some matrix, plus an offset."


def left_over(column, basis):
    for part in basis:
        share = dot(column, part)
        column = [x - share * y for x, y in zip(column, part)]
    return column


def ordered(expected, actual, tolerance):
    rows = [list(zip(*both)) for both in zip(expected, actual)]
    for parts, words in (([sum(rows, [])], "This"), (rows, "Within each row, this")):
        for sign, kind in ((1, "an increasing"), (-1, "a falling")):
            chances = 1
            for part in parts:
                chances *= orders([(e, sign * a) for e, a in part], tolerance)
            if chances >= 720:
                return "%s is %s function of the expected numbers." % (words, kind)
    return ""


def orders(pairs, tolerance):
    """Return in how many orders the actual numbers could be, if they are in that of the
    expected ones; 0 if not, or if equal numbers have become different ones."""
    pairs, below, highest, tops = sorted(pairs), 0, -INF, [-INF]
    for k, (e, a) in enumerate(pairs):
        while pairs[below][0] < e - tolerance:
            highest = max(highest, pairs[below][1])
            below += 1
        equals = [abs(a - other) for near_e, other in pairs[below:k]]
        if not a >= highest - tolerance or max(equals + [0.0]) > CLEAR * tolerance:
            return 0
        if a > tops[-1] + CLEAR * tolerance:
            tops.append(a)
    return factorial(len(tops) - 1)
