"""Draw attention weights as a heatmap in SVG, which every browser shows.

    python3 -m examples.tools.heatmap > attention.svg        the running example

For your own, call draw("Tea", [("Mine", ["hot", "tea"], ["hot", "tea"], [[0.7, 0.3],
[0.4, 0.6]])]) in Python: it returns the picture as text.
"""

import html

from attention import (
    INPUTS, TOKENS, W_KEY, W_QUERY, W_VALUE, self_attention, simplified_self_attention)
from examples.tools.common import run_lesson

# Dark is little, light is much (six colours of the colour map "viridis").
RAMP = [(68, 1, 84), (65, 68, 135), (42, 120, 142),
        (34, 168, 132), (122, 209, 81), (253, 231, 37)]
DARK = 0.435  # up to this share, white text is readable; above it, black text

# The background is dark where the browser prefers that.
STYLE = """<style>
text { font: 13px Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
.panel { fill: #ffffff; stroke: #d0d7de } .ink { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
.panel { fill: #0d1117; stroke: #30363d } .ink { fill: #e6edf3 } }
</style>"""

# In pixels. One grid is below the other, so that they fit on a phone.
CELL_HEIGHT, LINE, MARGIN = 34, 20, 12
LETTER = 8  # the width of a letter 13 pixels high
AXES = "query = row, key = column; a row adds up to 1"


def shade(share):  # from 0 to 1 -> "#rrggbb"
    """Return the colour at this place of RAMP, mixed from its two neighbours.
    >>> shade(0.0), shade(0.5), shade(1.0)
    ('#440154', '#269089', '#fde725')
    """
    place = share * (len(RAMP) - 1)
    i = min(int(place), len(RAMP) - 2)
    mixed = [a + (b - a) * (place - i) for a, b in zip(RAMP[i], RAMP[i + 1])]
    return "#%02x%02x%02x" % tuple(int(x + 0.5) for x in mixed)


def text(x, y, words, anchor="start", more='class="ink"'):
    return '<text x="%d" y="%d" text-anchor="%s" %s>%s</text>\n' % (
        x, y, anchor, more, html.escape(words))


def rectangle(x, y, width, height, more):
    return '<rect x="%d" y="%d" width="%d" height="%d" %s/>\n' % (
        x, y, width, height, more)


def draw_grid(top, grid, largest):
    """Return SVG for a grid that begins at top, and its right and lower ends."""
    title, query_tokens, key_tokens, weights = grid
    left = MARGIN + LETTER * max(map(len, query_tokens)) + 8
    width = 4 + LETTER * max(map(len, ["journey"] + key_tokens))
    middles = [left + j * width + width // 2 for j in range(len(key_tokens))]
    svg = text(MARGIN, top + 12, title) + text(MARGIN, top + LINE + 12, AXES)
    top += 3 * LINE
    for x, key in zip(middles, key_tokens):
        svg += text(x, top - 8, key, "middle")
    for query, row in zip(query_tokens, weights):
        svg += text(left - 8, top + 22, query, "end")
        for x, weight in zip(middles, row):
            share = weight / largest
            ink = 'fill="#ffffff"' if share <= DARK else 'fill="#000000"'
            svg += rectangle(x - width // 2 + 1, top + 1, width - 2, CELL_HEIGHT - 2,
                             'fill="%s"' % shade(share))
            svg += text(x, top + 22, "%.4f" % weight, "middle", ink)
        top += CELL_HEIGHT
    right = max(left + width * len(key_tokens), MARGIN + LETTER * len(AXES))
    return svg, right + MARGIN, top + LINE


def draw(title, grids):
    """Return SVG of grids: each has a title, query tokens, key tokens, attention weights.
    All share one scale of colours, from 0 to the largest attention weight.
    """
    largest, description = 0.0, ""
    for name, query_tokens, key_tokens, weights in grids:
        description += "%s. Query = row, key = column. " % name
        for query, row in zip(query_tokens, weights):
            largest = max([largest] + row)
            shares = ["%s %.4f" % pair for pair in zip(key_tokens, row)]
            description += "%s: %s. " % (query, ", ".join(shares))
    body, right, bottom = "", 0, MARGIN
    for grid in grids:
        svg, end, bottom = draw_grid(bottom, grid, largest)
        body += svg
        right = max(right, end)
    size = (right, bottom)
    picture = "".join([
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" '
        'width="%d" height="%d" viewBox="0 0 %d %d">\n' % (size + size),
        '<title id="title">%s</title>\n' % html.escape(title),
        '<desc id="desc">%s</desc>\n' % html.escape(description.rstrip()), STYLE,
        rectangle(1, 1, right - 2, bottom - 2, 'rx="8" class="panel"'), body + "</svg>"])
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
