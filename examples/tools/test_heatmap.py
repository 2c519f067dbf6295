"""Which number is where in the heatmap, and in which colour."""

import re
from xml.etree import ElementTree

import pytest

from attention import TOKENS
from examples.conftest import REFERENCE, text_of
from examples.tools import heatmap


def texts(svg):  # row by row and from left to right
    found = [(int(text.get("y")), int(text.get("x")), text.text) for text in
             ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    return [words for y, x, words in sorted(found)]


def luminance(colour):  # nearly that of WCAG 2
    r, g, b = [(x / 255) ** 2.2 for x in colour]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_running_example(capsys):
    heatmap.main()
    svg = capsys.readouterr().out
    assert text_of("attention.svg") == svg, "make attention.svg anew"
    words = texts(svg)
    for name in "simplified", "trainable":
        expected = TOKENS[:]
        stages = REFERENCE["running_example"][name]["stages"]
        for token, weights in zip(TOKENS, stages["attention_weights"]):
            expected += [token] + ["%.4f" % weight for weight in weights]
        start = words.index("Your")
        assert words[start:start + len(expected)] == expected
        words = words[start + len(expected):]


def test_every_number_can_be_read():
    back, ink, blue, dark_back, dark_ink = [
        [int(colour[k:k + 2], 16) for k in (0, 2, 4)]
        for colour in re.findall("#([0-9a-f]{6})", heatmap.STYLE)]
    for paper, letters in (back, ink), (dark_back, dark_ink):
        mixed = [x + heatmap.STRONGEST * (y - x) for x, y in zip(paper, blue)]
        for fill in paper, mixed:
            dark, light = sorted([luminance(fill), luminance(letters)])
            assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2, level AA


def test_two_sequences_and_their_labels():
    svg = heatmap.draw("", [("", ["ich", "\u8336"], ["I", "<b>longword", "am"],
                             [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]])])
    assert texts(svg)[2:] == [
        "I", "<b>longword", "am", "ich", "0.5000", "0.2500", "0.2500",
        "\u8336", "0.1000", "0.8000", "0.1000"]
    cells = [int(x) for x in re.findall('<rect x="([0-9]+)"', svg)]
    assert cells[0] >= 24 and cells[1] - cells[0] >= 88  # eight pixels for a letter
    blue = [float(x) / heatmap.STRONGEST for x in re.findall('opacity="(.*)"', svg)]
    assert blue == pytest.approx([0.625, 0.3125, 0.3125, 0.125, 1.0, 0.125], abs=0.001)
