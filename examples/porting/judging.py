"""Is an answer right? And how near to the expected numbers?"""

import json
from collections import namedtuple

from attention import STAGES
from examples.find_the_mistake.steps import flat
from examples.porting.protocol import excerpt, read_answer
from examples.porting.self_check import complaint, largest
from examples.tools.common import size

# text: what is wrong with the answer, or ""; given: its matrices, {"error": ...} or {}
Answer = namedtuple("Answer", ["case", "text", "given"])


def judge(case, line, plain, tolerance):
    """Return the Answer that a line is."""
    try:
        given = read_answer(line, plain)
        name = given.pop("name", case["name"])
        if name != case["name"]:
            raise ValueError("this answers the case %s" % in_json(name))
        is_accepted = "error" not in given and set(STAGES).intersection(given)
        if case["valid"] or not is_accepted:  # else, any numbers are wrong
            given = readable(given)
    except ValueError as error:
        text = "not an answer: %s" % error
        if not line.endswith("\n"):
            text = "the line breaks off after %d characters: %s" % (
                len(line), excerpt(line[-30:]))
        return Answer(case, text, {})
    text = complaint(case, given, tolerance)
    if not text and "error" not in given and "context_vectors" not in given:
        text = "context_vectors are missing"
    return Answer(case, text, given)


def readable(given):
    """Return an answer as {stage: matrix of floats} or {"error": text}; or ValueError."""
    for key in given:
        if key not in STAGES and key != "error":
            raise ValueError('"%s" is neither a stage nor "error"' % excerpt(key))
    if not given:
        raise ValueError("neither stages nor an error")
    if "error" not in given:
        return {stage: to_matrix(stage, given[stage]) for stage in given}
    if len(given) > 1:
        raise ValueError("an error and something else: a refusal is an error alone")
    return {"error": excerpt(str(given["error"]))}


def to_matrix(stage, rows):
    """Return rows as a matrix of floats, which may be not finite; or ValueError."""
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise ValueError("%s is %s, expected rows of numbers" % (stage, in_json(rows)))
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x is None or str(x).lower() in ("nan", "inf", "-inf"):
                row[j] = float(x or "nan")
            elif type(x) is not float:
                raise ValueError("%s[%d][%d] is %s, expected a number" % (
                    stage, i, j, in_json(x)))
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("%s is %s, expected rows of equal length" % (stage, size(rows)))
    return rows


def in_json(thing):
    return excerpt(json.dumps(thing))


def farthest(answers):
    """Return the largest difference in these right answers, as the tolerance has it."""
    found = 0.0
    for answer in answers:
        for stage, rows in answer.given.items():
            expected = answer.case["expected"][stage]
            for x, y in zip(flat(expected), flat(rows)):
                found = max(found, abs(x - y) / largest(expected))
    return found
