"""What each step is tried with. The first case can be done by hand."""

import json
import os
from collections import namedtuple

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE
from examples.find_the_mistake.steps import compute
from examples.workbook.steps import STEPS, in_stages, right

# known: all there is, as matrices. given: the arguments. depth: 0 if numbers are
# expected, 1 if lists, 2 if matrices.
Case = namedtuple("Case", ["known", "given", "expected", "depth"])

with open(os.path.join(os.path.dirname(__file__), "cases.json")) as file:
    CASES = json.load(file)
BOOK = {"sources": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
ONE = [dict(case, targets=case["sources"]) for case in CASES["projected"] + [BOOK]]
TWO = [dict(case, targets=[row[::-1] for row in case["sources"][:2]]) for case in ONE]
WORDS = [{"targets": rows, "sources": rows} for rows in CASES["words"] + [INPUTS]]
OF_A_QUERY = ("queries", "attention_scores", "scaled_scores", "attention_weights")


def cases_of(step):
    names, cases = step.names, WORDS
    if "W_key" in names:
        cases = TWO if "targets" in names else ONE
    elif "values" in names:
        cases = ONE + TWO
    known = [dict(case, **compute(case)._asdict()) for case in cases]
    if step.name in CASES:
        known = [dict(zip(names, given)) for given in CASES[step.name]]
    elif len(names) == 2:  # of one query: the last
        for case in known:
            case.update({name: case[name][-1] for name in OF_A_QUERY})
    found = []
    for case in known:
        given = [case[name] for name in names]
        case = {name: as_matrix(x, depth_of(x)) for name, x in case.items()}
        expected = in_stages(step, right(step)(*given))
        found.append(Case(case, given, expected, depth_of(expected[0])))
    return found


def depth_of(x):
    return 1 + depth_of(x[0]) if isinstance(x, list) else 0


def as_matrix(x, depth):  # a list is two rows, so that columns can be told from rows
    return [[[x]], [x, x], x][depth]


CASES_OF = {step.name: cases_of(step) for step in STEPS}


def brief(x, digits=4):
    return json.loads(json.dumps(x), parse_float=lambda text: round(float(text), digits))


def call_of(step, case):
    return "%s(%s)" % (step.function, ", ".join(map(str, case.given)))
