"""Judge a learner's file, in a process of its own that __main__.py starts.

For the file and each step, it prints a line of JSON: [status, mistakes, lines].
"""

import contextlib
import copy
import json
import os
import sys
import traceback
from types import SimpleNamespace

import attention
from examples.tools.common import in_words, shown
from examples.find_the_mistake.steps import MISTAKE, RIGHT, before, flat
from examples.workbook.steps import STEPS, function_of, right

FILE = "<your file>"  # as tracebacks call it


def attend(*given):  # its four stages
    return attention.scaled_dot_product_attention(*given)[3:]


def check_step(step, names, own, done):
    """Check it, with right functions for all that are not done."""
    name = function_of(step.name)
    if not callable(own.get(name)):
        return "missing", [], []
    names.update(own)
    for other in STEPS:
        if other.name not in done:
            names[function_of(other.name)] = right(other.name)
    if "scaled_dot_product_attention" not in done:
        names["scaled_dot_product_attention"] = attend
    names[name] = own[name]
    return check(step, own[name])


def check(step, function):
    """Return the status, names of mistakes, and lines about the first wrong case."""
    names = step.names.split()
    for case in step.cases:
        if not isinstance(case, dict):
            case = dict(zip(names, case))
        given = [case[name] for name in names]
        lines, found = try_case(step, case, given, function)
        if "blank" in found:
            return "blank", [], []
        if lines or found:
            call = "%s(%s)" % (function_of(step.name), ", ".join(map(str, given)))
            return "not yet", list(found), [shown(call, 400)[1:-1]] + lines + [
                name + ": " + found[name] for name in found]
    return "right", [], []


def try_case(step, case, given, function):
    """Return lines with what differs, and {mistake: what happened}."""
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
    """Return what was raised, and the line of the learner's file."""
    places = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename == FILE]
    text = str(error)
    if isinstance(error, ImportError) and error.name == "attention":
        text = "attention.py may not be imported"
    return shown(text, 200)[1:-1] + "".join(
        " (line %d)" % place for place in places[-1:])


# ---- Comparing


def compare(step, case, expected, got):
    stages = step.stages.split()
    expected, got = as_list(stages, expected), as_list(stages, got)
    if len(got) != len(stages):
        return [], {"wrong-count": "return " + ", ".join(stages)}
    for stage, x, y in zip(stages, expected, got):
        label = in_words(stage) if len(stages) > 1 else "the result"
        depth = depth_of(x)
        try:
            x, own = as_matrix(label, x, depth), as_matrix(label, y, depth)
        except (TypeError, ValueError) as error:
            return [], {"wrong-kind": str(error).replace("[0]" * (2 - depth), "", 1)}
        if differs(x, own):
            found = explain(stage, case, x, own)
            if depth == 2 and isinstance(y, list) and len(set(map(id, y))) < len(y):
                found["rows-shared"] = "all rows are one list: make a new one for each"
            return side_by_side(label, x, own), found
    return [], {}


def as_list(stages, result):  # the results of all stages
    if hasattr(result, "_fields"):  # as attention.py has it
        return [getattr(result, stage) for stage in stages]
    if len(stages) > 1 and isinstance(result, (list, tuple)):
        return result
    return [result]


def depth_of(x):  # 0 for a number, 1 for a row, 2 for a matrix
    return 1 + depth_of(x[0]) if isinstance(x, list) else 0


def wrapped(x, depth):  # as a matrix
    return [[[x]], [x], x][depth]


def as_matrix(name, x, depth):
    return attention.to_matrix(name, wrapped(x, depth))


def size(matrix):
    return len(matrix), len(matrix[0])


def differs(a, b):
    largest = max([abs(x) for x in flat(b)] + [0.001])
    return size(a) != size(b) or any(
        abs(x - y) > 1e-9 * largest for x, y in zip(flat(a), flat(b)))


def side_by_side(label, expected, got):
    """Return the first row that differs, or all if there are more or fewer."""
    if len(expected) == len(got):
        i = [differs([x], [y]) for x, y in zip(expected, got)].index(True)
        label, expected, got = "%s, row %d" % (label, i), expected[i], got[i]
    return [label, "expected  " + shown(expected, 150), "got       " + shown(got, 150)]


# ---- Which mistake is it?


def explain(stage, case, expected, got):
    found = {}
    pairs = list(zip(flat(expected), flat(got)))
    if size(expected) != size(got):
        found["wrong-shape"] = "expected %d x %d, got %d x %d" % (
            size(expected) + size(got))
    elif any(all(y in (round(x, digits), int(x), x // 1) for x, y in pairs)
             for digits in range(12)):
        found["rounded"] = "leave all digits: no round(), int(), //"
    s = before({name: wrapped(x, depth_of(x)) for name, x in case.items()})
    s.got = got
    if gives(RIGHT.get(stage), s):  # wrong in the causal step
        found["mask-missing"] = "no word was hidden. Right: " + STEPS[-1].hint
    for name, mistake in MISTAKE.items():
        if not mistake.whole and gives(mistake.steps.get(stage), s):
            found[name] = "%s. Right: %s" % (mistake.what, mistake.fix)
    return found


def gives(step, s):
    """Does this step give the learner's numbers?"""
    try:
        return not differs(step(s), s.got)
    except Exception:  # it makes no sense here
        return False


# ---- The process


def main(path, *todo):
    results = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr = open(os.devnull, "w")

    def tell(*verdict):
        results.write(json.dumps(verdict) + "\n")
        results.flush()

    sys.modules["attention"] = None  # an import of it fails
    sys.path.insert(0, os.path.dirname(path))
    names = dict(vars(attention), __name__="mine", __file__=path)  # for pasted functions
    for step in STEPS:
        names.pop(step.name, None)
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(), FILE, "exec"), names)
    except BaseException as error:
        return tell("not yet", [type(error).__name__], [describe(error)])
    tell("right", [], [])
    own, done = dict(names), []
    for step in STEPS:
        if step.name in todo:
            verdict = check_step(step, names, own, done)
            tell(*verdict)
            if verdict[0] == "right":
                done.append(step.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # whatever the file has started
