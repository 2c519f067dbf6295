"""The two protocols, JSON and plain words: README.md beside this file describes them."""

import json
import re

from attention import STAGES

OTHER = "this is the %s protocol: give --plain to both sides, or to none"
# On their own, float and int would also take 1_0 and other digits.
NUMBER = re.compile(
    r"[+-]?(nan|inf|infinity|([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
    re.ASCII | re.IGNORECASE)
SIZE = re.compile("[0-9]{1,4}")
NOT_FINITE = re.compile(r"([\[,]\s*)([-+]?)(nan|inf)\w*(\(\w*\))?", re.IGNORECASE)


def can_be_plain(case):
    """A plain matrix is ROWS COLUMNS NUMBERS..., so it cannot be ragged."""
    for rows in case["arguments"].values():
        for row in rows:
            if len(row) != len(rows[0]):
                return False
    return True


def request(case, plain):
    """Return the line that asks for a case."""
    if plain:
        return case["function"] + " " + write_plain(case["arguments"])
    return json.dumps({key: case[key] for key in ("name", "function", "arguments")})


def read_answer(line, plain):
    """Return the answer in a line, a dict; ValueError if there is none."""
    words = to_words(line)
    if not words:
        raise ValueError("an empty line: does a text end with a line feed?")
    if words[0][0] == "\ufeff":
        raise ValueError("a byte order mark (EF BB BF): write UTF-8 without it")
    if plain and words[0][0] == "{":
        raise ValueError(OTHER % "JSON")
    if not plain and words[0] in STAGES + ("error",):
        raise ValueError(OTHER % "plain")
    if not plain:
        return read_json(line)
    if words[0] == "error":
        return {"error": " ".join(words[1:])}
    if words[0].lower().rstrip(":") == "error":
        raise ValueError("a refusal starts with the word error, not with " + words[0])
    return read_matrices(words)


# ---- JSON


def read_json(line):
    """Return the JSON object in a line, in which C and Rust may have written nan."""
    line = NOT_FINITE.sub(not_finite, line)
    try:
        given = json.loads(line, parse_int=float)
    except RecursionError:
        raise ValueError("nested too deeply: " + excerpt(line)) from None
    except ValueError as error:
        place = getattr(error, "pos", 0)
        reason = str(error).split(":")[0]
        raise ValueError("not JSON, %s: %s" % (reason, excerpt(line, place))) from None
    if not isinstance(given, dict):
        raise ValueError("not a JSON object: " + excerpt(line))
    return given


def not_finite(match):
    before, sign, word, payload = match.groups()
    return before + ("NaN" if word.lower() == "nan" else sign.strip("+") + "Infinity")


def excerpt(text, place=0):
    """Return the text around a place in it, which is marked."""
    before, after = text[:place], text[place:].rstrip()
    if len(before) > 30:
        before = "..." + before[-30:]
    if len(after) > 60:
        after = after[:60] + "..."
    return printable(before + " >>> " + after if place else after)


def printable(text):
    """What a port writes must not steer the terminal."""
    return "".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in text)


# ---- Plain lines: words, and matrices as NAME ROWS COLUMNS NUMBERS...


def to_words(line):
    """Spaces and tabs separate words. A word may contain other white space."""
    return [word for word in re.split("[ \t]", line.rstrip("\r\n")) if word]


def write_plain(given):
    """Return named matrices, or an error, as a line; no matrix may be ragged."""
    if "error" in given:
        return "error " + given["error"]
    words = []
    for name, rows in given.items():
        words += [name, str(len(rows)), str(len(rows[0]) if rows else 0)]
        for row in rows:
            words += [str(x) for x in row]
    return " ".join(words)


def read_matrices(words):
    """Return the named matrices in a list of words; ValueError if they are none."""
    matrices, start = {}, 0
    while start < len(words):
        name, sizes = words[start], words[start + 1:start + 3]
        if len(sizes) < 2 or not all(SIZE.fullmatch(size) for size in sizes):
            raise ValueError("%s needs ROWS and COLUMNS, from 0 to 9999" % excerpt(name))
        rows, columns = [int(size) for size in sizes]
        words_left = words[start + 3:] + ["the end of the line"]
        matrices[name] = []
        for i in range(rows):
            row = words_left[i * columns:(i + 1) * columns]
            matrices[name].append([to_number(excerpt(name), i, j, word)
                                   for j, word in enumerate(row)])
        start += 3 + rows * columns
    return matrices


def to_number(name, i, j, word):
    if not NUMBER.fullmatch(word):
        raise ValueError("%s[%d][%d] is %s, expected a number%s" % (
            name, i, j, excerpt(word),
            ": write a point, not a comma" if "," in word else ""))
    return float(word)
