"""What are the numbers compared with? A case of your own, or one of the book's."""

from attention import (
    INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, cross_attention,
    scaled_dot_product_attention, self_attention, simplified_self_attention, to_matrix,
    transpose)
from examples.find_the_mistake.read import PARTS
from examples.find_the_mistake.search import check, rank
from examples.find_the_mistake.steps import each, width
from examples.tools.common import shown, size
from examples.tools.torch_random import manual_seed, three_linears

MATRICES = PARTS[3:]
RUNNING = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}


def books_cases():
    """Return (what it is, case) for all that the book computes, likeliest first."""
    found = [("the running example", RUNNING),
             ("the simplified version of the running example", {"inputs": INPUTS})]
    for seed in (789, 123):
        linears = three_linears(manual_seed(seed), 3, 2, 2)
        found.append(("the book's table with nn.Linear, seed %d" % seed,
                      dict(zip(MATRICES, linears), inputs=INPUTS)))
    generator = manual_seed(123)
    heads = zip(*[three_linears(generator, 3, 2, 2) for head in range(2)])
    joined = [[a + b for a, b in zip(*pair)] for pair in heads]
    found.append(("the book's table with two heads, seed 123",
                  dict(zip(MATRICES, joined), inputs=INPUTS, heads=2)))
    rounded = {name: each(lambda w: round(w, 4), RUNNING[name]) for name in MATRICES}
    found.append(("the running example, its weight matrices with four decimals",
                  dict(rounded, inputs=INPUTS)))
    return found


# ---- From what was read


def option(found, name, default=False):
    if name not in found:
        return default
    value, least = found[name].rows, int(name == "heads")
    fits, expected = type(value) is bool, "true or false"
    if name in ("heads", "query"):
        fits = type(value) is int and value >= least
        expected = "a number from %d up" % least
    if not fits:
        raise ValueError("%s is %s, expected %s" % (name, shown(value), expected))
    return value


def cases_of(found, notes):
    """Return (what it is, case) for all cases that the stages may belong to."""
    simplified = option(found, "simplified")
    own = {name: to_matrix(name, found[name].rows) for name in PARTS if name in found}
    if not own and not simplified:
        return books_cases()
    names = ["targets", "sources"] if "targets" in own or "sources" in own else ["inputs"]
    names += [] if simplified else MATRICES
    case = dict({"inputs": INPUTS} if set(own) & set(MATRICES) else RUNNING, **own)
    for name in names + list(own):
        if name not in case or name not in names:
            raise ValueError("%s %s" % (name, "is missing" if name in names else
                                        "does not go with " + names[0]))
    case = {name: case[name] for name in names}
    for name in [name for name in MATRICES if name in own]:
        rows = case[names[0] if name == "W_query" else names[-4]]
        if len(case[name]) != width(rows) == width(case[name]):
            notes.append("%s is %s, as in nn.Linear: it was transposed." % (
                name, size(case[name])))
            case[name] = transpose(case[name])
    title = "your " + ", ".join(own) if own else "the simplified version"
    cases = [(title, dict(case, may_be_scaled=True))]
    if list(own) == ["inputs"] and not simplified:
        cases.append((title + ", simplified", own))
        cases = cases[width(own["inputs"]) != len(W_QUERY):]
    return cases


def complete(case, found):
    """Return the case with the options; ValueError if something does not fit."""
    heads = option(found, "heads", case.get("heads"))
    attend = self_attention if "inputs" in case else cross_attention
    if "queries" in case:
        attend = scaled_dot_product_attention
    elif "W_query" not in case:
        attend = simplified_self_attention
    elif heads and width(case["W_query"]) != width(case["W_key"]):
        raise ValueError("W_query is %s but W_key is %s: heads that share keys (grouped "
                         "queries) are not covered" % (
                             size(case["W_query"]), size(case["W_key"])))
    result = attend(**{name: rows for name, rows in case.items()
                       if isinstance(rows, list)})
    for rows in result[:3]:
        if heads and width(rows) % heads:
            raise ValueError("%d heads cannot share %d columns" % (heads, width(rows)))
    case = dict(case, heads=heads, causal=option(found, "causal"))
    if case.get("inputs") == INPUTS:
        case["likely_query"] = 1
    if "query" in found and "queries" not in case:
        case["query"] = option(found, "query")
        if case["query"] >= len(result.queries):
            raise ValueError("query is %d, expected less than %d" % (
                case["query"], len(result.queries)))
    return case


# ---- Which case is it?


def diagnose(found):
    """Return (what it is compared with, case, given, Result, notes) for what was read."""
    notes = [block.note for block in found.values() if block.note]
    given = {stage: found[stage].rows for stage in STAGES if stage in found}
    for stage, rows in given.items():  # may be inf
        to_matrix(stage, [[0.0 if isinstance(x, float) else x for x in row]
                          if isinstance(row, list) else row for row in rows])
    if not given:
        raise ValueError("no stage given, expected at least one of " + ", ".join(STAGES))
    prints = {name: block.print for name, block in found.items() if block.print}
    cases, answers = cases_of(found, notes), []

    def answer(title, case):
        case = complete(case, found)
        own = {stage: given[stage] for stage in given if stage not in case}
        return title, case, own, check(case, own, prints), notes

    for title, case in cases:
        answers.append(answer(title, case))
        if answers[-1][3].right:
            return answers[-1]
    known = [step for answer in answers for step in answer[3].steps[:3]
             if step.verdict == "ok" or step.mistakes
             or step.text and step.difference.row is not None]
    alone = {stage: given[stage] for stage in STAGES[:3] if stage in given}
    if len(cases) > 2 and len(alone) == 3 < len(given) and not known:
        return answer("your queries, keys and values", alone)
    return min(answers, key=lambda answer: rank(answer[3]))
