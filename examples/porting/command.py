"""Check a port of attention.py, written in any language, against vectors.json.

    python3 -m examples.porting [--plain] [--float32] COMMAND ARG...

COMMAND starts the port; README.md beside this file describes what it must do.
"""

import argparse
import difflib
import json
import time

from examples.porting.explaining import explain
from examples.porting.judging import Answer, farthest, judge
from examples.porting.port import exchange, note_signals, stop_if_noted
from examples.porting.protocol import can_be_plain, excerpt, request, write_plain
from examples.porting.random_cases import random_cases
from examples.porting.self_check import DOUBLE, load_cases
from examples.tools.common import complain, shown

SINGLE = 1e-6
MOST_SLOW = 3  # so many cases that take too long, and the rest is not asked


# ---- Ask: all at once, and one by one where it is unclear which line answers what


def answers_to(cases, lines, options, troubles):
    """Yield an Answer for each case; add what else is wrong to the troubles."""
    answers = [judge(case, line, options.plain, options.tolerance)
               for case, line in zip(cases, lines)]
    wrong = [answer for answer in answers if answer.text]
    hint = "Is something left of the request before? Is the order kept?"
    if len(lines) == len(cases):
        lowest = sorted(wrong, key=lambda it: len(list(it.case["arguments"].values())[0]))
        some = wrong[:1] + wrong[-1:] + lowest[:1]  # one row has no row before it
        right = [it for it in some if not alone(it.case, options).text]
        if not right:
            yield from answers
            return
        reason = '"%(name)s" is wrong with others, but right alone' % right[0].case
    else:
        reason = "requests at once: %d, lines: %d" % (len(cases), len(lines))
        if len(lines) == len(cases) - 1 and not wrong:
            hint = "Is the last line read? It has no line feed."
    say("All are asked again, one by one (%s)." % reason)
    troubles[:] = ["%s. %s" % (reason, hint)]
    slow = 0
    for number, case in enumerate(cases):
        start = time.monotonic()
        answer = alone(case, options)
        yield answer
        if answer.text and len(lines) != len(cases):
            troubles[:] = []  # it explains the number of lines
        slow += time.monotonic() - start > options.timeout
        if slow == MOST_SLOW:
            say("Stopped: %d cases are not asked." % (len(cases) - number - 1))
            return


def alone(case, options):
    """Return the Answer to a case if the port is asked nothing else."""
    text = request(case, options.plain) + "\n"
    lines, trouble = exchange(options.port, text, 1, options.timeout)
    answers = [judge(case, line, options.plain, options.tolerance) for line in lines]
    if not answers:
        text = "no answer: the port " + (trouble or "ended")
        if not case["valid"]:
            text += "; expected a refusal: " + case["why"]
        return Answer(case, text, {})
    if len(answers) > 1:
        return Answer(case, "%d lines for 1 request. %s" % (
            len(lines), about_extra(lines, answers)), {})
    return answers[0]


def about_extra(lines, answers):
    for line, answer in zip(lines, answers):
        if not answer.given:
            hint = "Write nothing but answers to standard output."
            if "error" in lines[0]:
                hint = "Is there a line feed in the text of the error?"
            return 'This one is no answer: "%s". %s' % (excerpt(line), hint)
    return "It is answered more than once."


# ---- Report


def say(text):
    try:
        print(text, flush=True)
    except OSError as error:  # with `| head`, too, nothing has passed
        raise OSError(str(error))


def report(answers, quiet):
    """Print a line for each Answer, and return them."""
    found, last = [], ""
    for answer in answers:
        case, text = answer.case, answer.text
        valid = [it for it in found if it.case["valid"]
                 and it.case["function"] == case["function"]]
        if not case["valid"] and not text and valid and all(it.text for it in valid):
            text = "refused, but that counts only when a valid case of %s agrees" % (
                case["function"])
        found.append(answer._replace(text=text))
        if text:
            say("WRONG  %s: %s" % (case["name"], text if text != last else "the same"))
        elif not quiet:
            say("ok     " + case["name"])
        last = text
    return found


def whole_check(cases, lines, trouble, options):
    """Print what came of all cases, and return the exit status."""
    troubles = ["the port %s." % trouble] if trouble else []
    answers = report(answers_to(cases, lines, options, troubles), options.quiet)
    valid = [answer for answer in answers if answer.case["valid"]]
    for text in explain(valid, options.plain, options.tolerance):
        say(text)
    agree = [answer for answer in valid if not answer.text]
    refused = [answer for answer in answers if not (answer.case["valid"] or answer.text)]
    count = len([case for case in cases if case["valid"]])
    near = ", largest difference %.2g" % farthest(agree) if agree else ""
    say("Computed: %d of %d agree, to %g%s. Refused: %d of %d." % (
        len(agree), count, options.tolerance, near, len(refused), len(cases) - count))
    for text in troubles:
        say("Not passed: " + text)
    return 1 if troubles or len(agree) + len(refused) < len(cases) else 0


# ---- The command line


def seconds(text):
    if not 0 < float(text) <= 3600:
        raise ValueError
    return float(text)


def parse(args):
    parser = argparse.ArgumentParser(
        prog="python3 -m examples.porting",
        description="Check a port of attention.py against vectors.json.")
    add = parser.add_argument
    add("--plain", action="store_true", help="plain words, not JSON")
    add("--float32", dest="tolerance", action="store_const", const=SINGLE, default=DOUBLE,
        help="for single precision: compare to 1e-6, not 1e-12")
    add("--timeout", type=seconds, default=10.0, metavar="SECONDS",
        help="how long to wait for an answer (default: 10)")
    add("-q", "--quiet", action="store_true", help="print no line for what is ok")
    add("--list", action="store_true", help="list what each case is for")
    add("--show", action="append", metavar="NAME", help="print a request and its answer")
    add("--only", action="append", metavar="NAME",
        help="ask this case, by name or id; may be repeated")
    add("--random", type=int, default=0, metavar="N", help="ask random requests, too")
    add("--seed", type=int, default=int(time.time()), help="which random requests")
    add("port", metavar="COMMAND", nargs=argparse.REMAINDER, help="starts the port")
    options = parser.parse_args(args)
    if not (options.port or options.list or options.show):
        parser.error("the following arguments are required: COMMAND")
    if options.port and (options.list or options.show):
        parser.error("--list and --show start no COMMAND")
    return options


def select(cases, names):
    """Return the cases with these names or ids, or all; ValueError if one is unknown."""
    if not names:
        return cases
    known = [case["name"] for case in cases] + [case["id"] for case in cases]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5)
            raise ValueError("no case is named %s; %s" % (
                shown(name), "near: " + ", ".join(near) if near else "see --list"))
    return [case for case in cases if case["name"] in names or case["id"] in names]


def show(cases, plain):
    write = write_plain if plain else json.dumps
    for case in cases:
        print("> " + request(case, plain))
        print("< " + write(case["expected"] or {"error": case["why"]}))
    return 0


def main(args=None):
    options = parse(args)
    try:
        cases = load_cases() + random_cases(options.random, options.seed)
        cases = select(cases, options.only or options.show)
    except ValueError as error:
        return complain(error)
    if options.list:
        for case in cases:
            print("%-20s %s: %s" % (case["id"], case["name"], case["why"]))
        return 0
    if options.plain:
        ragged = [case["name"] for case in cases if not can_be_plain(case)]
        cases = [case for case in cases if can_be_plain(case)]
        if not cases:
            return complain("a ragged matrix cannot be written in the plain protocol")
        if ragged:
            say("Left out, ragged: " + ", ".join(ragged) + ".")
    if options.show:
        return show(cases, options.plain)
    if options.random:
        say("Random requests: --seed %d asks the same." % options.seed)
    note_signals()
    text = "\n".join(request(case, options.plain) for case in cases)  # none at the end
    lines, trouble = exchange(options.port, text, len(cases), options.timeout)
    if lines is None:
        return complain(trouble)
    status = whole_check(cases, lines, trouble, options)
    stop_if_noted()
    return status
