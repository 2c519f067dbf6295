"""Tests of the heatmap, which look at the picture: what stands where, in which colour."""

import doctest
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from examples import heatmap

EXAMPLES = os.path.dirname(os.path.abspath(__file__))
SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
BOOK = {"Simplified": ["0.1385", "0.2379", "0.2333", "0.1240", "0.1082", "0.1581"],
        "Trainable": ["0.1500", "0.2264", "0.2199", "0.1311", "0.0906", "0.1820"]}
PAIR = {"tokens": ["a", "b"], "attention_weights": [[0.75, 0.25], [0.5, 0.5]]}


def run(*args, **options):
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.heatmap"] + list(args), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=os.path.dirname(EXAMPLES))
    out, err = process.communicate(options.get("stdin", b""))
    out, err = [output.decode("ascii").replace("\r\n", "\n") for output in (out, err)]
    return process.returncode, out, err


def run_json(given):
    return run("-", stdin=json.dumps(given).encode())


def texts(svg):
    """Return (x, y, words) of every text, row by row and from left to right."""
    found = [(int(text.get("x")), int(text.get("y")), text.text)
             for text in ElementTree.fromstring(svg).iter(SVG + "text")]
    return sorted(found, key=lambda text: (text[1], text[0]))


def cells(svg):
    """Return [(words, fill of the words, fill of the cell)], row by row."""
    root = list(ElementTree.fromstring(svg))
    return [(text.text, text.get("fill"), rect.get("fill"))
            for rect, text in zip(root, root[1:])
            if text.tag == SVG + "text" and text.get("fill")]


def luminance(colour):  # as WCAG 2 defines it
    total = 0.0
    for i, share in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        x = int(colour[i:i + 2], 16) / 255
        total += share * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)
    return total


def contrast(a, b):
    darker, lighter = sorted([luminance(a), luminance(b)])
    return (lighter + 0.05) / (darker + 0.05)


def test_doctests():
    assert doctest.testmod(heatmap).failed == 0


# ---- The running example ---------------------------------------------------------------


def test_committed_picture_is_up_to_date():
    status, out, err = run()
    assert (status, err) == (0, "")
    with open(os.path.join(EXAMPLES, "attention.svg"), encoding="ascii") as file:
        assert file.read() == out, "python3 -m examples.heatmap > examples/attention.svg"


def test_picture_tells_screen_readers_what_it_shows():
    root = ElementTree.fromstring(heatmap.draw_running_example())
    assert root.tag == SVG + "svg" and root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [root[0].get("id"), root[1].get("id")]
    assert root[0].tag == SVG + "title"
    assert root[0].text == 'Attention weights of "Your journey starts with one step"'
    assert root[1].tag == SVG + "desc"
    for title, row in BOOK.items():
        grid = root[1].text[root[1].text.index(title):]
        row = ", ".join("%s %s" % pair for pair in zip(TOKENS, row))
        assert grid.index("journey: %s. " % row) < grid.index("starts: ")


def test_numbers_stand_in_the_row_of_their_query_and_the_column_of_their_key():
    found = texts(heatmap.draw_running_example())
    with open(os.path.join(EXAMPLES, "reference.json")) as file:
        example = json.load(file)["running_example"]
    tops = [y for x, y, words in found if words.startswith(tuple(BOOK))] + [9999]
    for k, title in enumerate(BOOK):
        grid = [(x, y, words) for x, y, words in found if tops[k] <= y < tops[k + 1]]
        labels = [(x, y, words) for x, y, words in grid if words in TOKENS]
        columns, rows = labels[:6], labels[6:]
        assert [words for x, y, words in columns + rows] == TOKENS + TOKENS
        numbers = {(x, y): words for x, y, words in grid}
        weights = example[title.lower()]["stages"]["attention_weights"]
        for (left, y, query), row in zip(rows, weights):
            assert [numbers[x, y]
                    for x, above, key in columns] == ["%.4f" % x for x in row]
        assert [numbers[x, rows[1][1]] for x, above, key in columns] == BOOK[title]


def test_it_can_be_read_on_a_phone():
    width = int(ElementTree.fromstring(heatmap.draw_running_example()).get("width"))
    assert 13 * min(1, 400 / width) >= 11  # the height of a letter, in pixels


# ---- Colours ---------------------------------------------------------------------------


def test_numbers_are_readable_on_every_colour():
    for i in range(1001):
        colour = heatmap.shade(i / 1000)
        ink = heatmap.ink_on(colour)
        assert ink in ("#000000", "#ffffff")
        assert contrast(ink, "#%02x%02x%02x" % colour) >= 4.5


def test_lightness_rises_all_the_way():
    shades = [luminance("#%02x%02x%02x" % heatmap.shade(i / 100)) for i in range(101)]
    assert shades == sorted(set(shades))
    assert shades[0] < 0.03 and shades[-1] > 0.7


def test_cells_have_the_colour_of_their_weight_and_readable_ink():
    found = cells(heatmap.draw_running_example())
    assert len(found) == 72
    assert all(contrast(ink, fill) >= 4.5 for number, ink, fill in found)
    found.sort()  # by number: more attention is never darker, across both grids
    shades = [luminance(fill) for number, ink, fill in found]
    assert shades == sorted(shades)
    assert found[-1] == ("0.2379", "#000000", "#fde725")


@pytest.mark.parametrize("panel, ink", [("#ffffff", "#1f2328"), ("#0d1117", "#e6edf3")])
def test_labels_are_readable_on_both_backgrounds(panel, ink):
    assert ".panel { fill: %s" % panel in heatmap.STYLE
    assert ".ink { fill: %s }" % ink in heatmap.STYLE
    assert contrast(panel, ink) >= 4.5


# ---- Your own matrix -------------------------------------------------------------------


def test_own_matrix():
    status, out, err = run_json(PAIR)
    assert (status, err) == (0, "")
    numbers, inks, fills = zip(*cells(out))
    assert numbers == ("0.7500", "0.2500", "0.5000", "0.5000")
    assert fills[0] == "#fde725" and fills[2] == fills[3]
    assert luminance(fills[0]) > luminance(fills[2]) > luminance(fills[1])


def test_two_sequences():
    status, out, err = run_json({
        "query_tokens": ["ich", "bin"], "key_tokens": ["I", "am", "here"],
        "attention_weights": [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]})
    assert (status, err) == (0, "")
    words = [words for x, y, words in texts(out) if words != "query = row"]
    assert words == ["Attention weights", heatmap.AXIS, "I", "am", "here",
                     "ich", "0.5000", "0.2500", "0.2500",
                     "bin", "0.1000", "0.8000", "0.1000",
                     "attention weight  0", "0.8000"]


def test_labels_are_escaped():
    odd = ["<b> & &amp;", "\"'\n\x00\ud800\ufffe", "caf\u00e9 \u8336"]
    status, out, err = run_json(
        {"tokens": odd, "attention_weights": [[0.5, 0.25, 0.25]] * 3})
    assert (status, err) == (0, "")
    words = [words for x, y, words in texts(out)]
    for shown in ["<b> & &amp;", "\"'\\n\\x00\\ud800\\ufffe", "caf\u00e9 \u8336"]:
        assert words.count(shown) == 2  # in its row and in its column


def test_long_labels_are_cut_and_given_room():
    long = "W" * 100000
    status, out, err = run_json(
        {"tokens": [long, "b"], "attention_weights": [[0.5, 0.5]] * 2})
    assert (status, err) == (0, "")
    assert [words for x, y, words in texts(out)].count("W" * 21 + "...") == 2
    assert len(out) < 5000  # nor do hidden texts repeat it
    root = ElementTree.fromstring(out)
    for text in root.iter(SVG + "text"):  # 7.9 pixels a letter, 13 pixels high
        x, y, length = int(text.get("x")), int(text.get("y")), 7.9 * len(text.text)
        if text.get("transform"):
            begin = y if text.get("text-anchor") == "start" else y + length
            assert 0 <= begin - length and begin <= int(root.get("height"))
        else:
            begin = {"start": x, "middle": x - length / 2, "end": x - length}
            begin = begin[text.get("text-anchor")]
            assert 0 <= begin and begin + length <= int(root.get("width"))


@pytest.mark.parametrize("change, complaint", [
    ({"attention_weights": [[1.2, -0.2], [0.5, 0.5]]},
     "attention_weights[0][1] is -0.2, expected 0 to 1"),
    ({"attention_weights": [[0.75, 0.5], [0.25, 0.5]]},
     "attention_weights[0] adds up to 1.2500, expected 1"),
    ({"attention_weights": [[0.5, float("nan")], [0.5, 0.5]]},
     "attention_weights[0][1] is nan, expected a finite number"),
    ({"attention_weights": [[0.5, 0.5]]},
     "attention_weights has 1 rows but tokens has 2"),
    ({"attention_weights": [[1.0], [1.0]]},
     "attention_weights has 1 columns but tokens has 2"),
    ({"tokens": "ab"}, "tokens is missing, or not a list of strings"),
    ({"query_tokens": ["a", "b"]},
     'expected "tokens", or "query_tokens" and "key_tokens", not all'),
    ({"tokens": ["a", 2]}, "tokens is missing, or not a list of strings"),
    ({"attention_weights": [[1 / 65] * 65]},
     "attention_weights is 1 x 65, expected at most "
     "64 x 64"),
])
def test_bad_matrices_are_refused(change, complaint):
    answer = run_json(dict(PAIR, **change))
    assert answer == (2, "", "heatmap: standard input: %s\n" % complaint)


@pytest.mark.parametrize("source", [b"", b"{", b"\xff\xfe\xfd", b"[" * 100000])
def test_what_is_not_json_is_refused(source):
    status, out, err = run("-", stdin=source)
    assert (status, out) == (2, "")
    assert err.startswith("heatmap: standard input: this is not JSON: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("given", [[], None, {}, {"tokens": ["a"]}])
def test_other_json_is_refused(given):
    status, out, err = run_json(given)
    assert (status, out) == (2, "")
    assert err.startswith('heatmap: standard input: expected {"tokens": [...], ')


def test_without_tokens_both_kinds_are_needed():
    status, out, err = run_json({"query_tokens": ["a"], "attention_weights": [[1.0]]})
    assert (status, out) == (2, "")
    assert "key_tokens is missing, or not a list of strings" in err


# ---- The command line ------------------------------------------------------------------


def test_help_shows_a_matrix_that_works():
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    assert run("-", stdin=out[out.index("{"):out.index("}") + 1].encode())[0] == 0


@pytest.mark.parametrize("args", [["my.json"], ["-", "-"], ["\x1b[2J"]])
def test_unknown_arguments(args):
    status, out, err = run(*args)
    assert (status, out) == (2, "")
    assert err.startswith("heatmap: %s: expected" % ascii(" ".join(args)))
