"""Which known mistakes give these numbers? Each step is checked from your own numbers.

Does a stage follow from those before it, as they were given, by the right step? Or by a known
wrong one? So an unknown mistake does not hide that all after it is right, and two mistakes are
named each at its step. For what is not given in between, all chains of steps are tried that
have one wrong step, then two. Verdicts:

    ok         as attention.py has it
    follows    another number, but right from the stages before it
    wrong      neither; with the known mistakes that give it
    not given

Numbers agree if they are as near as they are exact: 0.306 may be off by 0.0005, and what is
made of it by what follows from that. So rounding is never taken for a mistake.
"""

import struct
from collections import namedtuple
from itertools import combinations
from math import expm1
from types import SimpleNamespace

from attention import STAGES, matmul, sqrt, transpose
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, SIMPLIFIED, before, compute, divide, each, flat, in_heads, later,
    masked, projections, right_steps, width)

INF = float("inf")
Result = namedtuple("Result", ["right", "variant", "divergence", "steps", "about"])
Step = namedtuple("Step", ["stage", "verdict", "mistakes", "pairs"])
Divergence = namedtuple("Divergence", ["stage", "row", "column", "expected", "actual"])

# What one check works with: the way is one of those below.
Task = namedtuple("Task", ["case", "given", "way", "precision"])

MADE_OF = {
    "queries": [], "keys": [], "values": [],
    "attention_scores": ["queries", "keys"],
    "scaled_scores": ["attention_scores"],
    "attention_weights": ["scaled_scores"],
    "context_vectors": ["attention_weights", "values"]}


# ---- Right in another way ----------------------------------------------------------------

Way = namedtuple("Way", ["name", "about", "steps", "turned"])
CAUSAL = "later words are hidden, as in examples.causal"


def scaled_already(*stages, power=0.5):
    """Return steps in which these stages are divided by d_k ** power, and scores are not."""
    steps = projections(lambda x, W: divide(matmul(x, W), sqrt(width(W)) ** (2 * power)))
    steps["attention_scores"] = lambda s: divide(
        RIGHT["attention_scores"](s), sqrt(width(s.keys)))
    return dict({stage: steps[stage] for stage in stages},
                scaled_scores=lambda s: s.attention_scores)


SCALED = [
    ("queries-scaled", "the queries are scaled instead of the scores", scaled_already("queries")),
    ("keys-scaled", "the keys are scaled instead of the scores", scaled_already("keys")),
    ("both-scaled", "queries and keys are divided by d_k ** 0.25 instead of the scores",
     scaled_already("queries", "keys", power=0.25)),
    ("scores-scaled-at-once", "the scores are scaled already: do not scale them again",
     scaled_already("attention_scores"))]


def hiding(steps, stage):
    """Return the steps, with later words hidden before softmax, in this stage if it can be."""
    def step(s):
        if stage != "attention_weights":
            return masked(steps[stage](s), later)
        scores = masked(s.scaled_scores, later)
        return steps[stage](SimpleNamespace(scaled_scores=scores))
    return dict(steps, **{stage: step})


def ways(case, given):
    """Return all Ways of a case; the first is that of attention.py."""
    right = right_steps(case)
    found = [Way("", "", right, [])]
    if case.get("heads"):
        return [Way("multi-head", "%d heads, as in examples.multi_head" % case["heads"], dict(
            right, context_vectors=lambda s: in_heads(s, case["heads"])), [])]
    if right is not SIMPLIFIED:
        found += [Way(name, about, dict(right, **steps), []) for name, about, steps in SCALED]
    for way in list(found):
        for stage in ("attention_weights", "scaled_scores", "attention_scores"):
            found.append(Way(("causal, " + way.name).strip(", "), CAUSAL + "; " + way.about,
                             hiding(way.steps, stage), []))
    found.append(Way("tokens-as-columns", "every stage is transposed", right, STAGES))
    for end in (4, 5, 6):
        if set(given) & set(STAGES[end:]):  # the rest is right: is there a rest?
            found.append(Way("keys-as-rows", "scores have a row for each key, not for each query",
                             right, STAGES[3:end]))
    rounded = projections(lambda x, W: matmul(x, each(lambda w: round(w, 4), W)))
    return found + [Way("weight-matrices-rounded", "to four decimals",
                        dict(right, **rounded), [])]


# ---- How exact are the numbers? ----------------------------------------------------------

# unit: how far a number may be off as it was rounded in the end; relative: the same, times the
# largest number of the stage if that is above 1; eps: what rounding costs in each operation.
Precision = namedtuple("Precision", ["name", "unit", "relative", "eps"])


def precisions(given, tolerance=None):
    """Return the Precisions that the given numbers may have, the finest first."""
    if tolerance is not None:
        return [Precision("", 0.0, tolerance, 2.0 ** -52)]
    numbers = [x for rows in given.values() for x in flat(rows) if x - x == 0.0]
    decimals = 0
    while decimals < 9 and any(round(x, decimals) != x for x in numbers):
        decimals += 1
    found = [Precision("", 0.0, 0.0, 2.0 ** -52)]
    if decimals < 2:  # whole numbers: they are as they are
        found.append(Precision("", 0.0, 0.00006, 2.0 ** -23))
    elif decimals < 9:
        found.append(Precision("rounded to %d decimals" % decimals,
                               0.505 * 0.1 ** decimals, 0.0, 2.0 ** -23))
    else:
        found.append(Precision("float32", 0.0, 0.0, 2.0 ** -23))
    if decimals > 6 and all(is_float16(x) for x in numbers):
        found.append(Precision("float16", 0.0, 0.0, 2.0 ** -10))
    return found


def is_float16(x):
    return abs(x) < 65504 and struct.unpack("e", struct.pack("e", x))[0] == x


def size(matrix):  # the largest number, without its sign
    return max([1e-300] + [abs(x) for x in flat(matrix) if x - x == 0.0])


def longest(matrix):  # the largest sum of a row
    totals = [0.0]
    for row in matrix:
        totals.append(0.0)
        for x in row:
            totals[-1] += abs(x) if x - x == 0.0 else 0.0
    return max(totals)


def error_of(stage, s, errors, eps):
    """Return how far this stage may be off where those that it is made of are off by errors."""
    def product(a, error_a, b, error_b):
        return (error_a * longest(transpose(b)) + error_b * longest(a)
                + len(b) * error_a * error_b + eps * (len(b) + 2) * longest(a) * size(b))

    before = [errors[part] for part in MADE_OF[stage]]
    if stage == "attention_scores":
        return product(s.queries, before[0], transpose(s.keys), before[1])
    if stage == "scaled_scores":
        return before[0] + eps * size(s.scaled_scores)
    if stage == "attention_weights":  # each e^score may be off by this factor, and their sum
        return expm1(min(2 * before[0], 1.0)) + eps * (2 + width(s.scaled_scores))
    if stage == "context_vectors":
        return product(s.attention_weights, before[0], s.values, before[1])
    W = {"queries": s.W_query, "keys": s.W_key, "values": s.W_value}[stage]
    rows = s.targets if stage == "queries" else s.sources
    return product(rows, 0.0, W, 0.0) if W else eps * size(getattr(s, stage))


def agree(expected, actual, tolerance):
    if expected != expected:
        return actual != actual
    if expected < -1e8:  # -inf, or what stands for it in a mask
        return actual < -1000
    return expected == actual or abs(expected - actual) <= tolerance


def distance(rows, others):
    """Return how far apart their numbers are at most; inf where more than numbers differ."""
    if len(rows) != len(others) or width(rows) != width(others):
        return INF
    apart = 0.0
    for x, y in zip(flat(rows), flat(others)):
        if not agree(x, y, apart):
            apart = abs(x - y)
            if not apart < INF:
                return INF
    return apart


def limit(rows, error, precision):
    return precision.unit + precision.relative * max(1.0, size(rows)) + error


# ---- Single rows -------------------------------------------------------------------------


def is_single(stage, task):
    return task.case.get("query") is not None and len(task.given[stage]) == 1


def part(rows, stage, task):
    """Return of these rows the one that is given, where only one is given."""
    if is_single(stage, task) and len(rows) > task.case["query"]:
        return [rows[task.case["query"]]]
    return rows


def own(rows, stage, task):
    """Return the given rows; where it is only one, with these rows around it."""
    if not is_single(stage, task):
        return task.given[stage]
    query = task.case["query"]
    return rows[:query] + task.given[stage] + rows[query + 1:]


def apart(rows, stage, task):
    return distance(part(rows, stage, task), task.given[stage])


# ---- One walk through the stages ---------------------------------------------------------

CANNOT = (ValueError, ArithmeticError, TypeError, IndexError)


def attempt(step, s):
    """Return the rows that the step makes, or None if it cannot be done."""
    try:
        rows = step(s)
        return rows if rows and width(rows) else None
    except CANNOT:
        return None


def walk(task, expected, naming=True):
    """Return the Steps. expected has all stages as the way makes them. Beside it, s has what
    the given stages stand for: the numbers meant, if these are known, or those given."""
    s, eps, steps = before(task.case), task.precision.eps, []
    errors, noise = {}, {}
    for stage in STAGES:
        right = getattr(expected, stage)
        rows = attempt(task.way.steps[stage], s) or right
        setattr(s, stage, rows)
        noise[stage] = error_of(stage, expected, noise, eps)
        errors[stage] = error_of(stage, s, errors, eps)
        step = Step(stage, "not given", [], [])
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
                step = step._replace(verdict="wrong")
                setattr(s, stage, own(rows, stage, task))
                if naming:
                    s = explain(step, task, s, rows, errors[stage])
            errors[stage] = 2 * small
        steps.append(step)
    return steps


# ---- Which mistakes? ---------------------------------------------------------------------


def explain(step, task, s, right, error):
    """Add to the step the mistakes that give its rows; return s, as it is with the first."""
    stage, chain = step.stage, unseen(step.stage, task.given)
    single = options(chain, task, s)
    found = search([(option,) for option in single], chain, task, s, error)
    if not found and len(chain) > 1 and is_small(s):
        found = search(combinations(single, 2), chain, task, s, error)
        step.pairs.extend(names for names, other in found)
    for names, other in found:
        step.mistakes.extend(mistake for mistake in names if mistake not in step.mistakes)
    if found:
        return found[0][1]
    if is_single(stage, task) and any(
            distance([row], task.given[stage]) <= limit(right, error, task.precision)
            for row in right):
        step.mistakes.append(MISTAKE["row-of-another-query"])
    return s


def unseen(stage, given):
    """Return the stage, and those before it that are not given and that it is made of."""
    chain = {stage}
    for part in MADE_OF[stage]:
        if part not in given:
            chain.update(unseen(part, given))
    return [stage for stage in STAGES if stage in chain]


def options(chain, task, s):
    """Return (mistake, {stage: step}) for each way in which each may happen in the chain."""
    found = []
    for mistake in MISTAKES:
        steps = {stage: mistake.steps[stage] for stage in chain if stage in mistake.steps}
        if mistake.whole and steps:
            elsewhere = set(mistake.steps) & set(task.given) - set(steps)
            if all(gives(mistake.steps[stage], stage, task, s) for stage in elsewhere):
                found.append((mistake, steps))
            continue
        for stage in steps:
            found.append((mistake, {stage: steps[stage]}))
        if len(steps) > 1:
            found.append((mistake, steps))
    return found


def gives(step, stage, task, s):
    rows = attempt(step, s)
    return rows is not None and apart(rows, stage, task) <= limit(
        rows, 1e-6 * size(rows), task.precision)


def is_small(s):  # enough for all pairs to be tried
    return len(s.keys) * (width(s.keys) + width(s.values) + len(s.queries)) < 300


def search(tries, chain, task, s, error):
    """Return (mistakes, s) for each try that gives the rows of the chain's last stage."""
    found, stage = [], chain[-1]
    for several in tries:
        steps = {}
        for mistake, more in several:
            steps.update(more)
        if len(steps) < sum(len(more) for mistake, more in several):
            continue  # both replace the same step
        other = replaced(steps, chain, task, s)
        if other is not None:
            rows = getattr(other, stage)
            off = apart(rows, stage, task)
            if off <= limit(rows, error, task.precision):
                found.append((off, [mistake for mistake, more in several], other))
    nearest = min([off for off, names, other in found] or [0.0])
    most = 10 * nearest + 1e-12 * size(task.given[stage])
    return [(names, other) for off, names, other in found if off <= most]


def replaced(steps, chain, task, s):
    """Return s with these steps taken and what follows made anew, or None if they cannot be."""
    s, changed = SimpleNamespace(**vars(s)), set()
    for stage in chain:
        if stage in steps or changed & set(MADE_OF[stage]):
            if stage == chain[-1] and not is_single(stage, task):
                s.got = task.given[stage]
            rows = attempt(steps.get(stage, task.way.steps[stage]), s)
            if rows is None:
                return None
            setattr(s, stage, rows)
            changed.add(stage)
    s.got = None
    return s


def without_parts(steps):
    """Where one mistake explains several steps, do not name its parts beside it."""
    for mistake in MISTAKES:
        found = [step.mistakes for step in steps if mistake in step.mistakes]
        if mistake.whole and len(found) > 1:
            for names in found:
                names[:] = [other for other in names if other is mistake or not any(
                    step in mistake.steps.values() for step in other.steps.values())]


# ---- The check ---------------------------------------------------------------------------


def check(case, given, tolerance=None):
    """Return the Result for some stages of a case, {stage: matrix}.

    case: as in steps.right_steps. case["query"] says whose row it is where a stage is a single
    row, case["heads"] how many heads there are. With a tolerance, numbers agree if no more
    than this apart, times the largest number of the stage if that is above 1.

    >>> one = [[1.0]]
    >>> case = {"inputs": [[1.0], [3.0]], "W_query": one, "W_key": one, "W_value": [[2.0]]}
    >>> result = check(case, {"values": [[1.0], [3.0]]})
    >>> step = result.steps[2]
    >>> step.stage, step.verdict, step.mistakes[-1].name
    ('values', 'wrong', 'nothing-projected')
    """
    levels, found = precisions(given, tolerance), []
    for way in ways(case, given):
        numbers = {stage: transpose(rows) if stage in way.turned else rows
                   for stage, rows in given.items()}
        try:
            expected = compute(case, way.steps)
        except CANNOT:
            if not way.name:
                raise
            continue
        expected = SimpleNamespace(**dict(vars(before(case)), **expected._asdict()))
        task = Task(case, numbers, way, levels[-1])
        steps = walk(task, expected, False)
        wrong = [step.stage for step in steps if step.verdict == "wrong"]
        if not wrong:
            return right_result(task, levels, expected)
        if not found or is_supported(way, steps, found[0][-1], numbers):
            found.append((len(wrong), task, expected, steps))
    fewest = min(entry[0] for entry in found)
    results = [named(task, expected) for wrong, task, expected, steps in found if wrong == fewest]
    for result in results:
        if all(step.mistakes for step in result.steps if step.verdict == "wrong"):
            return result
    return results[0]


def right_result(task, levels, expected):
    for precision in levels:
        steps = walk(task._replace(precision=precision), expected, False)
        if all(step.verdict in ("ok", "not given") for step in steps):
            break
    about = ", ".join(text for text in (task.way.about, precision.name) if text)
    variant = task.way.name or precision.name.split(" ")[0] or None
    return Result(True, variant, None, steps, about)


def is_supported(way, steps, plain, given):
    """Is a stage right in this way only, or are later words hidden?"""
    if any(step.verdict == "ok" != other.verdict for step, other in zip(steps, plain)):
        return True
    rows = given.get("attention_weights", [[]])
    return way.name.startswith("causal") and len(rows) > 1 and not any(
        x for i, row in enumerate(rows) for x in row[i + 1:])


def named(task, expected):
    steps = walk(task, expected)
    without_parts(steps)
    first = [step.stage for step in steps if step.verdict == "wrong"][0]
    return Result(False, task.way.name or None,
                  difference(first, getattr(expected, first), task), steps, task.way.about)


def difference(stage, rows, task):
    """Return where the given stage first differs from these rows."""
    rows, given = part(rows, stage, task), task.given[stage]
    shapes = ["%d x %d" % (len(matrix), width(matrix)) for matrix in (rows, given)]
    if shapes[0] != shapes[1]:
        return Divergence(stage, None, None, shapes[0], shapes[1])
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not agree(x, given[i][j], limit(rows, 0.0, task.precision)):
                return Divergence(stage, i, j, x, given[i][j])


def mistakes_of_step(stage, numbers, tolerance=None, **arguments):
    """Return the known mistakes of one step that make these numbers of these arguments: []
    if they are right, or if none does. The arguments are named as in steps.py.

    >>> found = mistakes_of_step("attention_weights", [[1.0, 2.0]], scaled_scores=[[1.0, 2.0]])
    >>> [mistake.name for mistake in found]
    ['softmax-left-out']
    """
    s, given = before(arguments), {stage: numbers}
    task = Task({}, given, Way("", "", RIGHT, []), precisions(given, tolerance)[-1])
    if gives(RIGHT[stage], stage, task, s):
        return []
    tries = [((mistake, {stage: mistake.steps[stage]}),) for mistake in MISTAKES
             if stage in mistake.steps]
    return [names[0] for names, s in search(tries, [stage], task, s, 1e-6 * size(numbers))]
