"""Tests of the page in a real browser; the expected numbers come from elsewhere.

scenarios.json holds what people do; a step that is a list is read and compared.
cases.json holds links, and texts to paste.
"""

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


def text_in(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return file.read()


CASES = json.loads(text_in("cases.json"))
SCENARIOS = json.loads(text_in("scenarios.json"))
REFERENCE = json.loads(text_in(os.pardir, "reference.json"))["running_example"]
MATRICES = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
PLANTED = [mistake for mistake in MISTAKES if mistake.name in make_data.find_mistakes()]
SIZES = [(1280, 720), (1366, 657), (1024, 768), (400, 800)]

# What the JavaScript that is read can call, besides the page's own names. In sight means
# inside what scrolls, with nothing over it.
HELPERS = """const text = id => $(id).textContent,
    has = (id, part) => text(id).includes(part),
    texts = selector => all_of(selector).map(e => e.textContent),
    ids = selector => all_of(selector).map(e => e.id),
    focused = () => document.activeElement.id,
    cut = () => all_of('#fields input, #panel, html, #scroller').filter(
        e => e.scrollWidth > e.clientWidth + 1).map(e => e.id),
    arcs = () => all_of('#lines path').map(e => Number(e.getAttribute('stroke-width'))),
    in_sight = element => {
        const {left, top, width, height} = element.getBoundingClientRect();
        return element.contains(
            document.elementFromPoint(left + width / 2, top + height / 2));
    }; """
SHOWN = "Object.fromEntries(STAGES.map(stage => [stage, now.shown[stage]]))"
CELLS = "Object.fromEntries(all_of('td[data-table]').map(td => [td.id, td.textContent]))"
FORMULAS = "texts('#how .formula')"
SOON = "run new Promise(setTimeout)"  # the page hears of a new link a little later


@pytest.fixture(scope="module")
def play():
    """A function that opens a link, plays steps and returns what they read."""
    if not (CHROMIUM and NODE and os.path.isdir(PLAYWRIGHT)):
        pytest.skip("needs chromium, node and playwright-core (npm install --prefix .ci)")
    process = subprocess.Popen(
        [NODE, os.path.join(HERE, "browser.js"), CHROMIUM, PAGE], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=dict(os.environ, PLAYWRIGHT_CORE=PLAYWRIGHT))

    def play_steps(link="", *steps, size=SIZES[0], **options):
        options.update(viewport=dict(zip(["width", "height"], size)), helpers=HELPERS)
        line = json.dumps([link and "#" + link, options] + list(steps))
        process.stdin.write(line.encode("ascii") + b"\n")
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


@in_browser
@parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["what"])
def test_what_people_do(play, scenario):
    steps = scenario["steps"]
    actual = play(scenario["link"], *[step if isinstance(step, str) else step[0]
                                      for step in steps], **scenario.get("options", {}))
    expected = [step for step in steps if isinstance(step, list)]
    assert [[step[0], x] for step, x in zip(expected, actual)] == expected


def test_data_js_is_fresh():
    assert text_in("data.js") == make_data.make_script(), make_data.__doc__
    assert len(PLANTED) == 9


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
    link = "version=trainable&word=0&words=%s&" % ",".join(["%3Cb%3E%26%2C"] * n)
    link += "&".join("%s=%s" % pair for pair in zip(MATRICES, map(written, given)))
    shown, word, again, causal, simplified = play(
        link, SHOWN, "text('lead-word')", "encode(state)", "click #causal", SHOWN,
        "click #causal", "click [value=simplified]", SHOWN)
    assert_equal(attention.self_attention(*given), shown)
    assert_equal(causal_self_attention(*given), causal)
    assert_equal(attention.simplified_self_attention(given[0]), simplified)
    assert word == "<b>&," and play(again, SHOWN)[0] == shown


def value(text):
    """Return what an expression gives as it is printed: exactly, powers to 40 digits."""
    getcontext().prec = 40
    for old, new in (("\u00d7", "*"), ("e^(-\u221e)", "0"), ("e^", "power"),
                     ("\u221a", "root ")):
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
    const number = ({dataset}) => now.shown[dataset.table][dataset.row][dataset.column];
    return [[now.shown, now.right].map(all => ((all[table] || [])[row] || [])[column]),
        texts('#how .formula'), all_of('td.from').map(from => from.firstChild.value ||
        number(from)), texts('.code'), table, text('projection')];
})"""


@in_browser
@parametrize("link", CASES["numbers that are hard to print"] + [
    "mistake=" + mistake.name for mistake in PLANTED])
def test_every_equation_is_true_as_printed(play, link):
    lines = [line.strip() for line in text_in(attention.__file__).split("\n")]
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
            assert table == "queries" or formulas == [""]  # inputs, or a hidden score
        printed = re.findall(r"\d+(?:\.\d+)?(?:e[+-]\d+)?",
                             "".join(formulas[:1]).replace("\u2212", "-"))
        if table not in ("attention_weights", "powers"):
            for x in map(float, sources):  # the marked cells are in the equation
                assert min(abs(float(number) - abs(x)) for number in printed) <= (
                    0.00006 + abs(x) / 1000)


@in_browser
def test_planted_mistakes(play):
    right = attention.self_attention(**MATRICES)
    read = [SHOWN, "ids('.differs')", "texts('.mark')", "state.pin", "text('planted')",
            "in_sight($(state.pin)) && in_sight($('planted'))"]
    answers = iter(play("causal=on", *sum(
        [["select #mistake " + mistake.name] + read for mistake in PLANTED], [])))
    for mistake in PLANTED:
        shown, differ, marks, pin, what, visible = [next(answers) for script in read]
        wrong = compute(MATRICES, mistake.steps)
        assert_equal(wrong, shown)
        parted = [
            "%s-%d-%d" % (stage, i, j) for stage, a, b in zip(STAGES, right, wrong)
            for i, row in enumerate(a) for j, x in enumerate(row)
            if abs(x - b[i][j]) > 0.00006]
        assert differ == parted and parted[0] == pin and visible
        for stage, mark in zip(STAGES, marks):
            is_wrong = any(id.startswith(stage) for id in parted)
            assert mark[0] == "\u2713\u2717"[is_wrong]
        assert marks[STAGES.index(mistake.stage)] == "\u2717 wrong"
        assert mistake.what in what and mistake.fix in what


# ---- Typing, dragging


@in_browser
def test_typing_moves_every_stage_and_rebuilds_nothing(play):
    for name in MATRICES:
        changed = {key: [row[:] for row in rows] for key, rows in MATRICES.items()}
        changed[name][1][1] = -0.25
        fill = "fill #field-%s-1-1 " % name
        shown, link, *again, same, before = play(
            "version=trainable", "run window.before = all_of('td'); 0",
            fill + "\u2212.25", SHOWN, "location.hash", fill + "-0,25", SHOWN,
            fill + "-25e-2", SHOWN,
            "before.every((td, k) => td === all_of('td')[k] || td.closest('#steps'))",
            "back", "location.hash")
        assert_equal(attention.self_attention(*[changed[key] for key in MATRICES]), shown)
        assert again == [shown, shown] and same
        assert link == "#version=trainable&%s=%s" % (name, written(changed[name]))
        assert before == "#version=trainable"


@in_browser
def test_dragging_an_arrow_changes_the_weight_matrix(play):
    end = """(({x, y, width}) => [x + width / 2, y + width / 2])(
        all_of('.handle')[5].getBoundingClientRect())"""
    x, y = play("version=trainable", end)[0]
    moved, keys, W_key, link, before = play(
        "version=trainable", "mouse %f %f" % (x, y), "mouse down",
        "mouse %f %f" % (x + 9, y), "mouse %f %f" % (x - 40, y + 30), end, "mouse up",
        "now.shown.keys", "state.W_key", "location.hash", "back", "location.hash")
    assert abs(moved[0] - x + 40) < 0.1 and abs(moved[1] - y - 30) < 0.1
    assert first_difference(attention.matmul(INPUTS, W_key), keys, 1e-12) is None
    assert "W_key=" in link and before == "#version=trainable"


@in_browser
def test_temperature_and_training(play):
    shares = "texts('#bars .share')"
    before, after, trained, weights = play(
        "version=trainable", shares, "fill #factor 3", shares, "click [value=trained]",
        SHOWN, "texts('#shares td')")
    scores = attention.self_attention(**MATRICES).scaled_scores[1]
    for factor, printed in ((1, before), (8, after)):
        expected = attention.softmax([factor * score for score in scores])
        assert printed == ["%.2f" % x for x in expected]
    given = json.loads(text_in(os.pardir, "trained.json"))
    for k, changed in ((2, {}), (0, make_data.find_trained()[1])):
        given.update(changed)
        expected = causal_self_attention(*[given[name] for name in MATRICES])
        for x, percent in zip(expected.attention_weights[-1], weights[k::4]):
            assert percent in ("%.0f %%" % (100 * x), "<1 %")
        if not changed:
            assert_equal(expected, trained)


# ---- What can be seen


@in_browser
@parametrize("size", SIZES)
def test_every_cell_that_is_seen_can_be_clicked(play, size):
    # Its middle is in the window and in what scrolls around it: does anything cover it?
    read = """(() => {
        const inside = (x, y) => box => !box.width || x > box.left + 1 &&
            x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1;
        const whole = {left: 0, top: 0, right: innerWidth, bottom: innerHeight, width: 1};
        const seen = all_of('td[data-table]').filter(cell => {
            const {left, top, width, height} = cell.getBoundingClientRect();
            const around = [$('scroller'), cell.closest('.scroll')]
                .map(e => e.getBoundingClientRect()).concat(whole);
            const words = cell.parentElement.firstChild.getBoundingClientRect();
            return words.right < left && around.every(
                inside(left + width / 2, top + height / 2));
        });
        return [seen.length, seen.filter(cell => !in_sight(cell)).map(cell => cell.id),
                document.documentElement.scrollWidth - innerWidth];
    })()"""
    top = "run $('scroller').scrollTo(0, 0)"
    steps = sum([["run location.hash = " + json.dumps(link), SOON, top, read]
                 for link in CASES["states"]], [])
    for link, (count, *rest) in zip(CASES["states"], play("", *steps, size=size)):
        assert count > 4 and rest == [[], 0], link


@in_browser
@parametrize("size", [SIZES[0], SIZES[-1]])
def test_the_walk(play, size):
    station = ["text('station-text')", "text('spoken')", FORMULAS, """[$(state.pin),
        $('station-text'), ...all_of('td.from')].filter(e => !in_sight(e)).length"""]
    read = play("", "click #start-walk", *station + 11 * (["click #next"] + station),
                size=size)
    told = list(zip(*[iter(read)] * len(station)))
    for k, (text, spoken, formulas, unseen) in enumerate(told, 1):
        assert text == spoken
        assert unseen == 0 or (size[0] < 500 and 3 < k < 8), k  # a phone is small
        check_equation(formulas[0])


@in_browser
@parametrize("link", [
    "version=trainable", "words=a,b,c&inputs=1,0,0;1,0,0;0,1,0.5&word=0"])  # two equal
def test_a_hidden_number_stands_nowhere_else(play, link):
    number = "(([table, i, j]) => four(now.shown[table][i][j]))(state.about.split('-'))"
    draw = ["click #another", "text(state.about)", number, "texts('[data-table]')",
            "text('how') + text('tokens') + text('bars') + text('projection')"]
    read = iter(play(link, "select #exercise hidden-number", *10 * draw))
    for shown, x, cells, elsewhere in zip(read, read, read, read):
        assert shown == "?" and x not in cells and x not in elsewhere


# ---- Your own data, links


@in_browser
def test_pasting(play):
    good, refused = CASES["hot 1 2 -3, cold 0.5 0 100"], dict(CASES["refused"])
    refused.update({"1 2 3\n" * 8000: "12", "a" * 200000: "100000"})
    read = iter(play("", "click summary", *sum([
        ["run $('pasted').value = %s" % json.dumps(text), "click #use",
         "[state.tokens, state.inputs]", "text('data-note')", "run change(DEFAULTS)"]
        for text in good + list(refused)], [])))
    for text, state, note in zip(good + list(refused), read, read):
        if text in good:
            assert state == [["hot", "cold"], [[1, 2, -3], [0.5, 0, 100]]], text
        else:
            assert state == [TOKENS, INPUTS], text
            assert refused[text] in note and "Done" not in note, text


@in_browser
@parametrize("version", ["simplified", "trainable"])
def test_what_is_copied_can_be_used(play, version, tmp_path):
    pasted, everything = "$('pasted').value", "select #matrix everything"
    text, code, same, weights, shown = play(
        "mistake=softmax-down-the-columns&version=" + version, "click summary",
        everything, "click #copy-json", pasted, "click #use", "click #copy-python",
        pasted, "run change({inputs: [[1, 1, 1]], tokens: ['a'], word: 0})", "click #use",
        "[state.inputs, state.version]", "select #matrix attention_weights",
        "click #copy-json", pasted, SHOWN)
    assert json.loads(weights) == {"attention_weights": shown["attention_weights"]}
    assert same == [INPUTS, version]
    names = {}
    exec(code, names)
    assert names["context_vectors"] == shown["context_vectors"]
    path = tmp_path / "values.json"
    path.write_text(text)
    command = [sys.executable, "-m", "examples.find_the_mistake", str(path)]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert run.returncode == (version == "trainable")
    assert (b"softmax-down-the-columns" in run.stdout) == (version == "trainable")


@in_browser
def test_a_long_link_and_the_way_in(play):
    link = "version=trainable&word=2"
    way_in = os.path.join(HERE, os.pardir, "attention.html")
    assert play("inputs=" + "1," * 20000, "has('message', 'cannot')") == [True]
    assert play(link, "hover #word-0", "location.hash", file=way_in) == ["#" + link]
