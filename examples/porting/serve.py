"""attention.py behind the porting protocol, as README.md beside this file describes it.

    python3 -m examples.porting.serve [--plain]

"""

import json
import re
import sys

from examples.tools.common import complain, run
from examples.porting.self_check import answer

# As in attention.js. On their own, float and int would also take 1_0 and other digits.
NUMBER = re.compile(
    r"[+-]?(nan|inf|infinity|([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
    re.ASCII | re.IGNORECASE)
SIZE = re.compile("[0-9]{1,4}")


def serve_json(line):
    """Return the answer to a line of JSON.

    >>> line = '{"function": "simplified_self_attention", "arguments": {"inputs": []}}'
    >>> serve_json(line)
    '{"error": "inputs is empty, expected at least one row of one number"}'
    """
    try:
        request = json.loads(line)
        return json.dumps(answer(request["function"], request["arguments"]))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        return json.dumps({"error": "not a request: %s" % error})


def serve_plain(line):
    """Return the answer to a plain line.

    >>> serve_plain("simplified_self_attention inputs 0 0")
    'error inputs is empty, expected at least one row of one number'
    """
    words = to_words(line)
    try:
        given = answer("".join(words[:1]), read_matrices(words[1:]))
    except ValueError as error:
        given = {"error": "not a request: %s" % error}
    return write_plain(given)


# ---- Plain lines: words, and matrices as NAME ROWS COLUMNS NUMBERS...


def to_words(line):
    """Spaces and tabs separate words. Other white space does not: a word may contain it.

    >>> to_words("keys 0\\t0 \\r\\n")
    ['keys', '0', '0']
    """
    return [word for word in re.split("[ \t]", line.rstrip("\r\n")) if word]


def write_plain(given):
    return "error " + given["error"] if "error" in given else write_matrices(given)


def write_matrices(matrices):
    """Return named matrices as a line; the rows of each must be of the same length.

    >>> write_matrices({"queries": [[1.0, 2.0]], "keys": []})
    'queries 1 2 1.0 2.0 keys 0 0'
    """
    words = []
    for name, rows in matrices.items():
        words += [name, str(len(rows)), str(len(rows[0]) if rows else 0)]
        for row in rows:
            words += [str(x) for x in row]
    return " ".join(words)


def read_matrices(words):
    """Return the named matrices in a list of words; ValueError if they are none.

    >>> read_matrices("queries 1 2 1.0 2.0 keys 0 0".split())
    {'queries': [[1.0, 2.0]], 'keys': []}
    """
    matrices, start = {}, 0
    while start < len(words):
        name, sizes = words[start], words[start + 1:start + 3]
        if len(sizes) < 2 or not all(SIZE.fullmatch(size) for size in sizes):
            raise ValueError("%.60s needs ROWS and COLUMNS, from 0 to 9999" % name)
        rows, columns = [int(size) for size in sizes]
        start += 3
        numbers = [to_number(word) for word in words[start:start + rows * columns]]
        if len(numbers) < rows * columns:
            raise ValueError("%.60s %d %d needs %d numbers, the line ends after %d" % (
                name, rows, columns, rows * columns, len(numbers)))
        matrices[name] = [numbers[i * columns:(i + 1) * columns] for i in range(rows)]
        start += rows * columns
    return matrices


def to_number(word):
    if not NUMBER.fullmatch(word):
        raise ValueError("%.60s is not a number" % word)
    return float(word)


def main():
    if sys.argv[1:] not in ([], ["--plain"]):
        return complain("usage: python3 -m examples.porting.serve [--plain]")
    if sys.stdin is None:
        return complain("serve: standard input is closed")
    serve = serve_plain if sys.argv[1:] else serve_json
    for line in sys.stdin.buffer:
        print(serve(line.decode("ascii", "backslashreplace")), flush=True)


if __name__ == "__main__":
    run(main)
