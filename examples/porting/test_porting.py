"""The porting kit: vectors, the checker with good and bad ports, the guide."""

import doctest
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from math import exp

import pytest

import attention
from attention import STAGES
from examples.find_the_mistake.steps import (
    MISTAKE, MISTAKES, RIGHT, compute, divide, products)
from examples.porting import __main__ as checker
from examples.porting import make_vectors, port, self_check, serve
from examples.porting.__main__ import SINGLE, Answer, explain, judge
from examples.porting.self_check import DOUBLE, complaint

parametrize = pytest.mark.parametrize
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = self_check.load_cases()
COMPUTED = [case for case in CASES if "error" not in case["expected"]]
REFUSED = [case for case in CASES if "error" in case["expected"]]
RAGGED = [case for case in CASES if not checker.can_be_plain(case)]
NAN, INF = float("nan"), float("inf")
SERVE = (sys.executable, "-m", "examples.porting.serve")
JS = ("node", os.path.join(HERE, "attention.js"))
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and groups are Unix")


def check(args, module=""):  # -> exit status, stdout, stderr
    done = subprocess.run(
        (sys.executable, "-m", "examples.porting" + module) + args, cwd=ROOT, timeout=60,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def read(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()


def named(*names):
    return [case for case in CASES if case["name"] in names]


def summary(refused=len(REFUSED), tolerance=DOUBLE):
    return "Computed: %d of %d agree, to %g. Refused: %d of %d.\n" % (
        len(COMPUTED), len(COMPUTED), tolerance, refused, refused)


@parametrize("module", [checker, port, self_check, serve])
def test_doctests(module):
    found = doctest.testmod(module)
    assert found.failed == 0 and found.attempted > 0


# ---- vectors.json


def test_the_file_is_what_the_script_makes():
    text = read("vectors.json")
    assert text == make_vectors.make() + "\n"
    json.loads(text, parse_constant=pytest.fail)  # NaN and Infinity are not JSON


def test_the_cases_of_the_reference_are_there():
    with open(os.path.join(ROOT, "examples", "reference.json")) as file:
        reference = json.load(file)
    running = reference["running_example"]
    others = [running["simplified"], running["trainable"], reference["two_sequences"]]
    for found in others + reference["cases"]:
        assert found["stages"] in [case["expected"] for case in COMPUTED]


def test_every_case_is_complete():
    assert len(set(case["name"] for case in CASES)) == len(CASES)
    for case in COMPUTED:
        assert list(case["expected"]) == list(STAGES) and case["why"]
        assert case.get("stage", STAGES[0]) in STAGES
        given = {"context_vectors": case["expected"]["context_vectors"]}
        assert CASES[checker.whose(given, CASES, 0.0)] is case  # alone
    assert set(case["function"] for case in COMPUTED) == set(self_check.FUNCTIONS)


# ---- No mistake passes, and each is named


def answers_with(steps, cases=COMPUTED, stages=STAGES, tolerance=DOUBLE):
    """Return the Answers of a port with these steps, where they can be taken."""
    answers = []
    for case in cases:
        try:
            record = compute(case["arguments"], steps)._asdict()
            given = {stage: [list(row) for row in record[stage]] for stage in stages}
        except (ArithmeticError, TypeError, ValueError):
            continue
        answers.append(Answer(case, *judge(case, given, tolerance)))
    return answers


def explained(answers, capsys):
    explain(answers, DOUBLE)
    return capsys.readouterr().out


OF_OWN_SIZE = {  # what they do to a row
    "bias-added": lambda row: [x + 0.25 - j for j, x in enumerate(row)],
    "dropout": lambda row: [2.0 * x for x in row[:-1]] + [0.0]}


def changed(step, change):
    return lambda s: [change(row) for row in step(s)]


def planted():
    """Yield each mistake with each way of making it."""
    for mistake in MISTAKES:
        for stage, step in mistake.steps.items():
            if mistake.name in OF_OWN_SIZE:
                step = changed(RIGHT[stage], OF_OWN_SIZE[mistake.name])
            steps = mistake.steps if mistake.whole else {stage: step}
            yield pytest.param(mistake, steps, id=mistake.name + " " + stage)


FEW = named("the running example", "one token", "7 tokens, d_in 5, d_k 3, d_v 4",
            "two sequences", "all sizes are 3", "2 tokens of 5 numbers, simplified")
TRAINABLE = [case for case in COMPUTED if "W_key" in case["arguments"]]


@parametrize("mistake, steps", list(planted()))
def test_every_known_mistake_is_caught_and_named(mistake, steps, capsys):
    made = answers_with(steps)
    if mistake.name.endswith("from-targets"):  # else there is no difference
        made = [answer for answer in made if "targets" in answer.case["arguments"]]
    if not made:
        return  # no case has sizes for it
    if mistake.name != "bias-added" or "keys" not in steps:  # softmax cancels it
        found = answers_with(steps, COMPUTED, STAGES[-1:], SINGLE)  # what shows least
        assert any(answer.text for answer in found)
    assert "as if: %s: " % mistake.name in explained(answers_with(steps, FEW), capsys)


@parametrize("steps, expected", [
    ({"scaled_scores": lambda s: divide(s.attention_scores, len(s.keys[0]) ** 2)},
     "  scaled scores: wrong in N cases\n    The mistake is in this step alone."),
    ({"attention_weights": lambda s: divide(RIGHT["attention_weights"](s), 1 + 1e-9)},
     "  attention weights: wrong in N cases\n    The mistake is in this step alone."),
    ({"keys": lambda s: divide(RIGHT["keys"](s), 0.5),
      "scaled_scores": lambda s: s.attention_scores}, "as if: scaling-forgotten: ")],
    ids=["d_k ** 2", "epsilon", "two mistakes"])
def test_what_is_unknown_is_confined_to_its_step(steps, expected, capsys):
    out = explained(answers_with(steps, TRAINABLE), capsys)
    assert expected in re.sub("wrong in [0-9]+ cases", "wrong in N cases", out)
    assert "leave out" not in out and "1024" not in out
    assert out.count("Put it right") == expected.count("as if")


def test_advice_that_a_right_answer_refutes_is_not_given(capsys):
    wrong = answers_with(MISTAKE["divided-by-sqrt-n"].steps, FEW[:3])
    for right, advised in ("", True), ("all sizes are 3", True), ("one dimension", False):
        out = explained(wrong + answers_with({}, named(right)), capsys)
        assert ("as if: divided-by-sqrt-n: " in out) == advised


def test_the_simplified_version_does_not_scale(capsys):
    steps = {"scaled_scores": RIGHT["scaled_scores"]}
    out = explained(answers_with(steps, CASES[:1] + FEW[5:]), capsys)
    assert "projects and scales nothing" in out and "divide by" not in out


def test_scaled_queries_are_right_in_another_way(capsys):
    def scaled(s):
        return divide(RIGHT["attention_scores"](s), len(s.keys[0]) ** 0.5)

    steps = {"attention_scores": scaled, "scaled_scores": lambda s: s.attention_scores}
    answers = answers_with(steps, TRAINABLE)
    out = explained(answers, capsys)
    assert "All context vectors agree: leave out" in out and "wrong in" not in out
    answers += answers_with(MISTAKE["scaling-forgotten"].steps, TRAINABLE)
    assert "leave out" not in explained(answers, capsys)


# ---- Softmax needs the right maximum, attention a right test for infinity


def careless_softmax(row, maximum, limit):  # as in C, where nothing is raised
    powers = [exp(x - maximum) if x - maximum < limit else INF for x in row]
    total = sum(powers)
    return [power / total if 0.0 < total < INF else NAN for power in powers]


@parametrize("name, maximum", [
    ("scores near 1024, close together", lambda row, rows: 0.0),
    ("scores near -1024, close together", lambda row, rows: max([0.0] + row)),
    ("rows of scores far apart", lambda row, rows: max(max(scores) for scores in rows)),
    ("scores near -4294967296", lambda row, rows: max([-1e9] + row)),
    ("scores near -1e36", lambda row, rows: max([-1e20] + row)),
    ("large scores", lambda row, rows: row[0]),
    ("large scores", lambda row, rows: min(row)),
    ("scores near 128, close together",
     lambda row, rows: max(row) if max(row) > 700.0 else 0.0)])
def test_softmax_needs_the_right_maximum(name, maximum, capsys):
    [case] = named(name)
    limit = 88.7 if "near 128" in name else 709.7  # the one is of single precision

    def softmax_of_rows(s):
        rows = s.scaled_scores
        return [careless_softmax(row, maximum(row, rows), limit) for row in rows]

    out = explained(answers_with({"attention_weights": softmax_of_rows}, [case]), capsys)
    assert "attention weights: wrong in 1 cases" in out
    assert name + ": " + case["why"] in out


@parametrize("is_bad, missed", [
    (lambda x: x - x != 0.0, "nothing"), (lambda x: x in (INF, -INF), "NaN"),
    (lambda x: x != x, "infinity|overflow")])
def test_two_checks_refuse_all_that_is_not_finite(is_bad, missed, monkeypatch):
    def check_finite(name, matrix):
        if any(is_bad(x) for row in matrix for x in row):
            raise ValueError

    def to_matrix(name, rows):
        attention.check_rows(name, rows)
        return list(map(list, rows))

    for name, function in (("check_finite", check_finite),
                           ("check_total", lambda total, scores: None),
                           ("to_matrix", to_matrix)):
        monkeypatch.setattr(attention, name, function)
    wrong = [case["name"] for case in CASES if complaint(
        case["expected"], self_check.answer(case["function"], case["arguments"]), DOUBLE)]
    assert bool(wrong) == (missed != "nothing")
    assert all(re.search(missed, name) for name in wrong)


# ---- Every right port passes


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def rounded_steps(case, rounded, turn, noise):
    """Return steps with operations rounded, sums in another order, and an inexact exp."""
    def added_up(numbers):
        total = 0.0
        for x in turn(numbers):
            total = rounded(total + x)
        return total

    def product(a, b):
        return [[added_up([rounded(rounded(x) * rounded(y)) for x, y in zip(row, column)])
                 for column in zip(*b)] for row in a]

    def inexact_softmax(row):
        powers = [rounded(exp(rounded(x - max(row)))) for x in row]
        powers = [rounded(x * (1 + (-1) ** i * noise)) for i, x in enumerate(powers)]
        total = added_up(powers)
        return [rounded(power / total) for power in powers]

    def scaled(s):
        root = rounded(len(s.keys[0]) ** 0.5)
        return [[rounded(x / root) for x in row] for row in s.attention_scores]

    steps = products(product)
    steps["attention_weights"] = lambda s: list(map(inexact_softmax, s.scaled_scores))
    if case["function"] != "simplified_self_attention":
        steps["scaled_scores"] = scaled
    given = STAGES[:0 if "W_query" in case["arguments"] else 3]
    return {stage: steps[stage] for stage in steps if stage not in given}


@parametrize("turn", [list, reversed])
@parametrize("rounded, unit, stated", [
    (float, 2.0 ** -52, 8e-16), (single, 2.0 ** -23, 4e-7)])
def test_right_ports_stay_far_below_the_tolerances(rounded, unit, stated, turn):
    for ulps in 0, 1, 2:
        for case in COMPUTED:
            steps = rounded_steps(case, rounded, turn, ulps * unit)
            found, = answers_with(steps, [case], STAGES, stated)  # as README.md says
            assert found.text == "", case["name"]


@parametrize("command", [SERVE, pytest.param(JS, marks=needs_node)])
@parametrize("options", [(), ("--plain",)])
def test_attention_passes(command, options):
    status, out, err = check(options + command + options)
    count = len(REFUSED) - (len(RAGGED) if options else 0)
    assert (status, err) == (0, "") and out.endswith(summary(refused=count))
    assert "ok     the running example\n" in out and "WRONG" not in out
    other = ("--plain",) if not options else ()
    assert "protocol: give --plain to both" in check(other + command + options)[1]


PORT = r"""
import json, os, re, sys, time
from examples.porting.self_check import load_cases
right = {case["name"]: case["expected"] for case in load_cases()}
texts = []
def numbers(form, text):
    return re.sub(r"-?\d[\d.]*(e[-+]\d+)?(?=[],])",
                  lambda x: form %% float(x.group()), text)
for number, line in enumerate(sys.stdin):
    given = right[json.loads(line)["name"]]
    text = json.dumps(given)
    %s
    print(text, flush=True)
"""


def checked(change, *options):
    """Check a port that is right but for a change, a line or two of Python."""
    return check(options + (sys.executable, "-c", PORT % change))


@parametrize("change, tolerance", [
    ("text = numbers('%.16E', text)", DOUBLE),
    ("text = numbers('%.40f', text)", DOUBLE),
    ("text = ' ' + text + ' \\r'", DOUBLE),
    ("texts.append(text)\n    if number + 1 < len(right): continue\n"
     "    text = '\\n'.join(texts)", DOUBLE),
    ("text = json.dumps({key: given[key] for key in given if key[0] in 'ce'})", DOUBLE),
    ("text = numbers('%.9g', text)", SINGLE)],
    ids=["exponents", "padded zeros", "CRLF", "buffered", "context vectors", "float32"])
def test_right_ports_pass(change, tolerance):
    options = ("--float32",) if tolerance == SINGLE else ()
    status, out, err = checked(change, *options)
    assert (status, err) == (0, "") and out.endswith(summary(tolerance=tolerance))


# ---- Bad ports, and what they are told


@parametrize("words, x", [
    ("nan -nan NaN null", NAN), ("inf Infinity", INF), ("-Inf", -INF)])
def test_what_is_not_finite_is_a_number_that_differs(words, x):
    case = dict(CASES[0], expected={"keys": [[1.0]], "context_vectors": [[1.0]]})
    for word in words.split() + ['"nan"'] * (x != x):
        given = checker.read_answer('{"context_vectors": [[%s]]}' % word, False)
        expected = "context_vectors[0][0] is %s, expected 1.0" % x
        assert judge(case, given, DOUBLE)[0] == expected
        given["keys"] = [[2.0]]
        assert judge(case, given, DOUBLE)[0] == "keys[0][0] is 2.0, expected 1.0"


@parametrize("given, expected", [
    ({}, "neither stages nor an error"),
    ({"context_vectors": [[1.0]]}, "context_vectors is 1 x 1, expected 6 x 3"),
    ({"context_vectors": [[1.0], [2.0, 3.0]]}, "context_vectors is ragged: row 0 has 1"),
    ({"context_vectors": [["0.5"]]}, 'context_vectors[0][0] is "0.5", expected a number'),
    ({"context_vectors": [[True]]}, "context_vectors[0][0] is true, expected a number"),
    ({"context_vectors": None}, "context_vectors is null, expected rows of numbers"),
    ({"Error": "x"}, '"Error" is neither a stage nor "error"'),
    ({"error": "\x1b[2J" + "x" * 999}, "refused: \\x1b[2J" + "x" * 56 + "..."),
    ({"error": "x", "context_vectors": [[1.0]]}, "an error and something else: a ")])
def test_bad_answers(given, expected):
    given = checker.read_answer(json.dumps(given), False)
    assert judge(CASES[0], given, DOUBLE)[0].startswith(expected)


@parametrize("line, expected", [
    ('{"keys": [[1.0, .5]]}',
     'JSON wants a digit before a point, 0.5: {"keys": [[1.0,  >>> .5]]}'),
    ('{"values": [[1.]]}', "JSON wants a digit after a point, 1.0: "),
    ('{"values": [[+1]]}', "JSON has no + before a number: "),
    ('{"values": [[1.0,]]}', "a comma, and nothing after it: "),
    ("{'values': [[1.0]]}", "JSON wants double quotes"),
    ('{"values": [[1.0', "the line ends too early: "),
    ("[" * 90000, "nested too deeply: [[[["), ("[]", "not a JSON object: []"),
    ("\x1b[2J", r"not JSON: \x1b[2J"),
    ('{"values": [[' + "1.25, " * 135 + ".5]]}", " 1.25, 1.25, 1.25,  >>> .5]]}"),
    ("keys 2 2 1 2 3", "keys 2 2 needs 4 numbers, the line ends after 3"),
    ("context_vectors 1 1 1_0", "1_0 is not a number"),
    ("error: none of your business", "error: needs ROWS and COLUMNS, from 0 to 9999")])
def test_lines_that_cannot_be_read(line, expected):
    with pytest.raises(ValueError) as caught:
        checker.read_answer(line, line[0] in "kce")
    assert expected in str(caught.value) and len(str(caught.value)) < 200


@parametrize("change, tolerance, expected", [
    ("%.6g", DOUBLE, "17 digits, not 6 digits"),
    ("%.15f", DOUBLE, ""), ("%.6f", DOUBLE, "17 digits, not 6 decimals"),
    ("single", DOUBLE, "of single precision: try --float32"),
    ("%.4g", SINGLE, "not 4 digits")])
def test_numbers_with_too_few_digits(change, tolerance, expected, capsys):
    def short(x):
        return single(x) if change == "single" else float(change % x)

    answers = []
    for case in COMPUTED[:8]:
        given = {stage: [[short(x) for x in row] for row in rows]
                 for stage, rows in case["expected"].items()}
        answers.append(Answer(case, *judge(case, given, tolerance)))
    out = explained(answers, capsys)
    assert expected in out and "wrong in" not in out and bool(out) == bool(expected)


THIRD, LAST = "if number == 2: ", "if number == len(right) - 1: "
END = "sys.exit('\\n'.join('abcdefghij'))"


@parametrize("change, wrong, expected", [
    (THIRD + "text = 'Reading'", 1,
     "WRONG  one token: not an answer: not JSON: Reading\n"),
    (THIRD + "print('Reading')", 1,
     "WRONG  one dimension: this answers the case one token\n"),
    (THIRD + "continue", 1, "one token: this answers the case one dimension\n"),
    (THIRD + "held = text; continue\n    if number == 3: text += '\\n' + held",
     0, "WRONG  one token: this answers the case one dimension\n"),
    ("if 'error' in given: text += '\\n'", 0,
     "\n%d empty lines skipped: does an error text end" % len(REFUSED)),
    ("if 'error' in given: text = '{\"Error\": 1}'", len(REFUSED),
     'no rows: "Error" is neither a stage nor "error"\n'),
    (THIRD + "print(text[:50], end='', flush=True); " + END, len(CASES) - 2,
     "token: the line breaks off after "),
    (THIRD + END, len(CASES) - 2,
     "one token: no answer: the port ended with exit status 1\n" + "".join(
         "       port: %s\n" % words for words in "abcdehij") + "Stopped there: "),
    (THIRD + "text = text.replace('[[', '[[], [', 1)", 1,
     "token: queries is empty\n"),
    ("text = '{\"error\": 1}'", len(COMPUTED), CASES[0]["why"]),
    ("if 'error' in given: text = json.dumps(right['one token'])", len(REFUSED),
     "WRONG  no rows: this answers the case one token\n"),
    (LAST + "text += '\\ndone'", 0,
     "more lines than there are cases: done"),
    (LAST + "print(text, flush=True); sys.exit(3)", 0,
     "\nAll is answered, but the port ended with exit status 3\n"),
    ("if number == 1: time.sleep(60)", len(CASES) - 1, ": no answer within 3 s\n"),
    (LAST + "print(text, flush=True); time.sleep(60)", 0,
     "\nThe port does not end when its input does.\n"),
    ("if number == 1: os.close(1); time.sleep(60)", len(CASES) - 1,
     "has closed its output, but did not end\n"),
    ("while number == 1: sys.stdout.write('x' * 99)", len(CASES) - 1,
     "a line of more than 100000 bytes: xxxx")])
def test_ports_that_fail(change, wrong, expected):
    status, out, err = checked(change, "--timeout", "3")
    computed, refused = re.findall(r"(\d+) of", out.splitlines()[-1])
    assert status == 1 and expected in out
    assert int(computed) + int(refused) == len(CASES) - wrong
    assert ("port: f" in err) == ("port: e" in out)


# ---- Nothing is left behind


def is_running(pid):
    try:
        os.kill(pid, 0)
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(") ", 1)[1][0] not in "ZX"  # where none reaps
    except ProcessLookupError:
        return False
    except OSError:  # no /proc here
        return True


def wait_until(condition):
    latest = time.time() + 20
    while not condition() and time.time() < latest:
        time.sleep(0.05)
    assert condition()


NOTE = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **%s)
with open(%r, "w") as file:
    file.write("%%d %%d\\n" %% (os.getpid(), child.pid))
"""


@needs_posix
@parametrize("streams", [{}, {"stdin": -3, "stdout": -3, "stderr": -3}])
@parametrize("name, status", [
    ("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129), ("SIGQUIT", 131), ("", 0)])
def test_no_process_is_left(name, status, streams, tmp_path):
    path = tmp_path / "pids"
    code = NOTE % (streams, str(path)) + ("time.sleep(60)" if name else PORT % "")
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.porting", sys.executable, "-c", code], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"))
    if name:
        process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=30)
    assert process.returncode == status and "Traceback" not in err
    pids = [int(pid) for pid in path.read_text().split()]
    wait_until(lambda: not any(is_running(pid) for pid in pids))


@needs_posix
def test_closed_streams_do_no_harm():
    for command, status in ("-m examples.porting.serve", 0), ("-c 'input()'", 1):
        line = '"$0" -m examples.porting "$0" %s <&- >&- 2>&-' % command
        assert subprocess.call(["sh", "-c", line, sys.executable], cwd=ROOT) == status


# ---- The command lines


@parametrize("plain", [(), ("--plain",)])
def test_one_case_is_shown(plain):
    for case in named("the running example", "no rows"):
        out = check(plain + ("--show", case["name"]))[1]
        request, answer = re.match("> (.*)\n< (.*)\n$", out).groups()
        assert request == checker.request(case, plain)
        assert checker.read_answer(answer, plain) == case["expected"]


def test_one_case_is_asked():
    status, out, err = checked("print(line, file=sys.stderr)", "--only", "no rows")
    assert (status, out.splitlines()[0]) == (0, "ok     no rows")
    assert err.startswith('port: {"name": "no rows"') and err.count("\n") == 1
    for line, case in zip(check(("--list",))[1].splitlines(), CASES):
        assert line.startswith(case["name"]) and case.get("why", "refuse: ") in line


@parametrize("module, args, expected", [
    ("", (), "error: the following arguments are required: COMMAND"),
    ("", ("--timeout", "nan", "x"), "argument --timeout: invalid seconds value: 'nan'"),
    ("", ("no-such-command\x1b[2J",), "cannot start 'no-such-command\\x1b[2J': "),
    ("", ("README.md",), "python3 FILE"),
    ("", ("--show", "scores"), "no case is named 'scores': see --list"),
    ("", ("--plain", "--only", "a long row", "x"), "a ragged matrix cannot be written"),
    (".self_check", ("--bogus",), "usage: "), (".serve", ("--bogus",), "usage: "),
    (".make_vectors", ("--bogus",), "usage: ")])
def test_wrong_usage(module, args, expected):
    status, out, err = check(args, module)
    assert (status, out) == (2, "") and expected in err


def test_self_check(capsys):
    assert self_check.main([]) == 0
    assert capsys.readouterr().out.count(": ok\n") == len(CASES)


# ---- attention.py and attention.js read the same


@parametrize("served", [SERVE, pytest.param(JS, marks=needs_node)])
@parametrize("expected, arguments", [
    (r"queries 1 1 10(\.0)? keys ", (
        "1 1 10", "1 1 +10.", "1 1 .1e+2", "1 1 100E-1", "01 0001 010", "1\t 1 10 \t\r")),
    (r"error inputs\[0\]\[0\] is -?(nan|inf|infinity), expected a finite number$", (
        "1 1 nan", "1 1 -NaN", "1 1 inf", "1 1 -Infinity", "1 1 1e999")),
    (r"error .* is not a number$", (
        "1 1 1_0", "1 1 0x10", "1 1 1e", "1 1 e1", "1 1 .", "1 1 --1", "1 1 1,5",
        "1 1 \u0661", "1 1 \u0131nf", "1 1 " + "1" * 90000 + "x")),
    (r"error .*inputs needs ROWS and COLUMNS, from 0 to 9999$", (
        "\u0661 1 1", "1 \xb2 1", "1.0 1 1", "1e0 1 1", "-1 -1 1", "10000 0", "1", "")),
    (r"error ", tuple("1 1 10%s" % space for space in (
        "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\ufeff", "\r 1")))])
def test_both_read_the_same_words(served, expected, arguments):
    lines = ["simplified_self_attention inputs %s\n" % text for text in arguments]
    done = subprocess.run(served + ("--plain",), input="".join(lines).encode("utf-8"),
                          stdout=subprocess.PIPE, cwd=ROOT)
    answers = re.split("\r?\n", done.stdout.decode("utf-8"))[:-1]
    assert len(answers) == len(arguments)
    for answer in answers:
        assert re.match(expected, answer, re.IGNORECASE)


# ---- The guide


def test_the_exchanges_of_the_guide():
    blocks = re.findall(r"```\w*\n(> .*?)```", read("README.md"), re.DOTALL)
    pairs, plain_pairs = [
        re.findall(r"^> (.*)\n< (.*)$", block, re.MULTILINE) for block in blocks]
    assert len(pairs) == len(plain_pairs) == 2
    for (line, answer), (plain_line, plain_answer) in zip(pairs, plain_pairs):
        assert serve.serve_json(line) == answer
        assert serve.serve_plain(plain_line) == plain_answer
        assert checker.request(json.loads(line), True) == plain_line


def test_the_numbers_of_the_guide():
    text = " ".join(read("README.md").split())
    longest = max(len(checker.request(case, False)) for case in CASES)
    size = max(max(len(rows), len(row)) for case in CASES
               for rows in case["arguments"].values() for row in rows)
    for numbers in (
            "your program %d questions" % len(CASES), summary().strip(),
            "%d cases are left out." % len(RAGGED),
            "request has %d characters, the largest side is %d." % (longest, size)):
        assert numbers in text


def test_the_mistake_in_the_guide(capsys):
    shown, = re.findall(r"```text\n(Step by .*?)```", read("README.md"), re.DOTALL)
    out = explained(answers_with(MISTAKE["softmax-down-the-columns"].steps), capsys)
    facts = r"wrong in .* cases|as if: \S+"
    assert re.findall(facts, shown) == re.findall(facts, out)
