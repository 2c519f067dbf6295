"""Check a learner's file, in a process of its own that __main__.py starts.

For the file and each step, it prints a line of JSON: name, status, mistakes, lines.
"""

import json
import os
import sys

import attention
from examples.workbook.judge import FILE, check, describe
from examples.workbook.steps import STEPS, function_of, right


def load(path):
    """Run the file. What the functions of attention.py need is there, too."""
    names = dict(vars(attention), __name__="mine")
    for step in STEPS:
        names.pop(function_of(step), None)
    with open(path, "rb") as file:
        exec(compile(file.read(), FILE, "exec"), names)
    return names


def attend(*given):  # returns four stages, as the blank file says
    return attention.scaled_dot_product_attention(*given)[3:]


def check_step(step, names, own, done):
    """Check it with right functions in the place of all others that are not done."""
    name = function_of(step)
    if not callable(own.get(name)):
        return "missing", [], []
    if getattr(own[name], "__module__", "") != "mine":
        return "borrowed", [], []
    for other in STEPS:
        if other.name not in done:
            names[function_of(other)] = right(function_of(other))
    if "scaled_dot_product_attention" not in done:
        names["scaled_dot_product_attention"] = attend
    for other in done:
        names[other] = own.get(other)
    names[name] = own[name]
    return check(step, own[name])


def main(path, done, todo):
    results = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr = open(os.devnull, "w")

    def tell(*verdict):
        results.write(json.dumps(verdict) + "\n")
        results.flush()

    try:
        names = load(path)
    except BaseException as error:
        return tell("file", "wrong", [type(error).__name__], [describe(error)])
    tell("file", "right", [], [])
    own, done = dict(names), done.split()
    for step in STEPS:
        if step.name in todo.split():
            verdict = check_step(step, names, own, done)
            tell(step.name, *verdict)
            done += [step.name] * (verdict[0] == "right")


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # whatever the file has started
