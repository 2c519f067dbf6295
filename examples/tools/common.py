"""What lessons and tools share: tables, text that is safe to show, a quiet end."""

import os
import sys
from collections import namedtuple

import attention

complain = attention.complain  # one line to standard error; returns the exit status 2


def print_table(rows, row_names, column_names=(), places=4):
    """Print a matrix with a name before each row and, if given, above each column.

    >>> print_table([[0.25, 0.75]], ["old"], ["old", "dogs"], places=2)
                     old      dogs
      old           0.25      0.75
    """
    if column_names:
        print(" " * 10 + "".join("%10s" % name for name in column_names))
    for name, row in zip(row_names, rows):
        print("  %-8s" % name + "".join("%10.*f" % (places, x) for x in row))


def shown(thing, longest=60):
    """Return what a user gave as one short line of ASCII without control characters.

    >>> shown("a\\x1b[2J"), shown([1] * 99, 12)
    ("'a\\\\x1b[2J'", '[1, 1, 1,...')
    """
    text = ascii(thing)
    return text if len(text) <= longest else text[:longest - 3] + "..."


def in_words(stage):
    """Return a stage's name as words.
    >>> in_words("attention_scores")
    'attention scores'
    """
    return stage.replace("_", " ")


Difference = namedtuple("Difference", ["row", "column", "expected", "actual"])


def near(x, y, tolerance):
    """Are the numbers at most tolerance apart? Infinity is near itself, nan is not.

    >>> near(0.25, 0.5, 0.25), near(0.25, 0.5, 0.125)
    (True, False)
    """
    return x == y or abs(x - y) <= tolerance


def first_difference(expected, actual, tolerance=0.0, near=near):
    """Return the first Difference of two matrices, or None. (If their sizes differ, it
    holds the sizes, and no row or column.)

    >>> first_difference([[1.0, 2.0]], [[1.0, 2.5]])
    Difference(row=0, column=1, expected=2.0, actual=2.5)
    >>> first_difference([[1.0, 2.0]], [[1.0], [2.0]])
    Difference(row=None, column=None, expected='1 x 2', actual='2 x 1')
    """
    if [len(row) for row in expected] != [len(row) for row in actual]:
        return Difference(None, None, size(expected), size(actual))
    for i, row in enumerate(expected):
        for j, x in enumerate(row):
            if not near(x, actual[i][j], tolerance):
                return Difference(i, j, x, actual[i][j])
    return None


def size(matrix):
    """Return how many rows and columns a matrix has, as text.

    >>> size([[1.0, 2.0], [3.0, 4.0]]), size([[1.0, 2.0], [3.0]])
    ('2 x 2', '2 rows of 1 to 2')
    """
    widths = [len(row) for row in matrix] or [0]
    if min(widths) == max(widths):
        return "%d x %d" % (len(matrix), widths[0])
    return "%d rows of %d to %d" % (len(matrix), min(widths), max(widths))


def run_lesson(main, about):
    """Run the main() of a lesson or a simple tool. Its only argument is --help, which
    prints its __doc__ (None with -OO). A ValueError is told in one line.
    """
    name = os.path.basename(sys.argv[0]).replace(".py", "")

    def command():
        if sys.argv[1:] == ["--help"]:
            return print((about or "Read the text at the top of the file.").strip())
        if sys.argv[1:]:
            given = shown(" ".join(sys.argv[1:]))
            return complain("%s takes no arguments but --help: %s" % (name, given))
        try:
            return main()
        except ValueError as error:
            return complain("%s: %s" % (name, error))
    run(command)


def run(main):
    """Call main() and end the program with the status that it returns (None: 0).

    If the reader has seen enough (`| head`), that is no error. A full disk gives status
    2, Ctrl-C 130, each with one line.
    """
    def command():
        try:
            return main()
        except SystemExit as end:  # of argparse: what it has printed may still fail
            return end.code
        except KeyboardInterrupt:
            complain("interrupted")
            return 130
    status = attention.run(command)
    if not hasattr(sys, "ps1"):  # %run in a notebook would show a traceback
        raise SystemExit(status)
