"""Check a learner's file, in a process of its own that __main__.py starts.

For the file and each step, it prints a line of JSON: [status, mistakes, lines].
"""

import json
import os
import sys

import attention
from examples.workbook.judge import FILE, check, describe
from examples.workbook.steps import STEPS, function_of, right


def load(path):
    """Run the file. The functions that guard those of attention.py are there, too."""
    names = dict(vars(attention), __name__="mine", __file__=path)
    for step in STEPS:
        names.pop(step.name, None)
    with open(path, "rb") as file:
        exec(compile(file.read(), FILE, "exec"), names)
    return names


def attend(*given):  # returns four stages, as the blank file says
    return attention.scaled_dot_product_attention(*given)[3:]


def check_step(step, names, own, done):
    """Check it with right functions in the place of all others that are not done."""
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


def main(path, *todo):
    results = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr = open(os.devnull, "w")

    def tell(*verdict):
        results.write(json.dumps(verdict) + "\n")
        results.flush()

    sys.modules["attention"] = None  # an import of it fails
    sys.path.insert(0, os.path.dirname(path))
    try:
        names = load(path)
    except BaseException as error:
        name = type(error).__name__
        return tell("not yet", [name], [name + ": " + describe(error)])
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
