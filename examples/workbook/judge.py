"""Judge a learner's file: runner.py runs it, and what comes back is compared here.

A verdict is [status, mistakes, lines]. The file as a whole has one, too.
"""

import ast
import json
import os
import re
import subprocess
import sys

import attention
from examples.tools.common import in_words, shown
from examples.workbook.cases import CASES_OF, as_matrix, brief, call_of
from examples.workbook.slips import explain, habits, is_same
from examples.workbook.steps import NAMES, STEP, STEPS

ROOT = os.path.dirname(os.path.abspath(attention.__file__))
KINDS = ("a number", "a list of numbers", "a list of rows")


# ---- The learner's process


def run_file(path, steps, done, seconds):
    """Return the outcome of the file, and {step: [outcome of each case]}."""
    calls = [(step.name, case.given) for step in steps for case in CASES_OF[step.name]]
    text = subprocess.run(
        [sys.executable, "-B", "-m", "examples.workbook.runner", os.path.abspath(path),
         str(seconds)], cwd=ROOT, input=json.dumps([calls, done]), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    outcomes = [json.loads(line) for line in text.splitlines()
                if line[:1] + line[-1:] == "{}"]
    end = {"failed": "ended", "text": "it ends Python", "gone": True}
    if "Timeout" in text:
        where = re.findall('<your file>", (line .*) in', text)
        end.update(failed="endless", text=(where + ["what it returns is too large"])[0])
    outcomes.append(end)
    by_step = {}
    for (name, given), outcome in zip(calls, outcomes[1:]):
        by_step.setdefault(name, []).append(outcome)
    return outcomes[0], by_step


def judge(path, names=NAMES, seconds=3):
    """Return {"file": verdict, name of a step: verdict, ...}."""
    verdicts = {name: ["waits", [], []] for name in ["file"] + names}
    todo, count = [step for step in STEPS if step.name in names], None
    while todo and len(todo) != count:  # what has become right helps the others
        done = [name for name in names if verdicts[name][0] == "right"]
        file, outcomes = run_file(path, todo, done, seconds)
        verdicts["file"], count = told(file, failure(file)), len(todo)
        for name in outcomes:
            verdicts[name] = verdict(STEP[name], path, outcomes[name])
        todo = [step for step in todo if verdicts[step.name][0] != "right"
                and "gone" not in outcomes.get(step.name, [{}])[-1]]
    return verdicts


def on_journey(path):
    """Return all stages of the running example, by the file's own functions."""
    steps = [STEP["project"], STEP["self_attention"]]
    outcomes = run_file(path, steps, NAMES, 3)[1]
    return [stage for step in steps for stage in outcomes[step.name][-1]["got"]]


# ---- Verdicts


def failure(outcome):
    return {outcome["failed"]: outcome["text"]} if "failed" in outcome else {}


def told(outcome, found, lines=()):
    printed = outcome.get("printed", "").splitlines()[:10]
    texts = [": ".join(filter(None, row)) for row in found.items() if row[1]]
    return ["not yet" if found else "right", list(filter(None, found)), list(lines) + [
        "printed   " + shown(line, 80)[1:-1] for line in printed] + texts]


def verdict(step, path, outcomes):
    """Return the verdict on a step: on the first case that goes wrong."""
    tried = list(zip(CASES_OF[step.name], outcomes))
    flaws = [flaw(step, *pair) for pair in tried]
    wrong = [k for k, (found, i) in enumerate(flaws) if found or i is not None]
    if not wrong:
        return told(outcomes[0], {})
    (case, outcome), (found, i) = tried[wrong[0]], flaws[wrong[0]]
    if "missing" in found or "waits" in found:
        return list(found) + [[], []]
    with open(path, "rb") as file:
        nodes = ast.parse(file.read()).body
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
    function = functions.get(step.function)
    if "NotImplementedError" in found and function:
        if len(function.body) == 1 + bool(ast.get_docstring(function)):  # the `raise`
            return ["blank", [], []]
        found["NotImplementedError"] = "delete `raise`" + found["NotImplementedError"]
    elif function:
        found = dict(habits(function), **found)
    lines = [shown(call_of(step, case), 400)[1:-1]]
    if i is not None:
        lines += side_by_side(step, i, case, outcome["got"][i])
        numeric = [pair for pair, other in zip(tried, flaws) if not other[0]]
        reason = explain(step, i, numeric) if numeric[1:] else {"": ""}
        others = [other[0] for other in flaws if other[0]]
        if others and "" in reason:
            reason = {name: "elsewhere, " + text for name, text in others[0].items()}
        found.update(reason)
    return told(outcome, found, lines)


def flaw(step, case, outcome):
    """Return {name: what is wrong}, and the number of the stage that differs, or None."""
    found = failure(outcome)
    if found:
        return found, None
    if outcome["given"] != case.given:
        return {"argument-changed": "make a new list instead"}, None
    got = outcome["got"]
    if not has_depth(got, case.depth + 1) or len(got) != len(step.stages):
        what = "%s (each %s)" % (", ".join(step.stages), KINDS[case.depth])
        if len(step.stages) == 1:
            what, got = KINDS[case.depth], got[0]
        text = "return %s, not %s" % (what, shown(brief(got), 80).strip("'"))
        return {"wrong-kind": text}, None
    for i, expected in enumerate(case.expected):
        if not is_same(*[as_matrix(x, case.depth) for x in (expected, got[i])]):
            return {}, i
    return {}, None


def has_depth(x, depth):
    if depth == 0:
        return isinstance(x, float)
    return isinstance(x, list) and all(has_depth(y, depth - 1) for y in x)


def side_by_side(step, i, case, got):
    """Return the first row that differs, or all, with as few digits as will do."""
    place = [in_words(step.stages[i]) if len(step.stages) > 1 else "result"]
    expected = case.expected[i]
    if case.depth == 2 and len(expected) == len(got):
        row = [is_same([x], [y]) for x, y in zip(expected, got)].index(False)
        place, expected, got = place + ["row %d" % row], expected[row], got[row]
    digits = 4 if brief(expected) != brief(got) else 17
    return [", ".join(place), "expected  " + shown(brief(expected, digits), 150),
            "got       " + shown(brief(got, digits), 150)]
