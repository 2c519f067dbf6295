"""What stands where in the heatmap, and in which colour."""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from examples.tools import heatmap

EXAMPLES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
BOOK = ["0.1385 0.2379 0.2333 0.1240 0.1082 0.1581".split(),
        "0.1500 0.2264 0.2199 0.1311 0.0906 0.1820".split()]
PAIR = {"tokens": ["a", "b"], "attention_weights": [[0.75, 0.25], [0.5, 0.5]]}


def run(*args, source=b""):
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.tools.heatmap"] + list(args),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=os.path.dirname(EXAMPLES))
    out, err = process.communicate(source)
    out, err = [output.decode("ascii").replace("\r\n", "\n") for output in (out, err)]
    return process.returncode, out, err


def texts(svg):  # row by row and from left to right
    found = [(int(text.get("y")), int(text.get("x")), text.text)
             for text in ElementTree.fromstring(svg).iter(SVG + "text")]
    return [words for y, x, words in sorted(found) if words != "query = row"]


def contrast(*colours):  # as WCAG 2 defines it
    found = []
    for colour in colours:
        total = 0.05
        for i, share in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
            x = int(colour[i:i + 2], 16) / 255
            total += share * (
                x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)
        found.append(total)
    return max(found) / min(found)


def test_running_example():
    status, out, err = run()
    assert (status, err) == (0, "")
    with open(os.path.join(EXAMPLES, "attention.svg"), encoding="ascii") as file:
        assert file.read() == out, "make attention.svg anew"
    root = ElementTree.fromstring(out)
    assert int(root.get("width")) <= 472  # on a phone, letters of 11 pixels
    assert root.get("aria-labelledby").split() == [root[0].get("id"), root[1].get("id")]
    for row in BOOK:  # as screen readers have it
        row = ", ".join("%s %s" % pair for pair in zip(TOKENS, row))
        assert " journey: %s. " % row in root[1].text


def test_numbers_stand_in_their_row_and_column():
    words = texts(heatmap.draw_running_example())
    with open(os.path.join(EXAMPLES, "reference.json")) as file:
        example = json.load(file)["running_example"]
    for name, row in zip(["simplified", "trainable"], BOOK):
        expected = TOKENS[:]
        for token, weights in zip(TOKENS, example[name]["stages"]["attention_weights"]):
            expected += [token] + ["%.4f" % weight for weight in weights]
        assert expected[14:20] == row
        start = words.index("Your")
        assert words[start:start + len(expected)] == expected
        words = words[start + len(expected):]


def test_every_number_can_be_read_and_more_is_lighter():
    steps = [contrast("#000000", heatmap.shade(i / 100)) for i in range(101)]
    assert steps == sorted(set(steps)) and steps[-1] > 16
    weights = [[i / 100, 1.0] for i in range(101)]
    cells = re.findall('fill="(#.*)"/>\n<.* fill="(#.*)">(.*)<', heatmap.draw(
        "", [("", [""] * 101, ["", ""], weights)]))
    assert [float(words) for fill, ink, words in cells] == sum(weights, [])
    for fill, ink, words in cells:
        assert fill == heatmap.shade(float(words)) and contrast(fill, ink) >= 4.5


def test_two_sequences():
    svg = heatmap.draw_json(json.dumps({
        "query_tokens": ["ich", "bin"], "key_tokens": ["I", "am", "here"],
        "attention_weights": [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]}))
    assert " ".join(texts(svg)).endswith(
        " I am here ich 0.5000 0.2500 0.2500 bin 0.1000 0.8000 0.1000"
        " attention weight  0 0.8000")  # the legend


@pytest.mark.parametrize("token, label", [
    ("<b> & &amp;", "<b> & &amp;"), ("\"'\n\x00\ud800", "\"'\\n\\x00\\ud800"),
    ("caf\u00e9 \u8336", "caf\u00e9 \u8336"), ("W" * 100000, "W" * 21 + "...")])
def test_labels(token, label):
    source = json.dumps(dict(PAIR, tokens=[token, "b"])).encode()
    status, out, err = run("-", source=source)
    assert (status, err) == (0, "") and len(out) < 5000
    found = [text for text in ElementTree.fromstring(out).iter(SVG + "text")
             if text.text == label]
    assert len(found) == 2  # of its row and its column
    for text in found:
        place = text.get("y" if text.get("transform") else "x")
        assert int(place) >= 7.9 * len(label)  # pixels


@pytest.mark.parametrize("source, complaint", [
    (b"", "not JSON"), (b"\xff\xfe\xfd", "not JSON"), (b"[" * 100000, "not JSON"),
    (b"null", "expected {"), (b"{}", "expected {"),
    ({"attention_weights": [[1.2, -0.2], [0.5, 0.5]]}, "weights[0] is not shares"),
    ({"attention_weights": [[0.5, 0.5], [0.75, 0.5]]}, "weights[1] is not shares"),
    ({"attention_weights": [["0.5", 0.5]]}, "weights[0][0] is of type str"),
    ({"attention_weights": [[0.5, 0.5]]}, "has 1 rows but tokens has 2"),
    ({"attention_weights": [[1 / 65] * 65]}, "1 x 65, expected at most"),
    ({"key_tokens": ["a"]}, "has 2 columns but key_tokens has 1"),
    ({"tokens": "ab"}, "tokens: "), ({"tokens": ["a", 2]}, "tokens: ")])
def test_refused(source, complaint):
    if not isinstance(source, bytes):
        source = json.dumps(dict(PAIR, **source))
    with pytest.raises((TypeError, ValueError), match=re.escape(complaint)):
        heatmap.draw_json(source)


def test_standard_input_that_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["heatmap", "-"])
    monkeypatch.setattr(sys, "stdin", None)
    assert heatmap.main() == 2
    assert capsys.readouterr() == ("", "heatmap: standard input: it is closed\n")


def test_matrix_of_help():
    status, out, err = run("--help")
    assert run("-", source=re.search("{.*}", out).group().encode())[0] == 0


def test_unusable():
    for args in ["my.json"], ["-", "-"], ["\x1b[2J"], ["-"]:
        status, out, err = run(*args)
        place = ascii(" ".join(args)) if args != ["-"] else "standard input"
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("heatmap: %s: " % place)
