"""Read what was printed: JSON, Python, torch, NumPy, pandas, MATLAB, Julia, R, tables.

A name belongs to the numbers after it, which are in brackets, or in lines without any.
"""

import json
import os
import re
from collections import namedtuple
from difflib import get_close_matches

from examples.find_the_mistake.rounding import print_of
from examples.tools.common import shown

OPTIONS = ("simplified", "causal", "heads", "query")
PARTS = ("inputs", "targets", "sources", "W_query", "W_key", "W_value")
with open(os.path.join(os.path.dirname(__file__), "names.json")) as file:
    NAMES = {alias: name for name, aliases in json.load(file).items()
             for alias in aliases + [name.lower()]}
CUT = ("numbers are left out here. To print all: torch.set_printoptions(profile='full'), "
       "numpy.set_printoptions(threshold=10**9), or .tolist()")

# rows: a matrix, or what an option was set to
Block = namedtuple("Block", ["rows", "print", "note"])
Token = namedtuple("Token", ["kind", "text", "place"])

NOISE = re.compile(r"""
    ^[ \t]*(In|Out)[ \t]*\[\d*\]:? | ^.*\bSize\(\[.*\]\) | \#.*
    | ^[ \t|:+-]+$ | \d+[ ]?[\u00d7x][ ]?\d+[ ].*:[ \t]*$ | \[\d*,[ ]?\d*\](?=[ \t\n])
    | \bnumpy[ ]*= | <tf\.\w+: | \bParameter[ ]containing: | ^.*\b[Ss]ums?[ ]*[:=].*
    | (?<!\w)\([^\W\d][^\d()[\]=]*\d*\) | \(?\b[Ss]hape:?[ ]\([\d, ]+\)+
    | ^[ \t]*(?i:row|word|query)[ ]\d+: | \b(?i:word|query)[ ]\d+[ ]*(?=[:(])
    | \b(dtype|grad_fn|device|requires_grad|shape|size)[ ]*=[ ]*
      (<[^>]*>|'[^']*'|\([^)]*\)|[\w.]+)""", re.VERBOSE | re.MULTILINE)
TOKEN = re.compile(r"""
    (?P<cut>\.\.\.|[\u2026\u22ee\u22ef\u22f1])
    | (?P<number>[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|infinity|inf|nan)(?![\w.]))
    | (?P<word>[^\W\d][\w.]*) | (?P<open>[\[(]|{(?=\s*[-+.\d{])) | (?P<close>[\])}])
    | (?P<sign>[=:]) | (?P<line>\n) | (?P<none>[\s,;{"'|]) | (?P<other>[^\s,;"'\])}]+)
    """, re.VERBOSE | re.IGNORECASE)


def fail(text, place, problem):
    before = text[:place]
    raise ValueError("line %d, column %d: %s" % (
        before.count("\n") + 1, place - before.rfind("\n"), problem))


def to_tokens(text):
    lines = [with_points(line) for line in text.replace("\r\n", "\n").split("\n")]
    text = NOISE.sub(lambda noise: " " * len(noise.group()), "\n".join(lines)) + "\n"
    text = re.sub(r"\b(None|null)\b", "nan ", text)
    text = re.sub(r"\[([^][]*;[^][]*)\]",  # [1 2; 3 4]
                  lambda rows: "[[%s]]" % rows.group(1).replace(";", "]["), text)
    tokens = [Token(match.lastgroup, match.group(), match.start())
              for match in TOKEN.finditer(text)]
    return text, [token for token in tokens if token.kind != "none"]


def with_points(line):
    """Return the line with decimal points, if its commas can be nothing else."""
    cells = re.split("[ \t;|]+", line.strip())
    is_table = len(cells) > 1 and all(
        re.match(r"([-+]?\d+(,\d+)?|[^\W\d]\w*|)$", cell) for cell in cells)
    return line.replace(",", ".") if is_table else line


# ---- Values


def touches(tokens, i):
    """Is this the bracket of a call, or of a place such as keys[1]?"""
    return i > 0 and tokens[i].kind == "open" and tokens[i - 1].kind == "word" and (
        tokens[i - 1].place + len(tokens[i - 1].text) == tokens[i].place)


def bracketed(text, tokens, i):
    """Return what begins with the bracket at i as nested lists, its numbers' texts, and
    where it goes on. A call, such as tensor(...), adds nothing."""
    start, lists, texts, calls = tokens[i].place, [[]], [], []
    for k in range(i, len(tokens)):
        kind, word, place = tokens[k]
        if kind == "open":
            calls.append(touches(tokens, k))
            if not calls[-1]:
                lists.append([])
        elif kind == "close" and calls:
            if not calls.pop():
                lists[-2].append(lists.pop())
            rows = lists[0]
            if not calls and not (depth(rows) == 2 and is_row(tokens, k + 1)):
                return rows if rows[1:] else rows[0], texts, k + 1
        elif kind == "number":
            texts.append(word)
            lists[-1].append(float(word))
        elif kind == "cut":
            fail(text, place, CUT)
        elif kind == "other" or kind == "word" and not touches(tokens, k + 1):
            fail(text, place, "%s is no number" % shown(word))
    return fail(text, start, "this bracket is never closed")


def is_row(tokens, i):
    """Does another row follow? A loop prints each in brackets of its own."""
    while tokens[i:] and tokens[i].kind in ("line", "close"):
        i += 1
    kinds = [token.kind for token in tokens[i:i + 3]]
    return kinds[:1] == ["open"] or kinds == ["word", "open", "open"]  # tensor([


def table(text, tokens, i):
    """Return the rows of the lines that begin at i, their texts, and where it goes on."""
    lines = [[]]
    while tokens[i:] and (tokens[i].kind in ("number", "line") or is_row_name(tokens, i)):
        if tokens[i].kind == "number":
            lines[-1].append(tokens[i].text)
        elif tokens[i].kind == "line":
            lines.append([])
        i += 1
    lines = without_names([line for line in lines if line])
    return [[float(x) for x in line] for line in lines], sum(lines, []), i


def is_row_name(tokens, i):
    """A word in front of numbers is the name of a row, unless it is one that we know."""
    while tokens[i].kind == "word" and name_of(tokens[i].text) is None:
        i += 1
    return tokens[i].kind == "number"


def without_names(lines):
    """Leave out pandas' numbers of columns and of rows."""
    if len(lines) > 1 and "." in "".join(lines[1]):
        header = [str(j) for j in range(len(lines[0]))]
        is_short = len(header) < len(lines[1])
        lines = lines[lines[0] == header or is_short:]
        names = [str(i + int(lines[0][0] == "1")) for i in range(len(lines))]
        if [line[0] for line in lines] == names and len(lines) > 1 - is_short:
            lines = [line[1:] for line in lines]
    return lines


def one_sample(name, value, text, place):
    """Return a batch of one as its only sample, a row as a matrix, and a note on that."""
    note = ""
    while depth(value) > 2:
        if len(value) > 1:
            fail(text, place, "%s has %d samples or heads, expected one of them" % (
                name, len(value)))
        note = "%s is a batch of one: its first sample was taken." % name
        value = value[0]
    return [value] if depth(value) == 1 else value, note


def depth(value):
    levels = 0
    while isinstance(value, list) and value:
        value, levels = value[0], levels + 1
    return levels


# ---- Names


def name_of(text):
    """Return the name that we have for "query_2" or "sa.W_query.weight", or None."""
    key = re.sub(r"(\.weight|\.data|\.T)+$", "", text).split(".")[-1].lower()
    return NAMES.get(re.sub(r"_?\d+$", "", key))


def label(text, words, place):
    """Return the last name before a value; if = or : is there, in the same line."""
    while words and words[-1].kind == "line":
        words = words[:-1]
    has_sign = words and words[-1].kind == "sign"
    while has_sign and "line" in [word.kind for word in words]:
        words = words[1:]
    texts = [word.text for word in words if word.kind == "word"]
    for i in range(len(texts), 0, -1):
        name = name_of("_".join(texts[max(0, i - 2):i])) or name_of(texts[i - 1])
        if name:
            return name
    if has_sign and texts:
        near = get_close_matches(texts[-1].lower(), list(NAMES), 1)
        fail(text, words[-2].place, "unknown name %s, see --help%s" % (
            shown(texts[-1]), near and ". Did you mean %s?" % NAMES[near[0]] or ""))
    return fail(text, place, "what are these numbers? Write a name before them, such as "
                "context_vectors =")


def read(text):
    """Return {name: Block} for all that is in the text."""
    text, tokens = to_tokens(text)
    found, words, i = {}, [], 0
    while i < len(tokens):
        kind, word, place = tokens[i]
        option = words[-2].text.lower() if words[1:] and words[-1].kind == "sign" else ""
        if kind == "cut":
            fail(text, place, CUT)
        if kind == "open" and touches(tokens, i):
            while word == "[" and i + 1 < len(tokens) and tokens[i].kind != "close":
                i += 1
            i += 1
        elif option in OPTIONS and kind in ("number", "word") and (
                tokens[i + 1].kind != "number" and not touches(tokens, i + 1)):
            found[option] = Block(to_option(word), None, "")
            words, i = [], i + 1
        elif kind in ("open", "number"):
            value, texts, i = (bracketed if kind == "open" else table)(text, tokens, i)
            name = label(text, words, place)
            value, note = one_sample(name, value, text, place)
            found[name] = Block(value, print_of(texts), note)
            words = []
        else:
            words += [tokens[i]] * (kind in ("word", "sign", "line"))
            i += 1
    return found


def to_option(text):
    if text.isdecimal():
        return int(text)
    return {"true": True, "false": False}.get(text.lower(), text)
