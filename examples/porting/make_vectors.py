"""Write vectors.json and vectors.txt again, each expected number computed anew.

    python3 -m examples.porting.make_vectors

To add a case, write it into vectors.json: id, name, why, function, arguments, and
"valid": false if it must be refused. The first cases are those of reference.json. The
numbers do not come from attention.py, which they test, but from make_reference.
"""

import json
import re

from examples.porting.protocol import can_be_plain, request, write_plain
from examples.porting.self_check import VECTORS
from examples.tools.common import run_lesson
from examples.tools.make_reference import REFERENCE, stages_of

PLAIN = VECTORS.replace(".json", ".txt")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def reference_arguments():
    """Return the arguments of the cases of reference.json, in order."""
    reference = read(REFERENCE)
    running = reference["running_example"]
    cases = [running["simplified"], running["trainable"]]
    cases += reference["cases"] + [reference["two_sequences"]]
    return [{name: rows for name, rows in case.items() if name not in ("name", "stages")}
            for case in cases]


def make():
    """Return the texts of vectors.json, a row in each line, and of vectors.txt."""
    vectors = read(VECTORS)
    for case, arguments in zip(vectors["cases"], reference_arguments()):
        case["arguments"] = arguments
    for case in vectors["cases"]:
        case["expected"] = stages_of(case["arguments"]) if case["valid"] else {}
    text = json.dumps(vectors, indent=1)
    rows = re.compile(r"\[\n *([^][{}]+)\n *\]")
    text = rows.sub(lambda row: "[" + re.sub(r"\n *", " ", row.group(1)) + "]", text)
    return text + "\n", "".join(line + "\n" for line in plain_lines(vectors))


def plain_lines(vectors):
    yield "# %(title)s, version %(version)s" % vectors
    yield "# %(source)s: %(license)s" % vectors
    for case in vectors["cases"]:
        if can_be_plain(case):
            yield "# %(id)s: %(name)s" % case
            yield "> " + request(case, True)
            yield "< " + write_plain(case["expected"] or {"error": case["why"]})


def main():
    for path, text in zip((VECTORS, PLAIN), make()):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    run_lesson(main, __doc__)
