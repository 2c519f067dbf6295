"""Run a learner's file, in a process of its own.

It gets arguments, not answers, and prints what became of the file and of each call. If
one takes too long, Python prints where it is, and ends.
"""

import ast
import contextlib
import faulthandler
import io
import json
import os
import sys
import traceback

from examples.tools.common import shown
from examples.workbook.steps import STEP, STEPS, in_stages, right

FILE = "<your file>"  # as tracebacks call it


def main(path, seconds):
    calls, done = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    for number in range(3):  # nothing that the file writes is taken for an answer
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    sys.modules["attention"] = None  # an import of it fails
    sys.path.insert(0, os.path.dirname(path))
    names = {}

    def answer(act, *given):
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=answers)
        answers.write(json.dumps(attempt(act, *given)) + "\n")
        answers.flush()

    answer(load, path, names)
    own = dict(names)
    missing = "missing" if own else "waits"
    for name, given in calls:
        names.update(own)
        for other in STEPS:
            if other.name not in done:
                names[other.function] = stand_in(other)
        step = STEP[name]
        names[step.function] = own.get(step.function)
        answer(call, step, names[step.function], given, missing)


def stand_in(step):
    if len(step.stages) > 1:
        return lambda *given: in_stages(step, right(step)(*given))
    return right(step)


def attempt(act, *given):
    """Return act(...), a dict, or what it raised; and what it printed."""
    screen = io.StringIO()
    try:
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            outcome = act(*given)
    except BaseException as error:
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__)
                 if frame.f_code.co_filename == FILE]
        text = shown(str(getattr(error, "msg", error)), 200)[1:-1]
        if getattr(error, "name", "") == "attention":
            text = "attention.py may not be imported"
        lines = lines or [getattr(error, "lineno", "")]
        where = ", then ".join(map(str, dict.fromkeys(lines)))
        outcome = {"failed": type(error).__name__,
                   "text": text + " (line %s)" % where * (where != "")}
    return dict(outcome, printed=screen.getvalue()[:1000])


def load(path, names):
    """Run it statement by statement, so that one that fails does not stop the others."""
    with open(path, "rb") as file:
        source = file.read()
    if b"\0" in source:
        raise ValueError("save it as UTF-8")
    tree, problem = ast.parse(source, FILE), None
    names.update(__name__="mine", __file__=path)
    for node in tree.body:
        tree.body = [node]
        try:
            exec(compile(tree, FILE, "exec"), names)
        except BaseException as error:
            problem = problem or error
    if problem:
        raise problem
    return {}


def call(step, function, given, missing):
    if not callable(function):
        return {"failed": missing, "text": ""}
    got = in_stages(step, function(*given))
    return {"got": plain(got), "given": plain(given)}


def plain(x):
    """Return lists and floats; of anything else, what kind of thing it is."""
    if hasattr(x, "tolist"):  # an array
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    if hasattr(x, "__float__") and not isinstance(x, bool):
        return float(x)
    return "None" if x is None else "a " + type(x).__name__


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # whatever the file has started
