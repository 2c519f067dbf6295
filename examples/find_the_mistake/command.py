"""The command: read, check, report."""

import sys
import textwrap

from attention import INPUTS, TOKENS
from examples.tools.common import complain, shown
from examples.find_the_mistake.cases import diagnose
from examples.find_the_mistake.read import read
from examples.find_the_mistake.search import unseen
from examples.find_the_mistake.steps import MISTAKE

USAGE = "usage: python3 -m examples.find_the_mistake FILE | --help"
HELP = USAGE + """

At which step does a hand-written attention go wrong, and which mistake is it?

FILE (- for standard input) holds some of the stages, each after its name: queries, keys,
values, attention_scores, scaled_scores, attention_weights, context_vectors. They are
matrices or single rows, as JSON, Python, torch, NumPy, pandas, MATLAB, Julia, R or a
spreadsheet has them. Likewise what they come from, if not the running example:
  inputs, W_query, W_key, W_value   W_query is d_in x d_k, or nn.Linear's weight
  targets, sources                  two sequences instead of inputs
And what else is known (in JSON, "heads": 2):
  simplified = true   no weight matrices
  causal = true       later words have to be hidden
  heads = 2           into how many heads d_k and d_v are split
  query = 2           whose row a single row is

Exit status: 0 right, in whatever way; 1 wrong; 2 unusable input."""


def say(text):
    print(textwrap.fill(text, 88, break_on_hyphens=False))


def report(title, case, given, result, notes):
    say("Expected: what attention.py computes from %s." % title)
    for note in notes:
        say(note)
    for query in set(result.queries.values()) - {None}:
        word = " (%s)" % TOKENS[query] if case.get("inputs") == INPUTS else ""
        print("A single row was taken as that of query %d%s." % (query, word))
    print()
    for step in result.steps:
        print("  %-19s%s" % (step.stage, verdict(step)))
    print()
    if result.right:
        say("All numbers given are right%s." % (result.about and ": " + result.about))
        return
    if result.about:
        say("Assuming this variant: %s." % result.about)
    explained = []
    for step in result.steps:
        if step.verdict == "wrong":
            report_step(step, given, explained)
            explained += step.mistakes


def verdict(step):
    if step.difference is None:
        return step.verdict
    row, column, expected, actual = step.difference
    if row is None:
        return "wrong: %s, expected %s" % (actual, expected)
    return "wrong at [%d][%d]: %.6g, expected %.6g" % (row, column, actual, expected)


def report_step(step, given, explained):
    hidden = unseen(step.stage, given)[:-1]
    text = "The mistake is in " + step.stage
    if hidden:
        text += ", or in what is not given before it (%s)" % ", ".join(hidden)
    if step.mistakes:
        say(text + ". Every known mistake that gives these numbers:")
    else:
        say("%s. None of the %d known mistakes gives these numbers. %s" % (
            text, len(MISTAKE), step.text))
    for mistake in step.mistakes:
        if mistake not in explained:
            print("\n  %s\n    what was done: %s\n    put it right:  %s" % (
                mistake.name, mistake.what, mistake.fix))
    print()


def main(args=None):
    args = sys.argv[1:] if args is None else args
    if args == ["--help"]:
        return print(HELP)
    if len(args) != 1 or args[0].startswith("-") and args != ["-"]:
        return complain(USAGE)
    try:
        with open(0 if args == ["-"] else args[0], encoding="utf-8-sig") as file:
            answer = diagnose(read(file.read()))
    except (OSError, TypeError, ValueError) as error:
        name = "standard input" if args == ["-"] else shown(args[0])
        problem = getattr(error, "strerror", error)
        return complain("find_the_mistake: %s: %s" % (name, problem))
    report(*answer)
    return 0 if answer[3].right else 1
