"""Draw attention weights as a picture: a heatmap in SVG, which every browser shows.

  python3 -m examples.heatmap > attention.svg         the running example, both versions
  python3 -m examples.heatmap - < my.json > my.svg    your own attention weights

my.json: {"tokens": ["hot", "tea"], "attention_weights": [[0.7, 0.3], [0.4, 0.6]]}.
The tokens name the rows (queries) and the columns (keys). If these come from two
sequences, give "query_tokens" and "key_tokens" instead.
"""

import html
import json
import sys

import attention
from examples.common import complain, run, shown


# From little to much: purple, blue, green, yellow. Lightness rises all the way, so the
# order is plain without telling hues apart, and in print (six colours of the ramp
# called viridis).
RAMP = [(68, 1, 84), (65, 68, 135), (42, 120, 142),
        (34, 168, 132), (122, 209, 81), (253, 231, 37)]

# The picture brings its own background, so that it can be read on any page. The
# background is dark where the browser prefers that.
STYLE = """text { font: 13px Menlo, Consolas, "DejaVu Sans Mono", monospace }
text { white-space: pre } .title { font-weight: bold }
.panel { fill: #ffffff; stroke: #d0d7de } .ink { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
.panel { fill: #0d1117; stroke: #30363d } .ink { fill: #e6edf3 } }"""

# All lengths are in pixels. Grids stand one above the other, so a phone can show them.
CELL_WIDTH, CELL_HEIGHT, LINE, MARGIN = 60, 34, 20, 12
LETTER = 8  # the width of a letter 13 pixels high
LONGEST = 24  # letters of a token that are shown
MOST = 64  # rows and columns: more would be too small to read
LEGEND = "attention weight  0"
AXIS = "key = column. Each row adds up to 1."


# ---- Colours ---------------------------------------------------------------------------


def shade(share):  # from 0 to 1 -> (red, green, blue), each from 0 to 255
    """Return the colour at this place of RAMP, a mixture of its two neighbours.
    >>> shade(0.0), shade(0.5), shade(1.0)
    ((68, 1, 84), (38, 144, 137), (253, 231, 37))
    """
    place = share * (len(RAMP) - 1)
    i = min(int(place), len(RAMP) - 2)
    return tuple(
        int(a + (b - a) * (place - i) + 0.5) for a, b in zip(RAMP[i], RAMP[i + 1]))


def ink_on(colour):
    """Return black or white, whichever has more contrast: never less than 4.58 to 1.

    The contrast of two colours is (lighter + 0.05) / (darker + 0.05), where black is 0,
    white is 1, and others have their relative luminance (WCAG 2). Black and white tie at
    0.1791.
    >>> ink_on((68, 1, 84)), ink_on((253, 231, 37))
    ('#ffffff', '#000000')
    """
    luminance = 0.0
    for channel, share in zip(colour, (0.2126, 0.7152, 0.0722)):
        x = channel / 255
        luminance += share * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)
    return "#000000" if luminance > 0.1791 else "#ffffff"


# ---- Words -----------------------------------------------------------------------------


def label(token):
    """Return the token, cut, with what cannot be seen written as in Python source.

    >>> print(label("two lines\\n"))
    two lines\\n
    """
    words = "".join(c if c.isprintable() else c.encode("unicode_escape").decode()
                    for c in token[:LONGEST + 1])
    return words if len(words) <= LONGEST else words[:LONGEST - 3] + "..."


def room(tokens):
    """Return the width of the widest label. Chinese letters, say, are two wide."""
    widest = 0
    for token in tokens:
        wide = [letter for letter in label(token) if ord(letter) > 0x2e7f]
        widest = max(widest, len(label(token)) + len(wide))
    return LETTER * widest


def text(x, y, words, anchor="middle", more='class="ink"'):
    return '<text x="%d" y="%d" text-anchor="%s" %s>%s</text>\n' % (
        x, y, anchor, more, html.escape(words))


def turned(x, y, words, anchor):  # to be read from the bottom up
    return text(x, y, words, anchor, 'class="ink" transform="rotate(-90 %d %d)"' % (x, y))


# ---- The picture -----------------------------------------------------------------------


def draw_grid(left, top, grid, largest):
    """Return SVG for a grid below top, its cells from left on, and where it ends."""
    title, query_tokens, key_tokens, weights = grid
    svg = text(MARGIN, top + 12, title, "start", 'class="ink title"')
    svg += text(left, top + LINE + 12, AXIS, "start")
    is_turned = room(key_tokens) > CELL_WIDTH - 4  # too wide to stand side by side
    top += 2 * LINE + (room(key_tokens) + 12 if is_turned else LINE)
    svg += turned(MARGIN + 12, top, "query = row", "end")
    for j, key in enumerate(key_tokens):
        x = left + j * CELL_WIDTH + CELL_WIDTH // 2
        svg += turned(x + 4, top - 8, label(key), "start") if is_turned else text(
            x, top - 8, label(key))
    for i, query in enumerate(query_tokens):
        y = top + i * CELL_HEIGHT
        svg += text(left - 8, y + CELL_HEIGHT // 2 + 5, label(query), "end")
        for j, key in enumerate(key_tokens):
            x = left + j * CELL_WIDTH
            colour = shade(weights[i][j] / largest)
            hint = "query %s, key %s" % (label(query), label(key))
            svg += '<rect x="%d" y="%d" width="%d" height="%d" fill="#%02x%02x%02x">' % (
                (x + 1, y + 1, CELL_WIDTH - 2, CELL_HEIGHT - 2) + colour)
            svg += "<title>%s</title></rect>\n" % html.escape(hint)
            svg += text(x + CELL_WIDTH // 2,
                        y + CELL_HEIGHT // 2 + 5,
                        "%.4f" % weights[i][j],
                        more='fill="%s"' % ink_on(colour))
    return svg, top + max(CELL_HEIGHT * len(query_tokens),
                          LETTER * len("query = row")) + LINE


def draw_legend(left, y, largest):
    svg = text(left, y + 13, LEGEND, "start") + '<linearGradient id="ramp">'
    for i, colour in enumerate(RAMP):
        svg += '<stop offset="%d%%" stop-color="#%02x%02x%02x"/>' % ((20 * i,) + colour)
    left += LETTER * len(LEGEND) + 8
    svg += '</linearGradient>\n<rect x="%d" y="%d" width="120" height="16" ' % (left, y)
    svg += 'fill="url(#ramp)"/>\n' + text(left + 128, y + 13, "%.4f" % largest, "start")
    return svg, left + 128 + LETTER * len("0.0000")


def draw(title, grids):
    """Return SVG that shows grids: title, query tokens, key tokens, attention weights.

    The colours of all grids are on one scale, from 0 to the largest attention weight.
    """
    largest, left, width, description = 0.0, 0, 0, ""
    for name, query_tokens, key_tokens, weights in grids:
        left = max(left, MARGIN + LINE + room(query_tokens) + 8)
        description += "%s. Query = row, key = column. " % name
        for query, row in zip(query_tokens, weights):
            largest = max([largest] + row)
            shares = ["%s %.4f" % (label(key), x) for key, x in zip(key_tokens, row)]
            description += "%s: %s. " % (label(query), ", ".join(shares))
    body, bottom = "", MARGIN
    for grid in grids:
        name, query_tokens, key_tokens, weights = grid
        svg, bottom = draw_grid(left, bottom, grid, largest)
        body += svg
        width = max(width, left + CELL_WIDTH * len(key_tokens), left + LETTER * len(AXIS),
                    MARGIN + LETTER * len(name))
    svg, right = draw_legend(MARGIN, bottom, largest)
    body += svg
    size = max(width, right) + MARGIN, bottom + LINE + MARGIN
    head = '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
    head += ' aria-labelledby="title desc"'
    head += ' width="%d" height="%d" viewBox="0 0 %d %d">\n' % (size + size)
    head += '<title id="title">%s</title>\n' % html.escape(title)
    head += '<desc id="desc">%s</desc>\n' % html.escape(description.rstrip())
    head += "<style>\n%s\n</style>\n" % STYLE
    head += '<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" class="panel"/>\n' % (
        size[0] - 1, size[1] - 1)
    return (head + body + "</svg>").encode("ascii", "xmlcharrefreplace").decode()


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


# ---- Your own attention weights --------------------------------------------------------


def draw_json(source):
    """Return the picture of JSON (see the top); an error says what is wrong with it."""
    try:
        given = json.loads(source)
    except RecursionError:
        raise ValueError("this is not JSON: nested too deeply")
    except ValueError as error:
        raise ValueError("this is not JSON: %s" % error)
    if not isinstance(given, dict) or "attention_weights" not in given:
        raise ValueError('expected {"tokens": [...], "attention_weights": [[...], ...]}')
    if "tokens" in given and ("query_tokens" in given or "key_tokens" in given):
        raise ValueError('expected "tokens", or "query_tokens" and "key_tokens", not all')
    [weights] = attention.checked(
        ("attention_weights", given["attention_weights"], "m", "n"))
    for i, row in enumerate(weights):
        total = 0.0
        for j, weight in enumerate(row):
            if weight < 0.0:
                raise ValueError("attention_weights[%d][%d] is %s, expected 0 to 1"
                                 % (i, j, weight))
            total += weight
        if abs(total - 1.0) > 0.05:  # so far, rounding to two decimals may lead
            raise ValueError("attention_weights[%d] adds up to %.4f, expected 1" %
                             (i, total))
    rows, columns = len(weights), len(weights[0])
    if max(rows, columns) > MOST:
        raise ValueError("attention_weights is %d x %d, expected at most %d x %d"
                         % (rows, columns, MOST, MOST))
    rows_from, columns_from = "tokens", "tokens"
    if "query_tokens" in given or "key_tokens" in given:
        rows_from, columns_from = "query_tokens", "key_tokens"
    query_tokens = to_tokens(given, rows_from, rows, "%d rows" % rows)
    key_tokens = to_tokens(given, columns_from, columns, "%d columns" % columns)
    return draw("Attention weights", [
        ("Attention weights", query_tokens, key_tokens, weights)])


def to_tokens(given, name, count, counted):
    tokens = given.get(name)
    if not isinstance(tokens, list) or not all(
            isinstance(token, str) for token in tokens):
        raise TypeError("%s is missing, or not a list of strings" % name)
    if len(tokens) != count:
        raise ValueError("attention_weights has %s but %s has %d" %
                         (counted, name, len(tokens)))
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
        return complain(
            "heatmap: %s: expected nothing, - (read JSON from standard input) or "
            "--help" % shown(" ".join(args)))


if __name__ == "__main__":
    run(main)
