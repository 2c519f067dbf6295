"""Tests of the page in a real browser; the expected numbers come from elsewhere."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest

import attention
from attention import INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE
from examples.causal import causal_self_attention
from examples.find_the_mistake.steps import MISTAKES, compute
from examples.page import make_mistakes

parametrize = pytest.mark.parametrize
pytestmark = pytest.mark.browser
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(HERE, "index.html")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
NODE = shutil.which("node")
PLAYWRIGHT = os.path.abspath(os.environ.get("PLAYWRIGHT_CORE", os.path.join(
    ROOT, ".ci", "node_modules", "playwright-core")))

with open(os.path.join(HERE, os.pardir, "reference.json")) as file:
    REFERENCE = json.load(file)["running_example"]
VERSIONS = ["simplified", "trainable"]
MATRICES = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
PLANTED = [mistake for mistake in MISTAKES if mistake.name in make_mistakes.STEPS]

VERBS = "back click contrast fill focus hover media press select tap type".split()

# What a step can read: JavaScript that sees the page's own names.
SHOWN = "Object.fromEntries(STAGES.map(stage => [stage, now.shown[stage]]))"
CELLS = "Object.fromEntries(all_of('td[data-stage]').map(td => [td.id, td.textContent]))"
FOCUS = "document.activeElement.id"
HASH = "location.hash"
MESSAGE = "$('message').hidden ? '' : $('message').textContent"
TRAINABLE = "version=trainable"
SOON = "new Promise(setTimeout)"  # the page hears of a new link a little later
PINNED = "pinned.join('-')"


def of(selector, what="textContent"):
    return "document.querySelector('%s').%s" % (selector, what)


def of_all(selector, what="textContent"):
    return "all_of('%s').map(e => e.%s)" % (selector, what)


def text_of(id):
    return of("#" + id)


WORD = of("[aria-pressed=true]")
FORMULAS = of_all("#how .formula")
HOW = text_of("how")
NOTE = text_of("note")
HIDDEN = "$('panel').hidden"


def in_view(id):  # wholly between the top of the window and the panel
    return """(({top, bottom}) => top >= 0 && bottom <= ($('panel').hidden ? innerHeight
        : $('panel').getBoundingClientRect().top))($(%s).getBoundingClientRect())""" % id


def to_step(text):  # "fill #id 0.5", or JavaScript to read
    verb, *rest = text.split(" ", 1)
    if verb not in VERBS:
        return ["read", text]
    if verb in ("fill", "select"):
        rest = rest[0].split(" ", 1)
    return [verb] + rest


@pytest.fixture(scope="module")
def play():
    """A function that opens a link, plays steps and returns what they read."""
    if not (CHROMIUM and NODE and os.path.isdir(PLAYWRIGHT)):
        pytest.skip("needs chromium, node and playwright-core (npm install --prefix .ci)")
    process = subprocess.Popen(
        [NODE, os.path.join(HERE, "browser.js"), CHROMIUM, PAGE], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=dict(os.environ, PLAYWRIGHT_CORE=PLAYWRIGHT))

    def play_steps(link="", *steps, size=(1280, 720), **options):
        options["viewport"] = dict(zip(["width", "height"], size))
        steps = [["open", link and "#" + link, options]] + list(map(to_step, steps))
        process.stdin.write(json.dumps(steps).encode("ascii") + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline().decode("utf-8"))
        assert "file" in options or answer["errors"] == []
        assert all(url.startswith(("file:", "data:")) for url in answer["requests"])
        return answer["read"]

    yield play_steps
    process.stdin.close()
    assert process.wait(30) == 0


def written(matrix):
    return ";".join(",".join(map(repr, row)) for row in matrix)


def link_of(version, **changes):
    parts = ["version=" + version, "rows=all"]
    for name, value in changes.items():
        parts.append(name + "=" + (value if isinstance(value, str) else written(value)))
    return "&".join(parts)


def assert_equal(expected, actual):
    for stage, rows in zip(STAGES, expected):
        assert [len(row) for row in rows] == [len(row) for row in actual[stage]], stage
        for x, y in zip(sum(rows, []), sum(actual[stage], [])):
            assert y is None if x == float("-inf") else (  # JSON has no -Infinity
                abs(x - y) <= 1e-12 * max(1, abs(x))), stage


# ---- Numbers


@parametrize("version", VERSIONS)
def test_every_number(play, version):
    exact = {name: REFERENCE["trainable"][name] for name in MATRICES}  # more digits
    shown, cells = play(link_of(version, **exact), SHOWN, CELLS)
    expected = REFERENCE[version]["stages"]
    assert_equal([expected[stage] for stage in STAGES], shown)
    for id, text in cells.items():
        stage, i, j = id.split("-")
        assert text == "%.4f" % expected[stage][int(i)][int(j)]
    journey = {id: text for id, text in cells.items() if "-1-" in id or id[0] in "kv"}
    assert play("version=" + version, CELLS, MESSAGE, WORD, "$('without')") == [
        journey, "", "journey", None]


@parametrize("seed", range(3))
def test_numbers_in_the_link(play, seed):
    numbers = random.Random(seed)
    n, d_in, d_k, d_v = [numbers.randint(1, 12) for size in range(4)]
    inputs, W_query, W_key, W_value = [
        [[numbers.gauss(0, 1) for j in range(d)] for i in range(m)]
        for m, d in ((n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v))]
    words = ",".join(["%3Cb%3E%26%2C"] * n)
    link = link_of("trainable", words=words, word=str(n - 1), inputs=inputs,
                   W_query=W_query, W_key=W_key, W_value=W_value)
    shown, word, again, causal = play(
        link, SHOWN, WORD, "encode(state)", "click #causal", SHOWN)
    assert_equal(attention.self_attention(inputs, W_query, W_key, W_value), shown)
    assert_equal(causal_self_attention(inputs, W_query, W_key, W_value), causal)
    assert word == "<b>&," and play(again, SHOWN)[0] == shown
    simplified, = play(link_of("simplified", words=words, word="0", inputs=inputs), SHOWN)
    assert_equal(attention.simplified_self_attention(inputs), simplified)


def value(text):
    """Return what an expression gives as it is printed: exactly, powers to 40 digits."""
    getcontext().prec = 40
    for old, new in (("\xa0", " "), ("\u2212", "-"), ("\u00d7", "*"),
                     ("e^(-\u221e)", "0"), ("e^", "power"), ("\u221a", "root ")):
        text = text.replace(old, new)
    text = re.sub(r"root (\d+)", r"root(\1)", text)
    text = re.sub(r"(?<![\w.])\d+(\.\d+)?(e[+-]\d+)?", r"F('\g<0>')", text)
    assert re.match(r"^([\d.()*/+ eF'-]|power|root)+$", text), text

    def decimal(x):
        return Decimal(x.numerator) / Decimal(x.denominator)

    return eval(text, {"F": Fraction, "power": lambda x: Fraction(decimal(x).exp()),
                       "root": lambda x: Fraction(decimal(x).sqrt())})


def check_equation(text):
    """"=" must be exact, "about" must give every digit on the left."""
    left = text.split()[0]
    number = left.replace("\u2212", "-")
    half_unit = Fraction(10) ** Decimal(number).as_tuple().exponent / 2
    for line in text.split("\n"):
        sign, right = re.match(r"^\S* +([=\u2248]) (.*)$", line).groups()
        gap = abs(value(right) - Fraction(number))
        assert gap == 0 if sign == "=" else gap <= half_unit, text
    return float(number)


EVERY_FORMULA = """all_of('td[data-stage]').map(td => {
    td.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    return [td.dataset.value, td.dataset.right, %s, all_of('.from').map(cell =>
        (cell.querySelector('input') || {value: cell.dataset.value}).value)];
})""" % FORMULAS
HARD = [
    "inputs=0.00005,1e-7,-3;12345.678,-0.1,0.2;0.3,99,0.123456789012&words=a,b,c",
    "inputs=1000,2000,3000;0.5,0.25,-1e7&words=a,b", "inputs=0,0,0;0,0,0&words=a,b",
    "inputs=1,2,3&words=a&word=0", "causal=on",
    "W_query=-1,2;0.3,1;0,0&W_value=1e-9;2;1e9&W_key=0.125,7;-7,2;1,1e-12"]


@parametrize("link", [""] + HARD + [
    "mistake=" + mistake.name for mistake in PLANTED])
@parametrize("version", VERSIONS)
def test_every_equation_is_true_as_printed(play, version, link):
    cells, = play("rows=all&version=%s&%s" % (version, link), EVERY_FORMULA)
    assert cells
    for x, right, formulas, sources in cells:
        for number, formula in zip((x, right), formulas):
            if formula:
                unit = max(1e-4, abs(float(number)) / 1000)
                assert abs(check_equation(formula) - float(number)) <= 0.51 * unit
            else:
                assert number == "-Infinity"
        numbers = re.findall(
            r"\d+(?:\.\d+)?(?:e[+-]\d+)?", "".join(formulas[:1]).replace("\u2212", "-"))
        for x in map(abs, map(float, sources)):  # the marked cells are in the equation
            assert x == float("inf") or min(
                abs(float(number) - x) for number in numbers) <= 0.00006 + x / 1000


# ---- Mistakes


def test_the_mistakes_are_those_of_the_catalogue():
    with open(make_mistakes.SCRIPT, encoding="ascii") as file:
        assert file.read() == make_mistakes.make_script(), make_mistakes.__doc__
    assert len(PLANTED) == len(make_mistakes.STEPS)
    assert all(mistake.stage in make_mistakes.STEPS[mistake.name] for mistake in PLANTED)


@parametrize("mistake", PLANTED, ids=[mistake.name for mistake in PLANTED])
def test_a_planted_mistake(play, mistake):
    right = attention.self_attention(**MATRICES)._asdict()
    wrong = compute(MATRICES, mistake.steps)
    shown, cells, marks, first, pinned, visible, what = play(
        "rows=all", "select #mistake " + mistake.name, SHOWN, CELLS,
        of_all(".mark"), of(".first", "id"), PINNED, in_view(PINNED), text_of("planted"))
    marks = dict(zip(STAGES, marks))
    assert_equal(wrong, shown)
    parted = []
    for stage in STAGES:
        for i, row in enumerate(getattr(wrong, stage)):
            for j, x in enumerate(row):
                id, text = "%s-%d-%d" % (stage, i, j), "%.4f" % x
                if abs(x - right[stage][i][j]) > 0.00006:
                    text += " right: %.4f" % right[stage][i][j]
                    parted.append(id)
                assert cells[id] == text.replace("-", "\u2212")
        is_wrong = any(id.startswith(stage) for id in parted)
        assert marks[stage][0] == "\u2713\u2717"[is_wrong]
    assert parted[0] == first == pinned and visible and first.startswith(mistake.stage)
    assert marks[mistake.stage] == "\u2717 wrong"
    assert mistake.what in what and mistake.fix in what


def test_a_mistake_that_changes_the_shape_or_nothing(play):
    read = play("version=trainable&mistake=keys-blended&W_value=1;2;3",
                text_of("planted"), "select #mistake keys-times-queries", "click #go",
                "focus :checked", "press ArrowLeft", text_of("planted"), HASH, "back",
                HASH)
    assert "are 6 x 2, expected 6 x 1" in read[0] and "choose Trainable" in read[1]
    assert "simplified" not in read[2] and read[3].startswith("#version=trainable&")


# ---- Typing


@parametrize("name", MATRICES)
def test_typing_moves_every_stage(play, name):
    changed = {key: [row[:] for row in rows] for key, rows in MATRICES.items()}
    changed[name][1][1] = -0.25
    fill = "fill #field-%s-1-1 " % name
    shown, link, panel, *again = play(
        TRAINABLE, fill + "\u2212.25", SHOWN, HASH, HOW, fill + "-0,25", SHOWN,
        fill + "-25e-2", SHOWN)
    assert_equal(attention.self_attention(*[changed[key] for key in MATRICES]), shown)
    assert again == [shown, shown]
    assert link == "#version=trainable&%s=%s" % (name, written(changed[name]))
    number = "%.4f" % shown["context_vectors"][1][0]
    assert "context vector: " + number in panel.replace("\u2212", "-")


def test_what_is_unfinished_is_silent_and_what_is_wrong_is_said_on_leaving(play):
    field = "#field-inputs-1-1"
    read = "[$('field-inputs-1-1').value, state.inputs[1][1], all_of('.message').length]"
    texts, steps = ["-", "1e", "0x", "nan", "1e999", "1e200", ""], []
    for text in texts:
        steps += ["fill %s -" % field, "press Backspace", "type " + text, read,
                  "click h1", read, "focus " + field, "press Escape", read]
    answers = play("", *steps)
    for k, text in enumerate(texts):
        left = ["0.87", 0.87, 0] if text == "" else [text, 0.87, 1]
        assert answers[3 * k:3 * k + 3] == [[text, 0.87, 0], left, ["0.87", 0.87, 0]]
    read = play("", "click " + field, "press ArrowUp", read, "press Shift+ArrowDown",
                read, "press Escape", read)
    assert [value for text, value, messages in read] == [0.97, -0.03, 0.87]


def test_a_sentence_of_your_own(play):
    def type_words(text):
        return ["fill #text " + text, "press Enter", "[state.tokens, state.inputs]"]

    note = text_of("text-note")
    first, said, second, third, full, fourth, link, back = play(
        "inputs=" + written([[9.0, 0.5, 0.25]] + INPUTS[1:]),
        *type_words("I drink Your tea journey") + [note]
        + type_words("tea \u202eI\u0007 \u200b" + "x" * 30) + type_words("w " * 13)
        + [note] + type_words(" ") + [HASH, "back", "back", "state.tokens"])
    assert play("words=a&word=0&inputs=1,2,3", note) == [""]  # not invented
    (words, rows), (later, others), (many, same) = first, second, third
    assert words == back == ["I", "drink", "Your", "tea", "journey"]
    assert [rows[2], rows[4]] == [[9.0, 0.5, 0.25], INPUTS[1]]  # as before
    assert len({tuple(row) for row in rows}) == 5
    assert "invented" in said and "I, drink, tea" in said and "learned" in said
    assert later == ["tea", "I", "x" * 20] and others[:2] == [rows[3], rows[0]]
    assert len(many) == 12 and len({tuple(row) for row in same}) == 1 and "12" in full
    assert fourth == third and "words=w,w," in link


# ---- Explanations


@parametrize("way", ["click ", "tap "])
def test_a_pinned_number_stays_until_it_is_let_go(play, way):
    read = play("", HIDDEN, way + "#attention_scores-1-0", of_all(".from", "id"),
                text_of("spoken"), of_all(".lit"), "hover #values-0-1", HOW,
                "press Escape", HIDDEN, "hover #values-0-0", HOW, way + "#values-0-1",
                way + "#values-0-1", HIDDEN)
    assert read[0] and read[5] and read[7]
    assert sorted(read[1]) == ["keys-0-%d" % k for k in range(3)] + [
        "queries-1-%d" % k for k in range(3)]
    assert read[2] == "0.9544 = 0.55\u00d70.43 + 0.87\u00d70.15 + 0.66\u00d70.89"
    assert read[3] == ["Your", "journey"]
    assert "attention_scores[1][0]" in read[4] and "values[0][0]" in read[6]


def test_sources_are_links(play):
    read = play(TRAINABLE, "click #queries-1-1", "click #how a >> nth=1", FOCUS,
                in_view("'field-W_query-0-1'"), HOW, HASH, size=(400, 800))
    assert read[:2] == ["field-W_query-0-1", True] and "queries[1][1]" in read[2]
    assert read[3] == "#version=trainable"


def test_pointing_at_a_word_previews_it_and_a_click_keeps_it(play):
    shares = of_all(".share")
    read = play(
        "", shares, "hover #word-2", shares, WORD, "hover h1", shares, "click #word-2",
        WORD, HASH, text_of("attends"),
        of_all("#tokens button", "style.getPropertyValue('--share')"),
        "click #word-1", text_of("attends"), "click #causal",
        of_all("#lines path", "getAttribute('stroke-width')"))
    weights = REFERENCE["simplified"]["stages"]["attention_weights"]
    printed = [["%.4f" % x for x in row] for row in weights]
    assert read[0] == read[3] == printed[1] and read[1] == printed[2]
    assert read[2] == "journey" and read[4:7] == [
        "starts", "#word=2", "\u201cstarts\u201d attends most to \u201cjourney\u201d."]
    for x, weight in zip(read[7], weights[2]):
        assert abs(float(x) - weight / max(weights[2])) < 1e-5
    assert "itself" in read[8] and read[9].count("0.00") == 4  # no line to hidden words


@parametrize("size, least", [((1024, 768), 44), ((400, 800), 26)])
def test_cause_and_effect_are_in_one_view(play, size, least):
    seen = """all_of('td[data-stage]').filter(td => (({top, bottom}) => top > 0
        && bottom < innerHeight)(td.getBoundingClientRect())).length"""
    cells, is_empty, context = play(TRAINABLE, seen, HIDDEN,
                                    "focus #field-W_value-2-0", HOW, size=size)
    assert cells >= least and is_empty and "0.2264" in context and "0.3061" in context


# ---- Keyboard


def test_the_keyboard_alone_is_enough(play):
    tab, enter = "press Tab", "press Enter"
    read = play(
        "", tab, FOCUS, enter, FOCUS, "focus #word-2", enter, WORD, FOCUS,
        "focus [name=version]", "press ArrowRight", HASH, "focus #attention_scores-2-0",
        "press ArrowRight", FOCUS, text_of("spoken"), enter, tab, FOCUS, HOW,
        "press Escape", HOW,
        of_all(".stage", "querySelectorAll('[tabindex=\"0\"]').length"),
        "focus #start-walk", enter, FOCUS, enter, HASH)
    assert read[:5] == ["skip", "stages", "starts", "word-2", "#version=trainable&word=2"]
    assert read[5] == "attention_scores-2-1"
    assert len(read[6]) < 120 and "starts" in read[6]
    assert read[7] == "scaled_scores-2-0", "a table is one stop"
    assert "attention_scores[2][1]" in read[8] and "attention_scores[2][1]" not in read[9]
    assert read[10:] == [[1] * 7, "next", "#word=2&walk=2"]


def test_all_that_can_be_used_can_be_reached(play):
    assert play("version=trainable&mistake=keys-blended&walk=3", """
        all_of('button:enabled, input, select, summary, a').filter(e => e.tabIndex < 0 ||
            !e.getClientRects().length && !e.closest('details')).length""") == [0]


# ---- The walk


@parametrize("size", [(1280, 720), (400, 800)])
def test_the_walk(play, size):
    with open(attention.__file__, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    number, = play("", "STATIONS.length")
    station = [text_of("station-text"), of(".code code"), FORMULAS,
               "[$('previous').disabled, $('next').disabled]", HASH, in_view(PINNED)]
    steps = station + (number - 1) * (["click #next"] + station)
    read = play("", "click #start-walk", *steps, size=size)
    told = list(zip(*[iter(read)] * len(station)))
    for k, (text, code, formulas, ends, link, visible) in enumerate(told, 1):
        assert code in lines and visible, k
        check_equation(formulas[0])
        assert ends == [k == 1, k == number] and link.endswith("walk=%d" % k)
    everything = " ".join(text for text, *rest in told)
    for word in "list of numbers,invented,Compare,shares,learned,next word".split(","):
        assert word in everything
    formulas, *end = play("walk=10", FORMULAS, "click #previous",
                          "click #end-walk", HASH, HIDDEN, FOCUS)
    assert formulas[0].startswith("0.1820")
    assert "attention_scores-1-0" in play("walk=3", of_all(".from", "id"))[0]
    assert end == ["#version=trainable", True, "start-walk"]


# ---- Exercises


def test_find_a_hidden_number(play):
    number = "now.shown[task.cell[0]][task.cell[1]][task.cell[2]]"
    cells, x, task, wrong, formulas, unused, right, after = play(
        TRAINABLE, "select #exercise find a hidden number", CELLS, number,
        text_of("task"), "fill #answer 9", "click #check", NOTE, "click #help", FORMULAS,
        "void ($('answer').value = %s.toFixed(4))" % number, "click #check", NOTE,
        "click #end-task", CELLS)
    hidden, = [id for id, text in cells.items() if text == "?"]
    assert "%s[%s][%s]" % tuple(hidden.split("-")) in task and "%.4f" % x not in task
    assert "Not yet" in wrong and formulas[0].startswith("? ")
    assert "Right" in right and after[hidden] == "%.4f" % x


@parametrize("k", range(0, len(PLANTED), 3))
def test_find_the_wrong_stage(play, k):
    steps = sum([["select #answer " + stage, "click #check", NOTE]
                 for stage in STAGES], [])
    link, told, formulas, *notes = play(
        "", "void (Math.random = () => %f)" % ((k + 0.5) / len(PLANTED)),
        "select #exercise find the wrong stage", HASH,
        "[all_of('.wrong, .mark').length, $('mistake').value, document.body.innerText]",
        "hover #scaled_scores-0-0", FORMULAS, *steps)[1:]
    assert link == "#version=trainable&rows=all" and told[:2] == [0, "none"]
    assert PLANTED[k].what not in told[2]
    check_equation(formulas[0])
    at = STAGES.index(PLANTED[k].stage)
    assert PLANTED[k].what in notes[at]
    assert [("Right" in note) - ("before" in note) for note in notes] == [
        (i == at) - (i > at) for i in range(7)]


@parametrize("goal, fields", [
    ("mostly one word", "inputs-5-1 3"), ("nearly nothing", "W_key-1-0 -40"),
    ("equal shares", "inputs-1-0 0,inputs-1-1 0,inputs-1-2 0")])
def test_goals_are_reached(play, goal, fields):
    fill = ["fill #field-" + field for field in fields.split(",")]
    before, hint, after, panel = play(
        TRAINABLE, "select #exercise goal: " + goal, text_of("reached"),
        "click #help", NOTE, *fill + [text_of("reached"), HOW])
    assert before == "" and hint and "reached" in after and "reached" in panel


# ---- Your own data


def test_pasting(play):
    good = ["hot\t1\t2\t-3\ncold\t0,5\t0\t1e2", "hot,1,2,\u22123\r\ncold,0.5,0,100",
            '[["hot", 1, 2, -3], ["cold", 0.5, 0, 100]]',
            '{"tokens": ["hot", "cold"], "inputs": [[1, 2, -3], [0.5, 0, 100]]}']
    bad = ["", "x", "1 2\n3", "[[1, null]]", '{"inputs": 3}', '{"keys": [[1]]}',
           "\n".join(13 * ["1 2 3"])]
    steps = []
    for text in good + bad:
        steps += ["fill #pasted " + text, "click #use", "[state.tokens, state.inputs]",
                  text_of("data-note"), "change(DEFAULTS)"]
    read = play("", "click summary", *steps)
    for k, text in enumerate(good):
        assert read[3 * k] == [["hot", "cold"], [[1, 2, -3], [0.5, 0, 100]]], text
    for k, text in enumerate(bad, len(good)):
        assert read[3 * k] == [TOKENS, INPUTS] and "Nothing" in read[3 * k + 1], text


@parametrize("version", VERSIONS)
def test_what_is_copied_can_be_used(play, version, tmp_path):
    pasted, everything = "$('pasted').value", "select #matrix everything"
    text, again, code, weights, address, shown, local = play(
        "mistake=softmax-down-the-columns&version=" + version, "click summary",
        everything, "click #copy-json", pasted, "click #use", "state.version",
        everything, "click #copy-python", pasted, "select #matrix attention_weights",
        "click #copy-json", pasted, "click #copy-link", pasted, SHOWN,
        "!$('local').hidden")
    assert json.loads(weights) == {"attention_weights": shown["attention_weights"]}
    assert again == version and local
    assert play(address.split("#")[1], SHOWN) == [shown]
    names = {}
    exec(code, names)
    assert names["inputs"] == INPUTS
    assert names["context_vectors"] == shown["context_vectors"]
    path = tmp_path / "values.json"
    path.write_text(text)
    command = [sys.executable, "-m", "examples.find_the_mistake", str(path)]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert run.returncode == 1 and b"softmax-down-the-columns" in run.stdout


# ---- Links


BROKEN = [
    "words=a,b", "words=a,,c,d,e,f", "words=%ZZ", "words=a,%E2%80%8D,c,d,e,f",
    "word=6", "word=", "walk=99", "inputs=1,NaN",
    "inputs=1,1e999", "version=trainable&W_key=1,2", "words=a,b&word=1&inputs=1,2,3;4,5",
    "words=a&word=0&inputs=1e200,0,0", "inputs=" + "1," * 30000]
ODD = ["version=medium", "mistake=typo", "Your%20session%20has%20expired",
       "=%3Cimg%20src=x%3E"]


def test_links_that_cannot_be_read_say_so_and_nothing_else(play):
    cannot = "This link cannot be read. The running example is shown.", "journey"
    unknown = "Parts of this link are unknown, and were left out.", "starts"
    links = [(link, cannot) for link in BROKEN]
    links += [("word=2&" + link, unknown) for link in ODD]
    links += [(link, ("", "starts")) for link in ("&word=2&&", "word%3D2", "query=3")]
    links += [("words=Your,%E2%80%AEa%20b%00,starts,with,one,step", ("", "a_b"))]
    steps = []
    for link, expected in links:
        steps += ["location.hash = " + json.dumps(link), SOON, MESSAGE, WORD]
    read = play("", *steps)
    for k, (link, expected) in enumerate(links):
        assert tuple(read[4 * k + 2:4 * k + 4]) == expected, link


def test_back_reset_and_the_way_in(play):
    read = play("", "fill #field-inputs-0-0 2", "click #word-2", "click #reset", HASH,
                WORD, "back", WORD, "state.inputs[0][0]", "location.hash = 'word=5'",
                SOON, WORD)
    assert read[:4] == ["", "journey", "starts", 2] and read[-1] == "step"
    way_in = os.path.join(HERE, os.pardir, "attention.html")
    link = "version=trainable&word=2"
    assert play(link, "hover #word-0", WORD, HASH, file=way_in) == ["starts", "#" + link]


# ---- What it looks like


@parametrize("scripts", [True, False])
def test_without_scripts_there_is_a_picture_and_no_dead_control(play, scripts, tmp_path):
    alone = str(shutil.copy(PAGE, str(tmp_path / "index.html")))
    main, text, picture = play(
        "", of("main", "getClientRects().length"), of("#without", "innerText"),
        of("img", "alt"), file=alone if scripts else PAGE, javaScriptEnabled=scripts)
    assert main == 0 and "0.2379" in picture
    assert "JavaScript" in text and "porting/attention.js" in text


@parametrize("link", [
    "version=trainable&rows=all&mistake=multiplied-by-sqrt-d_k", "rows=all",
    "rows=all&version=trainable&words=" + ",".join(12 * ["w" * 20]) + "&inputs="
    + ";".join(12 * ["-1.2345678901234567e-30,-2,0.12345678901234567"])])
@parametrize("size", [(400, 800), (640, 360), (1200, 900)])
def test_nothing_is_cut(play, link, size):
    cut = "all_of('%s').filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert play(link, "click #attention_weights-1-0",
                "document.documentElement.scrollWidth", cut % "#fields input",
                cut % "#panel > div",
                in_view("'attention_weights-1-0'"), size=size) == [size[0], 0, 0, True]


@parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(play, scheme):
    for link, *steps in (
            ["", "hover #context_vectors-1-0"], ["walk=3"], ["inputs=x"],
            ["version=trainable&rows=all&mistake=multiplied-by-sqrt-d_k",
             "click #attention_weights-1-2"],
            ["", "select #exercise find a hidden number", "click #help",
             "fill #field-inputs-1-1 x", "focus #field-inputs-0-0"]):
        smallest, = play(link, *steps + ["contrast"], colorScheme=scheme)
        assert smallest["ratio"] >= 4.5, smallest  # WCAG 2, level AA


def test_print_and_forced_colours(play):
    def style(selector, what):
        return "getComputedStyle(%s).%s" % (of(selector, "valueOf()"), what)

    position = style("#panel", "position")
    chosen = style(":checked + span", "printColorAdjust")
    assert play("walk=2", position, "media print", position, chosen) == [
        "sticky", "static", "exact"]
    assert play("mistake=softmax-down-the-columns&rows=all",
                "click #attention_weights-0-0", style("td.from", "outlineStyle"),
                style("td.here", "outlineStyle"), style(".first", "borderStyle"),
                forcedColors="active") == ["dashed", "solid", "double"]
