"""Draw attention weights as a picture: a heatmap in SVG, which every browser shows.

    python3 -m examples.tools.heatmap > attention.svg        the running example

Your own attention weights, or those of two sequences, in Python:

    from examples.tools.heatmap import draw
    print(draw("Tea", [("Our weights", ["hot", "tea"], ["hot", "tea"],
                        [[0.7, 0.3], [0.4, 0.6]])]))
"""

import html

import attention
from examples.tools.common import run_without_arguments

# From little to much: purple, blue, green, yellow (six colours of the ramp "viridis").
# Lightness rises all the way.
RAMP = [(68, 1, 84), (65, 68, 135), (42, 120, 142),
        (34, 168, 132), (122, 209, 81), (253, 231, 37)]
DARK = 0.435  # up to this share, white is readable on the colour, then black

# The background is dark where the browser prefers that.
STYLE = """<style>
text { font: 13px Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
.panel { fill: #ffffff; stroke: #d0d7de } .ink { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
.panel { fill: #0d1117; stroke: #30363d } .ink { fill: #e6edf3 } }
</style>"""

# In pixels. Grids are one above the other, so that they fit on a phone.
CELL_WIDTH, CELL_HEIGHT, LINE, MARGIN = 60, 34, 20, 12
LETTER = 8  # the width of a letter 13 pixels high
LONGEST = 24  # letters of a token
AXES = "query = row, key = column; a row adds up to 1"


def shade(share):  # from 0 to 1 -> "#rrggbb"
    """Return the colour at this place of RAMP, a mixture of its two neighbours.
    >>> shade(0.0), shade(0.5), shade(1.0)
    ('#440154', '#269089', '#fde725')
    """
    place = share * (len(RAMP) - 1)
    i = min(int(place), len(RAMP) - 2)
    return "#%02x%02x%02x" % tuple(
        int(a + (b - a) * (place - i) + 0.5) for a, b in zip(*RAMP[i:i + 2]))


def label(token):
    """Return the token, cut, with what cannot be seen written as in Python source.
    >>> print(label("two lines\\n"))
    two lines\\n
    """
    words = "".join(c if c.isprintable() else c.encode("unicode_escape").decode()
                    for c in token[:LONGEST + 1])
    return words if len(words) <= LONGEST else words[:LONGEST - 3] + "..."


def room(tokens):
    """Return the width of the widest label; Chinese letters are two wide."""
    return LETTER * max(len(words) + len([c for c in words if c > "\u2e7f"])
                        for words in map(label, tokens))


def text(x, y, words, anchor="start", more='class="ink"'):
    return '<text x="%d" y="%d" text-anchor="%s" %s>%s</text>\n' % (
        x, y, anchor, more, html.escape(words))


def rectangle(x, y, width, height, more):
    return '<rect x="%d" y="%d" width="%d" height="%d" %s/>\n' % (
        x, y, width, height, more)


def draw_grid(top, grid, largest):
    """Return SVG for a grid below top, its right end and its lower end."""
    title, query_tokens, key_tokens, weights = grid
    left = MARGIN + room(query_tokens) + 8
    width = max(CELL_WIDTH, room(key_tokens) + 4)
    middles = [left + j * width + width // 2 for j in range(len(key_tokens))]
    svg = text(MARGIN, top + 12, title) + text(MARGIN, top + LINE + 12, AXES)
    top += 3 * LINE
    for x, key in zip(middles, key_tokens):
        svg += text(x, top - 8, label(key), "middle")
    for query, row in zip(query_tokens, weights):
        svg += text(left - 8, top + 22, label(query), "end")
        for x, weight in zip(middles, row):
            share = weight / largest
            ink = 'fill="#ffffff"' if share <= DARK else 'fill="#000000"'
            svg += rectangle(x - width // 2 + 1, top + 1, width - 2, CELL_HEIGHT - 2,
                             'fill="%s"' % shade(share))
            svg += text(x, top + 22, "%.4f" % weight, "middle", ink)
        top += CELL_HEIGHT
    longest = max(len(title), len(AXES))
    return svg, max(left + width * len(key_tokens), MARGIN + LETTER * longest), top + LINE


def checked(grid):
    """Return the grid with its attention weights as floats, or raise what is wrong."""
    title, query_tokens, key_tokens, weights = grid
    weights = attention.to_matrix("attention weights", weights)
    if (len(weights), len(weights[0])) != (len(query_tokens), len(key_tokens)):
        raise ValueError("%d x %d attention weights, but %d query and %d key tokens" % (
            len(weights), len(weights[0]), len(query_tokens), len(key_tokens)))
    for i, row in enumerate(weights):
        total = 0.0
        for weight in row:
            total += weight
        if min(row) < 0.0 or abs(total - 1.0) > 0.05:  # two decimals may be that far off
            raise ValueError("row %d is not shares of 1: smallest %.4f, total %.4f" % (
                i, min(row), total))
    return title, query_tokens, key_tokens, weights


def draw(title, grids):
    """Return SVG that shows grids: title, query tokens, key tokens, attention weights.
    Their colours are on one scale, from 0 to the largest attention weight.
    """
    grids = [checked(grid) for grid in grids]
    largest, description = 0.0, ""
    for name, query_tokens, key_tokens, weights in grids:
        description += "%s. Query = row, key = column. " % name
        for query, row in zip(query_tokens, weights):
            largest = max([largest] + row)
            shares = ["%s %.4f" % (label(key), x) for key, x in zip(key_tokens, row)]
            description += "%s: %s. " % (label(query), ", ".join(shares))
    body, right, bottom = "", 0, MARGIN
    for grid in grids:
        svg, end, bottom = draw_grid(bottom, grid, largest)
        body += svg
        right = max(right, end)
    size = right + MARGIN, bottom
    picture = "".join([
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" '
        'width="%d" height="%d" viewBox="0 0 %d %d">\n' % (size + size),
        '<title id="title">%s</title>\n' % html.escape(title),
        '<desc id="desc">%s</desc>\n' % html.escape(description.rstrip()), STYLE,
        rectangle(1, 1, right + MARGIN - 2, bottom - 2, 'rx="8" class="panel"'),
        body + "</svg>"])
    return picture.encode("ascii", "xmlcharrefreplace").decode()


def draw_running_example():
    tokens = attention.TOKENS
    simplified = attention.simplified_self_attention(attention.INPUTS)
    trainable = attention.self_attention(
        attention.INPUTS, attention.W_QUERY, attention.W_KEY, attention.W_VALUE)
    return draw('Attention weights of "%s"' % " ".join(tokens), [
        ("Simplified: inputs compared as they are", tokens, tokens,
         simplified.attention_weights),
        ("Trainable: queries compared with keys", tokens, tokens,
         trainable.attention_weights)])


def main():
    print(draw_running_example())


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
