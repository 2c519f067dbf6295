"""attention.py behind the porting protocol, as README.md beside this file describes it.

    python3 -m examples.porting.serve [--plain]

It is one program that check_port must accept: `python3 -m examples.porting.check_port
python3 -m examples.porting.serve`.
"""

import json
import re
import sys

from examples import say
from examples.porting.self_check import answer

def serve_json(line):
    """Return the answer to a line of JSON.

    >>> serve_json('{"function": "simplified_self_attention", "arguments": {"inputs": []}}')
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
    words = line.split()
    try:
        given = answer("".join(words[:1]), from_words(words[1:]))
    except ValueError as error:
        given = {"error": "not a request: %s" % error}
    return "error " + given["error"] if "error" in given else to_words(given)

# ---- Plain matrices: NAME ROWS COLUMNS, then ROWS * COLUMNS numbers -----------------------------
# As in attention.js. On their own, float and int would also take 1_0 and other scripts' digits.
NUMBER = re.compile(r"[+-]?(nan|inf|infinity|([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
                    re.ASCII | re.IGNORECASE)
SIZE = re.compile("[0-9]{1,4}")

def to_words(matrices):
    """Return named matrices as words; the rows of each must be of the same length.

    >>> to_words({"queries": [[1.0, 2.0]], "keys": []})
    'queries 1 2 1.0 2.0 keys 0 0'
    """
    words = []
    for name, rows in matrices.items():
        words += [name, str(len(rows)), str(len(rows[0]) if rows else 0)]
        words += [str(x) for row in rows for x in row]
    return " ".join(words)

def from_words(words):
    """Return the named matrices in a list of words; ValueError if they are none.

    >>> from_words("queries 1 2 1.0 2.0 keys 0 0".split())
    {'queries': [[1.0, 2.0]], 'keys': []}
    """
    matrices, start = {}, 0
    while start < len(words):
        name, sizes = words[start], words[start + 1:start + 3]
        if len(sizes) < 2 or not all(SIZE.fullmatch(size) for size in sizes):
            raise ValueError("%.99s needs ROWS and COLUMNS, from 0 to 9999" % name)
        rows, columns = [int(size) for size in sizes]
        numbers = [to_number(word) for word in words[start + 3:start + 3 + rows * columns]]
        if len(numbers) < rows * columns:
            raise ValueError("%.99s needs ROWS * COLUMNS numbers" % name)
        matrices[name] = [numbers[i * columns:(i + 1) * columns] for i in range(rows)]
        start += 3 + rows * columns
    return matrices

def to_number(word):
    if not NUMBER.fullmatch(word):
        raise ValueError("%.99a is not a number" % word)
    return float(word)

def main(args=None):
    args = sys.argv[1:] if args is None else args
    if args not in ([], ["--plain"]):
        print("usage: python3 -m examples.porting.serve [--plain]", file=sys.stderr)
        return 2
    if sys.stdin is None:
        print("serve: standard input is closed", file=sys.stderr)
        return 2
    for line in sys.stdin.buffer:
        line = line.decode("ascii", "backslashreplace")
        say(serve_plain(line) if args else serve_json(line))
    return 0

if __name__ == "__main__":
    raise SystemExit(main())
