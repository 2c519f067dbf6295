"""A blank file and hints, made of the right functions."""

import ast
import inspect
import re

from examples.workbook.cases import CASES_OF, brief, call_of
from examples.workbook.steps import STEPS, right

HEAD = '''"""Write attention: replace each `raise`. You may use the functions above it.
Nine digits must be right. To look inside, print something, and run this file
(python3 mine.py) or the workbook.

[n, d] is a matrix: a list of n rows (words) of d numbers.
"""

from math import exp  # e^x
'''
GUARD = "check_|= to_|raise "  # how attention.py refuses arguments


def head_of(step):
    return inspect.getsource(right(step)).split('    """')[0].replace(" -> Attention", "")


def body_of(step):
    """Return the right function's body as text, without docstring, comments, guards."""
    lines = inspect.getsourcelines(right(step))[0]
    text, nodes = "", ast.parse("".join(lines)).body[0].body[1:]
    ends = [node.lineno - 1 for node in nodes[1:]] + [len(lines)]
    for node, end in zip(nodes, ends):
        source = "".join(lines[node.lineno - 1:end])
        if "Attention(" in source:
            text += "    return %s\n" % ", ".join(step.stages)
        elif not re.search(GUARD, source):
            text += re.sub(r"\n +#.*| +#.*", "", source)
    return text


def hints(step):
    """Return an outline, more of it, and all of it."""
    body = body_of(step)
    more = re.sub(r"\([^()]*\)", "(...)", body)
    less = re.sub(r"( [-+]?=| in|return) [^:\n]*", r"\1 ...", more)
    return [head_of(step) + text for text in (less, more, body)]


def blank():
    text = HEAD
    for step in STEPS:
        if "_large" not in step.name:
            doc = inspect.getsource(right(step)).split('"""')[1].split("\n\n")[0]
            # What is not true of a blank file
            doc = re.sub(r",? for part 4|\(In self[^)]*\)|Shown for .*", "", doc)
            case, stages = CASES_OF[step.name][0], ", ".join(step.stages)
            text += '\n\n%s    """%s"""\n    # %s\n    # -> %s%s\n    %s\n' % (
                head_of(step), doc.rstrip(), call_of(step, case),
                str(brief(case.expected))[1:-1],
                "\n    # Return " + stages if "," in stages else "",
                "raise NotImplementedError")
    return text
