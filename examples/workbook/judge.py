"""Judge one step: call the learner's function, compare, and name the mistake."""

import contextlib
import copy
import inspect
import traceback
from types import SimpleNamespace

from attention import checked
from examples.common import in_words, shown
from examples.find_the_mistake.steps import MISTAKE, RIGHT, before, flat
from examples.workbook import blank
from examples.workbook.steps import function_of, right

FILE = "<your file>"  # as tracebacks call it


def check(step, function):
    """Return the status (right, not yet, blank), names of mistakes, and lines about the
    first wrong case. A mistake must give all that is wrong at its stage."""
    names = step.names.split()
    first, found = [], {}
    for case in step.cases:
        if not isinstance(case, dict):
            case = dict(zip(names, case))
        given = [case[name] for name in names]
        lines, mistakes = try_case(step, case, given, function)
        if "blank" in mistakes:
            return "blank", [], []
        if first and lines[:1] == first[1:2]:
            found = {name: found[name] for name in found
                     if name in mistakes or name not in MISTAKE}
        elif not first and lines + list(mistakes):
            call = "%s(%s)" % (function_of(step.name), ", ".join(map(str, given)))
            first, found = [shown(call, 400)[1:-1]] + lines, mistakes
    if not first:
        return "right", [], []
    return "not yet", list(found), first + [name + ": " + found[name] for name in found]


def try_case(step, case, given, function):
    """Return lines with what differs, and {mistake: what happened}: none if all is right.
    """
    mine, printed = copy.deepcopy(given), []
    screen = SimpleNamespace(
        write=lambda text: printed or printed.append(text), flush=lambda: None)
    try:
        with contextlib.redirect_stdout(screen):
            got = function(*mine)
        if mine != given:
            return [], {"argument-changed": "make a new list instead"}
        if got is None and printed:
            return [], {"printed": "`return` the result, do not print it"}
        if got is None:
            return [], {"none-returned": "a `return` is missing, or not reached"}
        return compare(step, case, right(step.name)(*given), got)
    except NotImplementedError:
        return [], {"blank": ""}
    except BaseException as error:
        return [], {type(error).__name__: describe(error)}


def describe(error):
    """Say what was raised, and in which line of the learner's file."""
    what = str(error)
    places = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename == FILE]
    if isinstance(error, SyntaxError):
        what, places = error.msg, [error.lineno]
    if "import of attention" in what:
        what = "write it yourself, without attention.py"
    if isinstance(error, SystemExit):
        what = "exit() is called"
    return shown(what, 200)[1:-1] + "".join(" (line %s)" % place for place in places[-1:])


def compare(step, case, expected, got):
    stages = step.stages.split()
    expected, got = as_list(stages, expected), as_list(stages, got)
    if len(got) != len(stages):
        return [], {"wrong-count": "return " + ", ".join(stages)}
    for stage, x, y in zip(stages, expected, got):
        depth = depth_of(x)
        label = in_words(stage) if len(stages) > 1 else "the result"
        try:
            x, own = as_matrix(label, x, depth), as_matrix(label, y, depth)
        except (TypeError, ValueError) as error:
            return [], {"wrong-kind": str(error).replace("[0]" * (2 - depth), "", 1)}
        if differs(x, own):
            found = explain(step, stage, case, x, own)
            if depth == 2 and isinstance(y, list) and len(set(map(id, y))) < len(y):
                found["rows-shared"] = "all rows are one list: make a new one for each"
            return [label] + side_by_side(x, own, depth), found
    return [], {}


# ---- Comparing -------------------------------------------------------------------------


def as_list(stages, result):  # the results of all stages
    if hasattr(result, "_fields"):
        return [getattr(result, stage) for stage in stages]
    if len(stages) > 1 and isinstance(result, (list, tuple)):
        return result
    return [result]


def depth_of(x):  # 0 for a number, 1 for a row, 2 for a matrix
    return 1 + depth_of(x[0]) if isinstance(x, list) else 0


def wrapped(x, depth):  # as a matrix
    return [[x]] if depth == 0 else [x] if depth == 1 else x


def as_matrix(name, x, depth):
    return checked((name, wrapped(x, depth), "n", "d"))[0]


def size(matrix):
    return len(matrix), len(matrix[0])


def differs(a, b):
    largest = max([abs(x) for x in flat(b)] + [0.001])
    return size(a) != size(b) or any(
        abs(x - y) > 1e-9 * largest for x, y in zip(flat(a), flat(b)))


def side_by_side(expected, got, depth):
    """Return the first row that differs, or all if there are more or fewer."""
    place = ""
    if len(expected) == len(got):
        i = [differs([x], [y]) for x, y in zip(expected, got)].index(True)
        expected, got = expected[i], got[i]
        place = "[%d]" % i if depth == 2 else ""
    if depth == 0:
        [expected], [got] = expected, got
    return ["expected%s  %s" % (place, shown(expected, 150)),
            "got%s       %s" % (place, shown(got, 150))]


# ---- Which mistake is it? --------------------------------------------------------------


def explain(step, stage, case, expected, got):
    found = {}
    pairs = list(zip(flat(expected), flat(got)))
    if size(expected) != size(got):
        source = inspect.getsource(getattr(blank, function_of(step.name)))
        shapes = source.split('"""')[0].split("# ")[1]
        found["wrong-shape"] = "expected %d x %d, got %d x %d; see %s" % (
            size(expected) + size(got) + (shapes.strip(),))
    elif all(y in (x // 1, int(x)) for x, y in pairs):
        found["cut-to-integers"] = "digits are cut off, as // and int() do"
    elif any(all(y == round(x, digits) for x, y in pairs) for digits in range(12)):
        found["rounded"] = "leave all digits"
    elif all(abs(x - y) < 0.001 * abs(x) for x, y in pairs):
        found["inexact"] = "close, but not exact: does it stop too early?"
    s = before({name: wrapped(x, depth_of(x)) for name, x in dict(case, got=got).items()})
    if gives(RIGHT.get(stage), s):  # but it is not expected: only the extra is like that
        found["nothing-hidden"] = "later keys are not hidden"
    for name, mistake in MISTAKE.items():
        if not mistake.whole and gives(mistake.steps.get(stage), s):
            found[name] = "%s. Right: %s" % (mistake.what, mistake.fix)
    return found


def gives(step, s):
    """Does this step of the catalogue give the learner's numbers?"""
    try:
        return not differs(step(s), s.got)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        return False  # it makes no sense here
