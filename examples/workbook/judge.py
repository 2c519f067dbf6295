"""Judge one step: call the learner's function, compare, and name the mistake."""

import contextlib
import copy
import inspect
import io
import re
import traceback
from math import floor
from types import SimpleNamespace

from attention import checked
from examples.common import in_words, shown
from examples.find_the_mistake.steps import MISTAKE, MISTAKES, RIGHT, flat
from examples.workbook import blank
from examples.workbook.steps import function_of, right

FILE = "<your file>"  # as tracebacks call it


def check(step, function):
    """Return the status (right, wrong or blank), the names of the mistakes that fit all cases
    that went wrong, and lines about the first of these."""
    names = step.names.split()
    first, found = [], {}
    for case in step.cases:
        if not isinstance(case, dict):
            case = dict(zip(names, case))
        given = [case[name] for name in names]
        lines, mistakes = try_case(step, case, given, function)
        if "blank" in mistakes:
            return "blank", [], []
        if not first and (lines or mistakes):
            call = "%s(%s)" % (function_of(step), ", ".join(map(str, given)))
            first, found = [shown(call, 400)[1:-1]] + lines, mistakes
        if lines[:1] == first[1:2]:  # wrong at the same stage
            found = {name: found[name] for name in found
                     if name in mistakes or name not in MISTAKE}
    if not first:
        return "right", [], []
    return "wrong", list(found), first + [name + ": " + found[name] for name in found]


def try_case(step, case, given, function):
    """Return lines with the numbers, and {name of a mistake: what happened}."""
    expected = right(function_of(step))(*given)
    mine, printed = copy.deepcopy(given), io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            got = function(*mine)
        if mine != given:
            return [], {"argument-changed": "make a new list instead"}
        if got is None and printed.getvalue():
            return [], {"printed": "the result is printed: `return` it"}
        if got is None:
            return [], {"none-returned": "a `return` is missing, or is not reached"}
        return compare(step, case, given, expected, got)
    except NotImplementedError:
        return [], {"blank": ""}
    except BaseException as error:
        return [], {type(error).__name__: describe(error)}


def describe(error):
    """Say what was raised, and in which line of the learner's file."""
    what = "exit() is called" if isinstance(error, SystemExit) else str(error)
    places = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename == FILE]
    if isinstance(error, SyntaxError) and error.filename == FILE:
        places = [error.lineno]
    return shown(what, 200)[1:-1] + "".join(" (line %s)" % place for place in places[-1:])


def compare(step, case, given, expected, got):
    stages = step.stages.split() or ["result"]
    if len(stages) == 1:
        expected, got = [expected], [got]
    if hasattr(expected, "_fields"):
        expected = [getattr(expected, stage) for stage in stages]
    if hasattr(got, "_fields"):
        got = [getattr(got, stage) for stage in stages]
    if len(got) != len(stages):
        return [], {"wrong-count": "return " + ", ".join(stages)}
    for stage, x, y in zip(stages, expected, got):
        depth = depth_of(x)
        try:
            x, own = as_matrix(stage, x, depth), as_matrix(stage, y, depth)
        except (TypeError, ValueError) as error:
            return [], {"wrong-kind": str(error).replace("[0]" * (2 - depth), "", 1)}
        if differs(x, own):
            found = explain(step, stage, case, given, x, own)
            if depth == 2 and len(set(map(id, y))) < len(y):
                found["rows-aliased"] = "all rows are one list: make a new one for each"
            return [in_words(stage)] + side_by_side(x, own, depth), found
    return [], {}


# ---- Comparing ---------------------------------------------------------------------------


def depth_of(x):  # 0 for a number, 1 for a row, 2 for a matrix
    return 1 + depth_of(x[0]) if isinstance(x, list) else 0


def as_matrix(name, x, depth):
    for outer in range(2 - depth):
        x = [x]
    return checked((name, x, "n", "d"))[0]


def size(matrix):
    return len(matrix), len(matrix[0])


def differs(a, b):
    largest = max([abs(x) for x in flat(b)] + [0.001])
    return size(a) != size(b) or any(
        abs(x - y) > 1e-9 * largest for x, y in zip(flat(a), flat(b)))


def side_by_side(expected, got, depth):
    """Return two lines: the first row that differs, or all rows if they are not as many."""
    place = ""
    if len(expected) == len(got):
        i = [differs([x], [y]) for x, y in zip(expected, got)].index(True)
        expected, got = expected[i], got[i]
        place = "[%d]" % i if depth == 2 else ""
    if depth == 0:
        [expected], [got] = expected, got
    return ["expected%s  %s" % (place, shown(expected, 150)),
            "got%s       %s" % (place, shown(got, 150))]


# ---- Which mistake is it? ----------------------------------------------------------------


def explain(step, stage, case, given, expected, got):
    found = {}
    pairs = list(zip(flat(expected), flat(got)))
    if size(expected) != size(got):
        found["wrong-shape"] = explain_size(step, given, expected, got)
    elif not any(abs(x - y) > 0.001 * abs(x) for x, y in pairs):
        found["inexact"] = "close, but rounded, or stopped too early"
    elif all(y == floor(x) for x, y in pairs):
        found["cut-to-integers"] = "digits are cut off: is there a // or int()?"
    known = dict(case, got=got)
    s = SimpleNamespace(**{
        name: as_matrix(name, known[name], depth_of(known[name])) for name in known})
    if gives(RIGHT.get(stage), s):  # and is not right here
        found["nothing-hidden"] = "later keys are not hidden"
    for mistake in MISTAKES:
        if stage in mistake.steps and not mistake.whole and gives(mistake.steps[stage], s):
            found[mistake.name] = "%s. Right: %s" % (mistake.what, mistake.fix)
    return found


def gives(step, s):
    """Does this step of the catalogue give the learner's numbers?"""
    try:
        return not differs(step(s), s.got)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        return False  # it has no sense here


def explain_size(step, given, expected, got):
    """Call the sizes what the blank file calls them."""
    source = inspect.getsource(getattr(blank, function_of(step)))
    names = {}
    for shape, x in zip(re.findall(r"\[(.*?)\]", source.split("->")[0]), given):
        names.update(zip(reversed(size(as_matrix("", x, depth_of(x)))),
                         reversed(shape.split(", "))))
    return "expected %d x %d, got %d x %d: " % (size(expected) + size(got)) + ", ".join(
        "%s = %s" % (name, n) for n, name in names.items())
