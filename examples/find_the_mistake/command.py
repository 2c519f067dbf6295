"""The command: read the numbers, have them checked, and report."""

import json
import random
import sys
import textwrap

from attention import (
    INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE, cross_attention,
    scaled_dot_product_attention, self_attention, simplified_self_attention, to_float,
    to_matrix)
from examples.tools.common import complain, shown
from examples.find_the_mistake.search import INF, blind_spots, check, joined, unseen
from examples.find_the_mistake.steps import MISTAKES, compute
from examples.tools.torch_random import manual_seed, three_linears

USAGE = "usage: python3 -m examples.find_the_mistake [--json] FILE | --example | --help"
HELP = USAGE + """

At which step does a hand-written attention go wrong, and which mistake is it?

FILE (- for standard input) holds a JSON object with some of the stages (queries, keys,
values, attention_scores, scaled_scores, attention_weights, context_vectors), each a list
of rows, or one row; and what they come from, if it is not the running example:
  "inputs", "W_query", "W_key", "W_value"   W_query is d_in x d_k (of nn.Linear: weight.T)
  "targets", "sources"   two sequences instead of inputs
  "simplified": true     no weight matrices
  "heads": 2             into how many heads d_k and d_v are split
  "query": 2             whose row a single row is, or a word of the running example
  "tolerance": 1e-9      default: as exact as your numbers are
In a stage, "-inf", "inf", "nan" and null (for nan) are numbers, too.

  --json      print {"divergence", "right", "variant", "steps", "mistakes"} instead
  --example   print input that tells the known mistakes apart, with the right stages

Exit status: 0 right, in whatever way; 1 wrong; 2 unusable input."""

RUNNING = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
MATRICES = ["W_query", "W_key", "W_value"]
SIZES = {"inputs": ("n", "d_in"), "targets": ("m", "d_t"), "sources": ("n", "d_in"),
         "W_query": ("d_in", "d_k"), "W_key": ("d_in", "d_k"), "W_value": ("d_in", "d_v"),
         "queries": ("m", "d_k"), "keys": ("n", "d_k"), "values": ("n", "d_v")}


# ---- Reading


def load(data):
    """Return (case, given, tolerance) for search.check; TypeError or ValueError says what
    is wrong with the data."""
    if not isinstance(data, dict):
        raise TypeError('expected an object such as {"context_vectors": [[0.5, 0.25]]}')
    options = ("simplified", "heads", "query", "tolerance")
    for key in data:
        if key not in SIZES and key not in STAGES + options:
            raise ValueError("unknown key %s, see --help" % shown(key))
    given = {stage: load_stage(stage, data[stage]) for stage in STAGES if stage in data}
    case = load_case(data, given)
    given = {stage: given[stage] for stage in given if stage not in case}
    if not given:
        raise ValueError("no stage given, expected at least one of " + ", ".join(STAGES))
    query = load_query(case, data, given)
    heads, tolerance = data.get("heads", 1), data.get("tolerance", 0)
    expect(type(heads) is int and heads > 0, data, "heads", "a number from 1 up")
    is_number = type(tolerance) in (int, float)
    expect(is_number and to_float("tolerance", tolerance) >= 0, data, "tolerance",
           "a number from 0 up")
    return dict(case, query=query, heads=data.get("heads")), given, data.get("tolerance")


def expect(is_good, data, key, expected):
    if not is_good:
        raise ValueError("%s is %s, expected %s" % (key, shown(data[key]), expected))


def load_stage(stage, rows):
    if isinstance(rows, list) and not any(isinstance(row, list) for row in rows):
        rows = [rows]
    finite = rows
    if isinstance(rows, list):
        finite = [[0 if is_special(x) else x for x in row]
                  if isinstance(row, list) else row for row in rows]
    matrix = to_matrix(stage, finite)
    return [[float(old or "nan") if is_special(old) else x
             for old, x in zip(row, new)] for row, new in zip(rows, matrix)]


def is_special(x):
    return x is None or isinstance(x, str) and x.lower().lstrip("-") in (
        "inf", "infinity", "nan")


def load_case(data, given):
    simplified = data.get("simplified", False)
    expect(isinstance(simplified, bool), data, "simplified", "true or false")
    own = {name: data[name] for name in SIZES if name in data and name not in STAGES}
    alone = {stage: given[stage] for stage in STAGES[:3] if stage in given}
    sizes = [(len(rows), len(rows[0])) for rows in alone.values()]
    names, attend = ["inputs"] + MATRICES, self_attention
    if not own and not simplified and len(sizes) == 3 and sizes != [(6, 2)] * 3:
        own, names, attend = alone, list(alone), scaled_dot_product_attention
    elif simplified:
        names, attend = ["inputs"], simplified_self_attention
    elif "targets" in own or "sources" in own:
        names, attend = ["targets", "sources"] + MATRICES, cross_attention
    found = dict(RUNNING, **own)
    if set(own) & set(MATRICES):
        found = dict({"inputs": INPUTS}, **own)
    for name in names:
        if name not in found:
            raise ValueError("%s is missing" % name)
    for name in own:
        if name not in names:
            raise ValueError("%s does not go with %s" % (name, names[0]))
    case = {name: to_matrix(name, found[name]) for name in names}
    attend(**case)
    return case


def load_query(case, data, given):
    words = [token.lower() for token in TOKENS] if case.get("inputs") == INPUTS else []
    count, query = len(list(case.values())[0]), data.get("query", 1 if words else None)
    if isinstance(query, str) and query.lower() in words:
        query = words.index(query.lower())
    is_good = "query" not in data or type(query) is int and 0 <= query < count
    expect(is_good, data, "query", " or ".join(
        ["a number from 0 to %d" % (count - 1)] + [repr(word) for word in words]))
    for stage in given:
        if query is None and len(given[stage]) == 1 < count:
            raise ValueError("%s has one row, expected %d, or a query from 0 to %d" % (
                stage, count, count - 1))
    return query


# ---- The report


def say(text):
    print(textwrap.fill(text, 88, break_on_hyphens=False))


def report(data, case, given, result):
    own = [name for name in case if name in SIZES and name in data]
    say("Expected: what attention.py makes of %s." % (
        "your " + ", ".join(own) if own else "the running example"))
    print("Sizes: %s." % ", ".join("%s = %d" % size for size in sizes(case).items()))
    if case["query"] is not None and any(len(rows) == 1 for rows in given.values()):
        word = " (%s)" % TOKENS[case["query"]] if case.get("inputs") == INPUTS else ""
        print("A single row is that of query %d%s." % (case["query"], word))
    print()
    for step in result.steps:
        print("  %-19s%s" % (step.stage, verdict(step)))
    print()
    about = result.about and " in this way: " + result.about
    if not result.right:
        if about:
            say("Taken%s." % about)
        explained = []
        for step in result.steps:
            if step.verdict == "wrong":
                report_step(step, given, explained)
        return
    say("All numbers given are right%s." % about)
    names = [mistake.name for mistake in blind_spots(case, given)]
    if names:
        say("These mistakes would give the same numbers here: %s. --example prints input "
            "that tells them apart." % ", ".join(names))


def sizes(case):
    found = {}
    for name, rows in case.items():
        if name in SIZES:
            found.update(zip(SIZES[name], (len(rows), len(rows[0]))))
    return found


def verdict(step):
    if step.divergence is None:
        return step.verdict
    stage, row, column, expected, actual = step.divergence
    if row is not None:
        return "wrong at [%d][%d]: %.6g, expected %.6g" % (row, column, actual, expected)
    rows, columns = expected.split(" x ")
    meaning = {columns + " x " + rows: ": transposed?",
               rows + " x 1": ": summed over the width?",
               "1 x " + columns: ": summed over the rows, or a single row?"}
    return "wrong: %s, expected %s%s" % (actual, expected, meaning.get(actual, ""))


def report_step(step, given, explained):
    if step.nearly and not step.mistakes:
        say("%s: right but for the last digit. Cut, not rounded?\n" % step.stage)
        return
    hidden = unseen(step.stage, given)[:-1]
    text = "The mistake is in " + step.stage
    if hidden:
        text += ", or in what is not given before it (%s)" % ", ".join(hidden)
    if not step.mistakes:
        text += ". None of the %d known mistakes gives these numbers" % len(MISTAKES)
    elif step.pairs:
        text += ". Two known mistakes give them together: " + "; ".join(
            " and ".join(mistake.name for mistake in pair) for pair in step.pairs)
    else:
        text += ". Every known mistake that gives these numbers"
    if step.nearly:
        text += ", but for the last digit"
    say(text + (":" if step.mistakes else "."))
    for mistake in step.mistakes:
        if mistake not in explained:
            explained.append(mistake)
            print("\n  %s\n    what was done: %s\n    put it right:  %s" % (
                mistake.name, mistake.what, mistake.fix))
    print()


def to_json(result):
    divergence = result.divergence and result.divergence._asdict()
    for name in ("expected", "actual") if divergence else ():
        if divergence[name] in (INF, -INF) or divergence[name] != divergence[name]:
            divergence[name] = str(divergence[name])  # JSON has no such numbers
    steps = [{"stage": step.stage, "verdict": step.verdict,
              "mistakes": [mistake.name for mistake in step.mistakes]}
             for step in result.steps]
    names = [name for step in steps for name in step["mistakes"]]
    return json.dumps({"divergence": divergence, "right": result.right,
                       "variant": result.variant, "steps": steps,
                       "mistakes": list(dict.fromkeys(names))})


def example():
    """Return a case in which all sizes differ, some numbers are below 0, and no known
    mistake gives the numbers of another, or the right ones."""
    chance = random.Random(2)
    sizes = {"inputs": (5, 7), "W_query": (7, 6), "W_key": (7, 6), "W_value": (7, 3)}
    return {name: [[round(chance.uniform(-1, 1), 2) for j in range(columns)]
                   for i in range(rows)] for name, (rows, columns) in sizes.items()}


# ---- The command line


def diagnose(data):
    """Return (case, given, Result); the book's other tables are known, too."""
    case, given, tolerance = load(data)
    result = check(case, given, tolerance)
    if not result.right and set(data) <= set(STAGES + ("query",)) and "inputs" in case:
        others = {"the simplified version": ()}
        for seed in (789, 123):
            others["nn.Linear, seed %d" % seed] = zip(
                MATRICES, three_linears(manual_seed(seed), 3, 2, 2))
        for name, matrices in others.items():
            other = dict(matrices, inputs=INPUTS, query=case["query"])
            found = check(other, given, tolerance)
            if found.right:
                return other, given, found._replace(
                    variant=joined(name, found.variant),
                    about=joined("the book's table with " + name, found.about))
    return case, given, result


def read(name):
    """Return what the file holds as JSON; OSError or ValueError if that cannot be."""
    if name != "-":
        with open(name, "rb") as file:
            content = file.read()
    elif sys.stdin is None:
        raise ValueError("it is closed")
    else:
        content = sys.stdin.buffer.read()
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=str)
    except RecursionError:
        raise ValueError("no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError("no JSON: %s" % error) from None


def main(args=None):
    args = sys.argv[1:] if args is None else args
    files = [arg for arg in args if arg != "--json"]
    if args == ["--help"]:
        return print(HELP)
    if args == ["--example"]:
        return print(json.dumps(dict(example(), **compute(example())._asdict())))
    if len(files) != 1 or files[0].startswith("-") and files[0] != "-":
        return complain(USAGE)
    try:
        data = read(files[0])
        found = diagnose(data)
    except (OSError, TypeError, ValueError) as error:
        name = "standard input" if files == ["-"] else shown(files[0])
        problem = getattr(error, "strerror", error)
        return complain("find_the_mistake: %s: %s" % (name, problem))
    if "--json" in args:
        print(to_json(found[-1]))
    else:
        report(data, *found)
    return 0 if found[-1].right else 1
