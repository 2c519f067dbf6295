"""Tests of attention.html in a real browser; the expected numbers come from elsewhere.

Opening a link needs chromium alone: it writes the page as it stands after its script has run.
Typing, pointing and the keyboard need node and playwright-core, too: `npm install --prefix .ci`,
or the environment variable PLAYWRIGHT_CORE with the folder of that package.
"""

import json, math, os, random, re, shutil, subprocess
from html.parser import HTMLParser

import pytest

import attention
from attention import INPUTS, STAGES, TOKENS, W_KEY, W_QUERY, W_VALUE
from examples import find_the_mistake

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "attention.html")
PORT = os.path.join(HERE, "porting", "attention.js")
CI = os.path.join(HERE, os.pardir, ".ci")
CHROMIUM = (shutil.which("chromium") or shutil.which("chromium-browser")
            or shutil.which("google-chrome"))
NODE = shutil.which("node")
PLAYWRIGHT = os.environ.get("PLAYWRIGHT_CORE", os.path.join(CI, "node_modules", "playwright-core"))

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
needs_node = pytest.mark.skipif(not NODE, reason="needs node")
HAS_DRIVER = bool(CHROMIUM and NODE and os.path.isdir(PLAYWRIGHT))
needs_driver = pytest.mark.skipif(
    not HAS_DRIVER, reason="needs chromium, node and playwright-core (npm install --prefix .ci)")

with open(os.path.join(HERE, "reference.json")) as file:
    REFERENCE = json.load(file)["running_example"]

# S. Raschka, "Build a Large Language Model", chapter 3: what the book prints for "journey"
BOOK = {
    "simplified": {
        "attention_scores": [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        "attention_weights": [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
        "context_vectors": [0.4419, 0.6515, 0.5683]},
    "trainable": {
        "queries": [0.4306, 1.4551],
        "attention_scores": [1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440],
        "attention_weights": [0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820],
        "context_vectors": [0.3061, 0.8210]}}
SIX = [mistake for mistake in find_the_mistake.MISTAKES if mistake.name in (
    "query-and-key-swapped", "keys-times-queries", "multiplied-by-sqrt-d_k",
    "softmax-down-the-columns", "attention-weights-transposed", "keys-blended")]
# In the simplified version these cannot be made, or change nothing.
TRAINABLE_ONLY = ("query-and-key-swapped", "keys-times-queries", "keys-blended")
PLANTED = [(version, mistake) for mistake in SIX for version in BOOK
           if version == "trainable" or mistake.name not in TRAINABLE_ONLY]
PLANTED_IDS = [version + "-" + mistake.name for version, mistake in PLANTED]

# ---- Two ways to look at the page ---------------------------------------------------------------
class Page(HTMLParser):
    """The page's computed cells, texts by id, marks by check, and fields by id."""

    def __init__(self, html):
        HTMLParser.__init__(self)
        self.cells, self.texts, self.marks, self.fields = {}, {}, {}, {}
        self.pressed, self.chosen, self.hidden, self.open = [], [], set(), []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "input":
            self.fields[a.get("id")] = a.get("value")
        if tag in ("input", "meta", "link", "br"):  # these have no end tag
            return
        self.open.append((tag, a))
        if "hidden" in a:
            self.hidden.add(a.get("id"))
        if tag == "td" and "data-stage" in a:
            self.cells[place_of(a)] = {
                "text": "", "right": float(a["data-right"]),
                "shown": float(a.get("data-planted", a["data-right"]))}

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, text):
        check = None
        for tag, a in self.open:
            if "id" in a:
                self.texts[a["id"]] = self.texts.get(a["id"], "") + text
            if tag == "td" and "data-stage" in a:
                self.cells[place_of(a)]["text"] += text
            check = a.get("data-check", check)
            if a.get("class", "").startswith("mark "):
                self.marks.setdefault(check, set()).add(text)
            if a.get("aria-pressed") == "true":
                self.pressed.append(text)
            if a.get("class") == "chosen":
                self.chosen.append(text)

    def rows(self, stage):
        return sorted({row for name, row, column in self.cells if name == stage})

    def matrix(self, stage, what="shown"):
        rows = {}
        for (name, row, column), cell in sorted(self.cells.items()):
            if name == stage:
                rows.setdefault(row, []).append(cell[what])
        return [rows[row] for row in sorted(rows)]

def place_of(attributes):
    return (attributes["data-stage"], int(attributes["data-row"]), int(attributes["data-column"]))

def open_link(link, folder, path=PAGE):
    """Return the Page as chromium shows it for the part after #."""
    run = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--user-data-dir=" + str(folder), "--dump-dom",
         "file://" + path + "#" + link],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 0, run.stderr
    return Page(run.stdout.decode("utf-8"))

def agree(expected, actual, digits=1e-12):
    """Are the matrices equal, but for digits times the largest number?"""
    largest = max(abs(x) for row in expected for x in row)
    return (attention.shape(expected) == attention.shape(actual) and
            all(abs(x - y) <= digits * largest
                for a, b in zip(expected, actual) for x, y in zip(a, b)))

def four(numbers):
    return ["%.4f" % x for x in numbers]

def link_of(**changes):
    """words are joined by commas; a matrix is written row by row."""
    return "&".join(name + "=" + (value if isinstance(value, str) else
                                  ";".join(",".join(map(repr, row)) for row in value))
                    for name, value in changes.items())

@pytest.fixture(scope="module")
def driver():
    process = subprocess.Popen(
        [NODE, os.path.join(CI, "page_test.js"), CHROMIUM, PAGE], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=dict(os.environ, PLAYWRIGHT_CORE=os.path.abspath(PLAYWRIGHT)))
    yield process
    process.stdin.close()
    assert process.wait(30) == 0

@pytest.fixture
def play(driver):
    """A function that plays steps (see .ci/page_test.js) and returns what they read."""
    def play_steps(*steps):
        if steps[0][0] != "open":
            steps = (["open", ""],) + steps
        driver.stdin.write(json.dumps(steps).encode("ascii") + b"\n")
        driver.stdin.flush()
        answer = json.loads(driver.stdout.readline().decode("utf-8"))
        assert answer["errors"] == []
        assert [url for url in answer["requests"] if not url.startswith("file:")] == []
        assert any(url.endswith("porting/attention.js") for url in answer["requests"])
        return answer["read"]
    return play_steps

@pytest.fixture
def look(request, tmp_path):
    """open_link, or the same in the driver's browser, which need not be started every time."""
    if not HAS_DRIVER:
        return lambda link: open_link(link, tmp_path)
    play = request.getfixturevalue("play")
    return lambda link: Page(play(["open", "#" + link],
                                  ["read", "document.documentElement.outerHTML"])[0])

# ---- Links --------------------------------------------------------------------------------------
def exact_link(version):
    """The reference has more digits of the weight matrices than attention.py shows."""
    return link_of(version=version, rows="all", **{
        name: REFERENCE["trainable"][name] for name in ("W_query", "W_key", "W_value")})

@needs_chromium
@pytest.mark.parametrize("version", ["simplified", "trainable"])
def test_the_page_opens_on_journey_as_in_the_book(version, tmp_path):
    page = open_link("" if version == "simplified" else "version=trainable", tmp_path)
    for stage, numbers in BOOK[version].items():
        assert page.matrix(stage, "text") == [four(numbers)], stage
    assert page.pressed == ["journey"] and set(page.chosen) >= {"journey", "1.4950" if
                                                              version == "simplified" else "1.8524"}
    for stage in STAGES:
        one = stage not in ("keys", "values")
        assert page.rows(stage) == ([1] if one else [0, 1, 2, 3, 4, 5]), stage
    assert {"link-message", "planted"} <= page.hidden  # nothing to complain about
    assert ("editor-matrices" in page.hidden) == (version == "simplified")

@needs_chromium
@pytest.mark.parametrize("version", ["simplified", "trainable"])
def test_every_stage_in_full(version, look):
    page = look(exact_link(version))
    for stage in STAGES:
        expected = REFERENCE[version]["stages"][stage]
        assert agree(expected, page.matrix(stage)), stage
        assert page.matrix(stage, "text") == [four(row) for row in expected], stage

@needs_chromium
def test_first_values_are_those_of_attention_py(tmp_path):
    page = open_link("version=trainable", tmp_path)
    for i, token in enumerate(TOKENS):
        assert page.fields["field-tokens-%d-0" % i] == token
    for name, matrix in (("inputs", INPUTS), ("W_query", W_QUERY), ("W_key", W_KEY),
                         ("W_value", W_VALUE)):
        fields = [key for key in page.fields if key and key.startswith("field-%s-" % name)]
        assert len(fields) == len(matrix) * len(matrix[0])
        for i, row in enumerate(matrix):
            for j, x in enumerate(row):
                assert float(page.fields["field-%s-%d-%d" % (name, i, j)]) == x

@needs_chromium
def test_choosing_starts_shows_its_row(tmp_path):
    page = open_link("query=3", tmp_path)
    assert page.pressed == ["starts"]
    for stage in ("queries", "attention_scores", "attention_weights", "context_vectors"):
        assert page.rows(stage) == [2]
        assert page.matrix(stage, "text") == [four(REFERENCE["simplified"]["stages"][stage][2])]
    assert page.texts["attends"] == "\u201cstarts\u201d attends most to \u201cjourney\u201d."

@needs_chromium
@pytest.mark.parametrize("version", ["simplified", "trainable"])
def test_numbers_in_the_link_are_computed_as_in_attention_py(version, tmp_path):
    numbers = random.Random(version)
    def matrix(n, d):
        return [[numbers.gauss(0, 2) for j in range(d)] for i in range(n)]
    inputs, weight_matrices = matrix(4, 2), [matrix(2, 3), matrix(2, 3), matrix(2, 1)]
    page = open_link(link_of(
        version=version, rows="all", words="the,cat,%3Cb%3E%26%2C,sat", query="4", inputs=inputs,
        W_query=weight_matrices[0], W_key=weight_matrices[1], W_value=weight_matrices[2]), tmp_path)
    expected = (attention.simplified_self_attention(inputs) if version == "simplified"
                else attention.self_attention(inputs, *weight_matrices))
    for stage, rows in zip(STAGES, expected):
        assert agree(rows, page.matrix(stage)), stage
    assert page.pressed == ["sat"] and page.fields["field-tokens-2-0"] == "<b>&,"

@needs_chromium
@pytest.mark.parametrize("version, mistake", PLANTED, ids=PLANTED_IDS)
def test_a_planted_mistake_shows_both_numbers_and_marks_the_checks(version, mistake, look):
    page = look(exact_link(version) + "&mistake=" + mistake.name)
    right = REFERENCE[version]["stages"]
    wrong = dict(zip(STAGES, find_the_mistake.run(REFERENCE[version], mistake)))
    for stage in STAGES:
        assert agree(right[stage], page.matrix(stage, "right")), stage
        for i, row in enumerate(wrong[stage]):
            for j, x in enumerate(row):
                cell = page.cells[stage, i, j]
                if abs(x - right[stage][i][j]) > 0.00006:
                    assert abs(cell["shown"] - x) < 1e-12
                    assert cell["text"] == "%.4f right: %.4f" % (x, right[stage][i][j])
                else:
                    assert cell["text"] == "%.4f" % right[stage][i][j]
    for check, stages in attention.CHECKS:
        diverges = attention.first_divergence({stage: right[stage] for stage in stages},
                                              {stage: wrong[stage] for stage in stages})
        assert page.marks[check] == {"\u2717 diverges" if diverges else "\u2713 ok"}, check
    first = attention.first_divergence(right, wrong)
    assert page.texts["divergence"] == (
        "The numbers first part at the %s, row \u201c%s\u201d, column %d: %.4f, expected %.4f."
        % (first.stage.replace("_", " "), TOKENS[first.row], first.column + 1, first.actual,
           first.expected))

def test_the_six_mistakes_are_in_the_catalogue_and_come_from_every_step():
    with open(PAGE, encoding="utf-8") as file:
        table = re.search(r"const MISTAKES = \{(.*?)\n\};", file.read(), re.S).group(1)
    assert re.findall(r'^  "([^"]+)": \{', table, re.M) == [mistake.name for mistake in SIX]
    assert {mistake.step for mistake in SIX} == {"project", "score", "scale", "normalise", "blend"}

BROKEN = [
    ("version=medium", "version is \u201cmedium\u201d, expected one of simplified, trainable"),
    ("query=7", "query is not one of the words 1 to 6"),
    ("query=0", "query is not one of the words 1 to 6"),
    ("query=", "query is not one of the words 1 to 6"),
    ("words=a,b", "2 words but 6 inputs"),
    ("words=a,,c,d,e,f", "A word is missing"),
    ("words=%ZZ", "URI malformed"),
    ("%ZZ", "URI malformed"),
    ("words=a,%E2%80%8D,c,d,e,f", "A word is missing"),
    ("inputs=1,x", "\u201cx\u201d is not a number"),
    ("inputs=1,NaN", "\u201cNaN\u201d is not a number"),
    ("inputs=1,1e999", "1e999 is too large"),
    ("words=a,b&query=1&inputs=1,2,3;4,5", "inputs is ragged: inputs[0] has 3 numbers but "
                                           "inputs[1] has 2"),
    ("W_key=1,2", "inputs is 6 x 3 but W_key is 1 x 2: the first needs as many columns as "
                  "the second has rows"),
    ("words=a&query=1&inputs=1e200,0,0", "overflow: attention_scores[0][0] is Infinity, expected "
                                         "a finite number"),
    ("mistake=typo", "mistake is \u201ctypo\u201d, expected one of none, "),
    ("mistake=keys-blended", "keys-blended needs version=trainable"),
]

@needs_chromium
@pytest.mark.parametrize("link, reason", BROKEN[:1] + BROKEN[-1:])
def test_a_broken_link_gets_a_message_and_the_running_example(link, reason, look):
    page = look(link)
    message = page.texts["link-message"]
    assert message.startswith("This link could not be read: " + reason), message
    assert message.endswith(". The running example is shown.")
    assert "link-message" not in page.hidden
    assert page.matrix("attention_weights", "text") == [
        four(BOOK["simplified"]["attention_weights"])]

@needs_chromium
def test_the_page_alone_says_what_is_missing(tmp_path):
    shutil.copy(PAGE, str(tmp_path / "attention.html"))
    page = open_link("", tmp_path, str(tmp_path / "attention.html"))
    assert page.texts["link-message"].startswith("porting/attention.js is missing")
    assert "link-message" not in page.hidden

def test_page_and_port_name_nothing_on_the_network():
    for path in (PAGE, PORT):
        with open(path, encoding="utf-8") as file:
            addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w{2,}[^\s\"']*", file.read())
        assert set(addresses) <= {"http://www.w3.org/2000/svg"}  # a name: nothing is fetched

# ---- Pointing, typing, pressing keys ------------------------------------------------------------
def read_stage(stage):
    """A step that reads the shown numbers of the stage, row by row, in full."""
    return ["read", "[...document.querySelectorAll('table[data-stage=%s] tbody tr')].map(tr => "
            "[...tr.querySelectorAll('td')].map(td => "
            "Number('planted' in td.dataset ? td.dataset.planted : td.dataset.right)))" % stage]

READ_STAGES = [read_stage(stage) for stage in STAGES]
HASH = ["read", "location.hash"]
HOW = ["read", "[...document.querySelectorAll('#how p')].map(p => p.textContent)"]
FOCUS = ["read", "document.activeElement.id || document.activeElement.textContent"]
FROM = ["read", "[...document.querySelectorAll('.from')].map(cell => cell.id)"]
PRESSED = ["read", "document.querySelector('[aria-pressed=true]').textContent"]

SOON = ["read", "new Promise(setTimeout)"]  # the page hears of a new link a little later

def go_to(link):
    return ["read", "location.hash = '#%s'" % link]

def word(i):
    return "#words li:nth-child(%d) button" % i

def edited(matrix, i, j, x):
    copy = [row[:] for row in matrix]
    copy[i][j] = x
    return copy

@needs_driver
def test_typing_an_input_moves_every_stage(play):
    read = play(["open", "#rows=all"], ["fill", "#field-inputs-1-1", "-0.25"],
                *READ_STAGES + [HASH])
    expected = attention.simplified_self_attention(edited(INPUTS, 1, 1, -0.25))
    for stage, rows, shown in zip(STAGES, expected, read):
        assert agree(rows, shown), stage
    assert read[-1].startswith("#rows=all&inputs=0.43,0.15,0.89;0.55,-0.25,0.66;")
    again = play(["open", read[-1]], *READ_STAGES)
    assert again == read[:-1]  # the link carries it

@needs_driver
@pytest.mark.parametrize("name, position", [("W_query", 1), ("W_key", 2), ("W_value", 3)])
def test_typing_into_a_weight_matrix_moves_every_stage(play, name, position):
    arguments = [INPUTS, W_QUERY, W_KEY, W_VALUE]
    arguments[position] = edited(arguments[position], 2, 1, 1.5)
    read = play(["open", "#version=trainable&rows=all"],
                ["fill", "#field-%s-2-1" % name, "1.5"], *READ_STAGES)
    for stage, rows, shown in zip(STAGES, attention.self_attention(*arguments), read):
        assert agree(rows, shown), stage

BAD_NUMBERS = [
    ("", "A number is missing"), ("abc", "\u201cabc\u201d is not a number"),
    ("0,5", "\u201c0,5\u201d is not a number: write a point, not a comma"),
    ("nan", "\u201cnan\u201d is not a number"),
    ("Infinity", "\u201cInfinity\u201d is not a number"),
    ("0x10", "\u201c0x10\u201d is not a number"), ("1e999", "1e999 is too large"),
    ("1e200", "overflow: attention_scores[1][1] is Infinity, expected a finite number")]

@needs_driver
def test_a_bad_number_is_refused_beside_its_field(play):
    field, context = "#field-inputs-1-1", read_stage("context_vectors")
    beside = ["read", "(field => [field.getAttribute('aria-invalid'), field.value,"
              "(field.closest('tr').nextSibling || {}).textContent])"
              "(document.querySelector('%s'))" % field]
    steps = []
    for text, message in BAD_NUMBERS:
        steps += [["fill", field, "0.5"], context, HASH,
                  ["fill", field, text], context, HASH, beside, ["press", "Escape"], beside,
                  ["fill", field, text], ["fill", field, "0.87"], beside,
                  read_stage("attention_weights")]
    read = play(*steps)
    for (text, message), answers in zip(BAD_NUMBERS, zip(*[read[i::8] for i in range(8)])):
        before, link, after, same_link, bad, escaped, better, weights = answers
        assert before == after and link == same_link, text  # the last good state
        assert bad == ["true", text, message + ". Still 0.5."]
        assert escaped[:2] == ["false", "0.5"] and "Still" not in escaped[2]
        assert better[:2] == ["false", "0.87"] and "Still" not in better[2]
        assert four(weights[0]) == four(BOOK["simplified"]["attention_weights"])

@needs_driver
def test_a_word_can_be_changed_and_is_shown_as_it_is(play):
    read = play(["fill", "#field-tokens-1-0", "<i>trip</i>"], PRESSED, HASH,
                ["read", "[...document.querySelectorAll('table[data-stage=keys] th[scope=row]')]"
                 ".map(th => th.textContent)"],
                ["read", "document.querySelectorAll('i').length"],
                ["fill", "#field-tokens-1-0", " "], PRESSED,
                ["read", "document.getElementById('field-tokens-1-0-message').textContent"])
    assert read[0] == read[4] == read[2][1] == "<i>trip</i>" and read[3] == 0
    assert read[1] == "#words=Your,%3Ci%3Etrip%3C%2Fi%3E,starts,with,one,step"
    assert read[5] == "A word is missing. Still <i>trip</i>."

@needs_driver
def test_a_word_has_no_unseen_controls_and_letters_are_counted_not_units(play):
    field, family = "#field-tokens-1-0", "\U0001f469\u200d\U0001f680"
    read = play(["open", "#words=Your,%E2%80%AEabc%00,starts,with,one,step"], PRESSED, HASH,
                ["fill", field, "a\u202eb\u2066c\u00ad"], PRESSED, HASH,
                ["fill", field, family], PRESSED,
                ["fill", field, 20 * "\U0001f642"], PRESSED,
                ["fill", field, 21 * "\U0001f642"], PRESSED,
                ["read", "document.getElementById('field-tokens-1-0-message').textContent"])
    assert read[0] == "abc" and read[2] == "abc"
    assert "%E2%80%AE" in read[1]  # what a link says is left as it is until something changes
    assert read[3] == "#words=Your,abc,starts,with,one,step"
    assert read[4] == family and read[5] == read[6] == 20 * "\U0001f642"
    assert read[7].startswith("A word has at most 20 letters. Still ")

@needs_driver
def test_column_headings_say_long_words_in_full(play):
    read = play(["open", "#words=Your,journey-without-an-e,starts,with,one,step"],
                ["read", "[...document.querySelectorAll('[data-stage=attention_scores] thead th')]"
                 ".map(th => th.title)"])
    assert read[0][1:] == ["Your", "journey-without-an-e"] + TOKENS[2:]

@needs_driver
def test_pointing_at_a_word_previews_it_and_a_click_keeps_it(play):
    shares = ["read", "[...document.querySelectorAll('.share')].map(s => s.textContent)"]
    read = play(["hover", word(3)], shares, PRESSED, HOW, ["hover", "h1"], shares,
                ["click", word(3)], PRESSED, ["hover", "h1"], shares, HASH,
                read_stage("attention_scores"), HOW, ["click", "#remove-0"], HOW)
    starts = REFERENCE["simplified"]["stages"]
    assert read[0] == read[5] == four(starts["attention_weights"][2])
    assert read[3] == four(BOOK["simplified"]["attention_weights"])
    assert read[1] == "journey" and read[4] == "starts" and read[6] == "#query=3"
    assert read[2][1].startswith("Your 0.1390, journey 0.2369, ")
    assert agree([starts["attention_scores"][2]], read[7])
    for how in read[8:]:  # once more the query itself, also where its row has moved
        assert how[0] == "Attention weights of the query \u201cstarts\u201d"

@needs_driver
def test_the_explanation_leaves_a_word_with_pointer_and_focus(play):
    for here, there in ((["hover", word(3)], ["hover", "h1"]), (["focus", word(3)],
                                                              ["focus", "#reset"])):
        read = play(here, HOW, there, HOW)
        assert read[0][0] == "Attention weights of the query \u201cstarts\u201d"
        assert read[1][0] == "Attention weights of the query \u201cjourney\u201d"
        assert read[1][1].startswith("Your 0.1385, journey 0.2379, ")

@needs_driver
def test_the_lines_follow_the_attention_weights(play):
    read = play(["read", "[...document.querySelectorAll('#lines path')].map("
                 "path => Number(path.getAttribute('stroke-width')))"])
    weights = REFERENCE["simplified"]["stages"]["attention_weights"][1]
    order = sorted(range(6), key=lambda k: weights[k])
    assert order == sorted(range(6), key=lambda k: read[0][k]) and len(set(read[0])) == 6

@needs_driver
@pytest.mark.parametrize("way", ["hover", "click", "tap", "focus"])
def test_a_number_explains_itself(play, way):
    read = play([way, "#attention_scores-1-0"], HOW, FROM,
                [way, "#attention_weights-1-1"], HOW, FROM)
    assert read[0][:2] == ["Attention score of query \u201cjourney\u201d and key \u201cYour\u201d",
                           "0.9544 = 0.55\u00d70.43 + 0.87\u00d70.15 + 0.66\u00d70.89"]
    assert sorted(read[1]) == ["keys-0-0", "keys-0-1", "keys-0-2",
                               "queries-1-0", "queries-1-1", "queries-1-2"]
    assert read[2][1].replace("\xa0", " ").startswith(
        "0.2379 = e^(1.4950 \u2212 1.4950) / (e^(0.9544 \u2212 1.4950) + ")
    assert sorted(read[3]) == ["scaled_scores-1-%d" % k for k in range(6)]

EVERY_FORMULA = ["read", """
    [...document.querySelectorAll('td[data-stage]')].map(td => {
      td.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
      const text = which => (document.querySelector('#how ' + which) || {}).textContent;
      return {id: td.id, formula: text('.formula'), right: text('.right-formula'),
              shown: Number('planted' in td.dataset ? td.dataset.planted : td.dataset.right),
              from: [...document.querySelectorAll('.from')].map(cell => [cell.id, Number(
                cell.querySelector('input') ? cell.querySelector('input').value :
                'planted' in cell.dataset ? cell.dataset.planted : cell.dataset.right)])};
    })"""]

def evaluate(formula):
    """Return left and right side of a formula like "0.2 = e^(1.0 - 2.0) / 3.0" as numbers."""
    left, right = formula.split(" = ")[0], formula.split(" = ")[-1]
    for old, new in (("\xa0", " "), ("\u2212", "-"), ("\u00d7", "*"), ("e^", "exp")):
        left, right = left.replace(old, new), right.replace(old, new)
    assert re.match(r"^[\d.()*/+ \-exp]+$", right), right
    return float(left), eval(right, {"exp": math.exp})

@needs_driver
@pytest.mark.parametrize("version, mistake", [("simplified", None), ("trainable", None)] + PLANTED,
                         ids=["simplified-right", "trainable-right"] + PLANTED_IDS)
def test_every_explanation_is_true(play, version, mistake):
    cells, = play(["open", "#rows=all&version=%s&mistake=%s"
                   % (version, mistake.name if mistake else "none")], EVERY_FORMULA)
    width = 3 if version == "simplified" else 2
    assert len(cells) == 3 * 6 * 6 + 4 * 6 * width
    for cell in cells:
        left, right = evaluate(cell["formula"].replace("planted: ", ""))
        assert abs(left - cell["shown"]) < 0.00005001, cell
        assert abs(left - right) < 0.0005, cell  # its numbers are rounded to four decimals
        assert cell["from"], cell
        for place, x in cell["from"]:  # the marked cells are the ones in the formula
            short = ("%.4f" % x).rstrip("0")
            assert short.replace("-", "\u2212") in cell["formula"], (cell, place)
        if "right" in cell:
            left, right = evaluate(cell["right"].replace("right:   ", ""))
            assert abs(left - right) < 0.0005 and abs(left - cell["shown"]) > 0.00001, cell

@needs_driver
@pytest.mark.parametrize("W_value, width, message", [
    ("1;2;3", 2, "shape 6 x 2, expected 6 x 1."), ("1,2,3;4,5,6;7,8,9", 2, "expected 6 x 3.")])
def test_a_mistake_that_changes_the_shape(play, W_value, width, message):
    read = play(["open", "#version=trainable&rows=all&mistake=keys-blended&W_value=" + W_value],
                EVERY_FORMULA, ["read", "document.getElementById('divergence').textContent"])
    assert len([cell for cell in read[0] if cell["id"].startswith("context")]) == 6 * width
    assert all(cell["formula"] for cell in read[0]) and read[1].endswith(message)

@needs_driver
def test_the_keyboard_alone_is_enough(play):
    read = play(["press", "Tab"], FOCUS, ["press", "Tab"], FOCUS,
                ["press", "Tab"], ["press", "Tab"], FOCUS, ["press", "Enter"], PRESSED, FOCUS,
                ["focus", "input[name=version]"], ["press", "ArrowRight"], HASH,
                ["focus", "#all-rows"], ["press", "Space"], HASH,
                ["focus", "#mistake"], ["press", "ArrowDown"], HASH)
    assert read[0] == "skip" and read[1] == "Your"
    assert read[2] == read[3] == read[4] == "starts"  # Enter keeps it, and the focus stays
    assert read[5] == "#version=trainable&query=3"
    assert read[6] == "#version=trainable&query=3&rows=all"
    assert read[7] == "#version=trainable&query=3&rows=all&mistake=query-and-key-swapped"

@needs_driver
def test_arrow_keys_move_in_a_table_that_is_a_single_tab_stop(play):
    read = play(["open", "#rows=all"], ["focus", "#attention_scores-0-0"],
                ["press", "ArrowRight"], ["press", "ArrowDown"], FOCUS, HOW,
                ["press", "ArrowUp"], ["press", "ArrowUp"], FOCUS,
                ["read", "[...document.querySelectorAll('table[data-stage]')].map("
                 "table => table.querySelectorAll('[tabindex=\"0\"]').length)"],
                ["press", "Tab"], FOCUS, ["press", "Shift+Tab"], FOCUS,
                ["hover", "#keys-0-0"], ["press", "Enter"], HOW)
    assert read[0] == "attention_scores-1-1"
    assert read[1][0] == "Attention score of query \u201cjourney\u201d and key \u201cjourney\u201d"
    assert read[2] == read[5] == "attention_scores-0-1" and read[4] == "scaled_scores-0-0"
    assert read[3] == [1] * 7
    assert read[6][0] == "Attention score of query \u201cYour\u201d and key \u201cjourney\u201d"

@needs_driver
def test_the_focus_stays_when_the_numbers_change(play):
    for place in ("keys-0-0", "field-inputs-2-1", "remove-3"):
        assert play(["focus", "#" + place], go_to("query=3"), SOON, FOCUS)[2] == place

@needs_driver
def test_all_that_can_be_used_can_be_reached_with_tab(play):
    read = play(["open", "#version=trainable"], ["read", """
        [...document.querySelectorAll('button:enabled, input, select, a')].filter(
          e => e.tabIndex < 0 || !e.getClientRects().length).map(e => e.outerHTML)"""],
                ["read", "document.querySelectorAll('button, input, select').length"])
    assert read[0] == [] and read[1] == 6 + 2 + 1 + 1 + 1 + 6 * 5 + 1 + 3 * 6

@needs_driver
def test_arrow_keys_move_between_fields(play):
    read = play(["focus", "#field-inputs-1-1"], ["press", "ArrowDown"], FOCUS,
                ["press", "ArrowUp"], ["press", "ArrowUp"], ["press", "ArrowUp"], FOCUS)
    assert read == ["field-inputs-2-1", "field-inputs-0-1"]

@needs_driver
def test_rows_can_be_added_and_removed(play):
    remove = "[data-remove='%d']"
    read = play(["open", "#rows=all"], ["click", "#add"], FOCUS, *READ_STAGES + [
        ["click", remove % 0], PRESSED, HASH, FOCUS,
        ["click", remove % 0], PRESSED, read_stage("attention_weights")])
    added = attention.simplified_self_attention(INPUTS + [[0.5, 0.5, 0.5]])
    assert read[0] == "field-tokens-6-0"  # ready to be typed
    for stage, rows, shown in zip(STAGES, added, read[1:8]):
        assert agree(rows, shown), stage
    assert read[8] == "journey" and read[9].startswith("#query=1&rows=all&words=journey,")
    assert read[10] == "remove-0"  # the focus stays in the column
    assert read[11] == "starts"  # the query itself was removed: the next word takes its place
    rows = attention.simplified_self_attention(INPUTS[2:] + [[0.5, 0.5, 0.5]]).attention_weights
    assert agree(rows, read[12])

@needs_driver
def test_one_row_stays_and_twelve_are_the_most(play):
    first = ["click", "[data-remove='0']"]
    read = play(first, first, first, first, first,
                ["read", "document.querySelectorAll('.remove:enabled').length"],
                read_stage("context_vectors"), *[["click", "#add"]] * 11 + [
                    ["read", "[document.querySelectorAll('.remove').length,"
                     "document.getElementById('add').disabled]"], HASH])
    assert read[0] == 0 and read[1] == [INPUTS[5]] and read[2] == [12, True]
    assert play(["open", read[3]], ["read", "document.getElementById('link-message').hidden"]) == [
        True]

@needs_driver
def test_planting_turns_to_the_version_where_it_can_be_made(play):
    read = play(["select", "#mistake", "keys-blended"], HASH,
                ["read", "document.querySelector('[name=version]:checked').value"],
                ["focus", "input[name=version]:checked"], ["press", "ArrowLeft"], HASH,
                ["read", "[document.getElementById('mistake').value,"
                 "document.getElementById('planted').hidden]"],
                ["select", "#mistake", "softmax-down-the-columns"], HASH)
    assert read[0] == "#version=trainable&rows=all&mistake=keys-blended" and read[1] == "trainable"
    assert read[2] == "#rows=all" and read[3] == ["none", True]
    assert read[4] == "#rows=all&mistake=softmax-down-the-columns"

@needs_driver
def test_none_undoes_what_planting_switched(play):
    def plant(mistake):
        return ["select", "#mistake", mistake]
    read = play(plant("keys-blended"), plant("softmax-down-the-columns"), HASH,
                plant("none"), HASH,
                plant("keys-blended"), ["click", "#all-rows"], ["click", "#all-rows"],
                plant("none"), HASH,  # the rows were chosen by hand
                ["click", "#all-rows"], plant("multiplied-by-sqrt-d_k"),
                ["focus", "[name=version]:checked"], ["press", "ArrowRight"],
                plant("none"), HASH,  # and now the version
                ["click", "#reset"], plant("softmax-down-the-columns"),
                go_to("version=trainable&rows=all&mistake=keys-blended"), SOON,
                plant("none"), HASH)
    assert read[0] == "#version=trainable&rows=all&mistake=softmax-down-the-columns"
    assert read[1:4] == ["", "#rows=all", "#version=trainable"]
    assert read[-1] == "#version=trainable&rows=all"  # the link did not say what was before

@needs_driver
def test_reset_back_and_a_changed_link(play):
    rows = read_stage("attention_weights")
    read = play(["fill", "#field-inputs-0-0", "2"], ["click", word(3)], rows, ["click", "#reset"],
                rows, HASH, PRESSED,
                ["read", "document.getElementById('field-inputs-0-0').value"],
                ["back"], rows, PRESSED, ["back"], PRESSED,
                go_to("query=6"), SOON, PRESSED,
                go_to("query=99"), SOON, PRESSED,
                ["read", "document.getElementById('link-message').textContent"],
                ["click", word(1)], ["read", "document.getElementById('link-message').hidden"],
                HASH)
    assert read[0] == read[5]  # Back undoes the reset
    assert four(read[1][0]) == four(BOOK["simplified"]["attention_weights"])
    assert read[2:5] == ["", "journey", "0.43"]
    assert read[6] == "starts" and read[7] == "journey" and read[10] == "step"
    assert read[13] == "journey" and read[14].startswith("This link could not be read: query is")
    assert read[15:] == [True, "#query=1"]

@needs_driver
def test_every_broken_link_is_refused(play):
    steps = []
    for link, reason in BROKEN:
        steps += [go_to("query=3"), SOON, PRESSED, go_to(link), SOON, PRESSED,
                  ["read", "document.getElementById('link-message').textContent"]]
    read = play(*steps)
    for (link, reason), answers in zip(BROKEN, zip(*[read[i::7] for i in range(7)])):
        assert (answers[2], answers[5]) == ("starts", "journey"), link
        assert answers[6].startswith("This link could not be read: " + reason), answers

@needs_driver
@pytest.mark.parametrize("link, unknown", [
    ("version=trainable&query=3&utm_source=x", "\u201cutm_source=x\u201d"),
    ("color=red&query=3&starts&version=trainable", "\u201ccolor=red\u201d, \u201cstarts\u201d"),
    ("&version=trainable&&query=3&", ""), ("version%3Dtrainable%26query%3D3", ""),
    ("words%3DYour%2Cjourney%2C%252C%2Cwith%2Cone%2Cstep%26query%3D3%26version%3Dtrainable", "")])
def test_a_link_with_harmless_extras_keeps_the_rest(play, link, unknown):
    read = play(["open", "#" + link], PRESSED, read_stage("attention_weights"),
                ["read", "document.getElementById('link-message').hidden"],
                ["read", "document.getElementById('link-message').textContent"])
    assert read[0] == ("," if "words" in link else "starts")
    assert four(read[1][0]) == four(REFERENCE["trainable"]["stages"]["attention_weights"][2])
    assert read[2] == (not unknown)
    assert read[3] == ("Unknown in this link, and left out: %s." % unknown if unknown else "")

CUT = ["read", "[...document.querySelectorAll('%s')].filter("
       "e => e.scrollWidth > e.clientWidth).map(e => e.id || e.textContent)"]

@needs_driver
@pytest.mark.parametrize("width", [400, 1200])
def test_no_field_cuts_its_number(play, width):
    cut = [CUT[0], CUT[1] % "#editor input"]
    read = play(["open", "#version=trainable", {"width": width}], cut,
                ["fill", "#field-inputs-1-1", "-1.2345678901234567e-30"],
                ["fill", "#field-inputs-1-0", "1e+100"],
                ["fill", "#field-W_key-2-1", "0.12345678901234567"], cut,
                ["read", "document.getElementById('field-inputs-1-1').value"])
    assert read == [[], [], "-1.2345678901234567e-30"]

@needs_driver
@pytest.mark.parametrize("version, mistake", PLANTED, ids=PLANTED_IDS)
def test_two_numbers_in_a_cell_fit_a_phone(play, version, mistake):
    panel = ["read", """(panel => {
        const {top, bottom} = document.querySelector('.here').getBoundingClientRect();
        return [panel.scrollHeight <= panel.clientHeight, top > 0,
                bottom < panel.getBoundingClientRect().top];
      })(document.querySelector('#explanation > div'))"""]
    read = play(["open", "#rows=all&version=%s&mistake=%s" % (version, mistake.name),
                 {"width": 400}], ["setViewportSize", {"width": 400, "height": 800}],
                [CUT[0], CUT[1] % ".stage .scroll"],
                ["read", "void scrollBy(0, 4 + document.getElementById('attention_weights-1-0')"
                 ".getBoundingClientRect().bottom - "
                 "document.getElementById('explanation').getBoundingClientRect().top)"],
                ["tap", "#attention_weights-1-0"], panel, ["tap", "#context_vectors-4-1"], panel)
    assert read == [[], None, [True] * 3, [True] * 3]

@needs_driver
def test_the_panel_is_low_where_there_is_little_room(play):
    high = ["read", "document.getElementById('explanation').offsetHeight"]
    link = "#version=trainable&rows=all&mistake=query-and-key-swapped"
    read = play(["open", link, {"width": 400}], high,
                ["setViewportSize", {"width": 800, "height": 360}], high,
                ["tap", "#attention_weights-1-2"], high)
    assert read[0] <= 60 and read[1] <= 60 and 60 < read[2] <= 82  # a border, and 5rem

@needs_driver
@pytest.mark.parametrize("link", ["", "#version=trainable&rows=all&mistake=multiplied-by-sqrt-d_k",
                                  "#words=an,extraordinarily-long&query=2&inputs=1,2,3;-400,5,6",
                                  "#rows=all&words=1,2,3,4,5,6,7,8,9&inputs=" + ";".join(
                                      9 * ["-1,-2,-3"])])
def test_a_phone_never_scrolls_sideways(play, link):
    read = play(["open", link, {"width": 400}], ["tap", "#context_vectors-1-0"],
                ["read", "document.documentElement.scrollWidth"],
                ["fill", "#field-inputs-0-1", "no number"],
                ["read", "document.documentElement.scrollWidth"])
    assert read == [400, 400]

@needs_driver
def test_a_message_is_not_hidden_behind_the_explanation(play):
    gap = """document.getElementById('explanation').getBoundingClientRect().top -
             document.getElementById('%s').getBoundingClientRect().bottom"""
    read = play(["open", "", {"width": 400}],
                ["read", "scrollBy(0, -(%s))" % gap % "field-inputs-2-2"],
                ["read", gap % "field-inputs-2-2"], ["fill", "#field-inputs-2-2", "0,5"],
                ["read", gap % "field-inputs-2-2-message"])
    assert abs(read[1]) < 1 and read[2] >= 0

@needs_driver
def test_the_sentence_fits_a_phone(play):
    assert play(["open", "", {"width": 400}], ["read", """
        (box => box.scrollWidth <= box.clientWidth)(document.querySelector('#sentence .scroll'))"""
                                               ]) == [True]

@needs_driver
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("link, steps", [
    ("", [["hover", "#context_vectors-1-0"]]),
    ("#version=trainable&rows=all&mistake=multiplied-by-sqrt-d_k",
     [["hover", "#attention_weights-1-2"]]),
    ("#words=a,b&query=1&inputs=20,0,0;0,20,0&rows=all", [["fill", "#field-inputs-1-1", "x"]]),
    ("#inputs=x", [])])
def test_every_text_has_enough_contrast(play, dark, link, steps):
    smallest, = play(["open", link, {"dark": dark}], *steps + [["contrast"]])
    assert smallest["ratio"] >= 4.5, smallest  # WCAG 2, level AA

# ---- The port beyond the porting protocol -------------------------------------------------------
@needs_node
def test_the_port_has_the_small_functions_too():
    record = attention.simplified_self_attention(INPUTS[:2])._asdict()
    wrong = dict(record, scaled_scores=[[0.9995, 0.9544], [0.9544, 1.0]])
    calls = [("dot", [1.5, 2.0], [0.1, 0.3]), ("dot", [1.0], [1.0, 2.0]),
             ("sqrt", 2.0), ("sqrt", -1), ("sqrt", 1e300),
             ("transpose", [[1.0, 2.0], [3.0]]), ("transpose", []),
             ("matmul", [[1.0, 2.0]], [[3.0], [4.0]]), ("matmul", [[1.0, 2.0]], [[3.0]]),
             ("softmax", [0.0, 0.0]), ("softmax", []), ("to_matrix", "m", [[1, True]]),
             ("to_matrix", "m", [[1.0, None]]), ("to_matrix", "m", [["1"]]), ("to_matrix", "m", {}),
             ("first_divergence", record, record), ("first_divergence", record, wrong),
             ("first_divergence", record, {"keys": [[1.0]]}), ("first_divergence", record, {}),
             ("first_divergence", record, {"key": [[1.0]]})]
    script = """
        const attention = require(process.argv[1]);
        const calls = JSON.parse(process.argv[2]);
        console.log(JSON.stringify(calls.map(([name, ...given]) => {
          try { return attention[name](...given); } catch (error) { return error.message; }
        })));"""
    run = subprocess.run([NODE, "-e", script, PORT, json.dumps(calls)], stdout=subprocess.PIPE)
    answers = json.loads(run.stdout.decode("utf-8"))
    assert len(answers) == len(calls)
    for call, answer in zip(calls, answers):
        try:
            expected = getattr(attention, call[0])(*call[1:])
            if isinstance(expected, attention.Divergence):
                expected = dict(expected._asdict())
        except (TypeError, ValueError) as error:
            expected = re.sub("'(.*)'", r"\1", str(error))
            for python, javascript in (("NoneType", "null"), ("type str", "type string"),
                                       ("type dict", "type object")):
                expected = expected.replace(python, javascript)
        assert answer == expected, call
