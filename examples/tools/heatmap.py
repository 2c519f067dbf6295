"""Draw attention weights as a picture: a heatmap in SVG, which every browser shows.

  python3 -m examples.tools.heatmap > attention.svg        the running example, both
  python3 -m examples.tools.heatmap - < my.json > my.svg   your own attention weights

my.json: {"tokens": ["hot", "tea"], "attention_weights": [[0.7, 0.3], [0.4, 0.6]]}.
The tokens name the rows (queries) and the columns (keys); for two sequences, give
"query_tokens" and "key_tokens".
"""

import html
import json
import sys

import attention
from examples.tools.common import complain, run, shown


# From little to much: purple, blue, green, yellow (six colours of the ramp "viridis").
# Lightness rises all the way.
RAMP = [(68, 1, 84), (65, 68, 135), (42, 120, 142),
        (34, 168, 132), (122, 209, 81), (253, 231, 37)]
DARK = 0.435  # up to this share, white is readable on the colour, then black

# The background is dark where the browser prefers that.
STYLE = """text { font: 13px Menlo, Consolas, "DejaVu Sans Mono", monospace }
text { white-space: pre } .title { font-weight: bold }
.panel { fill: #ffffff; stroke: #d0d7de } .ink { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
.panel { fill: #0d1117; stroke: #30363d } .ink { fill: #e6edf3 } }"""

# In pixels. Grids stand one above the other, so a phone can show them.
CELL_WIDTH, CELL_HEIGHT, LINE, MARGIN = 60, 34, 20, 12
LETTER = 8  # the width of a letter 13 pixels high
LONGEST = 24  # letters of a token
MOST = 64  # rows and columns: more would be too small to read
LEGEND = "attention weight  0"
AXIS = "key = column. Each row adds up to 1."


# ---- Colours and words


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
    widest = 0
    for words in map(label, tokens):
        wide = [letter for letter in words if ord(letter) > 0x2e7f]
        widest = max(widest, len(words) + len(wide))
    return LETTER * widest


def text(x, y, words, anchor="start", more='class="ink"'):
    return '<text x="%d" y="%d" text-anchor="%s" %s>%s</text>\n' % (
        x, y, anchor, more, html.escape(words))


def turned(x, y, words, anchor="start"):  # to be read from the bottom up
    return text(x, y, words, anchor, 'class="ink" transform="rotate(-90 %d %d)"' % (x, y))


# ---- The picture


def draw_grid(left, top, grid, largest):
    """Return SVG for a grid below top, with cells from left on, and its end."""
    title, query_tokens, key_tokens, weights = grid
    svg = text(MARGIN, top + 12, title, more='class="ink title"')
    svg += text(left, top + LINE + 12, AXIS)
    is_turned = room(key_tokens) > CELL_WIDTH - 4  # too wide to stand side by side
    top += 2 * LINE + (room(key_tokens) + 12 if is_turned else LINE)
    svg += turned(MARGIN + 12, top, "query = row", "end")
    middles = [left + j * CELL_WIDTH + CELL_WIDTH // 2 for j in range(len(key_tokens))]
    for x, key in zip(middles, key_tokens):
        svg += turned(x + 4, top - 8, label(key)) if is_turned else text(
            x, top - 8, label(key), "middle")
    for i, query in enumerate(query_tokens):
        y = top + i * CELL_HEIGHT + CELL_HEIGHT // 2
        svg += text(left - 8, y + 5, label(query), "end")
        for x, weight in zip(middles, weights[i]):
            share = weight / largest
            svg += '<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>\n' % (
                x - CELL_WIDTH // 2 + 1, y - CELL_HEIGHT // 2 + 1, CELL_WIDTH - 2,
                CELL_HEIGHT - 2, shade(share))
            ink = 'fill="#ffffff"' if share <= DARK else 'fill="#000000"'
            svg += text(x, y + 5, "%.4f" % weight, "middle", ink)
    height = max(CELL_HEIGHT * len(query_tokens), LETTER * len("query = row"))
    return svg, top + height + LINE


def draw_legend(top, largest):
    left = MARGIN + LETTER * len(LEGEND) + 8
    svg = text(MARGIN, top + 13, LEGEND) + '<linearGradient id="ramp">'
    for i in range(len(RAMP)):
        svg += '<stop offset="%d%%" stop-color="%s"/>' % (20 * i, shade(i / 5))
    svg += '</linearGradient>\n<rect x="%d" y="%d" width="120" height="16" ' % (left, top)
    svg += 'fill="url(#ramp)"/>\n' + text(left + 128, top + 13, "%.4f" % largest)
    return svg, left + 128 + LETTER * len("0.0000")


def draw(title, grids):
    """Return SVG that shows grids: title, query tokens, key tokens, attention weights.
    Their colours are on one scale, from 0 to the largest attention weight.
    """
    largest, left, description = 0.0, 0, ""
    for name, query_tokens, key_tokens, weights in grids:
        left = max(left, MARGIN + LINE + room(query_tokens) + 8)
        description += "%s. Query = row, key = column. " % name
        for query, row in zip(query_tokens, weights):
            largest = max([largest] + row)
            shares = ["%s %.4f" % (label(key), x) for key, x in zip(key_tokens, row)]
            description += "%s: %s. " % (label(query), ", ".join(shares))
    body, top, right = "", MARGIN, 0
    for grid in grids:
        name, query_tokens, key_tokens, weights = grid
        svg, top = draw_grid(left, top, grid, largest)
        body += svg
        right = max(right, left + CELL_WIDTH * len(key_tokens),
                    left + LETTER * len(AXIS), MARGIN + LETTER * len(name))
    svg, end = draw_legend(top, largest)
    width, height = max(right, end) + MARGIN, top + LINE + MARGIN
    picture = "".join([
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        'aria-labelledby="title desc" width="%d" height="%d" viewBox="0 0 %d %d">\n' % (
            width, height, width, height),
        '<title id="title">%s</title>\n' % html.escape(title),
        '<desc id="desc">%s</desc>\n' % html.escape(description.rstrip()),
        "<style>\n%s\n</style>\n" % STYLE,
        '<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" class="panel"/>\n' % (
            width - 1, height - 1),
        body + svg + "</svg>"])
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


# ---- Your own attention weights


def draw_json(source):
    """Return the picture of JSON (see the top), or raise what is wrong with it."""
    try:
        given = json.loads(source)
    except (RecursionError, ValueError) as error:
        raise ValueError("this is not JSON: %s" % error)
    if not isinstance(given, dict) or "attention_weights" not in given:
        raise ValueError('expected {"tokens": [...], "attention_weights": [[...], ...]}')
    weights = attention.to_matrix("attention_weights", given["attention_weights"])
    if max(len(weights), len(weights[0])) > MOST:
        raise ValueError("attention_weights is %d x %d, expected at most %d x %d" % (
            len(weights), len(weights[0]), MOST, MOST))
    for i, row in enumerate(weights):
        total = 0.0
        for weight in row:
            total += weight
        if min(row) < 0.0 or abs(total - 1.0) > 0.05:  # two decimals may be that far off
            raise ValueError("attention_weights[%d] is not shares of 1: smallest %.4f, "
                             "total %.4f" % (i, min(row), total))
    return draw("Attention weights", [(
        "Attention weights", to_tokens(given, "query_tokens", len(weights), "rows"),
        to_tokens(given, "key_tokens", len(weights[0]), "columns"), weights)])


def to_tokens(given, name, count, counted):
    name = name if name in given else "tokens"
    tokens = given.get(name)
    if not isinstance(tokens, list) or not all(isinstance(x, str) for x in tokens):
        raise TypeError("%s: expected a list of strings" % name)
    if len(tokens) != count:
        raise ValueError("attention_weights has %d %s but %s has %d" % (
            count, counted, name, len(tokens)))
    return tokens


def main():
    args = sys.argv[1:]
    if args == ["--help"]:
        print(__doc__.strip())
    elif args == []:
        print(draw_running_example())
    elif args == ["-"]:
        try:
            if sys.stdin is None:
                raise ValueError("it is closed")
            print(draw_json(sys.stdin.buffer.read()))
        except (TypeError, ValueError) as error:
            return complain("heatmap: standard input: %s" % error)
    else:
        return complain("heatmap: %s: expected nothing, - (read JSON) or --help" % (
            shown(" ".join(args))))


if __name__ == "__main__":
    run(main)
