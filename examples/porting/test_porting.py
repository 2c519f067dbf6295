"""The porting kit: vectors, the checker with good and bad ports, the guide."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from inspect import signature
from math import exp

import pytest

import attention
from attention import STAGES, matmul, softmax, sqrt
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, compute, divide, flat, products)
from examples.porting import command, make_vectors, protocol, self_check
from examples.porting.command import SINGLE
from examples.porting.explaining import READ, WRITTEN, explain
from examples.porting.judging import judge
from examples.porting.random_cases import random_cases
from examples.porting.self_check import DOUBLE

parametrize = pytest.mark.parametrize
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = self_check.load_cases()
COMPUTED = [case for case in CASES if case["valid"]]
REFUSED = [case for case in CASES if not case["valid"]]
RAGGED = [case for case in CASES if not protocol.can_be_plain(case)]
NAN = float("nan")
JS = ("node", os.path.join(HERE, "attention.js"))
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and groups are Unix")


def read(*names):
    with open(os.path.join(HERE, *names), encoding="utf-8") as file:
        return file.read()


def ids(*names):
    return [case for case in CASES if case["id"] in names]


def summary(more=0):
    return "Computed: %d of %d agree, to 1e-12, largest" % (2 * (len(COMPUTED) + more,))


# ---- vectors.json


def test_the_files_are_what_the_script_makes():
    texts = make_vectors.make()
    assert texts == (read("vectors.json"), read("vectors.txt"))
    vectors = json.loads(texts[0], parse_constant=pytest.fail)  # NaN is not JSON
    assert 'version = "%s"' % vectors["version"] in read("..", "..", "pyproject.toml")
    assert vectors["tolerance"] == DOUBLE
    for key in "id", "name":
        assert len(set(case[key] for case in CASES)) == len(CASES)


def test_arguments_are_in_the_order_of_the_function():
    for case in CASES + random_cases(3, 1):
        function = getattr(attention, case["function"])
        assert list(case["arguments"]) == list(signature(function).parameters)


def test_an_error_that_stays_after_a_refusal_shows_in_every_function():
    latest = {case["function"]: case["valid"] for case in CASES}
    assert len(latest) == 4 and all(latest.values())


def finite(rows):
    return all(x - x == 0.0 for x in flat(rows))


@parametrize("part", [lambda rows: rows[:1], lambda rows: rows[:-1],
                      lambda rows: rows[1:], lambda rows: rows[-1:]])
def test_a_check_that_sees_a_part_of_the_numbers_is_caught(part):
    accepted, unchecked = set(), MISTAKE["divided-by-the-largest"].steps  # inf / inf
    for case in [case for case in REFUSED if "overflow" in case["id"] + case["name"]]:
        s = compute(case["arguments"], unchecked)
        scores, vectors = s.attention_scores, s.context_vectors
        is_simple = list(case["arguments"]) == ["inputs"]
        for what, seen in ("rows", part(scores)), ("columns", map(part, scores)):
            if finite(seen) and (is_simple or finite(vectors)):
                accepted.add((what, is_simple))
        if finite(scores) and finite(map(part, vectors)):
            accepted.add("vectors")
    assert len(accepted) == 5


# ---- No mistake passes, and each is named


def answers_with(steps, cases=COMPUTED, stages=STAGES, tolerance=DOUBLE):
    """Return the Answers of a port with these steps, where they can be taken."""
    answers = []
    for case in cases:
        try:
            record = compute(case["arguments"], steps)
            given = {stage: getattr(record, stage) for stage in stages}
        except (ArithmeticError, TypeError, ValueError):
            continue
        answers.append(judge(case, json.dumps(given) + "\n", False, tolerance))
    return answers


def explained(answers, tolerance=DOUBLE):
    return "\n".join(explain(answers, False, tolerance))


OF_OWN_SIZE = {  # what they do to a row
    "bias-added": lambda row: [x + 0.25 - j for j, x in enumerate(row)],
    "dropout": lambda row: [2.0 * x for x in row[:-1]] + [0.0]}
FEW = ids("example", "one-token", "sizes-7-5-3-4", "two-sequences", "all-sizes-3",
          "simplified-2-5", "exponents")


def planted():
    """Yield each mistake with each way of making it, if a case has sizes for it."""
    for mistake in MISTAKES:
        for stage, step in mistake.steps.items():
            if mistake.name in OF_OWN_SIZE:
                change = OF_OWN_SIZE[mistake.name]
                step = lambda s, step=RIGHT[stage], f=change: [f(row) for row in step(s)]
            steps = mistake.steps if mistake.whole else {stage: step}
            if any(answer.text for answer in answers_with(steps)):
                yield pytest.param(mistake, steps, id=mistake.name + " " + stage)


PLANTED = list(planted())


@parametrize("mistake, steps", PLANTED)
def test_every_known_mistake_is_caught_and_named(mistake, steps):
    if mistake.name != "bias-added" or "keys" not in steps:  # softmax cancels it
        found = answers_with(steps, COMPUTED, STAGES[-1:], SINGLE)  # what shows least
        assert any(answer.text for answer in found)
    assert "as if: %s: " % mistake.name in explained(answers_with(steps, FEW + COMPUTED))


def test_what_was_planted():
    names = set(parameter.values[0].name for parameter in PLANTED)
    assert len(set(it.name for it in MISTAKES) - names) == 6  # 5 * heads, mask-missing


def flat_index(a, b):  # b[i][j] was read as flat[i * rows + j]
    flat, rows, columns = sum(b, []), range(len(b)), range(len(b[0]))
    return matmul(a, [[flat[(i * len(b) + j) % len(flat)] for j in columns]
                      for i in rows])


def scaled(divisor, stage="scaled_scores"):
    return {stage: lambda s: divide(
        RIGHT["attention_scores"](s), divisor(len(s.keys[0])))}


def turned(stage, turn):
    return {stage: lambda s: turn(RIGHT[stage](s))}


def double(rows):
    return divide(rows, 0.5)


UNSCALED = MISTAKE["scaling-forgotten"].steps


@parametrize("steps, count, expected", [
    (products(lambda a, b: matmul([row[1:] for row in a], b[1:])), 5, "matmul and dot"),
    (products(flat_index), 5, "matmul and dot"),
    (scaled(lambda d_k: d_k ** 2), 1, "In 2 of them: Every number is 0.19245 times the"),
    (scaled(lambda d_k: single(d_k ** 0.5)), 1, "Right to 4 digits or more: "),
    (turned("values", double), 1, "In 4 of them: Every number is 2 times the "),
    (dict(UNSCALED, **turned("keys", double)), 2, "as if: scaling-forgotten: "),
    (dict(UNSCALED, **scaled(lambda d_k: d_k ** 0.5, "attention_scores")), 1,
     "These are your scaled scores.\n    Was a list changed in place?"),
    (products(lambda a, b: [list(map(single, row)) for row in matmul(a, b)]), 0,
     "values, attention scores, context vectors:\n    Right to 4 digits or more: "),
    (turned("attention_scores", lambda rows: rows[1:] + rows[:1]), 1,
     "but row i is row i + 1."),
    (turned("context_vectors", lambda rows: rows[:1] * len(rows)), 1,
     "copies of the expected row 0.")])
def test_what_is_unknown_is_confined_to_its_step(steps, count, expected):
    cases = ids("example", "sizes-7-5-3-4", "two-sequences", "all-sizes-3")
    out = explained(answers_with(steps, cases))
    assert expected in out and ("as if" in out) == ("as if" in expected)
    assert out.count("wrong by itself in ") == count


def test_advice_that_a_right_answer_refutes_is_not_given():
    wrong = answers_with(MISTAKE["divided-by-sqrt-n"].steps, FEW[:3])
    for right, advised in ("", True), ("all-sizes-3", True), ("one-dimension", False):
        out = explained(wrong + answers_with({}, ids(right)))
        assert ("as if: divided-by-sqrt-n: " in out) == advised


def test_the_simplified_version_does_not_scale():
    out = explained(answers_with({"scaled_scores": RIGHT["scaled_scores"]}, CASES[:1]))
    assert "simplified version scales nothing" in out and "divide by" not in out
    out = explained(answers_with(scaled(sqrt, "attention_scores"), CASES[:1]))
    assert "In 1 of them: These are the expected scores / sqrt(d).\n    The simp" in out
    wrong = answers_with({"queries": lambda s: s.targets[::-1]}, CASES[:1])
    assert "your queries are not what was sent" in explained(wrong)


# ---- Softmax needs the right maximum, attention a right test for infinity


@parametrize("wrong, maximum", [
    ("near-1024", lambda row, rows: 0.0),
    ("near-minus-1024", lambda row, rows: max([0.0] + row)),
    ("rows-far-apart", lambda row, rows: max(max(scores) for scores in rows)),
    ("near-minus-4e9", lambda row, rows: max([-1e9] + row)),
    ("near-minus-1e36", lambda row, rows: max([-1e20] + row)),
    ("large-scores", lambda row, rows: row[0]),
    ("large-scores", lambda row, rows: min(row))])
def test_softmax_needs_the_right_maximum(wrong, maximum):
    def step(s):  # as in C: no error, but inf / inf or 0 / 0
        shifts = [max(row) - maximum(row, s.scaled_scores) for row in s.scaled_scores]
        return [softmax(row) if -709.0 < shift < 709.0 else [NAN] * len(row)
                for row, shift in zip(s.scaled_scores, shifts)]

    answers = answers_with({"attention_weights": step}, FEW + ids(wrong))
    assert [it.case["id"] for it in answers if it.text] == [wrong]
    out = explained(answers)
    assert "does softmax subtract the largest" in out
    assert out.count("wrong by itself") == 1 == out.count("weights: wrong by itself in")


# ---- Every right port passes


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


@parametrize("noise", [0.0, 2.0 ** -22])
def test_single_precision_stays_below_its_tolerance(noise):
    def total(numbers):
        found = 0.0
        for x in numbers:
            found = single(found + x)
        return found

    def product(a, b):
        return [[total(single(single(x) * single(y)) for x, y in zip(row, column))
                 for column in zip(*b)] for row in a]

    def shares(row):  # exp may be inexact
        powers = [single(exp(single(x - max(row))) * (1 + (-1) ** i * noise))
                  for i, x in enumerate(row)]
        return [single(power / total(powers)) for power in powers]

    steps = dict(
        products(product), attention_weights=lambda s: list(map(shares, s.scaled_scores)),
        scaled_scores=lambda s: [[single(x / single(len(s.keys[0]) ** 0.5)) for x in row]
                                 for row in s.attention_scores])
    for case in COMPUTED:
        copied = () if "W_query" in case["arguments"] else STAGES[:3]
        copied += ("scaled_scores",) * (list(case["arguments"]) == ["inputs"])
        taken = {stage: steps[stage] for stage in STAGES if stage not in copied}
        found, = answers_with(taken, [case], STAGES, 4e-7)  # as README.md says
        assert found.text == "", case["name"]


def check(*args):  # -> exit status, stdout, stderr
    done = subprocess.run(
        (sys.executable, "-m", "examples.porting") + args, cwd=ROOT, timeout=60,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@needs_node
def test_attention_js_passes():
    status, out, err = check("-q", "--random", "3", "--seed", "1", *JS)
    assert (status, err) == (0, "") and "WRONG" not in out and "ok " not in out
    assert summary(12) in out and re.search(r"difference \S+e-16", out)


# ---- Bad ports, and what they are told


ANSWERS = {}
for case in CASES:
    given = case["expected"] or {"error": case["why"]}
    ANSWERS[protocol.request(case, False)] = json.dumps(given)
    if case not in RAGGED:
        ANSWERS[protocol.request(case, True)] = protocol.write_plain(given)
ERRORS = [ANSWERS[protocol.request(case, False)] for case in REFUSED]


@pytest.fixture
def ported(monkeypatch, capsys):
    def run(port, *args):
        def exchange(command, text, count, timeout):
            return [line + "\n" for line in port(text.splitlines())], ""

        monkeypatch.setattr(command, "exchange", exchange)
        monkeypatch.setattr(command, "note_signals", lambda: None)
        assert command.main(list(args) + ["port"]) == 1
        return capsys.readouterr().out

    return run


def each(change):  # of an answer, in lines
    return lambda lines: "\n".join(change(ANSWERS[line]) for line in lines).split("\n")


PLAIN = ["--plain"]


@parametrize("options, port, wrong, expected", [
    ([], lambda lines: [ANSWERS[line] for line in lines if '"inf"' not in line], 1,
     "infinity in inputs: no answer: the port ended; expected a refusal: inputs[0]"),
    ([], each(lambda it: it.replace("a s", "a\n s") if it in ERRORS else it), 2,
     "-infinity: 2 lines for 1 request. This one is no answer: \"{"),
    ([], each(lambda it: it + "\n" if it in ERRORS else it), len(REFUSED),
     "line feed in the text of the error?"),
    ([], lambda lines: ["Reading"] + [ANSWERS[line] for line in lines], len(CASES),
     'This one is no answer: "Reading". Write nothing but answers'),
    ([], lambda lines: [ANSWERS[line] for line in lines[:-1] or lines], 0,
     "Is the last line read?"),
    ([], lambda lines: [ANSWERS[line] for line in lines[::-1]], 0, "Is the order kept?"),
    ([], each(lambda it: it[:-1] + ', "name": "one token"}'), len(CASES) - 1,
     'not an answer: this answers the case "one token"'),
    ([], each(lambda it: '{"error": 1}'), len(CASES),
     "W_query too low: refused, but that counts only when a valid case of "),
    ([], lambda lines: ['{"error": 1}' if "simplified_" in line else ANSWERS[line]
                        for line in lines], 10, "valid case of simplified_self_att"),
    ([], lambda lines: [ANSWERS[line] if line == lines[0] and "one token" in line
                        else '{"error": 1}' for line in lines], 49,
     'Not passed: "one token" is wrong with others, but right alone'),
    (["--timeout", "0.001"], lambda lines: time.sleep(0.01) or [], 3,
     "Stopped: 61 cases are not asked."),
    ([], each(lambda it: "\ufeff" + it), len(CASES), "a byte order mark"),
    ([], each(lambda it: "error x"), len(CASES), "plain protocol: give --plain to both"),
    (PLAIN, each(lambda it: "{}"), 60, "JSON protocol: give --plain to both"),
    (PLAIN, each(lambda it: it.replace("error", "Error:")), 33, "word error, not with"),
    (PLAIN, each(lambda it: it.replace(".", ",")), 60, "0,43, expected a number: write"),
    (PLAIN, each(lambda it: it.replace(" 6 3 ", " 6 4 ", 1)), 8, "queries[4][2] is keys"),
    ([], lambda lines: [ANSWERS[line] if len(line) < 600 else "{}" for line in lines], 7,
     " and more are wrong: is a line read whole?")])
def test_lines_that_are_out_of_place(options, port, wrong, expected, ported):
    out = ported(port, *options)
    assert out.count("WRONG") == wrong and expected in out


def misread(line, read, write):
    request = json.loads(line)
    arguments = request["arguments"]
    if request["name"] in [case["name"] for case in COMPUTED]:
        arguments = {name: read(rows) for name, rows in arguments.items()}
    given = self_check.answer(request["function"], arguments)
    return json.dumps(given if "error" in given else {
        stage: write(rows) for stage, rows in given.items()})


@parametrize("read, write", [(it, READ[0]) for it in READ[1:]]
             + [(READ[0], it) for it in WRITTEN[1:]] + [(READ[1], READ[1])])
def test_what_is_misread_or_miswritten(read, write, ported):
    out = ported(lambda lines: [misread(line, read[1], write[1]) for line in lines])
    assert "Everything fits this: " in out and "wrong by itself" not in out
    assert ("read " + read[0] in out) >= bool(read[0])
    assert ("written " + write[0] in out) >= bool(write[0])


@parametrize("line, expected", [
    ("{}", "neither stages nor an error"),
    ('{"keys": [[1, null, -nan], ["inf", NaN, Infinity]]}', "keys is 2 x 3, expected 6"),
    (json.dumps({"queries": CASES[0]["expected"]["queries"][::-1]}),
     "queries[0][0] is 0.05, expected 0.43"),
    ('{"values": [[1], [2, 3]]}', "values is 2 rows of 1 to 2, expected rows of equal"),
    ('{"error": "\\u001b[2J%s"}' % ("x" * 999), "refused: \\x1b[2J" + "x" * 56 + "..."),
    ('{"keys": [[' + "1.0, " * 99 + ".5]]}", " 1.0, 1.0,  >>> .5]]}"),
    ("[" * 90000, "nested too deeply: [[[[")])
def test_lines_that_cannot_be_read(line, expected):
    text = judge(CASES[0], line + "\n", False, DOUBLE).text
    assert expected in text and len(text) < 200
    assert "breaks off" in judge(CASES[0], line[:-1], False, DOUBLE).text


def test_numbers_are_no_refusal():
    text = judge(REFUSED[0], '{"error": "x", "values": [[1]]}\n', False, DOUBLE).text
    assert "an error and something else: a " in text
    text = judge(REFUSED[0], '{"values": [[], [1, 2]]}\n', False, DOUBLE).text
    assert text.startswith("accepted, but must be refused: inputs have 3 columns")


@parametrize("form, tolerance, expected", [
    ("%.6g", DOUBLE, "17 digits, not 6 digits"), ("%.15f", DOUBLE, ""),
    ("%.6f", DOUBLE, "17 digits, not 6 decimals"), ("%.4g", SINGLE, "not 4 digits"),
    ("%.9g", SINGLE, "")])
def test_numbers_with_too_few_digits(form, tolerance, expected):
    answers = []
    for case in COMPUTED[:8]:
        line = re.sub(r"-?\d[\d.]+(e[-+]\d+)?", lambda match: repr(
            float(form % float(match.group()))), json.dumps(case["expected"]))
        answers.append(judge(case, line + "\n", False, tolerance))
    out = explained(answers, tolerance)
    assert expected in out and "wrong by" not in out and bool(out) == bool(expected)


# ---- A port is a process


PORT = r"""
import json, os, subprocess, sys, time
from examples.porting.self_check import load_cases
right = {case["name"]: case["expected"] or {"error": "x"} for case in load_cases()}
for line in sys.stdin:
    name = json.loads(line)["name"]
    %s
    print(json.dumps(right[name]), flush=True)
%s
"""
SECOND = "if name == 'one token': "


@parametrize("change, after, wrong, expected", [
    (SECOND + "sys.exit('\\n'.join(map(str, range(99))))", "", 1,
     "one token: no answer: the port ended with exit status 1\n"),
    (SECOND + "print('{', end='', flush=True); os._exit(1)", "", 1,
     "one token: the line breaks off after 1 character"),
    ("", "while True: print()", 3, "11 lines for 1 request. This one is no answer: \"\""),
    (SECOND + "continue", "sys.exit(3)", 1, "the port ended with exit status 3\n"),
    ("", "sys.exit(3)", 0, "Not passed: the port ended with exit status 3."),
    pytest.param("", "subprocess.Popen(['sleep', '9'], start_new_session=True)", 0,
                 "in a session of its own.", marks=needs_posix)])
def test_ports_that_fail(change, after, wrong, expected):
    status, out, err = check(
        "--only", "example", "--only", "one token", "--only", "no-rows",
        sys.executable, "-c", PORT % (change, after))
    assert status == 1 and expected in out and out.count("WRONG") == wrong
    assert err.count("port: ") == 20 * ("99" in change)  # once, and not all
    assert ("port: 0\n" in err and "port: 98\n" in err) == ("99" in change)


@parametrize("act, timeout, wrong, expected", [
    ("", "0.1", 1, "no rows: no answer: the port was silent for 0.1 s"),
    ("os.close(1)", "1", 1, "closed its output, but did not end"),
    ("os.write(1, b'error\\n')", "1", 0, "does not end when its input does.")])
def test_ports_that_wait(act, timeout, wrong, expected):
    code = "import os, time; %s; time.sleep(9)" % (act or "pass")
    status, out, err = check("--plain", "--timeout", timeout, "--only", "no-rows",
                             sys.executable, "-S", "-c", code)  # -S: starts at once
    assert (status, err) == (1, "") and expected in out and out.count("WRONG") == wrong


LEFT = """
import os, subprocess, time
fifo = os.open(%r, os.O_WRONLY)
os.set_inheritable(fifo, True)
subprocess.Popen(["sleep", "99"], close_fds=False)
os.write(fifo, b"up\\n")
%s"""


@needs_posix
@parametrize("name, status", [
    ("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), ("SIGQUIT", 131), ("", 0)])
def test_no_process_is_left(name, status, tmp_path):
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    code = LEFT % (path, "time.sleep(99)" if name else PORT % ("", ""))
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.porting", sys.executable, "-c", code], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    with open(path) as fifo:
        assert fifo.readline() == "up\n"
        if name:
            process.send_signal(getattr(signal, name))
        start = time.time()
        fifo.read()  # ends when nobody is left who could write
        assert time.time() - start < 60
    out, err = process.communicate()
    assert process.returncode == status and "Traceback" not in err


# ---- The command lines


@parametrize("plain", [[], PLAIN])
def test_one_case_is_shown(plain, capsys):
    for case in ids("example", "no-rows"):
        assert command.main(plain + ["--show", case["name"]]) == 0
        line = protocol.request(case, plain)
        answer = protocol.write_plain if plain else json.dumps
        given = case["expected"] or {"error": case["why"]}
        assert capsys.readouterr().out == "> %s\n< %s\n" % (line, answer(given))


def test_every_case_is_listed(capsys):
    command.main(["--list", "--random", "1", "--seed", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(CASES) + 4
    for line, case in zip(lines, CASES + random_cases(1, 1)):
        assert all(case[key] in line for key in ("id", "name", "why"))


@parametrize("args, expected", [
    ((), "error: the following arguments are required: COMMAND"),
    (("no-such-command\x1b[2J",), "cannot start 'no-such-command\\x1b[2J': "),
    (("README.md",), "python3 FILE"), (("--show", "example", "x"), "start no COMMAND"),
    (("--show", "far apart"), "no case is named 'far apart'; near: rows-far-apart"),
    (("--only", "zzz", "x"), "see --list"),
    (("--plain", "--only", "a long row", "x"), "a ragged matrix cannot be written")])
def test_wrong_usage(args, expected):
    status, out, err = check(*args)
    assert (status, out) == (2, "") and expected in err


def test_a_reader_who_leaves_sees_no_success():
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.porting", sys.executable, "-c", PORT % ("", "")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    with process.stderr as err:
        assert b"cannot print" in err.read() and process.wait() == 2


def test_self_check(capsys):
    assert self_check.main([]) == 0 and self_check.main(["--bogus"]) == 2
    assert capsys.readouterr().out.count(": ok\n") == len(CASES)


# ---- The guide


def test_the_exchanges_of_the_guide():
    blocks = re.findall(r"```\w*\n(> .*?)```", read("README.md"), re.DOTALL)
    pairs, plain_pairs = [
        re.findall(r"^> (.*)\n< (.*)$", block, re.MULTILINE) for block in blocks]
    assert len(pairs) == len(plain_pairs) == 2
    for (line, answer), (plain_line, plain_answer) in zip(pairs, plain_pairs):
        case, given = json.loads(line), json.loads(answer)
        right = self_check.answer(case["function"], case["arguments"])
        assert given == right or given["error"] in right["error"]
        assert plain_line == protocol.request(case, True)
        assert plain_answer == protocol.write_plain(given)


def test_the_numbers_of_the_guide():
    text = " ".join(read("README.md").split())
    longest = max(len(protocol.request(case, False)) for case in CASES)
    size = max(max(len(rows), len(row)) for case in CASES
               for rows in case["arguments"].values() for row in rows)
    for numbers in (
            "your program %d questions" % len(CASES), summary(),
            "%d cases are left out." % len(RAGGED),
            "request has %d characters, the largest side is %d." % (longest, size)):
        assert numbers in text
