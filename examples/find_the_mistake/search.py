"""At which step do these numbers go wrong, and which known mistake gives them?

Each stage has to follow from those before it, as given. If not, all wrong ways are tried
to take this step, or one before it that is not given.
"""

from collections import namedtuple
from types import SimpleNamespace

from attention import STAGES, transpose
from examples.causal import INF, replace
from examples.find_the_mistake.describe import describe
from examples.find_the_mistake.rounding import (
    MADE_OF, agree, apart, error_of, errors_of_case, half_unit, largest, level_of,
    prints_of, unit_of)
from examples.find_the_mistake.steps import MISTAKE, MISTAKES, before, flat
from examples.find_the_mistake.ways import joined, ways
from examples.tools.common import first_difference

# difference: the first, in a wrong step
Step = namedtuple("Step", ["stage", "verdict", "mistakes", "text", "difference"])
Result = namedtuple("Result", ["right", "variant", "steps", "about", "queries"])

# What is checked: these stages, if they are made in this way. errors: how far off each
# matrix of the case may be; queries: {stage: row} where only this row is given.
Task = namedtuple("Task", [
    "case", "given", "prints", "eps", "errors", "way", "queries"])

# right: what each stage is if made by the right step of those before it; limits: how far
# it may be off. stages, errors: the same, or what was given in its place.
Walk = namedtuple("Walk", ["right", "limits", "stages", "errors"])

# Two walks, with the given stages and without
Check = namedtuple("Check", ["task", "own", "expected", "verdicts"])


# ---- One walk through the stages


def attempt(step, stages):
    """Return the rows that the step makes, or None if it cannot be taken."""
    try:
        rows = step(SimpleNamespace(**stages))
        return rows if rows and rows[0] else None
    except (ValueError, ArithmeticError, TypeError, IndexError):
        return None


def walk(task, given, expected=None, start=None, chain=STAGES):
    """Return the Walk through a chain of stages, from the case or from another walk on.
    Where a step cannot be taken, its stage is as expected."""
    stages = dict(vars(before(task.case)), hidden=task.way.hidden)
    errors, right, limits = dict(dict.fromkeys(stages, 0.0), **task.errors), {}, {}
    if start:
        stages, errors = dict(start.stages), dict(start.errors)
    for stage in chain:
        rows = attempt(task.way.steps[stage], stages)
        if rows is None and expected is None:
            raise ValueError("%s cannot be made" % stage)
        right[stage] = stages[stage] = rows or expected.right[stage]
        by_factors = errors["attention_weights"] == limits.get("attention_weights")
        errors[stage] = limits[stage] = error_of(
            stage, stages, errors, task.eps, by_factors)
        if stage in given:
            stages[stage] = put(given[stage], right[stage], task.queries.get(stage))
            errors[stage] = unit_of(given[stage], task.prints[stage])
        if task.way.hidden and stage == "scaled_scores":
            stages[stage] = replace(stages[stage], -INF, task.way.hidden)
    return Walk(right, limits, stages, errors)


def put(own, rows, query):
    """Return the given rows; around a single one, those that are there."""
    if query is None or len(own[0]) != len(rows[0]):
        return own
    return rows[:query] + own + rows[query + 1:]


def as_given(rows, stage, task):
    """Return these rows as they are given: one of them alone, or with hidden scores."""
    own, query = task.given[stage], task.queries.get(stage)
    if task.way.hidden and stage in STAGES[3:5] and min(flat(own)) < -1000:
        rows = replace(rows, -INF, task.way.hidden)
    return rows if query is None else rows[query:query + 1] or rows


def off(rows, stage, task):
    """Return how far the given stage is from these rows: as it is, and beyond what its
    print leaves open."""
    return apart(as_given(rows, stage, task), task.given[stage], task.prints[stage])


def fits(walk, stage, task):
    return off(walk.right[stage], stage, task)[1] <= walk.limits[stage]


def whose(task, expected):
    """Return {stage: row} for all single rows: what was said, or else what fits best."""
    single = [stage for stage in task.given
              if len(task.given[stage]) == 1 < len(expected.right[stage])]
    query, most = task.case.get("query", task.case.get("likely_query")), 0
    for row in range(len(expected.right["queries"])):
        one = task._replace(queries=dict.fromkeys(single, row))
        count = [fits(expected, stage, one) for stage in single].count(True)
        if count > most and "query" not in task.case:
            query, most = row, count
    return dict.fromkeys(single, query)


# ---- Is each stage right?


def in_its_way(task):
    """Return the Check of a task."""
    task = task._replace(given={
        stage: transpose(rows) if stage in task.way.turned else rows
        for stage, rows in task.given.items()})
    expected = walk(task, {})
    task = task._replace(queries=whose(task, expected))
    own, verdicts = walk(task, task.given, expected), {}
    for stage in task.given:
        verdicts[stage] = "follows" if fits(own, stage, task) else "wrong"
        if fits(expected, stage, task):
            verdicts[stage] = "ok"
    return Check(task, own, expected, verdicts)


def rights(found):
    return list(found.verdicts.values()).count("ok")


def check(case, given, prints=None):
    """Return the Result for some stages of a case, {stage: matrix}.

    The case is as in steps.right_steps. It may also have "query", the row that a single
    row is, "heads", their number, and "causal": True. prints: how the matrices were
    printed.
    """
    prints = prints_of(case, given, prints)
    level, accuracy, eps = level_of(given, prints)
    errors, wrong = errors_of_case(case, given, prints), []
    for way in ways(case, given):
        try:
            found = in_its_way(Task(case, given, prints, eps, errors, way, {}))
        except (ValueError, ArithmeticError, TypeError):
            if not wrong:
                raise
            continue
        if "wrong" not in found.verdicts.values():
            return result_of(found, level, joined(way.about, accuracy))
        wrong.append(found)
    others = [found for found in wrong[1:] if found.task.way.name == "causal"
              or rights(found) > rights(wrong[0])]
    others.sort(key=rights, reverse=True)
    return min([result_of(found, "", found.task.way.about)
                for found in wrong[:1] + others[:3]], key=rank)


def result_of(found, level, about):
    steps = [step_of(stage, found) for stage in STAGES]
    is_right = "wrong" not in found.verdicts.values()
    return Result(
        is_right, found.task.way.name or level or None, steps, about, found.task.queries)


def rank(result):
    """Few steps without a name, then few mistakes."""
    wrong = [step for step in result.steps if step.verdict == "wrong"]
    unnamed = [step for step in wrong if not step.mistakes and step.text != CUT]
    causes = {step.mistakes[0].name if step.mistakes else step.stage for step in wrong}
    return len(unnamed), len(causes)


# ---- Which mistake?

CUT = "They are right but for the last digits: cut, not rounded?"


def step_of(stage, found):
    """Return the Step; a wrong one with the mistakes that give it, or with what it is."""
    task, right = found.task, found.own.right
    verdict = found.verdicts.get(stage, "not given")
    if verdict != "wrong":
        return Step(stage, verdict, [], "", None)
    given, rows = task.given[stage], as_given(right[stage], stage, task)
    limit, unit = found.own.limits[stage], unit_of(given, task.prints[stage])
    more = 9 * unit if unit < 0.0001 else unit  # as if cut, or made of numbers cut
    mistakes, text = fitting(stage, found, 0.0), ""
    if not mistakes and off(right[stage], stage, task)[1] <= limit + more:
        text = CUT
    elif not mistakes:
        mistakes = fitting(stage, found, more)
    if not mistakes and not text:
        others = {"your " + name: rows for name, rows in task.given.items()
                  if name != stage}
        others.update({"the expected " + name: found.expected.right[name]
                       for name in STAGES if name != stage})
        text = describe(rows, given, limit + 2 * unit, others)
    difference = first_difference(rows, given, limit, lambda x, y, most: agree(
        x, y, most + half_unit(y, task.prints[stage])))
    return Step(stage, verdict, mistakes, text, difference)


def unseen(stage, given):
    """Return the stage, and those before it that are not given and that it is made of."""
    chain = {stage}
    for it in MADE_OF[stage]:
        if it in STAGES and it not in given:
            chain.update(unseen(it, given))
    return [stage for stage in STAGES if stage in chain]


def options(chain, found):
    """Return (mistake, {stage: step}) for all that may have happened in the chain."""
    tries, given, rows = [], found.task.given, found.own.right[chain[-1]]
    for mistake in MISTAKES:
        steps = {stage: mistake.steps[stage] for stage in chain if stage in mistake.steps}
        if not mistake.whole:
            tries += [(mistake, {stage: steps[stage]}) for stage in steps]
        elif steps:  # what is given elsewhere has to show it, too
            elsewhere = [it for it in mistake.steps if it in given and it not in steps]
            if not all(shows(mistake.steps[it], it, found) for it in elsewhere):
                continue
            if elsewhere:  # then what happened is not only a part of it
                tries = [one for one in tries if one[1] != steps]
        if len(steps) > 1 or mistake.whole and steps:
            tries.append((mistake, steps))
    if chain[-1] in found.task.queries:
        tries += [(MISTAKE["row-of-another-query"], {
            chain[-1]: lambda s, row=row: [row] * len(rows)}) for row in rows]
    return tries


def shows(step, stage, found):
    rows = attempt(step, found.own.stages)
    return rows and off(rows, stage, found.task)[1] <= found.own.limits[stage]


def fitting(stage, found, more):
    """Return the mistakes that give a stage, or are so little more off."""
    task, near, chain = found.task, [], unseen(stage, found.task.given)
    wrong_by = off(found.own.right[stage], stage, task)[0]
    for mistake, steps in options(chain, found):
        got = task.given[stage] if stage in steps and stage not in task.queries else None
        start = found.own._replace(stages=dict(found.own.stages, got=got))
        way = task.way._replace(steps=dict(task.way.steps, **steps))
        try:
            one = walk(task._replace(way=way), {}, None, start, chain)
        except ValueError:
            continue
        distance, beyond = off(one.right[stage], stage, task)
        if beyond <= one.limits[stage] + more < wrong_by:  # or else anything fits
            near.append((distance, mistake))
    least = min([distance for distance, mistake in near] + [INF])
    most = 10 * least + 1e-12 * largest(task.given[stage])
    names = [mistake.name for distance, mistake in near if distance <= most]
    return [MISTAKE[name] for name in dict.fromkeys(names)]
