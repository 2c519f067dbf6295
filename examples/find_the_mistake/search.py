"""Which known mistakes give these numbers? Each step is checked from your own numbers.

Does a stage follow from those before it, as given, by the right step? Or by a known
wrong one? Where stages are not given, one step of all between is tried in every wrong
way, then two. Verdicts: "ok" (as attention.py has it), "follows" (other numbers, but
right from those before), "wrong", "not given".

Numbers agree if they are as near as they are exact: 0.306 may be off by 0.0005, and what
is made of it by what that amounts to. So rounding is never taken for a mistake.
"""

import struct
from collections import namedtuple
from itertools import combinations
from math import expm1
from types import SimpleNamespace

from attention import STAGES, matmul, sqrt, transpose
from examples.causal import INF, replace
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, SIMPLIFIED, added_up, before, compute, divide, each, flat,
    in_heads, projections, right_steps, width)

MADE_OF = {
    "queries": ("targets", "W_query"),
    "keys": ("sources", "W_key"),
    "values": ("sources", "W_value"),
    "attention_scores": ("queries", "keys"),
    "scaled_scores": ("attention_scores",),
    "attention_weights": ("scaled_scores",),
    "context_vectors": ("attention_weights", "values")}

# pairs: two mistakes that give the stage together; nearly: with the last digit left out
Step = namedtuple("Step", [
    "stage", "verdict", "mistakes", "pairs", "nearly", "divergence"])
Divergence = namedtuple("Divergence", ["stage", "row", "column", "expected", "actual"])
Result = namedtuple("Result", ["right", "variant", "divergence", "steps", "about"])

# What is checked: single is {stage: row} where only this row is given.
Task = namedtuple("Task", ["case", "given", "single", "way", "precision"])


# ---- Right in another way

Way = namedtuple("Way", ["name", "about", "steps", "turned"])


def scaled_already(power, *stages):
    """Return steps in which these stages, not the scores, are divided by d_k ** power."""
    steps = projections(lambda x, W: divide(matmul(x, W), sqrt(width(W)) ** (2 * power)))
    steps["attention_scores"] = lambda s: divide(
        RIGHT["attention_scores"](s), sqrt(width(s.keys)))
    return dict({stage: steps[stage] for stage in stages},
                scaled_scores=lambda s: s.attention_scores)


SCALED = (
    ("queries-scaled", "the queries are scaled, not the scores",
     scaled_already(0.5, "queries")),
    ("keys-scaled", "the keys are scaled, not the scores", scaled_already(0.5, "keys")),
    ("both-scaled", "queries and keys are divided by d_k ** 0.25, the scores by nothing",
     scaled_already(0.25, "queries", "keys")),
    ("scores-scaled-at-once", "these scores are scaled: do not scale them again",
     scaled_already(0.5, "attention_scores")))


def hiding(steps, stage):
    """Return the steps with later words hidden: in these scores, or before softmax."""
    def step(s):
        if stage != "attention_weights":
            return replace(steps[stage](s), -INF)
        return steps[stage](SimpleNamespace(scaled_scores=replace(s.scaled_scores, -INF)))
    return dict(steps, **{stage: step})


def ways(case, given):
    """Return all Ways to do a case right; the first is that of attention.py."""
    right, heads = right_steps(case), case.get("heads")
    if heads:
        steps = dict(right, context_vectors=lambda s: in_heads(s, heads))
        return [Way("multi-head", "each head has its own columns", steps, ())]
    found = [Way("", "", right, ())]
    for name, about, steps in SCALED if right is not SIMPLIFIED else ():
        found.append(Way(name, about, dict(right, **steps), ()))
    for way in list(found):
        name = joined("causal", way.name)
        about = joined("later words are hidden, as in examples.causal", way.about)
        for stage in ("attention_weights", "scaled_scores", "attention_scores"):
            found.append(Way(name, about, hiding(way.steps, stage), ()))
    found.append(Way("tokens-as-columns", "every stage is transposed", right, STAGES))
    for end in (4, 5, 6):
        if set(given) & set(STAGES[end:]):  # which shows that the rest is right
            found.append(Way("keys-as-rows", "the scores have a row for each key",
                             right, STAGES[3:end]))
    rounded = projections(lambda x, W: matmul(x, each(lambda w: round(w, 4), W)))
    found.append(Way("weight-matrices-rounded", "the weight matrices have four decimals",
                     dict(right, **rounded), ()))
    return found


def joined(*texts):
    return ", ".join(filter(None, texts))


# ---- How exact are the numbers?

# unit: how far a number may be off because it was rounded in the end; relative: the same
# for each 1 of the largest number; eps: for each 1 that an operation results in
Precision = namedtuple("Precision", ["name", "unit", "relative", "eps"])


def precisions(given, tolerance=None):
    """Return the Precisions that the given numbers may have, the finest first."""
    if tolerance is not None:
        return [Precision("", 0.0, tolerance, 2.0 ** -52)]
    numbers = [x for rows in given.values() for x in flat(rows) if x - x == 0.0]
    decimals = 0
    while decimals < 9 and any(round(x, decimals) != x for x in numbers):
        decimals += 1
    last = Precision("float32", 0.0, 0.0, 2.0 ** -23)
    if decimals < 1:  # whole numbers: they are as they are
        last = last._replace(name="", relative=0.00006)
    elif decimals < 9:
        last = last._replace(
            name="rounded to %d decimal%s" % (decimals, "s" * (decimals > 1)),
            unit=0.505 * 0.1 ** decimals)
    found = [Precision("", 0.0, 0.0, 2.0 ** -52), last]
    if decimals > 6 and all(is_float16(x) for x in numbers):
        found.append(Precision("float16", 0.0, 0.0, 2.0 ** -10))
    return found


def is_float16(x):
    return abs(x) < 65504 and struct.unpack("e", struct.pack("e", x))[0] == x


def largest(matrix):
    return max([abs(x) for x in flat(matrix) if x - x == 0.0] + [1e-300])


def longest(matrix):
    return max(added_up([abs(x) for x in row if x - x == 0.0]) for row in matrix)


def error_of(stage, s, errors, eps):
    """Return how far this stage may be off, if what it is made of is off by errors."""
    before = [errors.get(part, 0.0) for part in MADE_OF[stage]]
    if stage == "scaled_scores":
        return before[0] + eps * largest(s.scaled_scores)
    if stage == "attention_weights":  # each e^score is off by a factor, so is their sum
        return (expm1(min(2 * before[0], 1.0)) + 8 * eps) * largest(s.attention_weights)
    a, b = [getattr(s, part) for part in MADE_OF[stage]]
    if not b:
        return eps * largest(getattr(s, stage))
    columns = b if stage == "attention_scores" else transpose(b)
    return (before[0] * longest(columns) + before[1] * longest(a)
            + width(a) * before[0] * before[1] + 8 * eps * longest(a) * largest(b))


def agree(expected, actual, tolerance):
    if expected != expected:
        return actual != actual
    if expected < -1e8:  # -inf, or what stands for it in a mask
        return actual < -1000
    return expected == actual or abs(expected - actual) <= tolerance


def limit(rows, error, precision):
    return precision.unit + precision.relative * max(1.0, largest(rows)) + error


def part(rows, stage, task):
    """Return of these rows the one that is given, where only one is given."""
    query = task.single.get(stage, len(rows))
    return rows[query:query + 1] or rows


def own(rows, stage, task):
    """Return the given rows; around a single one, these."""
    query, given = task.single.get(stage), task.given[stage]
    if query is None or width(rows) != width(given):
        return given
    return rows[:query] + given + rows[query + 1:]


def apart(rows, stage, task):
    """Return how far the given rows are from these; inf if more than numbers differ."""
    rows, given, farthest = part(rows, stage, task), task.given[stage], 0.0
    if len(rows) != len(given) or width(rows) != width(given):
        return INF
    for x, y in zip(flat(rows), flat(given)):
        if not agree(x, y, farthest):
            farthest = abs(x - y)
            if not farthest < INF:
                return INF
    return farthest


def difference(rows, stage, task, tolerance):
    rows, given = part(rows, stage, task), task.given[stage]
    shape, other = ["%d x %d" % (len(matrix), width(matrix)) for matrix in (rows, given)]
    if shape != other:
        return Divergence(stage, None, None, shape, other)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not agree(x, given[i][j], tolerance):
                return Divergence(stage, i, j, x, given[i][j])


# ---- One walk through the stages


def attempt(step, s):
    """Return the rows that the step makes, or None if it cannot be done."""
    try:
        rows = step(s)
        return rows if rows and width(rows) else None
    except (ValueError, ArithmeticError, TypeError, IndexError):
        return None


def all_of(case, steps={}):
    return before(dict(case, **compute(case, steps)._asdict()))


def walk(task, expected, naming):
    """Return the Steps. expected has all stages as the way makes them. Beside it, s has
    what the given stages stand for: the numbers meant, if known, or those given."""
    s, steps, errors, noise = before(task.case), [], {}, {}
    for stage in STAGES:
        rows = right = getattr(expected, stage)
        if any(getattr(s, it) is not getattr(expected, it) for it in MADE_OF[stage]):
            rows = attempt(task.way.steps[stage], s) or right
        setattr(s, stage, rows)
        noise[stage] = error_of(stage, expected, noise, task.precision.eps)
        errors[stage] = error_of(stage, s, errors, task.precision.eps)
        step = Step(stage, "not given", [], [], False, None)
        if stage in task.given:
            small = limit(right, noise[stage], task.precision)
            if apart(right, stage, task) <= small:
                step = step._replace(verdict="ok")
                setattr(s, stage, right)
            elif apart(rows, stage, task) <= limit(rows, errors[stage], task.precision):
                step = step._replace(verdict="follows")
                if apart(rows, stage, task) > small:
                    setattr(s, stage, own(rows, stage, task))
            else:
                step = step._replace(
                    verdict="wrong", divergence=difference(rows, stage, task, small))
                setattr(s, stage, own(rows, stage, task))
                if naming:
                    step, s = explain(step, task, s, rows, errors[stage])
            errors[stage] = 2 * small
        steps.append(step)
    return steps


# ---- Which mistakes?


def explain(step, task, s, right, error):
    """Return the step with the mistakes that give its rows, and s as with the first."""
    stage, chain = step.stage, unseen(step.stage, task.given)
    single = options(chain, task, s)
    if stage in task.single:
        single += [([MISTAKE["row-of-another-query"]],
                    {stage: lambda s, row=row: [row] * len(right)}) for row in right]
    most = limit(right, error, task.precision)
    nearly = 9 * task.precision.unit if task.precision.unit < 0.0001 else 0.0
    found = search(single, chain, task, s, most)
    if not found and len(chain) > 1 and is_small(s):
        found = search(pairs(single), chain, task, s, most)
        step.pairs.extend(several for several, other in found)
    if not found and apart(right, stage, task) <= most + nearly:
        return step._replace(nearly=True), s
    if not found and nearly:
        found = search(single, chain, task, s, most + nearly)
        step = step._replace(nearly=bool(found))
    for several, other in found:
        step.mistakes.extend(it for it in several if it not in step.mistakes)
    return step, found[0][1] if found else s


def unseen(stage, given):
    """Return the stage, and those before it that are not given and that it is made of."""
    chain = {stage}
    for it in MADE_OF[stage]:
        if it in STAGES and it not in given:
            chain.update(unseen(it, given))
    return [stage for stage in STAGES if stage in chain]


def options(chain, task, s):
    """Return ([mistake], {stage: step}) for all that may happen in the chain."""
    found = []
    for mistake in MISTAKES:
        steps = {stage: mistake.steps[stage] for stage in chain if stage in mistake.steps}
        if not mistake.whole:
            found += [([mistake], {stage: steps[stage]}) for stage in steps]
        others = set(mistake.steps) & set(task.given) - set(steps)
        others = others if mistake.whole else ()
        if all(gives(mistake.steps[it], it, task, s) for it in others):
            if others:  # then what happened is not only a part of it
                found = [option for option in found if option[1] != steps]
            if len(steps) > 1 or mistake.whole and steps:
                found.append(([mistake], steps))
    return found


def pairs(single):
    return [(several + others, dict(steps, **more))
            for (several, steps), (others, more) in combinations(single, 2)
            if not set(steps) & set(more)]


def gives(step, stage, task, s):
    rows = attempt(step, s)
    return rows is not None and apart(rows, stage, task) <= limit(
        rows, 1e-6 * largest(rows), task.precision)


def is_small(s):  # enough for all pairs to be tried
    return len(s.keys) * (width(s.keys) + width(s.values) + len(s.queries)) < 300


def search(tries, chain, task, s, most):
    """Return (mistakes, s) for each try that gives the rows of the chain's last stage."""
    found, stage = [], chain[-1]
    for several, steps in tries:
        other = replaced(steps, chain, task, s)
        off = apart(getattr(other, stage), stage, task) if other else INF
        if off <= most:
            found.append((off, several, other))
    nearest = min([off for off, several, other in found] + [INF])
    most = 10 * nearest + 1e-12 * largest(task.given[stage])
    return [(several, other) for off, several, other in found if off <= most]


def replaced(steps, chain, task, s):
    """Return s with these steps taken and what follows made anew; None if that fails."""
    s, changed = SimpleNamespace(**vars(s)), set()
    for stage in chain:
        if stage in steps or changed.intersection(MADE_OF[stage]):
            s.got = task.given[stage] if stage == chain[-1] not in task.single else None
            rows = attempt(steps.get(stage, task.way.steps[stage]), s)
            if rows is None:
                return None
            setattr(s, stage, rows)
            changed.add(stage)
    return s


# ---- The check


def check(case, given, tolerance=None):
    """Return the Result for some stages of a case, {stage: matrix}.

    case: as in steps.right_steps. case["query"] says whose row it is where a stage is a
    single row, case["heads"] how many heads there are. With a tolerance, numbers agree if
    no more than this apart, times the largest number of the stage if that is above 1.

    >>> scores = [[1.0, 2.0], [2.0, 4.0]]
    >>> step = check({"inputs": [[1.0], [2.0]]}, {"attention_weights": scores}).steps[5]
    >>> step.verdict, [mistake.name for mistake in step.mistakes]
    ('wrong', ['softmax-left-out'])
    """
    levels, found = precisions(given, tolerance), []
    for way in ways(case, given):
        task = task_of(case, given, way, levels[-1])
        try:
            expected = all_of(case, way.steps)
        except (ValueError, ArithmeticError, TypeError):
            if not found:
                raise
            continue  # this way does not fit here
        steps = walk(task, expected, False)
        if all(step.verdict != "wrong" for step in steps):
            return right_result(task, levels, expected)
        if not found or is_supported(task, steps, found[0][-1]):
            found.append((task, expected, steps))
    return min([wrong_result(*it[:2]) for it in found], key=rank)


def task_of(case, given, way, precision):
    given = {stage: transpose(rows) if stage in way.turned else rows
             for stage, rows in given.items()}
    single = {stage: case["query"] for stage in given
              if case.get("query") is not None and len(given[stage]) == 1}
    return Task(case, given, single, way, precision)


def right_result(task, levels, expected):
    for precision in levels:
        steps = walk(task._replace(precision=precision), expected, False)
        if all(step.verdict in ("ok", "not given") for step in steps):
            break
    about = joined(task.way.about, precision.name)
    variant = task.way.name or precision.name.split(" ")[0] or None
    return Result(True, variant, None, steps, about)


def wrong_result(task, expected):
    steps = walk(task, expected, True)
    first = [step.divergence for step in steps if step.divergence][0]
    return Result(False, task.way.name or None, first, steps, task.way.about)


def is_supported(task, steps, plain):
    """Is a stage right in this way only, or are later words hidden?"""
    rows = task.given.get("attention_weights", [[1.0]])
    hidden = len(rows) > 1 and not any(any(row[i + 1:]) for i, row in enumerate(rows))
    return hidden and task.way.name.startswith("causal") or any(
        step.verdict == "ok" != other.verdict for step, other in zip(steps, plain))


def rank(result):  # as few wrong steps as possible, first those without a name
    wrong = [step for step in result.steps if step.verdict == "wrong"]
    unnamed = sum(not (step.mistakes or step.nearly) for step in wrong)
    return unnamed, len(wrong) if unnamed else 0


def blind_spots(case, given):
    """Return the mistakes that would leave the given stages right."""
    s, names = all_of(case), []
    task = task_of(case, given, ways(case, given)[0], precisions(given)[-1])
    for stage in given:
        right, chain = part(getattr(s, stage), stage, task), unseen(stage, given)
        like = task._replace(given={stage: right})
        for [mistake], other in search(options(chain, task, s), chain, like, s, 0.0):
            is_of_two = "-from-" in mistake.name and s.targets is s.sources
            if mistake not in names and not is_of_two:
                names.append(mistake)
    return names
