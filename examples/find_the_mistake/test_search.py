"""python3 -m pytest examples/find_the_mistake/test_search.py: which mistake, or none?"""

import doctest
import itertools
import math
import random
import struct
import time

import pytest

from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, transpose
from examples.find_the_mistake import search
from examples.find_the_mistake.command import example
from examples.find_the_mistake.search import blind_spots, check, ways
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, before, compute, divide, each, flat, products)

RUNNING = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}


def matrix(rows, columns, chance):
    return [[chance.gauss(0, 1) for j in range(columns)] for i in range(rows)]


def random_case(chance, least=1):
    n, d_in, d_k, d_v, m = [chance.randint(least, 6) for size in range(5)]
    case = {"W_query": matrix(d_in, d_k, chance), "W_key": matrix(d_in, d_k, chance),
            "W_value": matrix(d_in, d_v, chance), "inputs": matrix(n, d_in, chance)}
    kind = chance.random()
    if kind < 0.2:
        return {"inputs": case["inputs"]}
    if kind < 0.4:
        case["targets"], case["sources"] = matrix(m, d_in, chance), case.pop("inputs")
    return case


EXAMPLE = example()
SQUARE = dict(zip(RUNNING, [matrix(4, 6, random.Random(9))] + [
    matrix(6, 6, random.Random(seed)) for seed in (1, 2, 3)]))
TWO = dict(EXAMPLE, targets=matrix(5, 7, random.Random(4)), sources=EXAMPLE["inputs"])
del TWO["inputs"]
AS_MANY_KEYS = dict(EXAMPLE, inputs=matrix(6, 7, random.Random(5)))  # n = d_k


def made(case, steps):
    """Return all stages with these steps replaced; None if they change nothing."""
    try:
        stages = compute(case, steps)._asdict()
    except (ValueError, ArithmeticError, TypeError):
        return None
    if None not in stages.values() and stages != compute(case)._asdict():
        return stages


def single_steps(case):
    for mistake in MISTAKES:
        for stage in mistake.steps:
            steps = {stage: mistake.steps[stage]}
            if made(case, mistake.steps if mistake.whole else steps):
                yield mistake.name, mistake.steps if mistake.whole else steps


def names(result):
    return {step.stage: [mistake.name for mistake in step.mistakes]
            for step in result.steps if step.mistakes}


def wrong(result):
    return [step.stage for step in result.steps if step.verdict == "wrong"]


def rounded(stages, digits):
    return {stage: [[round(x, digits) for x in row] for row in rows]
            for stage, rows in stages.items()}


def distance(rows, other):
    if (len(rows), len(rows[0])) != (len(other), len(other[0])):
        return math.inf
    return max(abs(x - y) for x, y in zip(flat(rows), flat(other)))


ALL = [(EXAMPLE, name, steps) for name, steps in single_steps(EXAMPLE)]
SEEN = {name for case, name, steps in ALL}
ALL += [(case, name, steps) for case in (TWO, SQUARE, AS_MANY_KEYS)
        for name, steps in single_steps(case) if name not in SEEN]
IDS = ["%s-%s" % (name, "-".join(steps)) for case, name, steps in ALL]
TWINS = {  # of a square matrix, and of as many keys as d_k
    "transposed-weight-matrix": [
        "transposed-weight-matrix", "weight-matrix-read-by-columns"],
    "keys-not-transposed": ["keys-not-transposed", "keys-reshaped"]}


# ---- Every known mistake


def test_every_mistake_is_tried():
    sized = {"bias-added", "dropout"}  # these need numbers to fit, see below
    assert {name for case, name, steps in ALL} | sized >= {
        mistake.name for mistake in MISTAKES if not mistake.name.startswith("split-")}


@pytest.mark.parametrize("case, name, steps", ALL, ids=IDS)
def test_known_mistakes_are_named(case, name, steps):
    stages = made(case, steps)
    result = check(case, stages)
    assert names(result) == {stage: TWINS.get(name, [name]) for stage in steps}
    assert result.divergence.stage == list(steps)[0] and not result.right
    assert set(wrong(check(case, rounded(stages, 4)))) == set(steps)
    # From the context vectors alone: what is named gives these numbers.
    given = rounded({"context_vectors": stages["context_vectors"]}, 6)
    found = names(check(case, given))["context_vectors"]
    assert name in found
    for other in found:
        several = [MISTAKE[other].steps]
        several += [{stage: several[0][stage]} for stage in several[0]]
        several = [made(case, steps) for steps in several]
        assert min(distance(it["context_vectors"], stages["context_vectors"])
                   for it in several if it) < 2e-6


def test_pairs_are_both_named():
    singles = [(name, steps) for name, steps in single_steps(EXAMPLE) if len(steps) == 1]
    for pair in random.Random(1).sample(list(itertools.combinations(singles, 2)), 150):
        (name, steps), (other, more) = pair
        stages = made(EXAMPLE, dict(steps, **more))
        if stages is None or set(steps) == set(more):
            continue  # shapes that do not fit together
        result, s = check(EXAMPLE, stages), before(dict(EXAMPLE, **stages))
        for mistake, [stage] in pair:
            if distance(RIGHT[stage](s), stages[stage]) > 1e-5:  # else it is not seen
                assert mistake in names(result).get(stage, []), (name, other)


def test_two_mistakes_from_context_vectors_alone():
    steps = {}
    for name in ("scaling-forgotten", "keys-times-keys"):
        steps.update(MISTAKE[name].steps)
    given = {"context_vectors": compute(EXAMPLE, steps).context_vectors}
    pairs = check(EXAMPLE, given).steps[-1].pairs
    assert ["keys-times-keys", "scaling-forgotten"] in [
        sorted(mistake.name for mistake in pair) for pair in pairs]


def test_mistakes_of_any_size():
    def biased(s):
        return [[x + b for x, b in zip(row, (0.5, -1, 2))] for row in RIGHT["values"](s)]

    def dropped(s):
        return [[0.0 if (i + j) % 3 == 0 else x / 0.7 for j, x in enumerate(row)]
                for i, row in enumerate(RIGHT["attention_weights"](s))]

    stages = made(EXAMPLE, {"values": biased, "attention_weights": dropped})
    assert names(check(EXAMPLE, rounded(stages, 5))) == {
        "values": ["bias-added"], "attention_weights": ["dropout"]}


@pytest.mark.parametrize("heads", [2, 3])
def test_heads(heads):
    case = dict(EXAMPLE, W_value=[[x, -x, 2 * x + y, y, y - x, x * y] for x, y, z in
                                  EXAMPLE["W_value"]])
    name = "split-into-%d-heads" % heads
    given = {"context_vectors": compute(case, MISTAKE[name].steps).context_vectors}
    assert names(check(case, given)) == {"context_vectors": [name]}
    result = check(dict(case, heads=heads), given)
    assert result.right and result.variant == "multi-head"


# ---- What is right is never called wrong


def stored(x, code):  # as a float32 ("f") or float16 ("e")
    return struct.unpack(code, struct.pack(code, x))[0]


def computed_with(code, case):
    """Return all stages of a case, with what each of its operations gives stored so."""
    def off(matrix):
        return [[stored(x, code) for x in row] for row in matrix]

    def product(a, b):
        rows = [[0.0] * len(b[0]) for row in a]
        for i, j, k in itertools.product(range(len(a)), range(len(b[0])), range(len(b))):
            rows[i][j] = stored(rows[i][j] + stored(a[i][k] * b[k][j], code), code)
        return rows

    def weights(s):
        powers = off([[math.exp(x - max(row)) for x in row] for row in s.scaled_scores])
        return off([[x / stored(sum(row), code) for x in row] for row in powers])

    case = {name: off(case[name]) for name in case}
    steps = dict(products(product), attention_weights=weights)
    if "W_query" in case:
        root = stored(math.sqrt(len(case["W_key"][0])), code)
        steps["scaled_scores"] = lambda s: off(divide(s.attention_scores, root))
    else:
        steps = {stage: steps[stage] for stage in steps if stage not in STAGES[:3]}
    return compute(case, steps)._asdict()


def test_right_computations_are_right():
    chance = random.Random(2)
    for trial in range(300):
        case, digits = random_case(chance), chance.randint(2, 6)
        exact = compute(case)._asdict()
        assert check(case, exact)[:3] == (True, None, None)
        stages = rounded(exact, digits)
        some = {stage: stages[stage] for stage in chance.sample(STAGES, 3)}
        for given in (stages, some, computed_with("f", case), computed_with("e", case)):
            assert check(case, given).right, (case, given)


def test_right_in_another_way():
    chance = random.Random(3)
    for trial in range(12):
        case = random_case(chance, least=2)
        for way in ways(case, dict.fromkeys(STAGES)):
            try:
                stages = compute(case, way.steps)._asdict()
            except TypeError:  # no weight matrices to round
                continue
            for stage in way.turned:
                stages[stage] = transpose(stages[stage])
            for given in (stages, rounded(stages, chance.randint(2, 6))):
                result = check(case, given)
                assert result.right, (way.name, case)
                seen = "W_query" in case and "float32" not in result.about
                if seen and given is stages:
                    assert result.variant == (way.name or None)


def test_how_exact_the_numbers_are():
    for digits in (1, 2, 3, 6):
        result = check(EXAMPLE, rounded(compute(EXAMPLE)._asdict(), digits))
        assert result.variant == "rounded" and "to %d dec" % digits in result.about
    assert check(EXAMPLE, computed_with("f", EXAMPLE)).variant == "float32"
    assert check(EXAMPLE, computed_with("e", EXAMPLE)).variant == "float16"
    stages = rounded(compute(EXAMPLE)._asdict(), 6)
    stages["values"][1][2] += 0.00001
    result = check(EXAMPLE, stages)
    assert result.divergence[:3] == ("values", 1, 2) and not result.right
    assert check(EXAMPLE, stages, 0.0001).right and not check(EXAMPLE, stages, 1e-7).right


def test_who_goes_on_with_rounded_numbers_is_right():
    s = before(EXAMPLE)
    for stage in STAGES:
        setattr(s, stage, [[round(x, 2) for x in row] for row in RIGHT[stage](s)])
    result = check(EXAMPLE, {stage: getattr(s, stage) for stage in STAGES})
    assert result.right and not all(step.verdict == "ok" for step in result.steps)


# ---- What is not known


def test_unknown_mistakes_are_confined_to_their_step():
    chance, tried = random.Random(4), 0
    unknown = [lambda x, i, j: math.sin(3 * x) + 0.3, lambda x, i, j: x ** 3 + 0.1,
               lambda x, i, j: x * (1.1 + 0.1 * j), lambda x, i, j: 1.37 * x,
               lambda x, i, j: x + 0.1 * (1 + i) * (1 + j)]
    while tried < 300:
        case = random_case(chance, least=3)
        stage, function = chance.choice(STAGES), chance.choice(unknown)
        step = ways(case, {})[0].steps[stage]
        stages = compute(case, {stage: lambda s: [
            [function(x, i, j) for j, x in enumerate(row)]
            for i, row in enumerate(step(s))]})
        digits = chance.choice((3, 4, 6, 17))
        if "W_query" in case or stage not in STAGES[:3]:
            tried += 1
            result = check(case, rounded(stages._asdict(), digits))
            assert wrong(result) == [stage] and not names(result), (case, stage, digits)


def test_after_an_unknown_mistake_a_known_one_is_named():
    steps = dict(MISTAKE["softmax-twice"].steps)
    steps["keys"] = lambda s: each(math.tanh, RIGHT["keys"](s))
    result = check(EXAMPLE, compute(EXAMPLE, steps)._asdict())
    assert [step.verdict for step in result.steps] == [
        "ok", "wrong", "ok", "follows", "follows", "wrong", "follows"]
    assert names(result) == {"attention_weights": ["softmax-twice"]}


# ---- Single rows, blind spots, large cases


def test_single_rows():
    for name in ("softmax-twice", "softmax-down-the-columns", "keys-blended"):
        stages = compute(EXAMPLE, MISTAKE[name].steps)._asdict()
        row = {stage: [stages[stage][3]] for stage in STAGES}
        assert names(check(dict(EXAMPLE, query=3), row)) == {MISTAKE[name].stage: [name]}
    row = {"context_vectors": [compute(EXAMPLE).context_vectors[1]]}
    assert check(dict(EXAMPLE, query=1), row).right
    assert names(check(dict(EXAMPLE, query=3), row))["context_vectors"] == [
        "row-of-another-query"]


def test_blind_spots():
    assert blind_spots(EXAMPLE, compute(EXAMPLE)._asdict()) == []
    stages = compute(RUNNING)._asdict()
    assert blind_spots(RUNNING, {"values": stages["values"]}) == [MISTAKE["relu-applied"]]
    found = blind_spots(RUNNING, stages)
    assert MISTAKE["scores-without-sign"] in found
    assert MISTAKE["queries-from-sources"] not in found


def test_large_cases_take_seconds():
    chance, start = random.Random(6), time.process_time()
    case = {name: matrix(64 if name == "inputs" else 8, 8, chance) for name in RUNNING}
    stages = compute(case, MISTAKE["softmax-twice"].steps)._asdict()
    assert names(check(case, stages)) == {"attention_weights": ["softmax-twice"]}
    assert time.process_time() - start < 20


def test_doctests():
    assert doctest.testmod(search).failed == 0 < doctest.testmod(search).attempted
