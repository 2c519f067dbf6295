"""Check a port of attention.py, written in any language, against vectors.json.

    python3 -m examples.porting [--plain] [--float32] COMMAND ARG...

COMMAND starts the port; README.md beside this file describes what it must do. The exit
status is 0 if every answer is as expected, 1 if not, and 2 if the port cannot be started.
"""

import argparse
import json
import re
import struct
from collections import namedtuple
from decimal import Decimal

from attention import STAGES
from examples.tools.common import complain, in_words, run, shown
from examples.find_the_mistake.search import check
from examples.find_the_mistake.steps import MISTAKES, compute
from examples.porting.port import LONGEST, ending, printable, take, with_port
from examples.porting.self_check import DOUBLE, complaint, load_cases
from examples.porting.serve import (
    read_matrices, to_words, write_matrices, write_plain)

SINGLE = 1e-6  # for --float32
NOT_FINITE = re.compile(
    r'"(\\.|[^"\\])*"|[-+]?\b(nan(\(\w*\))?|inf(inity)?)(?!\w)', re.IGNORECASE)
OTHER = "this looks like the %s protocol: give --plain to both sides, or to none"
SIMPLIFIED = ("queries", "keys", "values", "scaled_scores")  # there, these are copies
JUMPS = 3  # so often, answers may belong to another case than the one that was asked


# ---- The protocol: README.md describes it


def can_be_plain(case):
    """A plain matrix is ROWS COLUMNS NUMBERS..., so it cannot be ragged."""
    for rows in case["arguments"].values():
        for row in rows:
            if len(row) != len(rows[0]):
                return False
    return True


def request(case, plain):
    """Return the line that asks for a case.

    >>> case = {"name": "a", "function": "simplified_self_attention",
    ...         "arguments": {"inputs": [[1.0, 2.0], ["nan", 4.0]]}, "expected": {}}
    >>> request(case, True)
    'simplified_self_attention inputs 2 2 1.0 2.0 nan 4.0'
    """
    if plain:
        return case["function"] + " " + write_matrices(case["arguments"])
    return json.dumps({key: case[key] for key in ("name", "function", "arguments")})


def read_answer(line, plain):
    """Return the answer in a line, as a dict; ValueError if it is none.

    >>> read_answer("values 1 2 3.5 4 context_vectors 1 1 nan", True)
    {'values': [[3.5, 4.0]], 'context_vectors': [[nan]]}
    """
    if not plain:
        return read_json(line)
    words = to_words(line)
    if words[0] == "error":
        return {"error": " ".join(words[1:])}
    return read_matrices(words)


def read_json(line):
    """Return the JSON object in a line. C and Rust write nan and inf into it: so be it.

    >>> read_json('{"error": "nan", "keys": [[-nan, 1]]}')
    {'error': 'nan', 'keys': [[nan, 1.0]]}
    """
    line = NOT_FINITE.sub(not_finite, line)
    try:
        given = json.loads(line, parse_int=float)
    except RecursionError:
        raise ValueError("nested too deeply: " + excerpt(line)) from None
    except ValueError as error:
        place = getattr(error, "pos", 0)
        reason = why_not_json(line[place:])
        raise ValueError(reason + ": " + excerpt(line, place)) from None
    if not isinstance(given, dict):
        raise ValueError("not a JSON object: " + excerpt(line))
    return given


def not_finite(match):
    word = match.group().lower()
    if word[0] == '"':
        return match.group()
    if "nan" in word:
        return "NaN"
    return "-Infinity" if word[0] == "-" else "Infinity"


def why_not_json(rest):
    """Say what is wrong where the rest of a line begins."""
    for pattern, reason in (
            (r"\s*$", "the line ends too early"),
            (r"\.[0-9]", "JSON wants a digit before a point, 0.5"),
            (r"\.", "JSON wants a digit after a point, 1.0"),
            (r"\+", "JSON has no + before a number"),
            (r"'", 'JSON wants double quotes, "'),
            (r",?\s*[]}]", "a comma, and nothing after it")):
        if re.match(pattern, rest):
            return reason
    return "not JSON"


def excerpt(text, place=0):
    """Return the text around a place in it, which is marked.

    >>> excerpt("[1.0, .5]", 6)
    '[1.0,  >>> .5]'
    """
    before, after = text[:place], text[place:].rstrip()
    if len(before) > 30:
        before = "..." + before[-30:]
    if len(after) > 60:
        after = after[:60] + "..."
    return printable(before + " >>> " + after if place else after)


def to_numbers(stage, rows):
    """Return a stage as a matrix of floats, which may be not finite; or ValueError."""
    if not isinstance(rows, list):
        raise ValueError("%s is %s, expected rows of numbers" % (stage, in_json(rows)))
    matrix = []
    for i, row in enumerate(rows):
        if not isinstance(row, list):
            raise ValueError("%s[%d] is %s, expected a row" % (stage, i, in_json(row)))
        matrix.append([])
        for j, x in enumerate(row):
            if x is None or str(x).lower() in ("nan", "inf", "-inf"):
                x = float(x or "nan")
            if type(x) is not float:
                raise ValueError("%s[%d][%d] is %s, expected a number" % (
                    stage, i, j, in_json(x)))
            matrix[i].append(x)
    if not matrix or not matrix[0]:
        raise ValueError("%s is empty" % stage)
    for i, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise ValueError("%s is ragged: row 0 has %d numbers, row %d has %d" % (
                stage, len(matrix[0]), i, len(row)))
    return matrix


def in_json(thing):
    return excerpt(json.dumps(thing))


# ---- Is an answer right?


def judge(case, given, tolerance):
    """Return (what is wrong with an answer or "", the stages that could be read)."""
    expected, numbers = case["expected"], {}
    for key in given:
        if key not in STAGES and key != "error":
            return '"%s" is neither a stage nor "error"' % excerpt(key), numbers
    if "error" in given and len(given) > 1:
        return "an error and something else: a refusal is an error alone", numbers
    if not given:
        return "neither stages nor an error", numbers
    if "error" in given:
        given = {"error": excerpt(str(given["error"]))}
        return complaint(expected, given, tolerance), numbers
    first = complaint(expected, given, tolerance) if "error" in expected else ""
    for stage in STAGES:
        if stage in given:
            try:
                numbers[stage] = to_numbers(stage, given[stage])
                first = first or complaint(expected, {stage: numbers[stage]}, tolerance)
            except ValueError as error:
                first = first or str(error)
    if "context_vectors" not in given:
        first = first or "context_vectors are missing"
    return first, numbers


def whose(numbers, cases, tolerance):
    """Return the index of the case that these numbers answer rightly, or None."""
    for at, case in enumerate(cases):
        if "context_vectors" in numbers and "error" not in case["expected"]:
            if not complaint(case["expected"], numbers, tolerance):
                return at
    return None


# ---- Ask, and compare

# text: what is wrong with the answer, or ""; numbers: {stage: matrix} of this answer
Answer = namedtuple("Answer", ["case", "text", "numbers"])


def ask(port, cases, options, tolerance):
    """Print a line per case; return ({name: Answer}, what else is wrong, in one text)."""
    answers, at, jumps, empty = {}, 0, 0, 0
    while at < len(cases):
        case = cases[at]
        line = take(port, options.timeout)
        if line and not line.strip():
            empty += 1
            continue
        last = why_no_more(line, port, options)
        if last:
            say("WRONG  %s: %s" % (case["name"], last))
            for words in port.said:
                say("       " + words)
            missing = len(cases) - len(answers) - 1
            return answers, "Stopped there: %d more cases were not reached." % missing
        try:
            text, numbers = judge(case, read_answer(line, options.plain), tolerance)
        except ValueError as error:
            text, numbers = "not an answer: %s" % error, {}
        other = whose(numbers, cases, tolerance) if text else None
        if other == at:  # but for a stage that cannot be read
            other = None
        if other is not None:
            text = "this answers the case " + cases[other]["name"]
        say("WRONG  %s: %s" % (case["name"], text) if text else "ok     " + case["name"])
        if text.startswith("refused"):  # it has no numbers
            say("       what it is for: " + case["why"])
        if other is not None and is_open(cases[other], answers):
            at, case, text, jumps = other, cases[other], "", jumps + 1
            if jumps > JUMPS:
                return answers, "Stopped there: the answers come in another order."
        answers.setdefault(case["name"], Answer(case, text, numbers))
        at += 1
    return answers, last_trouble(port, options.timeout, empty, jumps)


def is_open(case, answers):
    """Is there no right answer to this case yet?"""
    return case["name"] not in answers or answers[case["name"]].text != ""


def say(text):
    print(text, flush=True)  # at once: the port may take its time


def why_no_more(line, port, options):
    """Return why there is no answer, and we stop here, or "" if there may be one."""
    if line is None:
        return "no answer within %g s" % options.timeout
    if line == "":
        return "no answer: the port " + ending(port, options.timeout)
    if options.plain and line.lstrip().startswith("{"):
        return OTHER % "JSON"
    if not options.plain and line.split()[0] in STAGES + ("error",):
        return OTHER % "plain"
    if not line.endswith("\n"):
        try:
            read_answer(line, options.plain)
        except ValueError:
            if len(line) >= LONGEST:
                return "a line of more than %d bytes: %s" % (LONGEST, excerpt(line))
            return "the line breaks off after %s: the port %s" % (
                excerpt(line[-30:]), ending(port, options.timeout))
    return ""


def last_trouble(port, timeout, empty, jumps):
    """Return what is wrong after the last answer, or apart from the answers."""
    line = take(port, timeout)
    while line and not line.strip():
        empty += 1
        line = take(port, timeout)
    if line is None:
        return "The port does not end when its input does."
    if line:
        return "The port has written more lines than there are cases: " + excerpt(line)
    text = ending(port, timeout)
    if port.process.returncode != 0:
        return "All is answered, but the port " + text
    if empty:
        return "%d empty lines skipped: does an error text end with a newline?" % empty
    return "The answers come in another order." if jumps else ""


# ---- What is behind it all?


def explain(answers, tolerance):
    """Print what explains the numbers that are wrong: all of them, or it is not said."""
    computed = [found for found in answers if "context_vectors" in found.numbers]
    wrong = [found for found in computed if found.text]
    if not wrong:
        return
    functions = [found.case["function"] for found in wrong]
    right = [found for found in computed
             if not found.text and found.case["function"] in functions]
    text = about_precision(wrong)
    if text:
        say(text)
        return
    say("Step by step, each from the port's own numbers before it:")
    abouts, steps = set(), []
    for found in wrong:
        result = check(found.case["arguments"], found.numbers, tolerance=tolerance)
        abouts.add(result.about)
        steps += [(step, found) for step in result.steps if step.verdict == "wrong"]
    if len(abouts) == 1 and "" not in abouts:
        say("  " + abouts.pop())
    for stage in STAGES:
        explain_step(stage, [pair for pair in steps if pair[0].stage == stage], right)
    if all(agrees(found, ["context_vectors"], tolerance) for found in wrong):
        say("All context vectors agree: leave out what you compute otherwise on purpose.")


def agrees(found, stages, tolerance):
    """Are these stages of an answer as expected?"""
    numbers = {stage: found.numbers[stage] for stage in stages}
    return complaint(found.case["expected"], numbers, tolerance) == ""


def explain_step(stage, wrong, right):
    """Print what is known of one step, from all answers where it is wrong."""
    if not wrong:
        return
    say("  %s: wrong in %d cases" % (in_words(stage), len(wrong)))
    functions = set(found.case["function"] for step, found in wrong)
    if functions == {"simplified_self_attention"} and stage in SIMPLIFIED:
        say("    The simplified version projects and scales nothing.")
        return
    telling = [step for step, found in wrong if len(found.numbers[stage]) > 1]
    known = [mistake for mistake in MISTAKES
             if all(mistake in step.mistakes for step in telling or [wrong[0][0]])
             and not any(is_refuted(mistake, found) for found in right)]
    for mistake in known:
        say("    as if: %s: %s.\n    Put it right: %s." % (
            mistake.name, mistake.what, mistake.fix))
    if not known and all(len(found.numbers) == len(STAGES) for step, found in wrong):
        say("    The mistake is in this step alone. No known one explains all of it.")
    elif not known:
        say("    No known mistake, here or in what is not given, explains all of it.")
    if all(found.case.get("stage") == stage for step, found in wrong):
        for step, found in wrong:
            say("    %s: %s" % (found.case["name"], found.case["why"]))


def is_refuted(mistake, found):
    """Would this mistake have made a right answer wrong, at whichever step?"""
    plants = [{stage: step} for stage, step in mistake.steps.items()]
    for plant in [mistake.steps] if mistake.whole else plants:
        try:
            record = compute(found.case["arguments"], plant)
            numbers = {stage: getattr(record, stage) for stage in found.numbers}
            if not complaint(found.case["expected"], numbers, SINGLE):
                return False
        except (ArithmeticError, TypeError, ValueError):
            return False  # it cannot be made here
    return True


def about_precision(wrong):
    """Say that numbers are right but for their last digits; or return ""."""
    numbers = []
    for found in wrong:
        for rows in found.numbers.values():
            numbers += [x for row in rows for x in row]
    if any(x - x != 0.0 for x in numbers):
        return ""
    digits = max(len(repr(x).split("e")[0].replace(".", "").strip("-0")) for x in numbers)
    decimals = max(max(0, -Decimal(repr(x)).as_tuple().exponent) for x in numbers)
    for count, name, tolerance in (
            (digits, "digits", 10.0 ** (1 - digits)),
            (decimals, "decimals", 10.0 ** -decimals)):
        if count < 15 and all(agrees(found, found.numbers, tolerance) for found in wrong):
            return "All is right as far as it goes: print 17 digits, not %d %s." % (
                count, name)
    if all(agrees(found, found.numbers, SINGLE) for found in wrong):
        if digits <= 9 or all(is_single(x) for x in numbers):
            return "All agrees to 1e-6, and is of single precision: try --float32."
    return ""


def is_single(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0] == x
    except OverflowError:
        return False


# ---- The command line


def whole_check(port, cases, options):
    """Ask all cases, print what came of it, and return the exit status."""
    tolerance = SINGLE if options.float32 else DOUBLE
    answers, trouble = ask(port, cases, options, tolerance)
    computed = [case["name"] for case in cases if "error" not in case["expected"]]
    refused = [case["name"] for case in cases if "error" in case["expected"]]
    agree = [name for name in answers if not answers[name].text]
    explain([answers[name] for name in computed if name in answers], tolerance)
    if trouble:
        say(trouble)
    say("Computed: %d of %d agree, to %g. Refused: %d of %d." % (
        len(set(agree).intersection(computed)), len(computed), tolerance,
        len(set(agree).intersection(refused)), len(refused)))
    return 0 if len(agree) == len(cases) and not trouble else 1


def seconds(text):
    if not 0 < float(text) <= 3600:
        raise ValueError
    return float(text)


def parse(args):
    parser = argparse.ArgumentParser(
        prog="python3 -m examples.porting",
        description="Check a port of attention.py against vectors.json.")
    parser.add_argument("--plain", action="store_true", help="plain words, not JSON")
    parser.add_argument("--float32", action="store_true",
                        help="for single precision: compare to 1e-6, not 1e-12")
    parser.add_argument("--timeout", type=seconds, default=10.0, metavar="SECONDS",
                        help="how long to wait for an answer (default: 10)")
    parser.add_argument("--list", action="store_true", help="list what each case is for")
    parser.add_argument("--show", metavar="NAME", help="print a request and its answer")
    parser.add_argument("--only", metavar="NAME", help="ask this case alone")
    parser.add_argument("command", metavar="COMMAND", nargs="?", help="starts the port")
    parser.add_argument("args", metavar="ARG", nargs=argparse.REMAINDER)
    options = parser.parse_args(args)
    if options.command is None and not options.list and options.show is None:
        parser.error("the following arguments are required: COMMAND")
    return options


def main(args=None):
    options = parse(args)
    cases = load_cases()
    if options.list:
        for case in cases:
            print("%-40s %s" % (case["name"], case.get("why") or
                                "refuse: " + case["expected"]["error"]))
        return 0
    name = options.only if options.show is None else options.show
    if name is not None:
        cases = [case for case in cases if case["name"] == name]
        if not cases:
            return complain("no case is named %s: see --list" % shown(name))
    if options.plain:
        ragged = [case["name"] for case in cases if not can_be_plain(case)]
        cases = [case for case in cases if can_be_plain(case)]
        if not cases:
            return complain("a ragged matrix cannot be written in the plain protocol")
        if ragged:
            say("Left out, ragged: " + ", ".join(ragged) + ".")
    requests = [request(case, options.plain) for case in cases]
    if options.show is not None:
        for line, case in zip(requests, cases):
            write = write_plain if options.plain else json.dumps
            print("> %s\n< %s" % (line, write(case["expected"])))
        return 0
    return with_port([options.command] + options.args, requests,
                     lambda port: whole_check(port, cases, options))


if __name__ == "__main__":
    run(main)
