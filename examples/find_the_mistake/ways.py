"""Right in another way: what gives other numbers than attention.py, and is no mistake."""

from collections import namedtuple
from math import log

from attention import STAGES, matmul, softmax, sqrt
from examples.find_the_mistake.describe import counted
from examples.find_the_mistake.steps import (
    RIGHT, SIMPLIFIED, before, divide, each, per_head, projections, right_steps, width)
from examples.multi_head import join
from examples.tools.matrices import add

# steps: {stage: step}, all of them. hidden(query, key), or None: which scores are -inf.
# turned: the stages that are transposed.
Way = namedtuple("Way", ["name", "about", "steps", "hidden", "turned"])


def joined(*texts):
    return ", ".join(filter(None, texts))


# ---- Where it is scaled


def scaled_already(power, *stages):
    """Return steps in which these stages, not the scores, are divided by d_k ** power."""
    steps = projections(lambda x, W: divide(matmul(x, W), width(W) ** power))
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
     scaled_already(0.5, "attention_scores")),
    ("base-2", "softmax has 2^x, of scores divided by log(2)", {
        "scaled_scores": lambda s: divide(RIGHT["scaled_scores"](s), log(2)),
        "attention_weights": lambda s: [
            softmax([x * log(2) for x in row]) for row in s.scaled_scores]}))


def split_into(heads):
    return {
        "scaled_scores": lambda s: divide(
            s.attention_scores, sqrt(width(s.keys) // heads)),
        "attention_weights": lambda s: averaged(per_head(s, heads)),
        "context_vectors": lambda s: join(per_head(s, heads))}


def averaged(results):
    rows = each(lambda x: 0.0, results[0].attention_weights)
    for result in results:
        rows = add(rows, result.attention_weights, 1 / len(results))
    return rows


def scalings(case):
    """Return (name, about, steps) for all ways to scale."""
    right, heads = right_steps(case), case.get("heads")
    if heads:
        return [("multi-head", "each head has its own columns (attention weights are the "
                 "average of all heads)", dict(right, **split_into(heads)))]
    if right is SIMPLIFIED:
        scaled = dict(right, scaled_scores=RIGHT["scaled_scores"])
        found = ("scaled", "the scores are divided by sqrt(d)", scaled)
        return [("", "", right)] + [found] * case.get("may_be_scaled", False)
    return [("", "", right)] + [
        (name, about, dict(right, **steps)) for name, about, steps in SCALED]


# ---- What is hidden


def hidings(case):
    """Return (name, about, hidden) for all that may be hidden, nothing first."""
    s = before(case)
    m, n = len(s.targets or s.queries), len(s.sources or s.keys)
    about, found = "later words are hidden, as in examples.causal", [("", "", None)]
    for start in [n - m] * (m < n) + [0]:
        word = ": query 0 is word %d" % start if m != n else ""
        found.append(("causal", about + word, lambda q, k, start=start: k > q + start))
    for first in range(max(2, n - 16), n):
        words = counted("key", list(range(first, n))) + " hidden"
        found.append(("padding", words, lambda q, k, first=first: k >= first))
        found.append(("causal, padding", joined(about, words),
                      lambda q, k, first=first: k >= first or k > q))
    return found


def ways(case, given):
    """Return all Ways to do a case right; the first is that of attention.py."""
    found, plain = [], scalings(case)[0]
    for name, about, hidden in hidings(case):
        for other, more, steps in [plain] if "padding" in name else scalings(case):
            found.append(Way(joined(name, other), joined(about, more), steps, hidden, ()))
    if case.get("causal"):
        return [way for way in found if way.name.startswith("causal")]
    for turned in (STAGES, STAGES[:3] + STAGES[-1:]):
        found.append(found[0]._replace(
            name="tokens-as-columns", about="words are columns", turned=turned))
    for end in (4, 5, 6):
        if set(given) & set(STAGES[end:]):  # which shows that the rest is right
            found.append(found[0]._replace(
                name="keys-as-rows", about="the scores have a row for each key",
                turned=STAGES[3:end]))
    return found
