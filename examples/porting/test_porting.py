"""Tests of the porting kit: the vectors, the checker with good and bad ports, and the guide."""

import doctest
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time
from math import exp

import pytest

import attention
from attention import STAGES
from examples.find_the_mistake import MISTAKES, run
from examples.porting import check_port, make_vectors, self_check, serve
from examples.porting.check_port import SINGLE, judge
from examples.porting.self_check import DOUBLE, complaint

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = self_check.load_cases()
COMPUTED = [case for case in CASES if "error" not in case["expected"]]
REFUSED = [case for case in CASES if "error" in case["expected"]]
PIPELINES = [case for case in COMPUTED if "queries" not in case["arguments"]]
NAN, INF = float("nan"), float("inf")

def command(module, *args):
    """Run a command of this directory; return its exit status, stdout and stderr."""
    done = subprocess.run([sys.executable, "-m", "examples.porting." + module] + list(args),
                          cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
    return done.returncode, done.stdout, done.stderr

def checked(code, *options):
    """Check a port that is written in a few lines of Python."""
    status, out, err = command("check_port", *(options + (sys.executable, "-c", code)))
    assert "Traceback" not in out + err and err == ""
    return status, out

@pytest.mark.parametrize("module", [check_port, make_vectors, self_check, serve])
def test_doctests(module):
    found = doctest.testmod(module)
    assert found.failed == 0 and (found.attempted > 0 or module is make_vectors)

# ---- vectors.json -------------------------------------------------------------------------------
def read(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()

def test_the_file_is_what_the_script_makes():
    assert read("vectors.json") == make_vectors.make() + "\n"

def test_the_file_is_small_strict_json():
    text = read("vectors.json")
    assert len(text) < 200000 and max(map(ord, text)) < 128
    json.loads(text, parse_constant=pytest.fail)  # NaN and Infinity are not JSON

def test_the_script_never_imports_attention():
    code = "import sys, examples.porting.make_vectors; sys.exit('attention' in sys.modules)"
    assert subprocess.call([sys.executable, "-c", code], cwd=ROOT) == 0

def test_the_script_computes_the_reference_cases_to_the_last_bit():
    cases = make_vectors.reference_cases()
    assert len(cases) == 10
    for case in cases:
        assert make_vectors.stages(case["function"], case["arguments"]) == case["expected"]

def test_every_case_is_complete():
    assert len(set(case["name"] for case in CASES)) == len(CASES)
    for case in COMPUTED:
        assert list(case["expected"]) == list(STAGES) and case["why"]
        assert "the weight" not in case["why"]  # attention weight or weight matrix?
    assert set(case["function"] for case in COMPUTED) == set(self_check.FUNCTIONS)

def sizes(case):
    given = {name: len(rows[0]) for name, rows in case["arguments"].items()}
    rows = case["arguments"].get("sources", case["arguments"].get("inputs"))
    return [len(rows), len(rows[0]), given["W_query"], given["W_value"]]

def test_some_cases_have_four_different_sizes_and_one_is_square():
    found = [sizes(case) for case in PIPELINES if "W_query" in case["arguments"]]
    assert len([four for four in found if len(set(four)) == 4]) >= 3
    assert [3, 3, 3, 3] in found

# ---- No mistake passes --------------------------------------------------------------------------
def passes(mistake, tolerance, stages):
    """Return (names of the cases that the mistake can be made on, of those that it passes)."""
    made, passed = [], []
    for case in PIPELINES:
        record = run(case["arguments"], mistake)
        if record is not None:
            given = {stage: getattr(record, stage) for stage in stages}
            made.append(case["name"])
            if not complaint(case["expected"], given, tolerance):
                passed.append(case["name"])
    return made, passed

@pytest.mark.parametrize("stages", [STAGES, STAGES[-1:]], ids=["all stages", "context vectors"])
@pytest.mark.parametrize("tolerance", [DOUBLE, SINGLE], ids=["double", "float32"])
@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.name for mistake in MISTAKES])
def test_no_known_mistake_passes(mistake, tolerance, stages):
    made, passed = passes(mistake, tolerance, stages)
    assert len(passed) < len(made)

def test_without_a_mistake_all_cases_pass():
    made, passed = passes(None, DOUBLE, STAGES)
    assert passed == made == [case["name"] for case in PIPELINES]

def c_exp(x):  # as in C, where nothing is raised
    try:
        return exp(x)
    except OverflowError:
        return INF

def careless_softmax(row, maximum):
    powers = [c_exp(score - maximum) for score in row]
    total = 0.0
    for power in powers:
        total += power
    return [power / total if total != 0.0 else NAN for power in powers]

@pytest.mark.parametrize("name, maximum", [
    ("scores near 1024, close together", lambda row, rows: 0.0),
    ("scores near -1024, close together", lambda row, rows: max([0.0] + row)),
    ("rows of scores far apart", lambda row, rows: max(max(scores) for scores in rows)),
    ("scores near -4294967296", lambda row, rows: max([-1e9] + row)),
    ("large scores", lambda row, rows: row[0]),
    ("large scores", lambda row, rows: min(row)),
], ids=["none", "from 0", "of all rows", "from -1e9", "the first", "the minimum"])
def test_softmax_needs_the_right_maximum(name, maximum):
    case, = [case for case in COMPUTED if case["name"] == name]
    rows, values = case["expected"]["scaled_scores"], case["expected"]["values"]
    weights = [careless_softmax(row, maximum(row, rows)) for row in rows]
    context_vectors = [[sum(w * v for w, v in zip(row, column)) for column in zip(*values)]
                       for row in weights]
    for tolerance in DOUBLE, SINGLE:
        assert complaint(case["expected"], {"attention_weights": weights}, tolerance)
        assert complaint(case["expected"], {"context_vectors": context_vectors}, tolerance)
    right = [careless_softmax(row, max(row)) for row in rows]
    assert not complaint(case["expected"], {"attention_weights": right}, DOUBLE)

def test_scaling_by_the_width_of_a_value_does_not_pass():
    wrong = 0
    for case in PIPELINES:
        if "W_query" in case["arguments"]:
            scores, values = case["expected"]["attention_scores"], case["expected"]["values"]
            given = [[x / len(values[0]) ** 0.5 for x in row] for row in scores]
            wrong += complaint(case["expected"], {"scaled_scores": given}, SINGLE) != ""
    assert wrong

# ---- Every right port passes --------------------------------------------------------------------
def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]

def compute(case, rounded, backwards, ulps):
    """Compute a case with each operation rounded, sums backwards, exp off by some units."""
    def total(numbers):
        numbers, sum_so_far = list(numbers), 0.0
        for x in reversed(numbers) if backwards else numbers:
            sum_so_far = rounded(sum_so_far + x)
        return sum_so_far

    def product(a, b):
        return [[total(rounded(x * y) for x, y in zip(row, column)) for column in zip(*b)]
                for row in a]

    def softmax(row):
        unit = 2.0 ** (-52 if rounded is float else -23)
        powers = [rounded(rounded(exp(rounded(x - max(row)))) * (1 + (-1) ** i * ulps * unit))
                  for i, x in enumerate(row)]
        return [rounded(power / total(powers)) for power in powers]

    given = {name: [[rounded(x) for x in row] for row in rows]
             for name, rows in case["arguments"].items()}
    if "W_query" in given:
        targets = given.get("targets", given.get("inputs"))
        sources = given.get("sources", given.get("inputs"))
        given = {"queries": product(targets, given["W_query"]),
                 "keys": product(sources, given["W_key"]),
                 "values": product(sources, given["W_value"])}
    elif "inputs" in given:
        given = {stage: given["inputs"] for stage in STAGES[:3]}
    simplified = case["function"] == "simplified_self_attention"
    root = 1.0 if simplified else rounded(len(given["keys"][0]) ** 0.5)
    scores = product(given["queries"], list(zip(*given["keys"])))
    given["attention_scores"] = scores
    given["scaled_scores"] = [[rounded(x / root) for x in row] for row in scores]
    given["attention_weights"] = [softmax(row) for row in given["scaled_scores"]]
    given["context_vectors"] = product(given["attention_weights"], given["values"])
    return given

@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("rounded, stated", [(float, 8e-16), (single, 4e-7)])
def test_right_ports_stay_far_below_the_tolerances(rounded, stated, backwards):
    for case in COMPUTED:
        for ulps in 0, 1, 2:
            given = compute(case, rounded, backwards, ulps)
            assert complaint(case["expected"], given, stated) == "", case["name"]  # as README says
    assert stated < (DOUBLE if rounded is float else SINGLE)

def test_single_precision_is_not_double_precision():
    for case in COMPUTED[:3]:
        assert complaint(case["expected"], compute(case, single, False, 0), DOUBLE)

# ---- self_check ---------------------------------------------------------------------------------
def test_self_check():
    status, out, err = command("self_check")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "the running example, simplified: ok"
    assert lines[-1] == "%d of %d cases agree" % (len(CASES), len(CASES))

def test_self_check_in_full():
    status, out, err = command("self_check", "--json")
    answers = {found["name"]: found["answer"] for found in json.loads(out)}
    assert (status, err, list(answers)) == (0, "", [case["name"] for case in CASES])
    for case in CASES:
        assert complaint(case["expected"], answers[case["name"]], DOUBLE) == ""

def test_self_check_sees_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setitem(self_check.FUNCTIONS, "self_attention",
                        lambda inputs, W_query, W_key, W_value: run(
                            {"inputs": inputs, "W_query": W_key, "W_key": W_query,
                             "W_value": W_value}))
    assert self_check.main([]) == 1
    out = capsys.readouterr().out
    assert "one token: queries[0][0] is " in out and "two sequences: ok" in out

@pytest.mark.parametrize("module, expected", [
    ("self_check", "usage: "), ("serve", "usage: "), ("make_vectors", "make_vectors.py: --bogus")])
def test_wrong_arguments(module, expected):
    status, out, err = command(module, "--bogus")
    assert (status, out) == (2, "") and err.startswith(expected) and err.count("\n") == 1

def test_two_checks_refuse_all_that_is_not_finite(monkeypatch, capsys):
    assert "one check that catches it is\n  enough: " in read("README.md")
    to_matrix, check_finite = attention.to_matrix, attention.check_finite

    def check_two(name, matrix):
        if name in ("overflow: attention_scores", "overflow: context_vectors"):
            check_finite(name, matrix)

    monkeypatch.setattr(attention, "check_finite", check_two)
    monkeypatch.setattr(attention, "to_matrix",
                        lambda name, rows, finite=True: to_matrix(name, rows, False))
    assert self_check.main([]) == 0
    for x, W_query, W_key, W_value in ((1e200, 1e200, 0.0, 0.0), (1e200, 0.0, -1e200, 0.0),
                                       (1e200, 0.0, 0.0, 1e200)):
        with pytest.raises(ValueError):
            attention.self_attention([[x], [0.0]], [[W_query]], [[W_key]], [[W_value]])

@pytest.mark.skipif(os.name != "posix", reason="needs a Unix shell")
def test_serve_says_that_its_input_is_closed():
    done = subprocess.run(["sh", "-c", '"$0" -m examples.porting.serve <&-', sys.executable],
                          cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.split(b"\n") == [b"serve: standard input is closed", b""]

# ---- Good ports ---------------------------------------------------------------------------------
def summary(count, tolerance="1e-12"):
    return "%d of %d cases agree, to %s.\n" % (count, count, tolerance)

RAGGED = [case for case in CASES if not check_port.can_be_plain(case)]

@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_attention_py_passes(options):
    status, out, err = command("check_port", *(
        options + (sys.executable, "-m", "examples.porting.serve") + options))
    assert (status, err) == (0, "")
    assert out.endswith(summary(len(CASES) - (len(RAGGED) if options else 0)))
    assert "ok     the running example\n" in out and "WRONG" not in out

@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_attention_js_passes(options):
    script = os.path.join(HERE, "attention.js")
    status, out, err = command("check_port", *(options + ("node", script) + options))
    assert (status, err) == (0, "")
    assert out.endswith(summary(len(CASES) - (len(RAGGED) if options else 0)))

def served_by_python(lines):
    return [serve.serve_plain(line) for line in lines]

def served_by_node(lines):
    done = subprocess.run(["node", os.path.join(HERE, "attention.js"), "--plain"],
                          input="".join(line + "\n" for line in lines).encode("utf-8"),
                          stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8").splitlines()

@pytest.mark.parametrize("served", [served_by_python, pytest.param(
    served_by_node, marks=pytest.mark.skipif(shutil.which("node") is None,
                                             reason="node is not installed"))])
def test_both_read_the_same_numbers_and_sizes(served):
    def answers(*arguments):
        return served(["simplified_self_attention inputs " + text for text in arguments])

    for answer in answers("1 1 10", "1 1 +10.", "1 1 .1e+2", "1 1 100E-1", "01 0001 010"):
        assert re.match(r"queries 1 1 10(\.0)? keys ", answer)
    for answer in answers("1 1 nan", "1 1 -NaN"):
        assert answer.lower() == "error inputs[0][0] is nan, expected a finite number"
    for answer in answers("1 1 inf", "1 1 -Infinity", "1 1 1e999"):
        assert re.match(r"error inputs\[0\]\[0\] is -?inf(inity)?, expected", answer.lower())
    for answer in answers("1 1 1_0", "1 1 0x10", "1 1 1e", "1 1 e1", "1 1 .", "1 1 --1", "1 1 1,5",
                          "1 1 \u0661", "1 1 \u0131nf", "1 1 " + "1" * 90000 + "x"):
        assert answer.startswith("error ") and answer.endswith(" is not a number")
    for answer in answers("\u0661 1 1", "1 \xb2 1", "1.0 1 1", "1e0 1 1", "-1 -1 1", "0x1 1 1",
                          "10000 0", "1", ""):
        assert answer.startswith("error ")
        assert answer.endswith("inputs needs ROWS and COLUMNS, from 0 to 9999")

PORT = """
import json, sys
from attention import STAGES
from examples.find_the_mistake import MISTAKES, run
from examples.porting.self_check import answer
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    arguments = request["arguments"]
    given = answer(request["function"], arguments)
    %s
    print(json.dumps(given), flush=True)
"""

def test_context_vectors_are_enough():
    status, out = checked(PORT % """if "error" not in given:
        given = {"context_vectors": given["context_vectors"]}""")
    assert status == 0 and out.endswith(summary(len(CASES)))

def test_single_precision_passes_if_asked_for():
    code = PORT % """import struct
    for stage in given if "error" not in given else ():
        given[stage] = [struct.unpack("%df" % len(row), struct.pack("%df" % len(row), *row))
                        for row in given[stage]]"""
    status, out = checked(code, "--float32")
    assert status == 0 and out.endswith(summary(len(CASES), "1e-06"))
    status, out = checked(code)
    assert status == 1
    assert "agrees to 1e-6: printed with fewer than 17 digits?" in out

def test_answers_may_come_all_at_the_end():
    status, out = checked(PORT.replace("print(json.dumps(given), flush=True)",
                                       "answers = locals().get('answers', []) + [given]") % ""
                          + "\nfor given in answers: print(json.dumps(given))")
    assert status == 0 and out.endswith(summary(len(CASES)))

# ---- Bad ports ----------------------------------------------------------------------------------
PLANTED = PORT % """if "W_query" in arguments and "error" not in given:
        planted = [mistake for mistake in MISTAKES if mistake.name == %r][0]
        given = dict(zip(STAGES, run(arguments, planted)))"""

def test_a_planted_mistake_is_named():
    status, out = checked(PLANTED % "softmax-down-the-columns")
    shown, = re.findall(r"```text\n(WRONG .*?)```", read("README.md"), re.DOTALL)
    assert status == 1 and shown in out
    assert re.search(r"\nsoftmax-down-the-columns explains (\d+) of \1 wrong answers: "
                     r"softmax went down", out)

def test_only_the_mistake_that_explains_most_is_explained():
    status, out = checked(PLANTED % "scaling-forgotten")
    assert status == 1 and "as if: scaling-forgotten, or divided-by-half-d_k\n" in out
    assert re.findall(r"\S+ explains", out) == ["scaling-forgotten explains"]

@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake.name for mistake in MISTAKES])
def test_every_mistake_is_named_where_it_shows(mistake):
    shown = 0
    for case in PIPELINES:
        chosen = case["name"] in ("7 tokens, d_in 5, d_k 3, d_v 4", "all sizes are 3",
                                  "two sequences")  # all of them would take long
        record = run(case["arguments"], mistake) if chosen else None
        if record is not None:
            text, mistakes, hint = judge(case, record._asdict(), DOUBLE)
            assert (mistake in mistakes) == bool(text) == (mistake.name in hint)
            shown += bool(text)
    assert shown

def test_scaled_queries_get_a_hint():
    case = CASES[1]
    given = dict(case["expected"], attention_scores=case["expected"]["scaled_scores"])
    text, mistakes, hint = judge(case, given, DOUBLE)
    assert text.startswith("attention_scores[0][0] is 0.65") and mistakes == []
    assert hint.startswith("the context vectors agree: leave out")

@pytest.mark.parametrize("given, expected, explained", [
    ({}, "context_vectors are missing", False),
    ({"context_vectors": [[1.0]]}, "context_vectors is 1 x 1, expected 6 x 3", True),
    ({"context_vectors": [[1.0], [2.0, 3.0]]}, "context_vectors is ragged: ", False),
    ({"context_vectors": [[None]]}, "context_vectors[0][0] is of type NoneType, expected", False),
    ({"context_vectors": 5}, "context_vectors is of type int, expected rows of numbers", False),
    ({"context_vectors": [[NAN] * 3] * 6}, "context_vectors[0][0] is nan, expected 0.442", True),
    ({"context_vectors": [[1.0]], "sores": [[1.0]]}, "'sores' is no stage, expected: ", False),
    ({"error": "no\nidea"}, r"refused: 'no\nidea'", True),
    ({"error": "x" * 999}, "refused: '" + "x" * 97 + "...'", True),
    ({"error": "x", "context_vectors": [[1.0]]}, "the answer has an error and something", True)])
def test_bad_answers(given, expected, explained):
    text, mistakes, hint = judge(CASES[0], given, DOUBLE)
    assert text.startswith(expected) and mistakes == []
    assert hint == ("this case: " + CASES[0]["why"] if explained else "")

def test_what_must_be_refused_is_not_accepted():
    status, out = checked(PORT % """if "error" in given:
        given = {"context_vectors": [[0.0]]}""")
    assert status == 1 and out.count("WRONG") == len(REFUSED)
    assert "WRONG  W_query too low: accepted, but must be refused: inputs have 3 columns" in out

@pytest.mark.parametrize("options, given", [
    ((), '{"error": "x", "context_vectors": [[1]]}'),
    (("--plain",), "context_vectors 1 1 1 error 0 0")])
def test_an_error_with_stages_is_no_refusal(options, given):
    status, out = checked("for i in range(%d): print(%r)" % (
        len(CASES) - (len(RAGGED) if options else 0), given), *options)
    assert status == 1 and "ok     " not in out and "\n0 of " in out
    assert "WRONG  no rows: the answer has an error and something else: a refusal is" in out

@pytest.mark.parametrize("options, line, expected", [
    ((), r'{"error": "\u001b[31mred\u0007\u007f"}', r": refused: '\x1b[31mred\x07\x7f'"),
    ((), '{"%s": 1}' % ("x" * 999), "x is no stage, expected: "),
    (("--plain",), "\x1b[31mred\x07\x7f" + "x" * 999, r" (\x1b[31mred\x07\x7fxxx")])
def test_what_a_port_says_is_escaped_and_cut(options, line, expected):
    status, out = checked("print(%r)" % line, *options)
    assert status == 1 and expected in out and "x" * 100 not in out
    assert all(c == "\n" or " " <= c <= "~" for c in out)

def test_who_refuses_everything_does_not_pass():
    status, out = checked(PORT % "given = {'error': 'n\u00f3'}")
    assert status == 1 and out.count("ok     ") == len(REFUSED)
    assert "WRONG  large scores: refused: 'n\\xf3'\n       this case: softmax must subtract" in out

@pytest.mark.parametrize("code, expected", [
    (PORT % "if number == 2: sys.exit('out of\\nmemory\\n')",
     "WRONG  one token: no answer: the port ended with exit status 1; its last words: 'memory'\n"
     "Stopped there: 49 cases were not reached.\n2 of 52 cases agree, to 1e-12.\n"),
    (PORT % "if number == 2: break",
     "WRONG  one token: no answer: the port ended with exit status 0\n"),
    (PORT % "if number == 0: print('Reading')",
     "WRONG  the running example, simplified: not an answer: 'Reading' ("),
    (PORT % "if number == 2: print('Reading', number)",
     ": line 1 column 1 (char 0))\nStopped there: 49 cases were not reached.\n"),
    ("print('[' * 90000)", "WRONG  the running example, simplified: not an answer: '[[[["),
    ("print('[]')", "simplified: not an answer: '[]' (not a JSON object)\n"),
    ("import os; os.write(1, bytes([255, 27, 10]))", r"simplified: not an answer: '\ufffd\x1b' ("),
    (PORT % "" + "print('done')",
     "\nThe port has written more lines than there are cases: 'done'\n52 of 52 cases agree"),
    (PORT % "" + "sys.exit(3)", "\nAll is answered, but the port ended with exit status 3\n52 of"),
], ids=["crash", "too few lines", "rubbish", "later", "deep", "list", "bytes", "too many lines",
        "status"])
def test_ports_that_fail(code, expected):
    status, out = checked(code)
    assert status == 1 and expected in out

@pytest.mark.skipif(os.name != "posix", reason="signals are Unix")
def test_a_signal():
    status, out = checked("import os; os.kill(os.getpid(), 9)")
    assert status == 1 and ": no answer: the port died of signal 9\n" in out

@pytest.mark.parametrize("line, expected", [
    ("context_vectors 2 2 1 2 3", "(context_vectors needs ROWS * COLUMNS numbers)"),
    ("context_vectors 99999999 0", "(context_vectors needs ROWS and COLUMNS, from 0 to 9999)"),
    ("context_vectors", "(context_vectors needs ROWS and COLUMNS, from 0 to 9999)"),
    ("context_vectors 1 1 x", "('x' is not a number)"),
    ("context_vectors 1 1 1_0", "('1_0' is not a number)"),
    ("", "context_vectors are missing"),
    ("context_vectors 1 1 -nan", "context_vectors is 1 x 1, expected 6 x 3"),
    ("error: none of your business", "(error: needs ROWS and COLUMNS, from 0 to 9999)")])
def test_bad_plain_answers(line, expected):
    status, out = checked("print(%r)" % line, "--plain")
    assert status == 1 and expected in out

@pytest.mark.parametrize("code, expected", [
    (PORT % "if number == 1: import time; time.sleep(60)",
     "WRONG  the running example: no answer within 2 s\n"),
    (PORT % "" + "import time; time.sleep(60)", "\nThe port does not end when its input does.\n"),
    ("import os, time; os.close(1); time.sleep(60)", "has closed its output, but did not end\n"),
    ("while True: print('x' * 99, end='')", "simplified: not an answer: 'xxxx")])
def test_ports_that_hang_are_ended(code, expected):
    begun = time.time()
    status, out = checked(code, "--timeout", "2")
    assert status == 1 and expected in out and time.time() - begun < 20

@pytest.mark.skipif(os.name != "posix", reason="process groups are Unix")
def test_what_a_hanging_port_has_started_is_ended(tmp_path):
    note = str(tmp_path / "pid")
    child = """import os, time
with open(%r, 'w') as file:
    file.write(str(os.getpid()))
time.sleep(60)""" % note
    status, out = checked("import subprocess, sys; subprocess.Popen([sys.executable, '-c', %r])"
                          % child, "--timeout", "3")
    assert status == 1 and "no answer within 3 s\n" in out
    with open(note) as file:
        pid = int(file.read())
    for attempt in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("process %d is still there" % pid)

# ---- The command line of check_port -------------------------------------------------------------
@pytest.mark.parametrize("args, expected", [
    ((), "error: the following arguments are required: COMMAND"),
    (("--bogus", "x"), "error: unrecognized arguments: --bogus"),
    (("--timeout", "0", "x"), "error: argument --timeout: invalid seconds value: '0'"),
    (("--timeout", "nan", "x"), "error: argument --timeout: invalid seconds value: 'nan'"),
    (("no-such-command-anywhere",), "check_port: cannot start 'no-such-command-anywhere': "),
    ((HERE,), "check_port: cannot start ")])
def test_wrong_usage(args, expected):
    status, out, err = command("check_port", *args)
    assert (status, out) == (2, "") and expected in err and "Traceback" not in err

def test_progress_is_for_terminals():
    pty = pytest.importorskip("pty")
    terminal, end = pty.openpty()
    args = [sys.executable, "-m", "examples.porting.check_port",
            sys.executable, "-m", "examples.porting.serve"]
    process = subprocess.Popen(args, cwd=ROOT, stdout=subprocess.PIPE, stderr=end)
    os.close(end)
    shown, part = b"", b"-"
    while part:
        try:
            part = os.read(terminal, 1000)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        shown += part
    os.close(terminal)
    out = process.communicate()[0]
    assert b"\r1 of 52" in shown and b"\r52 of 52" in shown
    assert b"1 of 52" not in out and process.returncode == 0

@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
@pytest.mark.parametrize("args", [
    ["check_port", sys.executable, "-m", "examples.porting.serve"], ["serve"], ["make_vectors"],
    ["self_check"], ["self_check", "--json"]], ids=" ".join)
def test_head_is_no_trouble(args):
    process = subprocess.Popen([sys.executable, "-m", "examples.porting." + args[0]] + args[1:],
                               cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.close()
    process.stdin.write(b"{}\n\xff\n")
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0

# ---- The guide ----------------------------------------------------------------------------------
def exchanges():
    """Return the (request, answer) pairs of the guide, for each of its protocols."""
    blocks = re.findall(r"```\w*\n(> .*?)```", read("README.md"), re.DOTALL)
    assert len(blocks) == 2
    return [re.findall(r"^> (.*)\n< (.*)$", block, re.MULTILINE) for block in blocks]

def test_the_exchanges_of_the_guide():
    json_pairs, plain_pairs = exchanges()
    assert len(json_pairs) == len(plain_pairs) == 2
    assert [serve.serve_json(line) for line, answer in json_pairs] == [
        answer for line, answer in json_pairs]
    assert [serve.serve_plain(line) for line, answer in plain_pairs] == [
        answer for line, answer in plain_pairs]
    for (line, answer), (plain_line, plain_answer) in zip(json_pairs, plain_pairs):
        assert check_port.request(json.loads(line), True) == plain_line
        assert check_port.read_answer(plain_answer, True) == json.loads(answer)

def test_the_numbers_of_the_guide():
    text = read("README.md")
    assert "asks your program %d questions" % len(CASES) in text
    assert "%d to compute, %d to refuse" % (len(COMPUTED), len(REFUSED)) in text
    assert "These %d cases are left out." % len(RAGGED) in text
    assert "to within 8e-16" in text and "to within 4e-7" in text
    for name in re.findall(r"\| `(\S+)` \|", text):
        assert os.path.exists(os.path.join(HERE, name))

@pytest.mark.parametrize("line, expected", [
    ("", "not a request: "), ("[]", "not a request: "), ("{}", "not a request: 'function'"),
    ('{"function": "dot", "arguments": {}}', "no function is named 'dot'"),
    ('{"function": "self_attention", "arguments": {}}', "self_attention() missing 4 required"),
    ('{"function": "self_attention", "arguments": 5}', "not a request: "),
    ('{"function": "simplified_self_attention", "arguments": {"inputs": 5}}', "'int' object is"),
    ("[" * 90000, "not a request: ")])
def test_serve_survives(line, expected):
    assert json.loads(serve.serve_json(line))["error"].startswith(expected)
