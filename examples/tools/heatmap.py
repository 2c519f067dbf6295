"""Draw attention weights as a heatmap in SVG, which every browser shows.

    python3 -m examples.tools.heatmap > attention.svg        the running example

For your own, call draw("Tea", [("Mine", ["hot", "tea"], ["hot", "tea"], [[0.7, 0.3],
[0.4, 0.6]])]) in Python: it returns the picture as text.
"""

import html

from attention import (
    INPUTS, TOKENS, W_KEY, W_QUERY, W_VALUE, self_attention, simplified_self_attention)
from examples.tools.common import run_lesson

# The more a word gives, the more blue there is; up to STRONGEST, text can be read on it.
# The background is dark where the browser prefers that.
STYLE = """<style>
svg { background: #ffffff } text { fill: #1f2328 } rect { fill: #3b82f6 }
text { font: 13px monospace }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117 } text { fill: #e6edf3 } }
</style>"""
STRONGEST = 0.7

# In pixels. One grid is below the other, so that they fit on a phone.
CELL_HEIGHT, LINE, MARGIN = 34, 20, 12
LETTER = 8  # the width of a letter 13 pixels high
AXES = "query = row, key = column; a row adds up to 1"


def text(x, y, words, anchor="start"):
    return '<text x="%d" y="%d" text-anchor="%s">%s</text>\n' % (
        x, y, anchor, html.escape(words))


def draw_grid(top, grid, largest):
    """Return SVG for a grid that begins at top, and its right and lower ends."""
    title, query_tokens, key_tokens, weights = grid
    left = MARGIN + LETTER * max(map(len, query_tokens)) + 8
    width = 4 + LETTER * max([7] + [len(key) for key in key_tokens])
    middles = [left + j * width + width // 2 for j in range(len(key_tokens))]
    svg = text(MARGIN, top + 12, title) + text(MARGIN, top + LINE + 12, AXES)
    top += 3 * LINE
    for x, key in zip(middles, key_tokens):
        svg += text(x, top - 8, key, "middle")
    for query, row in zip(query_tokens, weights):
        svg += text(left - 8, top + 22, query, "end")
        for x, weight in zip(middles, row):
            svg += '<rect x="%d" y="%d" width="%d" height="%d" opacity="%.3f"/>\n' % (
                x - width // 2 + 1, top + 1, width - 2, CELL_HEIGHT - 2,
                STRONGEST * weight / largest)
            svg += text(x, top + 22, "%.4f" % weight, "middle")
        top += CELL_HEIGHT
    right = max(left + width * len(key_tokens), MARGIN + LETTER * len(AXES))
    return svg, right + MARGIN, top + LINE


def draw(title, grids):
    """Return SVG of grids: each has a title, query tokens, key tokens, attention weights.
    All share one scale of colours, from 0 to the largest attention weight.
    """
    largest = max([max(row) for grid in grids for row in grid[-1]])
    body, right, bottom = "", 0, MARGIN
    for grid in grids:
        svg, end, bottom = draw_grid(bottom, grid, largest)
        body += svg
        right = max(right, end)
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
        'viewBox="0 0 %d %d">\n' % (right, bottom, right, bottom))
    picture += "<title>%s</title>\n<desc>%s</desc>\n" % (html.escape(title), AXES)
    picture += STYLE + body + "</svg>"
    return picture.encode("ascii", "xmlcharrefreplace").decode()


def draw_running_example():
    simplified = simplified_self_attention(INPUTS)
    trainable = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    return draw('Attention weights of "%s"' % " ".join(TOKENS), [
        ("Simplified: inputs compared as they are", TOKENS, TOKENS,
         simplified.attention_weights),
        ("Trainable: queries compared with keys", TOKENS, TOKENS,
         trainable.attention_weights)])


def main():
    print(draw_running_example())


if __name__ == "__main__":
    run_lesson(main, __doc__)
