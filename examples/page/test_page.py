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
from examples.page import make_data
from examples.tools.common import first_difference

parametrize = pytest.mark.parametrize
in_browser = pytest.mark.browser
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(HERE, "index.html")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
NODE = shutil.which("node")
PLAYWRIGHT = os.path.abspath(os.environ.get("PLAYWRIGHT_CORE", os.path.join(
    ROOT, ".ci", "node_modules", "playwright-core")))


def read_json(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return json.load(file)


CASES = read_json("cases.json")
REFERENCE = read_json(os.pardir, "reference.json")["running_example"]
MATRICES = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
PLANTED = [mistake for mistake in MISTAKES if mistake.name in make_data.STEPS]
SIZES = [(1280, 720), (1366, 657), (1024, 768), (400, 800)]
VERBS = "back click fill focus hover media mouse press run select size tap type".split()

# What a step can read: JavaScript that sees the page's own names.
SHOWN = "Object.fromEntries(STAGES.map(stage => [stage, now.shown[stage]]))"
CELLS = "Object.fromEntries(all_of('td[data-table]').map(td => [td.id, td.textContent]))"
FOCUS = "document.activeElement.id"
HASH = "location.hash"
MESSAGE = "$('message').textContent"
SOON = "run new Promise(setTimeout)"  # the page hears of a new link a little later
WORD = "state.tokens[state.word]"
FORMULAS = "all_of('#how .formula').map(p => p.textContent)"
# Not cut by the window or by what scrolls, and nothing lies over it
IN_SIGHT = """const in_sight = element => {
    const {left, top, width, height} = element.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(over);
}; """


def text_of(id):
    return "$('%s').textContent" % id


def to_step(text):  # "fill #id 0.5", or JavaScript to read
    verb, *rest = text.split(" ", 1)
    if verb not in VERBS:
        return ["read", text]
    if verb in ("fill", "select", "size", "mouse"):
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

    def play_steps(link="", *steps, size=SIZES[0], **options):
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


def near(x, y, tolerance):  # JSON has no -Infinity
    return y is None if x == float("-inf") else abs(x - y) <= tolerance * max(1, abs(x))


def assert_equal(expected, actual):
    for stage, rows in zip(STAGES, expected):
        assert first_difference(rows, actual[stage], 1e-12, near) is None, stage


# ---- Without a browser


def test_data_js_is_fresh():
    with open(make_data.SCRIPT, encoding="ascii") as file:
        assert file.read() == make_data.make_script(), make_data.__doc__
    assert len(PLANTED) == len(make_data.STEPS)
    with pytest.raises(ValueError, match="dot"):
        make_data.find_line(["def dot(a):", "    b = 1", "def f():", "    c"], "dot", "c")


def test_a_script_calls_only_what_stands_before_it():
    with open(PAGE, encoding="ascii") as file:
        names = re.findall(r'src="(\w+\.js)"', file.read())
    later = set()
    for name in reversed(names):
        with open(os.path.join(HERE, name), encoding="ascii") as file:
            text = re.sub("//.*", "", file.read())
        assert not later & set(re.findall(r"(?<!\.)\b(\w+)\(", text)), name
        later |= set(re.findall(r"^function (\w+)", text, re.M))


def luminance(colour):
    parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_every_text_has_enough_contrast():
    with open(os.path.join(HERE, "page.css"), encoding="ascii") as file:
        schemes = re.findall(r":root \{(.*?)\}", file.read(), re.S)
    assert len(schemes) == 2
    pairs = [("ink", "band"), ("ink", "from"), ("wrong", "wrong-band")]
    for ink in "ink quiet query key value share wrong".split():
        pairs += [(ink, "page"), (ink, "panel")]
    for scheme in schemes:
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", scheme))
        for pair in pairs:
            dark, light = sorted(luminance(colours[name]) for name in pair)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, pair  # WCAG 2, level AA


# ---- Numbers


@in_browser
@parametrize("version, counts", [("simplified", [90, 36]), ("trainable", [156, 64])])
def test_every_number(play, version, counts):
    exact = REFERENCE["trainable"]  # more digits
    link = "&".join("%s=%s" % (name, written(exact[name])) for name in MATRICES)
    shown, *views = play("rows=all&version=%s&%s" % (version, link), SHOWN, CELLS,
                         "click [value=one]", CELLS)
    expected = REFERENCE[version]["stages"]
    assert_equal([expected[stage] for stage in STAGES], shown)
    shares, scores = expected["attention_weights"][1], expected["scaled_scores"][1]
    expected["weighted_values"] = [
        [share * x for x in row] for share, row in zip(shares, expected["values"])]
    expected["powers"] = [[], [2.718281828459045 ** (x - max(scores)) for x in scores]]
    for cells, count in zip(views, counts):
        assert len(cells) == count
        for id, text in cells.items():
            stage, i, j = id.split("-")
            assert text == "%.4f" % expected[stage][int(i)][int(j)], id


@in_browser
@parametrize("seed", range(2))
def test_numbers_in_the_link(play, seed):
    numbers = random.Random(seed)
    n, d_in, d_k, d_v = [numbers.randint(1, 12) for size in range(4)]
    given = [[[numbers.gauss(0, 1) for j in range(d)] for i in range(m)]
             for m, d in ((n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v))]
    link = "&".join(["version=trainable&word=%d" % (n - 1),
                     "words=" + ",".join(["%3Cb%3E%26%2C"] * n)]
                    + ["%s=%s" % pair for pair in zip(MATRICES, map(written, given))])
    shown, word, again, causal, simplified = play(
        link, SHOWN, WORD, "encode(state)", "click #causal", SHOWN, "click #causal",
        "click [value=simplified]", SHOWN)
    assert_equal(attention.self_attention(*given), shown)
    assert_equal(causal_self_attention(*given), causal)
    assert_equal(attention.simplified_self_attention(given[0]), simplified)
    assert word == "<b>&," and play(again, SHOWN)[0] == shown


def value(text):
    """Return what an expression gives as it is printed: exactly, powers to 40 digits."""
    getcontext().prec = 40
    for old, new in (("\xa0", " "), ("\u00d7", "*"), ("e^(-\u221e)", "0"),
                     ("e^", "power"), ("\u221a", "root ")):
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
    left, sign, right = text.replace("\u2212", "-").split(" ", 2)
    half_unit = Fraction(10) ** Decimal(left).as_tuple().exponent / 2
    gap = abs(value(right) - Fraction(left))
    assert gap == 0 if sign == "=" else sign == "\u2248" and gap <= half_unit, text
    return float(left)


EVERY_FORMULA = """all_of('td[data-table]').map(td => {
    td.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    const {table, row, column} = td.dataset;
    return [[now.shown, now.right].map(all => ((all[table] || [])[row] || [])[column]),
        %s, all_of('td.from').map(td => Number((td.querySelector('input') ||
        {value: now.shown[td.dataset.table][td.dataset.row][td.dataset.column]}).value)),
        all_of('.code').map(p => p.textContent), table, $('projection').textContent];
})""" % FORMULAS


@in_browser
@parametrize("link", CASES["numbers that are hard to print"] + [
    "mistake=" + mistake.name for mistake in PLANTED])
def test_every_equation_is_true_as_printed(play, link):
    with open(attention.__file__, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    steps = [EVERY_FORMULA, "click [value=one]", EVERY_FORMULA, "click [value=trainable]"]
    for numbers, formulas, sources, code, table, projection in sum(
            play("rows=all&" + link, *2 * steps), []):
        for number, formula in zip(numbers, formulas):
            if formula:
                unit = max(1e-4, abs(float(number)) / 1000)
                assert abs(check_equation(formula) - float(number)) <= 0.51 * unit
        if projection:
            check_equation(projection)
        if code:
            number, text = re.match(r"attention.py, line (\d+).*?:(.*)", code[0]).groups()
            assert lines[int(number) - 1] == text
        else:
            assert table in ("queries", "keys", "values")  # the simplified version's
        if table not in ("attention_weights", "powers"):
            printed = re.findall(r"\d+(?:\.\d+)?(?:e[+-]\d+)?",
                                 "".join(formulas[:1]).replace("\u2212", "-"))
            for x in sources:  # the marked cells are in the equation
                assert min(abs(float(number) - abs(x)) for number in printed) <= (
                    0.00006 + abs(x) / 1000)


# ---- Mistakes


@in_browser
def test_planted_mistakes(play):
    right = attention.self_attention(**MATRICES)._asdict()
    steps = sum([["select #mistake " + mistake.name, SHOWN, CELLS,
                  "all_of('.mark').map(e => e.textContent)", "state.pin",
                  text_of("planted"),
                  IN_SIGHT + "in_sight($(state.pin)) && in_sight($('planted'))"]
                 for mistake in PLANTED], [])
    read = iter(play("causal=on", *steps))
    for mistake in PLANTED:
        shown, cells, marks, pin, what, visible = [next(read) for k in range(6)]
        wrong = compute(MATRICES, mistake.steps)
        marks = dict(zip(STAGES, marks))
        assert_equal(wrong, shown)
        parted = []
        for id, text in cells.items():
            stage, i, j = id.split("-")
            x, y = [all[int(i)][int(j)] for all in (getattr(wrong, stage), right[stage])]
            if abs(x - y) > 0.00006:
                parted.append(id)
                assert text == "%.4f right: %.4f" % (x, y)
            else:
                assert text == "%.4f" % x
        for stage in STAGES:
            is_wrong = any(id.startswith(stage) for id in parted)
            assert marks[stage][0] == "\u2713\u2717"[is_wrong]
        assert parted[0] == pin and visible and pin.startswith(mistake.stage)
        assert marks[mistake.stage] == "\u2717 wrong"
        assert mistake.what in what and mistake.fix in what


@in_browser
def test_a_mistake_that_changes_the_shape_or_nothing(play):
    read = play("version=trainable&mistake=keys-blended&W_value=1;2;3",
                text_of("planted"), "select #mistake keys-times-queries", "click #go",
                "state.pin", "focus [value=trainable]", "press ArrowLeft",
                text_of("planted"), HASH, "back", HASH,
                "select #mistake softmax-left-out", "click #causal", MESSAGE,
                "state.causal", "$('causal').checked")
    assert "6 x 2, expected 6 x 1" in read[0] and read[1] == "attention_scores-0-1"
    assert "choose trainable" in read[2] and "version" not in read[3]
    assert read[4].startswith("#version=trainable&")
    assert "-Infinity" in read[5] and read[6:] == ["off", False]


# ---- Typing


@in_browser
def test_typing_moves_every_stage_and_rebuilds_nothing(play):
    for name in MATRICES:
        changed = {key: [row[:] for row in rows] for key, rows in MATRICES.items()}
        changed[name][1][1] = -0.25
        fill = "fill #field-%s-1-1 " % name
        shown, link, *again, same, before, old = play(
            "version=trainable", "run window.before = all_of('td'); 0",
            fill + "\u2212.25", SHOWN, HASH, fill + "-0,25", SHOWN, fill + "-25e-2",
            SHOWN,
            "before.every((td, k) => td === all_of('td')[k] || td.closest('#steps'))",
            "back", HASH, "state.%s[1][1]" % name)
        assert_equal(attention.self_attention(*[changed[key] for key in MATRICES]), shown)
        assert again == [shown, shown] and same
        assert link == "#version=trainable&%s=%s" % (name, written(changed[name]))
        assert before == "#version=trainable" and old == MATRICES[name][1][1]


@in_browser
def test_what_is_unfinished_is_silent_and_what_is_wrong_is_said_on_leaving(play):
    field = "#field-inputs-1-1"
    read = """[$('field-inputs-1-1').value, state.inputs[1][1],
        all_of('.alert').length - 1]"""
    texts, steps = ["-", "1e", "nan", "1e200", ""], []
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


@in_browser
def test_a_sentence_of_your_own(play):
    steps = []
    for text in ("cat car cap Your journey", "cap \u202ecat\u0007 \u200b" + "x" * 30,
                 "w " * 13, " "):
        steps += ["fill #text " + text, "press Enter", "[state.tokens, state.inputs]",
                  text_of("text-note")]
    first, said, second, cut, (many, alike), full, same, note, back = play(
        "inputs=" + written([[9.0, 0.5, 0.25]] + INPUTS[1:]), *steps + ["back"] * 2 + [
            "state.tokens"])
    (words, rows), (later, others) = first, second
    assert words == back == ["cat", "car", "cap", "Your", "journey"]
    assert [rows[3], rows[4]] == [[9.0, 0.5, 0.25], INPUTS[1]]  # as before
    for a, b in ((0, 1), (1, 2), (0, 2)):  # one letter makes other numbers
        assert max(abs(x - y) for x, y in zip(rows[a], rows[b])) > 0.2
    assert "cat, car, cap" in said and "learned" in said and "20" in cut and "12" in full
    assert later == ["cap", "cat", "x" * 20] and others[:2] == [rows[2], rows[0]]
    assert len(many) == 12 and len({tuple(row) for row in alike}) == 1
    assert same == [many, alike]


# ---- Arrows, temperature, training


@in_browser
def test_arrows(play):
    at = """((x, y) => {const box = $('arrows').getBoundingClientRect();
        return [box.left + (scale.x + scale.unit * x) * box.width / WIDE,
                box.top + (scale.y - scale.unit * y) * box.width / WIDE];})(%s)"""
    start, end = play("version=trainable", at % "0.3275,0.9642", at % "0.6,0.3")
    keys, W_key, link, before, gone = play(
        "version=trainable", "mouse %f %f" % tuple(start), "mouse down",
        "mouse %f %f" % tuple(end), "mouse up", "now.shown.keys", "state.W_key", HASH,
        "back", "now.shown.keys[5][0]", "click [value=simplified]", "$('plane').hidden")
    assert abs(keys[5][0] - 0.6) < 0.01 and abs(keys[5][1] - 0.3) < 0.01
    assert first_difference(attention.matmul(INPUTS, W_key), keys, 1e-12) is None
    assert "W_key=" in link and round(before, 4) == 0.3275 and gone
    two, = play("words=a,b&inputs=1,0;0,1&word=0", "fill #field-inputs-1-0 1",
                "all_of('#arrows line.key').map(e => e.getAttribute('x2') - scale.x)")
    assert two[0] == two[1] > 9  # inputs are keys here, and typing moves them


@in_browser
def test_temperature_and_training(play):
    shares = "[...$('bars').children].map(item => item.children[3].textContent)"
    before, after, trained, weights, back = play(
        "version=trainable", shares, "fill #factor 3", shares, "click #open-trained",
        SHOWN, text_of("shares"), "click [value=trainable]", "state.tokens")
    scores = attention.self_attention(**MATRICES).scaled_scores[1]
    for factor, printed in ((1, before), (8, after)):
        expected = attention.softmax([factor * score for score in scores])
        assert printed == ["%.2f" % x for x in expected]
    given = read_json(os.pardir, "trained.json")
    expected = causal_self_attention(*[given[name] for name in MATRICES])
    assert_equal(expected, trained)
    subject = expected.attention_weights[-1][given["tokens"].index("dogs")]
    assert subject > 0.9 and "%.0f %%" % (100 * subject) in weights and back == TOKENS


# ---- Explanations


@in_browser
@parametrize("way", ["click ", "tap "])
def test_a_pinned_number_stays_until_it_is_let_go(play, way):
    how, marks = text_of("how"), "all_of('.from').map(e => e.id)"
    read = play("pin=", how, way + "#attention_scores-1-0", marks, text_of("spoken"),
                HASH, "hover #weighted_values-0-1", how, "hover h1", how,
                "click [value=all]", marks, "click [value=one]", "press Escape", HASH,
                way + "#attention_weights-1-1", "click #how a", FOCUS,
                way + "#attention_weights-1-1", "state.pin")
    assert "Point at" in read[0]
    assert sorted(read[1]) == ["inputs-0-0", "inputs-0-1", "inputs-0-2",
                               "queries-1-0", "queries-1-1", "queries-1-2"]
    assert read[2] == "0.9544 = 0.55\u00d70.43 + 0.87\u00d70.15 + 0.66\u00d70.89"
    assert read[3] == "#pin=attention_scores-1-0" and "0.0208" in read[4]
    assert "0.9544" in read[5] and len(read[6]) == 6 and read[7] == "#pin="
    assert read[8:] == ["attention_scores-1-0", ""]


@in_browser
def test_a_dot_product_step_by_step(play):
    pairs = "all_of('td.pair').map(e => e.id)"
    read = play("version=trainable&pin=attention_scores-1-5", "focus #steps",
                "press ArrowDown", pairs, "press ArrowDown", pairs, text_of("spoken"),
                "press ArrowDown", pairs, "press ArrowUp", pairs, FOCUS)
    first, second = (["queries-1-%d" % k, "keys-5-%d" % k] for k in (0, 1))
    said = "query 1.4551, key 0.9642, product 1.4030, so far 1.5440"
    assert read == [first, second, said, second, first, "steps"]


@in_browser
def test_pointing_at_a_word_previews_it_and_a_click_keeps_it(play):
    shares = "all_of('#tokens span').map(e => e.textContent)"
    arcs = "all_of('#lines path').map(e => Number(e.getAttribute('stroke-width')))"
    read = play(
        "", shares, "hover #word-2", shares, WORD, "hover h1", shares, "click #word-2",
        WORD, HASH, text_of("attends"), arcs, "click #word-1", text_of("attends"),
        "click #causal", arcs, "click tbody tr:nth-child(4) th", WORD)
    weights = REFERENCE["simplified"]["stages"]["attention_weights"]
    printed = [["%.0f %%" % (100 * x) for x in row] for row in weights]
    assert read[0] == read[3] == printed[1] and read[1] == printed[2]
    assert read[2] == "journey" and read[4:7] == [
        "starts", "#word=2&pin=attention_scores-2-2",
        "\u201cstarts\u201d takes most from \u201cjourney\u201d."]
    assert max(read[7]) == 11 and min(read[7]) < 6  # arcs differ visibly
    assert "itself" in read[8] and read[9].count(0) == 4  # no arc to hidden words
    assert read[10] == "with"


@in_browser
def test_every_cell_that_is_seen_can_be_clicked(play):
    # Its middle is in the window and in what scrolls around it: does anything cover it?
    read = IN_SIGHT + """(() => {
        const inside = (x, y) => box => !box.width || x > box.left + 1 &&
            x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1;
        const whole = {left: 0, top: 0, right: innerWidth, bottom: innerHeight, width: 1};
        const seen = all_of('td[data-table]').filter(cell => {
            const {left, top, width, height} = cell.getBoundingClientRect();
            const around = [$('scroller'), cell.closest('.scroll')];
            return around.map(e => e.getBoundingClientRect()).concat(whole)
                .every(inside(left + width / 2, top + height / 2));
        });
        return [seen.length, seen.filter(cell => !in_sight(cell)).map(cell => cell.id),
                document.documentElement.scrollWidth - innerWidth];
    })()"""
    steps = ["size %d %d" % size for size in SIZES]
    for link in CASES["states"]:
        for count, *rest in play(link, *sum([[step, read] for step in steps], [])):
            assert count > 4 and rest == [[], 0], link


# ---- Keyboard


@in_browser
def test_the_keyboard_alone_is_enough(play):
    tab, enter = "press Tab", "press Enter"
    read = play(
        "", tab, FOCUS, enter, FOCUS, "focus #word-2", enter, WORD, FOCUS,
        "focus [name=version]", "press ArrowRight", "state.version",
        "focus #attention_scores-2-0", "press ArrowDown", FOCUS, text_of("spoken"),
        "press ArrowRight", FOCUS, enter, text_of("how"), "press Shift+Tab", tab, FOCUS,
        "all_of('#ledger td').filter(e => e.tabIndex === 0).length", "focus #mistake",
        "press ArrowDown", FOCUS, "focus #start-walk", enter, FOCUS, text_of("spoken"),
        enter, "state.walk")
    assert read[:5] == ["skip", "numbers", "starts", "word-2", "trainable"]
    assert read[5] == "attention_scores-2-1"
    assert "starts" in read[6] and len(read[6]) < 120
    assert read[7] == "scaled_scores-2-1" and "scaled_scores[2][1]" in read[8]
    assert read[9] == read[7] and read[10] == 1, "a table is one stop"
    assert read[11:13] == ["mistake", "next"] and "numbers" in read[13] and read[14] == 2


@in_browser
def test_all_that_can_be_used_can_be_reached(play):
    assert play("version=trainable&mistake=keys-blended&walk=3", """
        all_of('button:enabled, input, select, summary, a').filter(e => e.tabIndex < 0 ||
            !e.getClientRects().length && !e.closest('details')).length""") == [0]


# ---- The walk


@in_browser
@parametrize("size", [SIZES[0], SIZES[-1]])
def test_the_walk(play, size):
    station = [text_of("station-text"), text_of("spoken"), FORMULAS, "state.walk",
               IN_SIGHT + "[$(state.pin), $('station-text'), ...all_of('td.from')]"
               ".filter(e => !in_sight(e)).length"]
    steps = station + 11 * (["click #next"] + station)
    read = play("", "click #start-walk", *steps, size=size)
    told = list(zip(*[iter(read)] * len(station)))
    for k, (text, spoken, formulas, walk, unseen) in enumerate(told, 1):
        assert text == spoken and walk == k
        assert unseen == 0 or (size[0] < 500 and 3 < k < 8), k  # a phone is small
        check_equation(formulas[0])
    everything = " ".join(text for text, *rest in told)
    for word in "list of numbers,made up,Compare,shares,learned,next word".split(","):
        assert word in everything
    formulas, *end, share, trained = play(
        "version=trainable&walk=10", FORMULAS, "click #previous", "click #end-walk", HASH,
        FOCUS, "run location.hash = 'walk=12'", SOON, "now.shown.attention_weights[4][1]",
        FORMULAS)
    assert formulas[0].startswith("0.1820")
    assert end == ["#version=trainable&pin=", "start-walk"]
    assert trained[0].startswith("%.4f" % share) and share > 0.9


# ---- Exercises


@in_browser
def test_find_a_hidden_number(play):
    elsewhere = " + ".join(text_of(id) for id in ("how", "tokens", "bars"))
    draw = ["click #another", "state.about", CELLS, elsewhere]
    read = iter(play("version=trainable", "select #exercise hidden", *10 * draw))
    right = attention.self_attention(**MATRICES)._asdict()
    for about, cells, rest in zip(read, read, read):
        stage, i, j = about.split("-")
        x = "%.4f" % right[stage][int(i)][int(j)]
        assert cells.pop(about) == "?" and x not in cells.values() and x not in rest
    visible, wrong, formulas, said, link, again = play(
        "version=trainable&exercise=hidden&about=attention_weights-1-4",
        IN_SIGHT + "in_sight($('answer')) && in_sight($(state.about))", "fill #answer 9",
        "click #check", text_of("note"), "click #help", FORMULAS, "fill #answer 0.0906",
        "click #check", text_of("note"), HASH, "click #end-task", CELLS)
    assert visible and "Not yet" in wrong and formulas[0].startswith("? ")
    assert "Right" in said and "about=attention_weights-1-4" in link
    assert again["attention_weights-1-4"] == "0.0906"


@in_browser
@parametrize("k", range(0, len(PLANTED), 3))
def test_find_the_wrong_stage(play, k):
    steps = sum([["select #answer " + stage, "click #check", text_of("note")]
                 for stage in STAGES], [])
    marks, page, formulas, *notes = play(
        "version=trainable&rows=all&exercise=stage&about=%d" % k,
        "all_of('.wrong, .mark:not(:empty)').length", "document.body.innerText",
        "hover #scaled_scores-0-0", FORMULAS, *steps)
    assert marks == 0 and PLANTED[k].what not in page
    check_equation(formulas[0])
    at = STAGES.index(PLANTED[k].stage)
    assert PLANTED[k].what in notes[at]
    assert [("Right" in note) - ("before" in note) for note in notes] == [
        (i == at) - (i > at) for i in range(7)]


@in_browser
@parametrize("goal, fields", [
    ("mostly-one", ["inputs-5-1 3"]), ("nearly-nothing", ["W_key-1-0 -40"]),
    ("equal-shares", ["inputs-1-0 0", "inputs-1-1 0", "inputs-1-2 0"])])
def test_goals_are_reached(play, goal, fields):
    note = text_of("note")
    before, hint, after = play("version=trainable", "select #exercise " + goal, note,
                               "click #help", note,
                               *["fill #field-" + field for field in fields] + [note])
    assert before == "" and hint and "reached" in after


# ---- Your own data


@in_browser
def test_pasting(play):
    good, refused = CASES["hot 1 2 -3, cold 0.5 0 100"], dict(CASES["refused"])
    refused["1 2 3\n" * 8000] = "12"
    steps = []
    for text in good + list(refused):
        steps += ["run $('pasted').value = %s" % json.dumps(text), "click #use",
                  "[state.tokens, state.inputs]", text_of("data-note"),
                  "run change(DEFAULTS)"]
    read = play("", "click summary", *steps)
    assert read[:2 * len(good):2] == len(good) * [
        [["hot", "cold"], [[1, 2, -3], [0.5, 0, 100]]]]
    for k, text in enumerate(refused, len(good)):
        assert read[2 * k] == [TOKENS, INPUTS], text
        assert refused[text] in read[2 * k + 1] and "Done" not in read[2 * k + 1], text
    wide, empty, link = play(
        "", "click summary", "fill #pasted 1 2 3 4", "click #use",
        "click [value=trainable]", MESSAGE, 'fill #pasted [["", 1, 2, 3]]', "click #use",
        "state.tokens", HASH)
    assert all(part in wide for part in ("inputs", "4", "W_query", "3"))
    assert len(empty) == 1 and play(link[1:], MESSAGE) == [""]


@in_browser
@parametrize("version", ["simplified", "trainable"])
def test_what_is_copied_can_be_used(play, version, tmp_path):
    pasted, everything = "$('pasted').value", "select #matrix everything"
    text, code, same, weights, address, shown = play(
        "mistake=softmax-down-the-columns&version=" + version, "click summary",
        everything, "click #copy-json", pasted, "click #use", "click #copy-python",
        pasted,
        "run change({inputs: [[1, 1, 1]], tokens: ['a'], word: 0})", "click #use",
        "[state.inputs, state.version]", "select #matrix attention_weights",
        "click #copy-json", pasted, "click #copy-link", pasted, SHOWN)
    assert json.loads(weights) == {"attention_weights": shown["attention_weights"]}
    assert same == [INPUTS, version]
    assert play(address.split("#")[1], SHOWN) == [shown]
    names = {}
    exec(code, names)
    assert names["context_vectors"] == shown["context_vectors"]
    path = tmp_path / "values.json"
    path.write_text(text)
    command = [sys.executable, "-m", "examples.find_the_mistake", str(path)]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert run.returncode == 1 and b"softmax-down-the-columns" in run.stdout


# ---- Links


@in_browser
def test_links_that_cannot_be_read_say_so_and_nothing_else(play):
    cannot = "This link cannot be read. The running example is shown.", "journey"
    unknown = "Parts of this link are unknown, and were left out.", "starts"
    links = [(link, cannot) for link in CASES["links that cannot be read"]]
    links += [("word=2&" + link, unknown) for link in CASES["links with unknown parts"]]
    links += [("&word=2&&", ("", "starts")), ("word%3D2", ("", "starts")),
              ("inputs=" + "1," * 20000, cannot),
              ("words=Your,%E2%80%AEa%20b%00,starts,with,one,step", ("", "a_b"))]
    read = iter(play("", *sum([["run location.hash = " + json.dumps(link), SOON, MESSAGE,
                                WORD] for link, expected in links], [])))
    for (link, expected), *actual in zip(links, read, read):
        assert tuple(actual) == expected, link


@in_browser
def test_back_reset_and_the_way_in(play):
    read = play("", "fill #field-inputs-0-0 2", "click #word-2", "click #reset", HASH,
                WORD, "back", WORD, "state.inputs[0][0]")
    assert read == ["", "journey", "starts", 2]
    way_in = os.path.join(HERE, os.pardir, "attention.html")
    link = "version=trainable&word=2"
    assert play(link, "hover #word-0", WORD, HASH, file=way_in) == ["starts", "#" + link]


# ---- What it looks like


@in_browser
@parametrize("scripts", [True, False])
def test_without_scripts_there_is_a_picture_and_no_dead_control(play, scripts, tmp_path):
    alone = str(shutil.copy(PAGE, str(tmp_path / "index.html")))
    main, text, picture = play(
        "", "document.querySelector('main').getClientRects().length",
        "document.querySelector('#without').innerText",
        "document.querySelector('img').alt",
        file=alone if scripts else PAGE, javaScriptEnabled=scripts)
    assert main == 0 and "0.2379" in picture
    assert "JavaScript" in text and "porting/attention.js" in text


@in_browser
def test_nothing_is_cut(play):
    link = ("rows=all&version=trainable&words=" + ",".join(12 * ["w" * 20]) + "&inputs="
            + ";".join(12 * ["-1.2345678901234567e-30,-2,0.12345678901234567"]))
    cut = "all_of('%s').filter(e => e.scrollWidth > e.clientWidth + 1).length"
    for size in ((400, 800), (640, 360), (1200, 900)):
        assert play(link, "click #attention_weights-1-0", cut % "#fields input",
                    cut % "#panel, html, #scroller", IN_SIGHT + "in_sight($(state.pin))",
                    size=size) == [0, 0, True]


@in_browser
def test_print_and_forced_colours(play):
    def style(selector, what):
        return "getComputedStyle(document.querySelector('%s')).%s" % (selector, what)

    assert play("walk=2", "media print", style("#panel", "position"),
                style("#toolbar", "display"), style("body", "display")) == [
        "static", "none", "block"]
    read = play("mistake=softmax-down-the-columns&rows=all&pin=attention_weights-0-0",
                style("td.from", "outlineStyle"), style("td.here", "outlineStyle"),
                style("td.differs .wrong", "textDecorationLine"),
                style("#word-1", "backgroundColor"), style("#word-2", "backgroundColor"),
                forcedColors="active")
    assert read[:3] == ["dashed", "solid", "underline"] and read[3] != read[4]
