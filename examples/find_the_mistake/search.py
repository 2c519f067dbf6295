"""Which known mistakes give these numbers? Each step is checked from your own numbers.

Does a stage follow from the stages before it that were given, by the right step? Or by one of
the known wrong ones? So an unknown mistake early on does not hide that all after it is right,
and two mistakes are named each at its step. Where stages in between are not given, the search
tries all chains of steps between them with one wrong step, then with two.

A verdict is "ok" (the number that attention.py has), "follows" (another number, but right
from the stages before it), "wrong", or "not given".

Numbers agree if they are no more than a tolerance apart. How exact the given numbers are
decides how large it is, and rounding that came in earlier is followed from step to step: a
right computation must not be accused because it was printed with two decimals.
"""

import struct
from collections import namedtuple
from math import expm1
from types import SimpleNamespace

from attention import matmul, sqrt, transpose
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, STAGES, before, compute, divide, each, flat, in_heads, later, masked,
    projections, start, width)

INF = float("inf")
Result = namedtuple("Result", ["right", "variant", "divergence", "steps", "precision"])
Step = namedtuple("Step", ["stage", "verdict", "mistakes", "pairs"])
Divergence = namedtuple("Divergence", ["stage", "row", "column", "expected", "actual"])

# What each stage is made of.
MADE_OF = {
    "queries": [], "keys": [], "values": [],
    "attention_scores": ["queries", "keys"],
    "scaled_scores": ["attention_scores"],
    "attention_weights": ["scaled_scores"],
    "context_vectors": ["attention_weights", "values"]}


# ---- Right in another way ----------------------------------------------------------------

Way = namedtuple("Way", ["name", "what", "steps", "turned"])


def projected(power, *stages):  # and divided by d_k ** power at once
    steps = projections(lambda x, W: divide(matmul(x, W), sqrt(width(W)) ** (2 * power)))
    steps = {stage: steps[stage] for stage in stages}
    return dict(steps, scaled_scores=lambda s: s.attention_scores)


def scaled_at_once(s):
    return RIGHT["scaled_scores"](SimpleNamespace(
        attention_scores=RIGHT["attention_scores"](s), keys=s.keys))


SCALED = [
    Way("", "", {}, ()),
    Way("queries-scaled", "the queries are scaled, so the scores need not be",
        projected(0.5, "queries"), ()),
    Way("keys-scaled", "the keys are scaled, so the scores need not be",
        projected(0.5, "keys"), ()),
    Way("both-scaled", "queries and keys are both divided by d_k ** 0.25, so the scores need "
        "not be scaled", projected(0.25, "queries", "keys"), ()),
    Way("scores-scaled-at-once", "queries or keys are scaled before the product, so the scores "
        "are scaled scores at once", {
            "attention_scores": scaled_at_once,
            "scaled_scores": lambda s: s.attention_scores}, ())]

HIDDEN = [("attention_weights", "scaled_scores"), ("scaled_scores",), ("attention_scores",)]
TURNED = [
    Way("tokens-as-columns", "every stage is transposed: tokens are columns, not rows",
        {}, STAGES)] + [
    Way("keys-as-rows", "these scores have a row for each key, not for each query; the rest is "
        "right", {}, STAGES[3:end]) for end in (4, 5, 6)]
ROUNDED = Way(
    "weight-matrices-rounded", "the weight matrices were rounded to four decimals first",
    projections(lambda x, W: matmul(x, each(lambda w: round(w, 4), W))), ())
CAUSAL = "later words are hidden, as in examples.causal"


def hiding(steps, stage):
    """Return the steps with later words hidden from this stage on."""
    def step(s):
        if stage == "attention_weights":
            s = SimpleNamespace(**vars(s))
            s.scaled_scores = masked(s.scaled_scores, later)
            return right(s)
        return masked(right(s), later)

    right = steps[stage]
    return dict(steps, **{stage: step})


def ways(right):
    """Return Ways of which each has all steps; the first is attention.py's own."""
    found = []
    for way in SCALED:
        if way.name and right is not RIGHT and right["scaled_scores"] is not RIGHT[
                "scaled_scores"]:
            continue  # the simplified version does not scale
        steps = dict(right, **way.steps)
        found.append(way._replace(steps=steps))
        for stage in ("attention_weights", "scaled_scores", "attention_scores"):
            name, what = "causal", CAUSAL
            if way.name:
                name, what = name + ", " + way.name, what + "; " + way.what
            found.append(Way(name, what, hiding(steps, stage), ()))
    found = [way for way in found if not way.name] + [way for way in found if way.name]
    found += [way._replace(steps=right) for way in TURNED]
    return found + [ROUNDED._replace(steps=dict(right, **ROUNDED.steps))]


# ---- How exact are the numbers? ----------------------------------------------------------

# unit: how far a number may be off because it was rounded in the end
# eps: how far, relative to its size, because each operation rounds
Precision = namedtuple("Precision", ["name", "what", "unit", "relative", "eps"])
EXACT = Precision("", "", 0.0, 0.0, 2.0 ** -52)
SINGLE = Precision("float32", "computed in float32", 0.0, 0.0, 2.0 ** -23)
HALF = Precision("float16", "computed in float16", 0.0, 0.0, 2.0 ** -10)
FOUR = Precision("", "", 0.0, 0.00006, 2.0 ** -23)


def precisions(given, tolerance):
    """Return the Precisions that the given numbers may have, the finest first."""
    if tolerance is not None:
        return [Precision("", "", 0.0, tolerance, 2.0 ** -52)]
    numbers = [x for rows in given.values() for x in flat(rows) if x - x == 0.0]
    decimals = 0
    while decimals < 9 and any(round(x, decimals) != x for x in numbers):
        decimals += 1
    found = [EXACT, SINGLE if decimals == 9 else FOUR]
    if 2 <= decimals < 9:
        found[1] = Precision("rounded", "rounded to %d decimals" % decimals,
                             0.505 * 0.1 ** decimals, 0.0, 2.0 ** -23)
    if decimals > 6 and all(is_half(x) for x in numbers):
        found.append(HALF)
    return found


def is_half(x):
    try:
        return struct.unpack("e", struct.pack("e", x))[0] == x
    except OverflowError:
        return False


def largest(matrix):
    return max([1e-300] + [abs(x) for x in flat(matrix) if x - x == 0.0])


def longest(matrix):  # the largest sum of a row's absolute values
    sums = [0.0]
    for row in matrix:
        sums.append(0.0)
        for x in row:
            sums[-1] += abs(x) if x - x == 0.0 else 0.0
    return max(sums)


def off(stage, s, errors, eps):
    """Return how far this stage may be off, where those before it are off by errors."""
    def product(a, error_a, b, error_b):
        return (error_a * longest(transpose(b)) + error_b * longest(a)
                + len(b) * error_a * error_b + eps * (len(b) + 2) * longest(a) * largest(b))

    if not MADE_OF[stage]:
        rows = s.targets if stage == "queries" else s.sources
        W = getattr(s, "W_" + {"queries": "query", "keys": "key", "values": "value"}[stage])
        return product(rows, 0.0, W, 0.0) if rows and W else eps * largest(getattr(s, stage))
    if stage == "attention_scores":
        return product(s.queries, errors["queries"], transpose(s.keys), errors["keys"])
    if stage == "scaled_scores":
        return errors["attention_scores"] + eps * largest(s.scaled_scores)
    if stage == "attention_weights":  # each e^score is off by a factor, and so is their sum
        return expm1(min(2 * errors["scaled_scores"], 1.0)) + eps * (2 + width(s.scaled_scores))
    return product(s.attention_weights, errors["attention_weights"],
                   s.values, errors["values"])


def distance(rows, others):
    """Return how far apart they are at most; inf where something else differs."""
    if len(rows) != len(others) or width(rows) != width(others):
        return INF
    farthest = 0.0
    for row, other in zip(rows, others):
        for x, y in zip(row, other):
            if not agree(x, y, farthest):
                farthest = abs(x - y)
                if not farthest < INF:
                    return INF
    return farthest


def agree(expected, actual, tolerance):
    if expected != expected:
        return actual != actual
    if expected < -1e8:  # -inf, or what stands for it in a mask
        return actual < -1000
    return expected == actual or abs(expected - actual) <= tolerance


def allowed(precision, error, rows):
    return precision.unit + precision.relative * max(1.0, largest(rows)) + error


# ---- One walk through the stages ---------------------------------------------------------

CANNOT = (ValueError, ArithmeticError, TypeError, IndexError)


def attempt(step, s):
    """Return the rows that the step makes, or None if it cannot be done."""
    try:
        rows = step(s)
        return rows if rows and width(rows) else None
    except CANNOT:
        return None


class Walk:
    pass


def seen(rows, stage, given, case):
    """Return of these rows the one that is given, where only one is given."""
    if is_single(stage, given, case) and case["query"] < len(rows):
        return [rows[case["query"]]]
    return rows


def is_single(stage, given, case):
    return case.get("query") is not None and len(given[stage]) == 1


def filled(rows, stage, given, case):
    """Return the rows that are given; around a single one, those that were expected."""
    if is_single(stage, given, case) and rows and len(rows) > 1:
        rows = list(rows)
        rows[case["query"]] = given[stage][0]
        return rows
    return given[stage]


def walk(case, given, steps, precision, expected, most, naming):
    """Return Steps, or None as soon as more than `most` are wrong.

    expected has the stages as these steps make them. Beside it, two more computations go on:
    what the given numbers are believed to stand for, in full precision, and the given numbers
    as they are.
    """
    believed, own = start(case)[0], start(case)[0]
    errors, own_errors, exact = {}, {}, {}
    found, wrong, clean = [], 0, set()
    for stage in STAGES:
        rows = getattr(expected, stage)
        exact[stage] = off(stage, expected, exact, precision.eps)
        follows, error = rows, exact[stage]
        if not clean.issuperset(MADE_OF[stage]):
            follows = attempt(steps[stage], believed)
            setattr(believed, stage, follows or rows)
            error = off(stage, believed, errors, precision.eps) if follows else 0.0
        also, own_error = attempt(steps[stage], own) if precision.unit else None, 0.0
        setattr(own, stage, also or rows)
        if also:
            own_error = off(stage, own, own_errors, precision.eps)
        step = Step(stage, "not given", [], [])
        if stage not in given:
            if follows is rows:
                clean.add(stage)
        else:
            def agrees(rows, error):
                return rows and distance(seen(rows, stage, given, case), given[stage]) <= (
                    allowed(precision, error, rows))

            if agrees(rows, exact[stage]):
                step = step._replace(verdict="ok")
                follows, error = rows, exact[stage]
                clean.add(stage)
            elif agrees(follows, error):
                step = step._replace(verdict="follows")
            elif agrees(also, own_error):
                step = step._replace(verdict="follows")
                follows, error = filled(also, stage, given, case), precision.unit
            else:
                wrong += 1
                if wrong > most:
                    return None
                step, better = step._replace(verdict="wrong"), None
                if naming:
                    step, better = explain(step, case, given, steps, precision, believed, error)
                follows, error = filled(follows or rows, stage, given, case), precision.unit
                if better:
                    believed = better
                    follows = filled(getattr(better, stage), stage, given, case)
                    error = exact[stage]
            own_error = precision.unit
            setattr(own, stage, filled(also or rows, stage, given, case))
        setattr(believed, stage, follows or rows)
        errors[stage], own_errors[stage] = error, own_error
        found.append(step)
    return found


# ---- Which mistakes ----------------------------------------------------------------------


def explain(step, case, given, steps, precision, believed, error):
    """Return the Step with its mistakes, and what is then believed, or None."""
    stage, rows = step.stage, given[step.stage]
    chain = unseen(stage, given)
    matches = []
    for option in options(chain, given, believed, precision):
        match(option, matches, chain, case, given, steps, precision, believed, error)
    pairs = []
    if not matches and len(chain) > 1 and is_small(believed) and enough(rows, precision):
        every = list(options(chain, given, believed, precision))
        for i, (names, replaced) in enumerate(every):
            for other_names, other in every[:i]:
                if not set(replaced) & set(other):
                    both = other_names + names, dict(other, **replaced)
                    match(both, pairs, chain, case, given, steps, precision, believed, error)
    nearest = min([m[0] for m in matches + pairs] or [0.0])
    close = 10 * nearest + 1e-12 * largest(rows)
    matches = [m for m in matches if m[0] <= close]
    pairs = [m for m in pairs if m[0] <= close]
    mistakes, twos = [], []
    for apart, names, s in matches + pairs:
        mistakes += [mistake for mistake in names if mistake not in mistakes]
        if len(names) == 2 and names not in twos:
            twos.append(names)
    row = other_row(stage, case, given, steps, precision, believed, error)
    if row and not mistakes:
        mistakes = [MISTAKE["row-of-another-query"]]
    better = (matches + pairs)[0][2] if matches or pairs else None
    return step._replace(mistakes=mistakes, pairs=twos), better


def other_row(stage, case, given, steps, precision, s, error):
    rows = attempt(steps[stage], s)
    if not rows or not is_single(stage, given, case) or stage in ("keys", "values"):
        return False
    limit = allowed(precision, error, rows)
    return any(distance([row], given[stage]) <= limit for row in rows)


def unseen(stage, given):
    """Return the stage, and those that it is made of and that are not given, in order."""
    chain = {stage}
    for before in MADE_OF[stage]:
        if before not in given:
            chain.update(unseen(before, given))
    return [stage for stage in STAGES if stage in chain]


def options(chain, given, s, precision):
    """Yield ([mistake], {stage: step}) for all that may have happened in these steps."""
    for mistake in MISTAKES:
        steps = {stage: mistake.steps[stage] for stage in chain if stage in mistake.steps}
        if not steps:
            continue
        if mistake.whole:
            if all(stage in steps or reproduced(mistake, stage, given, s, precision)
                   for stage in mistake.steps if stage in given or stage in steps):
                yield [mistake], steps
            continue
        for stage in steps:
            yield [mistake], {stage: steps[stage]}
        if len(steps) > 1:
            yield [mistake], steps


def reproduced(mistake, stage, given, s, precision):
    rows = attempt(mistake.steps[stage], s)
    return rows is not None and distance(rows, given[stage]) <= allowed(precision, 0.0, rows)


def match(option, matches, chain, case, given, steps, precision, believed, error):
    """Add (distance, mistakes, s) if these steps give the rows of the chain's last stage."""
    names, replaced = option
    s, stage, changed = SimpleNamespace(**vars(believed)), chain[-1], set()
    for part in chain:
        if part in replaced or changed.intersection(MADE_OF[part]):
            s.got = given[stage] if part == stage and not is_single(stage, given, case) else None
            rows = attempt(replaced.get(part, steps[part]), s)
            if rows is None:
                return
            setattr(s, part, rows)
            changed.add(part)
    apart = distance(seen(getattr(s, stage), stage, given, case), given[stage])
    if apart <= allowed(precision, error, getattr(s, stage)):
        matches.append((apart, names, s))


def is_small(s):
    return len(s.keys) * (width(s.keys) + width(s.values) + len(s.queries)) < 300


def enough(rows, precision):  # numbers, so that a pair does not give them by chance
    return len(flat(rows)) >= (2 if precision.unit < 0.0002 else 4)


def merged(steps):
    """Where one mistake explains several steps, its parts are not named beside it."""
    for mistake in MISTAKES:
        at = [step for step in steps if mistake in step.mistakes]
        if mistake.whole and len(at) > 1:
            parts = [id(function) for function in mistake.steps.values()]
            for step in at:
                step.mistakes[:] = [other for other in step.mistakes if other is mistake or not
                                    set(map(id, other.steps.values())) & set(parts)]
    return steps


# ---- The check ---------------------------------------------------------------------------


def check(case, given, tolerance=None):
    """Return the Result of checking the given stages of a case.

    case: as in steps.start; case["query"] says whose row it is where a stage is a single row,
    case["heads"] how many heads there are. given: {stage: matrix}. Without a tolerance,
    numbers must agree as exactly as they are given; with one, to the tolerance, times the
    largest number of the stage if that is above 1.

    >>> one = [[1.0]]
    >>> case = {"inputs": [[1.0], [3.0]], "W_query": one, "W_key": one, "W_value": [[2.0]]}
    >>> result = check(case, {"values": [[1.0], [3.0]]})
    >>> step = result.steps[2]
    >>> step.stage, step.verdict, step.mistakes[0].name
    ('values', 'wrong', 'values-made-with-W_query')
    """
    right = start(case)[1]
    if case.get("heads"):
        right = dict(right, context_vectors=lambda s: in_heads(s, case["heads"]))
    levels = precisions(given, tolerance)
    found = []
    for way in ways(right):
        numbers = turned(given, way)
        if numbers is None:
            continue
        try:
            expected = compute(case, way.steps)
        except CANNOT:
            continue
        s = SimpleNamespace(**dict(vars(start(case)[0]), **expected._asdict()))
        for precision in levels:
            steps = walk(case, numbers, way.steps, precision, s, 0, False)
            if steps:
                return Result(True, way.name or precision.name or None, None, steps, precision)
        steps = walk(case, numbers, way.steps, levels[-1], s, len(STAGES), False)
        wrong = sum(step.verdict == "wrong" for step in steps)
        if not found or is_supported(way, steps, found[0][-1], numbers):
            found.append((wrong, way, numbers, s, steps))
    return diagnosed(case, sorted(found, key=lambda entry: entry[0]), levels[-1])


def is_supported(way, steps, plain, given):
    """Is a stage right in this way only, or are the later words hidden?"""
    for step, other in zip(steps, plain):
        if step.verdict == "ok" != other.verdict:
            return True
    if not way.name.startswith("causal"):
        return False
    rows = given.get("attention_weights", [[0.0]])
    return len(rows) > 1 and all(x == 0.0 for i, row in enumerate(rows) for x in row[i + 1:])


def diagnosed(case, found, precision):
    """Return the Result of the way with the fewest wrong steps, if possible all named."""
    results = []
    for wrong, way, numbers, s, steps in found:
        if wrong > found[0][0]:
            break
        steps = merged(walk(case, numbers, way.steps, precision, s, len(STAGES), True))
        bad = [step for step in steps if step.verdict == "wrong"]
        first = bad[0].stage
        divergence = difference(first, getattr(s, first), case, numbers, precision)
        results.append(Result(False, way.name or None, divergence, steps, precision))
        if all(step.mistakes for step in bad):
            return results[-1]
    return results[0]


def turned(given, way):
    """Return the given stages with those transposed that the way has so; None if pointless."""
    if not way.turned:
        return given
    if way.name == "keys-as-rows" and not set(given) & set(
            STAGES[STAGES.index(way.turned[-1]) + 1:]):
        return None
    return {stage: transpose(rows) if stage in way.turned else rows
            for stage, rows in given.items()}


def difference(stage, rows, case, given, precision):
    """Return the first Divergence of the given stage from these rows."""
    rows, actual = seen(rows, stage, given, case), given[stage]
    shapes = ["%d x %d" % (len(matrix), width(matrix)) for matrix in (rows, actual)]
    if shapes[0] != shapes[1]:
        return Divergence(stage, None, None, shapes[0], shapes[1])
    limit = allowed(precision, 0.0, rows)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if not agree(x, actual[i][j], limit):
                return Divergence(stage, i, j, x, actual[i][j])


# ---- One step ----------------------------------------------------------------------------


def mistakes_of_step(stage, numbers, tolerance=None, **arguments):
    """Return the known mistakes of one step that make these numbers from these arguments.

    [] if the numbers are right, or if none does. The arguments are what the step needs, named
    as in steps.py: targets (or inputs), W_query, queries, keys, scaled_scores, ...

    >>> found = mistakes_of_step("attention_weights", [[1.0, 2.0]], scaled_scores=[[1.0, 2.0]])
    >>> [mistake.name for mistake in found]
    ['softmax-left-out']
    """
    s = before(arguments)
    s.got, precision = numbers, precisions({stage: numbers}, tolerance)[-1]

    def apart(step):
        rows = attempt(step, s)
        if rows is None:
            return INF
        d = distance(rows, numbers)
        return d if d <= allowed(precision, precision.eps * 100 * largest(rows), rows) else INF

    if apart(RIGHT[stage]) < INF:
        return []
    found = [(apart(mistake.steps[stage]), mistake)
             for mistake in MISTAKES if stage in mistake.steps]
    nearest = min(d for d, mistake in found)
    return [mistake for d, mistake in found
            if d < INF and d <= 10 * nearest + 1e-12 * largest(numbers)]
