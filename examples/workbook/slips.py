"""Which mistake gives these numbers? Only what explains all cases is named."""

import ast
from functools import partial
from math import floor

from attention import STAGES, sqrt
from examples.find_the_mistake.describe import describe
from examples.find_the_mistake.steps import (
    MISTAKE, RIGHT, before, compute, divide, each, flat, never_reset, softmax_rows, width)
from examples.tools.common import first_difference, in_words, size
from examples.workbook.cases import as_matrix
from examples.workbook.steps import NAMES, right


def is_same(expected, got, share=1e-9):
    largest = max([abs(x) for x in flat(expected) if x - x == 0.0] + [0.001])
    return first_difference(expected, got, share * largest) is None


# ---- A beginner's slips: a name, what happened, and a function of s, which is as in
# examples.find_the_mistake, with given and expected

ROUNDINGS = [int, floor] + [partial(round, ndigits=n) for n in range(10)]
CUTS = [
    ("last-only", "only the last product counts: +=, not =", slice(-1, None)),
    ("last-missing", "the last is left out: range(n) ends at n - 1", slice(-1)),
    ("first-missing", "the first is left out: places are counted from 0", slice(1, None))]
SLIPS = [  # by step or stage
    ("attention_weights", "scaled-already", "scores are not divided by a root here",
     lambda s: softmax_rows(divide(s.attention_scores, sqrt(width(s.sources))))),
    ("sqrt", "too-large", "this is above the root: go on while the guess falls",
     lambda s: [[max(s.expected[0][0], s.got[0][0])]]),
    ("causal_attention_weights", "mask-missing", "no key was hidden",
     RIGHT["attention_weights"])]


def ways(step, stage, depth):
    """Yield all that may have happened: a name, a text, a function of s."""
    for cut in ROUNDINGS:
        yield "rounded", "leave all digits", lambda s: each(cut, s.expected)
    yield ("last-only", "is `append` after the loop?",
           lambda s: [row[-1:] for row in s.expected])
    yield ("total-never-reset", "start each total at 0.0",
           lambda s: never_reset([[1.0]], s.expected[:1]) * 2)
    for name, text, cut in CUTS:
        if step.name in ("dot", "blend"):
            yield name, text, lambda s: as_matrix(
                right(step)(*[x[cut] for x in s.given]), depth)
        elif step.name == "matmul":
            yield name, text, lambda s: right(step)(
                [row[cut] for row in s.given[0]], s.given[1][cut])
    for place, name, text, make in SLIPS:
        if place in (step.name, stage):
            yield name, text, make
    for it in MISTAKE.values():
        text = "%s. Right: %s" % (it.what, it.fix)
        if step.name in NAMES[:10]:  # nothing is scaled yet
            text = text.replace("scaled ", "")
        if stage in it.steps and not it.whole:
            yield it.name, text, it.steps[stage]
        elif "W_key" in step.names and it.stage in STAGES[:3] and stage not in STAGES[:3]:
            yield it.name, text, lambda s: getattr(compute(s.case, it.steps), stage)


def explain(step, i, tried):
    """Return {name: text} of what explains stage i in all pairs of a case and an outcome.
    If nothing does, there is no name, and the text describes what is there."""
    found = []
    for case, outcome in tried:
        s = before(case.known)
        s.case = {name: x for name, x in vars(s).items() if name not in STAGES}
        s.given, s.expected = case.given, as_matrix(case.expected[i], case.depth)
        s.got = as_matrix(outcome["got"][i], case.depth)
        found.append(s)
    for name, text, make in ways(step, step.stages[i], case.depth):
        if all(gives(make, s) for s in found):
            return {name: text}
    wrong = [s for s in found if not is_same(s.expected, s.got)]
    text = described(max(wrong, key=lambda s: len(flat(s.expected))), case.depth)
    return {"": text and "In the longest case: " + text}


def gives(make, s):
    try:
        return is_same(make(s), s.got, 1e-12)
    except Exception:  # it makes no sense here
        return False


def described(s, depth):
    """Return in a sentence what these numbers are, or ""."""
    if depth < 2:
        text = describe(s.expected[:1], s.got[:1], 1e-9)
        return text.replace("column", "place").replace("Column", "Place")
    sizes = size(s.got), size(s.expected)
    resized = "This is %s, expected %s." % sizes if sizes[0] != sizes[1] else ""
    if " to " in sizes[0]:  # the rows differ in length
        return resized
    others = {"the " + in_words(name): getattr(s, name) for name in STAGES
              if getattr(s, name) not in (None, s.expected)}
    return describe(s.expected, s.got, 1e-9, others) or resized


def habits(function):
    """Return {name: text} of what no function should have."""
    found, nodes = {}, list(ast.walk(function))
    used = [node.id for node in nodes if isinstance(node, ast.Name)]
    for argument in function.args.args:
        if argument.arg not in used:
            found["argument-unused"] = "%s is never used" % argument.arg
    for node in nodes:
        for last in node.body if isinstance(node, (ast.For, ast.While)) else []:
            if isinstance(last, ast.Return):
                found["return-in-the-loop"] = (
                    "line %d ends the loop in its first round" % last.lineno)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            power = node.left
            if isinstance(getattr(power, "op", None), ast.Pow) and (
                    1 in dict(ast.iter_fields(power.right)).values()):
                found["power-first"] = "x ** 1/2 is (x ** 1) / 2: write x ** 0.5"
    return found
