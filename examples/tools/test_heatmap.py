"""Which number is where in the heatmap, and in which colour."""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from examples.tools import heatmap

EXAMPLES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOKENS = ["Your", "journey", "starts", "with", "one", "step"]
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
    found = [(int(text.get("y")), int(text.get("x")), text.text) for text in
             ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    return [words for y, x, words in sorted(found)]


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
    words = texts(out)
    with open(os.path.join(EXAMPLES, "reference.json")) as file:
        example = json.load(file)["running_example"]
    for name in "simplified", "trainable":
        expected = TOKENS[:]
        for token, weights in zip(TOKENS, example[name]["stages"]["attention_weights"]):
            shares = ["%.4f" % weight for weight in weights]
            expected += [token] + shares
            pairs = ", ".join("%s %s" % pair for pair in zip(TOKENS, shares))
            assert "%s: %s. " % (token, pairs) in root[1].text + " "  # for screen readers
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
        "query_tokens": ["ich", "bin"], "key_tokens": ["I", "am", "<b>\n\ud800"],
        "attention_weights": [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]}))
    assert " ".join(texts(svg)).endswith(
        " I am <b>\\n\\ud800 ich 0.5000 0.2500 0.2500 bin 0.1000 0.8000 0.1000")


@pytest.mark.parametrize("token, label", [
    ("caf\u00e9 \u8336", "caf\u00e9 \u8336"), ("W" * 100000, "W" * 21 + "...")])
def test_labels(token, label):
    source = json.dumps(dict(PAIR, tokens=[token, "b"])).encode()
    status, out, err = run("-", source=source)
    assert (status, err) == (0, "") and len(out) < 5000
    assert texts(out).count(label) == 2  # of its row and its column
    cells = [int(x) for x in re.findall('<rect x="([0-9]+)"', out)[1:]]
    assert cells[0] >= 7.9 * len(label) and cells[1] - cells[0] >= 7.9 * len(label)


@pytest.mark.parametrize("source, complaint", [
    (b"\xff\xfe\xfd", "not JSON"), (b"[" * 100000, "not JSON"),
    (b"null", "expected {"), (b"{}", "expected {"),
    ({"attention_weights": [[1.2, -0.2], [0.5, 0.5]]}, "weights[0] "),
    ({"attention_weights": [[0.5, 0.5], [0.75, 0.5]]}, "weights[1] "),
    ({"attention_weights": [["0.5", 0.5]]}, "weights[0][0] "),
    ({"attention_weights": [[0.5, 0.5]]}, "tokens has length 2, expected 1"),
    ({"attention_weights": [[1 / 65] * 65]}, "1 x 65"),
    ({"key_tokens": ["a"]}, "key_tokens has length 1, expected 2"),
    ({"tokens": "ab"}, "tokens: "), ({"tokens": ["a", 2]}, "tokens: ")])
def test_refused(source, complaint):
    if not isinstance(source, bytes):
        source = json.dumps(dict(PAIR, **source))
    with pytest.raises((TypeError, ValueError), match=re.escape(complaint)):
        heatmap.draw_json(source)


def test_unusable(monkeypatch, capsys):
    for args in ["my.json"], ["\x1b[2J"], ["-"]:
        status, out, err = run(*args)
        place = ascii(args[0]) if args != ["-"] else "standard input"
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("heatmap: %s: " % place)
    monkeypatch.setattr(sys, "argv", ["heatmap", "-"])
    monkeypatch.setattr(sys, "stdin", None)
    assert heatmap.main() == 2
    assert capsys.readouterr() == ("", "heatmap: standard input: it is closed\n")


def test_matrix_of_help():
    assert heatmap.draw_json(re.search("{.*}", heatmap.__doc__).group())
