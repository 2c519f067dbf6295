"""python3 -m pytest examples/test_find_the_mistake.py

The wrong numbers come from programs of their own, written below as people write them: nothing
here takes them from the catalogue under test. The right ones come from reference.json.
"""

import copy
import doctest
import json
import math
import os
import struct
import subprocess
import sys

import pytest

import attention
from attention import INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE
from examples import find_the_mistake
from examples.find_the_mistake import (
    MISTAKES, TOLERANCE, blind_spots, closest_right_way, compare, find_mistakes, run)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
with open(os.path.join(HERE, "reference.json")) as file:
    REFERENCE = json.load(file)

CASES = [REFERENCE["running_example"]["simplified"], REFERENCE["running_example"]["trainable"],
         REFERENCE["linear_seed_789"], REFERENCE["two_sequences"]] + REFERENCE["cases"]
RUNNING = {"inputs": INPUTS, "W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE}
GENERAL = [case for case in CASES if case["name"] == "seven tokens, five dimensions"][0]
NAMES = [mistake.name for mistake in MISTAKES]

def case_of(reference):
    return {key: reference[key] for key in ("inputs", "targets", "sources", "W_query", "W_key",
                                            "W_value") if key in reference}

def names_for(case, given):
    return [mistake.name for mistake in find_mistakes(case, given)]

def rounded(stages, digits=4):
    return {stage: [[round(x, digits) for x in row] for row in rows]
            for stage, rows in stages.items()}

# ---- Wrong programs, as people write them -------------------------------------------------------
def mm(a, b):
    assert len(a[0]) == len(b)
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))]
            for i in range(len(a))]

def flip(m):
    return [list(column) for column in zip(*m)]

def times(m, x):
    return [[number * x for number in row] for row in m]

def soft(row):
    return [math.exp(x) / sum(math.exp(y) for y in row) for x in row]

def finish(q, k, v, scores=None, scaled=None, weights=None, context=None, root=None):
    scores = scores or mm(q, flip(k))
    scaled = scaled or times(scores, 1 / (root or len(k[0]) ** 0.5))
    weights = weights or [soft(row) for row in scaled]
    context = context or mm(weights, v)
    return dict(zip(STAGES, (q, k, v, scores, scaled, weights, context)))

def wrong_programs(x, y, w_q, w_k, w_v):
    """Return {name: (stage at which it goes wrong, all stages)}, as far as shapes allow."""
    q, k, v = mm(x, w_q), mm(y, w_k), mm(y, w_v)
    d_k, d_in, n = len(k[0]), len(y[0]), len(y)
    right = finish(q, k, v)
    scores, scaled = right["attention_scores"], right["scaled_scores"]
    weights = right["attention_weights"]
    powers = [[math.exp(s) for s in row] for row in scaled]
    everything = sum(sum(row) for row in powers)
    down = [sum(column) for column in zip(*powers)]
    programs = {
        "values-made-with-W_key": ("values", finish(q, k, mm(y, w_k))),
        "values-not-projected": ("values", finish(q, k, y)),
        "scaling-forgotten": ("scaled_scores", finish(q, k, v, scaled=scores)),
        "divided-by-d_k": ("scaled_scores", finish(q, k, v, root=d_k)),
        "multiplied-by-sqrt-d_k": ("scaled_scores", finish(q, k, v, root=d_k ** -0.5)),
        "divided-by-half-d_k": ("scaled_scores", finish(q, k, v, root=d_k ** 1/2)),
        "divided-by-sqrt-d_in": ("scaled_scores", finish(q, k, v, root=d_in ** 0.5)),
        "divided-by-sqrt-n": ("scaled_scores", finish(q, k, v, root=n ** 0.5)),
        "softmax-down-the-columns": ("attention_weights", finish(q, k, v, weights=[
            [p / total for p, total in zip(row, down)] for row in powers])),
        "softmax-over-the-whole-matrix": ("attention_weights", finish(
            q, k, v, weights=times(powers, 1 / everything))),
        "softmax-left-out": ("attention_weights", finish(q, k, v, weights=scaled)),
        "divided-by-the-sum": ("attention_weights", finish(
            q, k, v, weights=[[s / sum(row) for s in row] for row in scores])),
        "scaled-after-softmax": ("attention_weights", finish(
            q, k, v, weights=times([soft(row) for row in scores], d_k ** -0.5))),
        "inputs-blended": ("context_vectors", finish(q, k, v, context=mm(weights, y))),
        "keys-blended": ("context_vectors", finish(q, k, v, context=mm(weights, k))),
    }
    if len(x[0]) == len(y[0]):
        programs["query-and-key-swapped"] = ("queries", finish(mm(x, w_k), mm(y, w_q), v))
        programs["nothing-projected"] = ("queries", finish(x, y, y))
    if x is not y:
        programs["queries-from-sources"] = ("queries", finish(mm(y, w_q), k, v))
    if len(x) == len(y):
        programs["keys-times-queries"] = (
            "attention_scores", finish(q, k, v, scores=mm(k, flip(q))))
        programs["queries-times-queries"] = (
            "attention_scores", finish(q, k, v, scores=mm(q, flip(q))))
        programs["attention-weights-transposed"] = (
            "context_vectors", finish(q, k, v, context=mm(flip(weights), v)))
        programs["row-of-another-query"] = ("queries", {
            stage: rows if stage in ("keys", "values") else rows[1:] + rows[:1]
            for stage, rows in right.items()})
    if len(k) == d_k:
        programs["keys-not-transposed"] = ("attention_scores", finish(q, k, v, scores=mm(q, k)))
    if len(w_q) == len(w_q[0]) == len(w_v[0]):
        programs["transposed-weight-matrix"] = (
            "queries", finish(mm(x, flip(w_q)), mm(y, flip(w_k)), mm(y, flip(w_v))))
    return programs

def matrix(rows, columns, seed):
    """Numbers between -1 and 1 in which nothing repeats: a test must not depend on chance."""
    return [[math.sin(seed + 12.9898 * i + 78.233 * j) for j in range(columns)]
            for i in range(rows)]

def random_case(n, d_in, d_k, d_v, m=None):
    case = {"inputs": matrix(n, d_in, 1)} if m is None else {
        "targets": matrix(m, d_in, 2), "sources": matrix(n, d_in, 1)}
    case.update(W_query=matrix(d_in, d_k, 3), W_key=matrix(d_in, d_k, 4),
                W_value=matrix(d_in, d_v, 5))
    return case

GENERAL_CASE = case_of(GENERAL)  # n = 7, d_in = 5, d_k = 3, d_v = 4
SQUARE_CASE = random_case(7, 5, 5, 5)  # transposed matrices fit
AS_MANY_KEYS = random_case(3, 6, 3, 4)  # n = d_k
TWO_CASE = random_case(7, 5, 3, 4, m=6)
TWO_ALIKE = random_case(7, 5, 3, 4, m=7)  # m = n

def programs_of(case):
    x, y = case.get("targets", case.get("inputs")), case.get("sources", case.get("inputs"))
    return wrong_programs(x, y, case["W_query"], case["W_key"], case["W_value"])

def wrong(name, case):
    return programs_of(case)[name][1]

ALL = [(case, name) for case in (GENERAL_CASE, TWO_CASE, TWO_ALIKE) for name in NAMES
       if name in programs_of(case)]
ALL += [(SQUARE_CASE, "transposed-weight-matrix"), (AS_MANY_KEYS, "keys-not-transposed")]

# ---- The catalogue ------------------------------------------------------------------------------
def test_catalogue_is_complete_and_in_order():
    assert NAMES == [
        "transposed-weight-matrix", "query-and-key-swapped", "values-made-with-W_key",
        "values-not-projected", "nothing-projected", "queries-from-sources",
        "keys-not-transposed", "keys-times-queries", "queries-times-queries",
        "scaling-forgotten", "divided-by-d_k", "multiplied-by-sqrt-d_k", "divided-by-half-d_k",
        "divided-by-sqrt-d_in", "divided-by-sqrt-n",
        "softmax-down-the-columns", "softmax-over-the-whole-matrix", "softmax-left-out",
        "divided-by-the-sum", "scaled-after-softmax",
        "attention-weights-transposed", "inputs-blended", "keys-blended",
        "row-of-another-query"]
    assert {name for case, name in ALL} == set(NAMES)
    steps = ["project", "score", "scale", "normalise", "blend", "read"]
    assert sorted([mistake.step for mistake in MISTAKES], key=steps.index) == [
        mistake.step for mistake in MISTAKES]
    for mistake in MISTAKES:
        for sentence in (mistake.what, mistake.fix):
            assert sentence and "\n" not in sentence and not sentence.endswith(".")

@pytest.mark.parametrize("case, name", ALL)
def test_full_stages_name_the_stage_and_the_mistake_alone(case, name):
    stage, stages = programs_of(case)[name]
    assert names_for(case, stages) == [name]
    assert compare(run(case), stages).stage == stage
    assert names_for(case, rounded(stages)) == [name]

@pytest.mark.parametrize("case, name", ALL)
def test_context_vectors_alone_name_the_mistake_and_only_what_gives_the_same(case, name):
    programs = programs_of(case)
    context_vectors = programs[name][1]["context_vectors"]
    found = names_for(case, {"context_vectors": context_vectors})
    assert name in found
    for other in found:
        pairs = zip(context_vectors, programs[other][1]["context_vectors"])
        assert all(abs(a - b) < 1e-4 for row, other_row in pairs for a, b in zip(row, other_row))

@pytest.mark.parametrize("name", [name for case, name in ALL if case is GENERAL_CASE])
def test_single_rows_name_the_mistake(name):
    stages = wrong(name, GENERAL_CASE)
    row = {stage: rows if stage in ("keys", "values") else [rows[2]]
           for stage, rows in stages.items()}
    assert names_for(dict(GENERAL_CASE, query=2), row) == [name]

def test_each_mistake_that_does_not_fit_is_skipped():
    def impossible(case):
        return [mistake.name for mistake in MISTAKES if run(case, mistake) is None]
    assert impossible(GENERAL_CASE) == ["transposed-weight-matrix", "keys-not-transposed"]
    assert impossible(SQUARE_CASE) == ["keys-not-transposed"]
    assert impossible({"inputs": INPUTS}) == NAMES[:7] + ["scaling-forgotten"]
    assert impossible(TWO_CASE) == [
        "transposed-weight-matrix", "keys-not-transposed", "keys-times-queries",
        "queries-times-queries", "attention-weights-transposed"]

def test_several_mistakes_that_give_the_same_are_all_named():
    stages = wrong("scaling-forgotten", RUNNING)  # d_k = 2, so d_k / 2 = 1
    assert names_for(RUNNING, stages) == ["scaling-forgotten", "divided-by-half-d_k"]
    four = random_case(7, 5, 4, 3)  # sqrt(4) = 4 / 2
    assert names_for(four, wrong("divided-by-half-d_k", four)) == []
    assert blind_spots(four, {"scaled_scores": run(four).scaled_scores})[0] == [
        "values-made-with-W_key", "values-not-projected", "queries-from-sources",
        "divided-by-half-d_k"]

def test_what_is_wrong_twice_is_not_named():
    stages = wrong("scaling-forgotten", GENERAL_CASE)
    stages["context_vectors"] = wrong("keys-blended", GENERAL_CASE)["context_vectors"]
    assert names_for(GENERAL_CASE, stages) == []

# ---- Right values -------------------------------------------------------------------------------
def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]

def float32_stages(case):
    """Return the stages computed in float32: each operation is rounded."""
    def product(a, b):
        rows = []
        for row in a:
            rows.append([])
            for column in flip(b):
                total = 0.0
                for x, y in zip(row, column):
                    total = single(total + single(x * y))
                rows[-1].append(total)
        return rows
    case = {key: [[single(x) for x in row] for row in rows] for key, rows in case.items()}
    q = x = case.get("targets", case.get("inputs"))
    k = v = y = case.get("sources", case.get("inputs"))
    root = 1.0
    if "W_query" in case:
        q, k, v = [product(*pair) for pair in (
            (x, case["W_query"]), (y, case["W_key"]), (y, case["W_value"]))]
        root = single(len(k[0]) ** 0.5)
    scores = product(q, flip(k))
    scaled = [[single(s / root) for s in row] for row in scores]
    weights = []
    for row in scaled:
        powers = [single(math.exp(single(s - max(row)))) for s in row]
        total = 0.0
        for power in powers:
            total = single(total + power)
        weights.append([single(power / total) for power in powers])
    return dict(zip(STAGES, (q, k, v, scores, scaled, weights, product(weights, v))))

@pytest.mark.parametrize("reference", CASES, ids=lambda reference: reference["name"])
def test_right_values_are_right(reference):
    case = case_of(reference)
    float32 = float32_stages(case)
    assert float32 != run(case)._asdict()
    for stages in (reference["stages"], rounded(reference["stages"]), float32, rounded(float32)):
        assert compare(run(case), stages) is None
        assert find_mistakes(case, stages) == []
        for stage in STAGES:
            assert find_mistakes(case, {stage: stages[stage]}) == []

@pytest.mark.parametrize("reference", CASES, ids=lambda reference: reference["name"])
def test_pipeline_is_that_of_attention_py(reference):
    case = case_of(reference)
    before = copy.deepcopy(case)
    attend = (attention.simplified_self_attention if "W_query" not in case else
              attention.cross_attention if "targets" in case else attention.self_attention)
    assert run(case) == attend(**case)
    for mistake in MISTAKES:
        record = run(case, mistake) or []
        lists = [rows for rows in record] + [row for rows in record for row in rows]
        given = [rows for rows in case.values()] + [row for rows in case.values() for row in rows]
        assert len({id(x) for x in lists + given}) == len(lists + given)  # no list is shared
    assert case == before

def test_tolerance_grows_with_the_numbers():
    large = [case for case in CASES if case["name"].startswith("large scores")][0]
    case, scores = case_of(large), copy.deepcopy(large["stages"]["attention_scores"])
    largest = max(abs(x) for row in scores for x in row)
    scores[2][1] += 0.9 * TOLERANCE * largest
    assert compare(run(case), {"attention_scores": scores}) is None
    scores[2][1] += 0.2 * TOLERANCE * largest
    assert compare(run(case), {"attention_scores": scores})[:3] == ("attention_scores", 2, 1)

def test_tolerance_is_that_of_attention_py():
    assert attention.first_divergence.__defaults__ == (TOLERANCE,)

def test_small_numbers_need_a_small_tolerance():
    small = {name: [[x / 50 for x in row] for row in GENERAL_CASE[name]]
             for name in ("inputs", "W_query", "W_key", "W_value")}
    forgotten = [mistake for mistake in MISTAKES if mistake.name == "scaling-forgotten"][0]
    data = dict(small, **run(small, forgotten)._asdict())
    status, out, err = tool(data)
    assert status == 0 and "as they should be, to within 6e-05.\n" in out
    assert "These mistakes give the right numbers, too: " in out and "scaling-forgotten" in out
    status, out, err = tool(dict(data, tolerance=1e-12))
    assert status == 1 and "The first divergence is in scaled_scores" in out
    assert "One known mistake gives all these numbers:\n\n  scaling-forgotten\n" in out
    for tolerance in (-1, "1", None, True, float("nan")):
        status, out, err = tool(dict(data, tolerance=tolerance))
        assert status == 2 and err.count("\n") == 1
        assert "tolerance is " in err and "expected a number from 0 up" in err

def test_find_mistakes_takes_a_tolerance():
    stages = rounded(wrong("scaling-forgotten", GENERAL_CASE), 9)
    assert find_mistakes(GENERAL_CASE, stages, 1e-12) == []
    assert [m.name for m in find_mistakes(GENERAL_CASE, stages, 1e-8)] == ["scaling-forgotten"]

# ---- Scaled queries -----------------------------------------------------------------------------
def scaled_first(stages, keep_queries=False):
    root = len(stages["keys"][0]) ** 0.5
    changes = {"attention_scores": stages["scaled_scores"]}
    if not keep_queries:
        changes["queries"] = times(stages["queries"], 1 / root)
    return dict(stages, **changes)

@pytest.mark.parametrize("keep_queries", [False, True])
def test_scaled_queries_are_no_mistake(keep_queries):
    stages = scaled_first(GENERAL["stages"], keep_queries)
    assert find_mistakes(GENERAL_CASE, stages) == []
    assert closest_right_way(GENERAL_CASE, stages) != run(GENERAL_CASE)
    status, out, err = tool(dict(GENERAL_CASE, **stages))
    assert (status, err) == (0, "")
    assert out.count("ok, scaled already") == 2 - keep_queries
    assert "queries are scaled before the product" in out and "no mistake" in out
    assert tool(dict(GENERAL_CASE, **stages), "--json")[1] == (
        '{"divergence": null, "mistakes": []}\n')

@pytest.mark.parametrize("name", NAMES[15:23])
def test_mistakes_after_scaled_queries_are_named(name):
    stages = scaled_first(wrong(name, GENERAL_CASE))
    assert names_for(GENERAL_CASE, stages) == [name]
    divergence = compare(closest_right_way(GENERAL_CASE, stages), stages)
    assert divergence.stage == programs_of(GENERAL_CASE)[name][0]

def test_the_simplified_version_has_no_scaled_queries():
    reference = REFERENCE["running_example"]["simplified"]
    queries = times(reference["stages"]["queries"], 3 ** -0.5)
    case, given = case_of(reference), {"queries": queries}
    assert compare(closest_right_way(case, given), given).stage == "queries"

def test_scaled_twice_diverges_at_the_second():
    stages = scaled_first(GENERAL["stages"])
    stages = finish(stages["queries"], stages["keys"], stages["values"])
    status, out, err = tool(dict(GENERAL_CASE, **stages))
    assert status == 1 and "The first divergence is in scaled_scores" in out
    assert "do not scale them again" in out

# ---- The command line ---------------------------------------------------------------------------
def command(arguments, stdin=b""):
    process = subprocess.Popen(
        [sys.executable, "-m", "examples.find_the_mistake"] + arguments, cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(stdin)
    return (process.returncode, out.decode("ascii").replace("\r\n", "\n"),
            err.decode("ascii").replace("\r\n", "\n"))

def tool(data, *options):
    return command(list(options) + ["-"], json.dumps(data).encode())

def flat(text):
    return " ".join(text.split())

BOOK = [[0.2996, 0.8053], [0.3061, 0.8210], [0.3058, 0.8203],
        [0.2948, 0.7939], [0.2927, 0.7891], [0.2990, 0.8040]]
BOOK_SIMPLIFIED = [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]  # attention weights, journey

def test_the_book_is_right():
    status, out, err = tool({"context_vectors": BOOK})
    assert (status, err) == (0, "")
    assert "All numbers given are as they should be, to within 6e-05." in out
    assert "1 projections    queries            not given" in out
    assert "context vectors  context_vectors    ok" in out

def test_a_mistake_is_named_with_its_stage_and_remedy(tmp_path):
    path = tmp_path / "values.json"
    stages = rounded(wrong("softmax-down-the-columns", GENERAL_CASE))
    path.write_text(json.dumps(dict(GENERAL_CASE, **stages)))
    status, out, err = command([str(path)])
    assert (status, err) == (1, "")
    assert out.startswith(
        "Expected: what attention.py makes of your inputs and your weight matrices.\n"
        "Sizes: n = 7, d_in = 5, d_k = 3, d_v = 4.\n\n")
    assert "3 scaling        scaled_scores      ok\n" in out
    expected = GENERAL["stages"]["attention_weights"][0][0]
    assert "4 softmax        attention_weights  diverges at [0][0]: expected %.6g, got %.6g\n" % (
        expected, stages["attention_weights"][0][0]) in out
    assert "The first divergence is in attention_weights: the mistake is there.\n" in out
    assert "One known mistake gives all these numbers:\n\n  softmax-down-the-columns\n" in out
    assert "put it right:  softmax of each row" in out

def test_unknown_mistakes_are_admitted():
    data = {"scaled_scores": [[1.0] * 6] * 6, "context_vectors": BOOK}
    status, out, err = tool(data)
    assert (status, err) == (1, "")
    assert "diverges at [0][0]: expected 0.652764, got 1\n" in out
    assert ("scaled_scores: the mistake is there, or in a stage before it that is not given."
            in flat(out))
    assert "None of the 24 known mistakes gives all these numbers." in out
    assert "scaled before" not in out
    status, out, err = tool({"values": [[1.0, 2.0]] * 6, "context_vectors": BOOK})
    assert "The first divergence is in values: the mistake is there.\n" in out
    assert "context vectors  context_vectors    ok\n" in out

def test_json():
    stages = wrong("scaling-forgotten", GENERAL_CASE)
    for options in (["--json", "-"], ["-", "--json"]):
        status, out, err = command(options, json.dumps(dict(GENERAL_CASE, **stages)).encode())
        result = json.loads(out)
        assert (status, err) == (1, "")
        assert list(result) == ["divergence", "mistakes"]
        assert result["mistakes"] == ["scaling-forgotten"]
        expected = GENERAL["stages"]["scaled_scores"][0][0]
        assert result["divergence"]["expected"] == pytest.approx(expected, rel=1e-14)
        del result["divergence"]["expected"]
        assert result["divergence"] == {"stage": "scaled_scores", "row": 0, "column": 0,
                                        "actual": stages["scaled_scores"][0][0]}
    assert tool({"context_vectors": BOOK}, "--json") == (
        0, '{"divergence": null, "mistakes": []}\n', "")

def test_a_wrong_shape_is_a_divergence():
    data = {"context_vectors": [[0.1, 0.2, 0.3]] * 6}
    status, out, err = tool(data)
    assert status == 1 and "diverges: expected 6 x 2, got 6 x 3\n" in out
    assert json.loads(tool(data, "--json")[1])["divergence"] == {
        "stage": "context_vectors", "row": None, "column": None,
        "expected": "6 x 2", "actual": "6 x 3"}

@pytest.mark.parametrize("number, text", [("NaN", "nan"), ("Infinity", "inf"),
                                          ("-Infinity", "-inf"), ("1e999", "inf")])
def test_non_finite_numbers_are_divergences(number, text):
    content = json.dumps({"context_vectors": BOOK}).replace("0.8203", number).encode()
    status, out, err = command(["-"], content)
    assert (status, err) == (1, "")
    assert "diverges at [2][1]: expected 0.820296, got %s\n" % text in out
    assert "None of the 24 known mistakes" in out
    status, out, err = command(["-", "--json"], content)
    assert json.loads(out, parse_constant=pytest.fail)["divergence"]["actual"] == text

# ---- Single rows --------------------------------------------------------------------------------
def test_a_single_row_is_that_of_journey():
    for row in (BOOK_SIMPLIFIED, [BOOK_SIMPLIFIED]):
        status, out, err = tool({"simplified": True, "attention_weights": row})
        assert (status, err) == (0, "")
        assert "A single row is taken as that of query 1 (journey)." in out
    assert tool({"context_vectors": BOOK[1], "values": run(RUNNING).values})[0] == 0

def test_a_single_row_of_another_query():
    for query in ("starts", "Starts", 2):
        assert tool({"query": query, "context_vectors": [BOOK[2]]})[0] == 0
        status, out, err = tool({"query": query, "context_vectors": BOOK[5]})
        assert status == 1 and "row-of-another-query" in out
        assert "belong to another query, 5 (step)\n" in out
    assert json.loads(tool({"context_vectors": BOOK[0]}, "--json")[1])["mistakes"] == [
        "row-of-another-query"]

def test_a_single_row_of_other_inputs_needs_its_query():
    data = dict(GENERAL_CASE, attention_weights=GENERAL["stages"]["attention_weights"][4])
    status, out, err = tool(data)
    assert (status, out) == (2, "")
    assert "attention_weights has one row, expected 7 rows, or a query from 0 to 6" in err
    assert tool(dict(data, query=4))[0] == 0
    status, out, err = tool(dict(data, query=3))
    assert status == 1 and "belong to another query, 4\n" in out
    assert names_for(GENERAL_CASE, {"queries": [GENERAL["stages"]["queries"][4]]}) == []

def test_a_single_row_of_another_query_beside_full_stages():
    stages = dict(GENERAL["stages"], context_vectors=[GENERAL["stages"]["context_vectors"][4]])
    assert names_for(dict(GENERAL_CASE, query=3), stages) == ["row-of-another-query"]
    assert names_for(dict(GENERAL_CASE, query=4), stages) == []
    stages["queries"] = GENERAL["stages"]["queries"][1:] + GENERAL["stages"]["queries"][:1]
    status, out, err = tool(dict(GENERAL_CASE, query=3, **stages))
    assert status == 1 and "The first divergence is in queries" in out

def test_a_single_row_that_a_mistake_does_not_have():
    case = dict(random_case(3, 5, 4, 2, m=7), query=6)  # queries from the sources are only 3
    assert run(case, MISTAKES[5])._asdict()["queries"] != run(case).queries
    assert names_for(case, {"queries": [run(case).queries[2]]}) == ["row-of-another-query"]

def test_keys_and_values_have_no_single_row():
    status, out, err = tool({"keys": run(RUNNING).keys[1]})
    assert status == 1 and "expected 6 x 2, got 1 x 2" in out

def test_one_token_needs_no_query():
    one = [case for case in CASES if case["name"] == "one token"][0]
    assert tool(dict(case_of(one), **one["stages"]))[0] == 0

# ---- What cannot be seen ------------------------------------------------------------------------
def test_blind_spots_of_the_running_example():
    status, out, err = tool(run(RUNNING)._asdict())
    assert out.endswith(
        "Cannot be seen with this input:\n"
        "- These mistakes give the right numbers, too: queries-from-sources.\n"
        "- These mistakes give the same numbers as each other: scaling-forgotten =\n"
        "  divided-by-half-d_k.\n"
        "- d_k = d_v = 2: no shape changes if these are mixed up.\n")
    status, out, err = tool({"context_vectors": BOOK})
    assert "; values-made-with-W_key = keys-blended; " in flat(out)

def test_blind_spots_of_the_simplified_version():
    status, out, err = tool(dict(run({"inputs": INPUTS})._asdict(), simplified=True))
    assert out.endswith(
        "Cannot be seen with this input:\n"
        "- These mistakes give the right numbers, too: keys-times-queries, queries-times-queries,\n"
        "  inputs-blended, keys-blended.\n"
        "- There are no weight matrices to mix up, and no scaling to forget.\n"
        "- The attention scores are symmetric: transposed, they stay as they are.\n")

def test_blind_spots_are_blind_and_others_are_not():
    for case in ({"inputs": INPUTS}, TWO_CASE, dict(RUNNING, W_key=W_QUERY)):
        right = run(case)
        unseen, groups = blind_spots(case, right._asdict())
        for mistake in MISTAKES:
            record = run(case, mistake)
            if record is not None:
                found = names_for(case, record._asdict())
                alike = [group for group in groups if mistake.name in group] or [[mistake.name]]
                assert found == ([] if mistake.name in unseen else alike[0])

def test_blind_spots_leave_out_the_steps_after_the_last_stage_given():
    unseen, groups = blind_spots(RUNNING, {"attention_scores": run(RUNNING).attention_scores})
    assert unseen == ["values-made-with-W_key", "values-not-projected", "queries-from-sources"]
    assert groups == [["query-and-key-swapped", "keys-times-queries"]]

def test_one_token_hides_much():
    one = case_of([case for case in CASES if case["name"] == "one token"][0])
    unseen, groups = blind_spots(one, {"attention_scores": run(one).attention_scores})
    assert unseen == ["query-and-key-swapped", "values-made-with-W_key", "values-not-projected",
                      "queries-from-sources", "keys-times-queries", "row-of-another-query"]
    unseen, groups = blind_spots(one, {"context_vectors": run(one).context_vectors})
    assert "scaling-forgotten" in unseen and "softmax-left-out" not in unseen
    assert "symmetric" not in tool(dict(one, context_vectors=run(one).context_vectors))[1]

def test_the_best_input_has_one_blind_spot():
    stages = run(GENERAL_CASE)._asdict()
    assert blind_spots(GENERAL_CASE, stages) == (["queries-from-sources"], [])
    assert blind_spots(TWO_CASE, run(TWO_CASE)._asdict()) == ([], [])
    status, out, err = tool(dict(TWO_CASE, **run(TWO_CASE)._asdict()))
    assert (status, err) == (0, "")
    assert "Sizes: m = 6, d_t = 5, n = 7, d_in = 5, d_k = 3, d_v = 4." in out
    assert out.endswith("Cannot be seen with this input:\n"
                        "- d_t = d_in = 5: no shape changes if these are mixed up.\n")

def test_nothing_is_said_where_everything_can_be_seen():
    case = dict(TWO_CASE, targets=matrix(6, 2, 8), W_query=matrix(2, 3, 9))
    status, out, err = tool(dict(case, **run(case)._asdict()))
    assert status == 0 and out.endswith("All numbers given are as they should be, to within 6e-05.\n")

@pytest.mark.parametrize("data, heading", [
    ({}, "the running example."),
    ({"simplified": True}, "the running example's inputs in the simplified version."),
    ({"W_query": W_QUERY, "W_key": W_KEY, "W_value": W_VALUE},
     "the running example's inputs and your weight matrices."),
    ({"inputs": INPUTS, "simplified": True}, "your inputs in the simplified version."),
    ({"inputs": INPUTS}, "your inputs and the running example's weight matrices."),
    ({"targets": INPUTS, "sources": INPUTS},
     "your targets and sources and the running example's weight matrices."),
])
def test_it_says_what_the_numbers_are_compared_with(data, heading):
    out = tool(dict(data, values=INPUTS))[1]
    assert flat(out).startswith("Expected: what attention.py makes of " + heading)

def test_the_other_version_is_recognised():
    status, out, err = tool({"attention_weights": BOOK_SIMPLIFIED})
    assert status == 1 and 'add "simplified": true' in out
    status, out, err = tool({"attention_weights": BOOK_SIMPLIFIED, "query": "one"})
    assert status == 1 and 'add "simplified": true' not in out

def test_scaling_in_the_simplified_version():
    simplified = {"inputs": INPUTS}
    stages = finish(INPUTS, INPUTS, INPUTS)
    assert names_for(simplified, stages) == ["divided-by-sqrt-d_in"]
    status, out, err = tool(dict(stages, simplified=True))
    assert "put it right:  do not scale: the simplified version does not\n" in out

# ---- Unusable input -----------------------------------------------------------------------------
@pytest.mark.parametrize("content, problem", [
    ("", "no JSON: "),
    ("{", "no JSON: "),
    ("\xff", "no JSON: "),
    ("[" * 100000, "no JSON: nested too deeply"),
    ("[1]", "expected an object"),
    ("null", "expected an object"),
    ("{}", "no stage given, expected at least one of queries, keys,"),
    ('{"inputs": [[1, 2, 3]]}', "no stage given"),
    ('{"weights": [[1]]}', "unknown key 'weights', expected queries, keys,"),
    ('{"w\\u00e4\\n": 1}', "unknown key 'w\\xe4\\n', expected"),
    ('{"queries": null}', "queries is of type NoneType, expected rows of numbers"),
    ('{"queries": "a"}', "queries is of type str"),
    ('{"queries": 1}', "queries is of type int"),
    ('{"queries": []}', "queries is empty"),
    ('{"queries": [[]]}', "queries is empty"),
    ('{"queries": ["1"]}', "queries[0][0] is of type str, expected a real number"),
    ('{"queries": [[1, null]]}', "queries[0][1] is of type NoneType, expected a real number"),
    ('{"queries": [[1, 2], [3]]}', "queries is ragged"),
    ('{"queries": [[1], 2]}', "queries[1] is of type int, expected a row of numbers"),
    ('{"queries": [[1%s]]}' % ("0" * 400), "queries[0][0] is too large for a float"),
    ('{"queries": [[1]], "inputs": [[1, 2]]}',
     "(the weight matrices are the running example's: you gave none)"),
    ('{"queries": [[1]], "inputs": [["a"]]}', "inputs[0][0] is of type str"),
    ('{"queries": [[1]], "inputs": [[NaN, 1, 1]]}', "inputs[0][0] is nan, expected a finite"),
    ('{"queries": [[1]], "W_key": [[1], [1], [1]]}', "W_query is missing, expected all three"),
    ('{"queries": [[1]], "W_query": [[1]], "W_key": [[1]], "W_value": [[1]]}',
     "inputs is 6 x 3 but W_query is 1 x 1"),
    ('{"queries": [[1]], "simplified": 1}', "simplified is 1, expected true or false"),
    ('{"queries": [[1]], "simplified": true, "W_key": [[1]]}', "there are weight matrices"),
    ('{"queries": [[1]], "simplified": true, "inputs": [[1e200]]}', "overflow: attention_scores"),
    ('{"queries": [[1]], "targets": [[1]]}', "targets and sources go together"),
    ('{"queries": [[1]], "targets": [[1]], "sources": [[1]], "simplified": true}', "go together"),
    ('{"queries": [[1]], "targets": [[1, 2, 3]], "sources": [[1]]}', "sources is 1 x 1 but W_key"),
    ('{"queries": [[1]], "query": 6}', "query is 6, expected a number from 0 to 5 or one of Your"),
    ('{"queries": [[1]], "query": -1}', "query is -1, expected"),
    ('{"queries": [[1]], "query": true}', "query is True, expected"),
    ('{"queries": [[1]], "query": "cat"}', "query is 'cat', expected"),
    ('{"queries": [[1]], "query": "one", "inputs": [[1, 2, 3]]}',
     "query is 'one', expected a number from 0 to 0"),
])
def test_unusable_input_is_refused_in_one_line(content, problem, tmp_path, capsys):
    path = tmp_path / "values.json"
    path.write_bytes(content.encode("latin-1"))
    assert find_the_mistake.main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("find_the_mistake: %s: " % path) and problem in err

def test_standard_input_is_named():
    status, out, err = command(["-"], b"{}")
    assert (status, out) == (2, "")
    assert err.startswith("find_the_mistake: standard input: no stage given, expected at least")

def test_files_that_cannot_be_read(tmp_path):
    assert command([str(tmp_path / "none.json")]) == (
        2, "", "find_the_mistake: %s: No such file or directory\n" % (tmp_path / "none.json"))
    status, out, err = command([str(tmp_path)])
    assert (status, out, err.count("\n")) == (2, "", 1)

@pytest.mark.parametrize("arguments", [[], ["--json"], ["a", "b"], ["--jsn", "-"], ["-x"],
                                       ["--help", "-"]])
def test_wrong_usage(arguments):
    status, out, err = command(arguments)
    assert (status, out) == (2, "")
    assert err == "usage: python3 -m examples.find_the_mistake [--json] FILE\n"

def test_help():
    status, out, err = command(["--help"])
    assert (status, err) == (0, "") and out.startswith("usage: ")
    for key in find_the_mistake.KEYS:
        assert key in out

def test_a_byte_order_mark_is_no_problem():
    assert command(["-"], b"\xef\xbb\xbf" + json.dumps({"context_vectors": BOOK}).encode())[0] == 0

@pytest.mark.skipif(os.name == "nt", reason="needs a shell with pipes")
def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path):
    path = tmp_path / "values.json"
    path.write_text(json.dumps({"context_vectors": BOOK}))
    process = subprocess.Popen(
        "%s -m examples.find_the_mistake %s | true" % (sys.executable, path), shell=True,
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.communicate() == (b"", b"")

def test_find_mistakes_refuses_bad_stages():
    with pytest.raises(ValueError, match="no stage in common"):
        find_mistakes(RUNNING, {})
    with pytest.raises(ValueError, match="expected stages"):
        find_mistakes(RUNNING, {"weights": [[1.0]]})
    with pytest.raises(TypeError, match=r"context_vectors\[0\]\[0\] is of type str"):
        find_mistakes(RUNNING, {"context_vectors": [["a"]]})
    with pytest.raises(ValueError, match="a is 1 x 1 but b is 3 x 2"):
        run(dict(RUNNING, inputs=[[1.0]]))

def test_overflow_in_a_mistake_is_no_match():
    case = {"inputs": [[1e150, 1e-150], [1.0, 2.0]], "W_query": [[1e-150, 0.0], [0.0, 1.0]],
            "W_key": [[1e-150, 1.0], [0.0, 1.0]], "W_value": [[1e150, 0.0], [0.0, 1.0]]}
    stages = run(case)._asdict()
    assert names_for(case, stages) == []
    stages["context_vectors"] = [[0.0, 0.0], [0.0, 0.0]]
    assert names_for(case, stages) == []
    assert tool(dict(case, **stages))[0] == 1

def test_overflow_in_the_simplified_version_is_no_problem():
    one = [[1e-200]]
    data = {"inputs": [[1e200]], "W_query": one, "W_key": one, "W_value": one, "values": [[2.0]]}
    status, out, err = tool(data)
    assert (status, err) == (1, "") and "None of the 24 known mistakes" in out

def test_doctests():
    assert doctest.testmod(find_the_mistake).failed == 0
    assert doctest.testmod(find_the_mistake).attempted >= 5

def test_the_session_in_the_readme(tmp_path):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        session = file.read().split("```text\n$ cat mine.json\n")[1].split("\n```")[0]
    content, output = session.split("\n$ python3 -m examples.find_the_mistake mine.json\n")
    mine = tmp_path / "mine.json"
    mine.write_text(content)
    assert command([str(mine)]) == (1, output + "\n", "")

@pytest.mark.skipif(os.name != "posix", reason="closing it is a matter of the shell")
def test_closed_standard_input():
    process = subprocess.Popen(
        ["sh", "-c", '"$0" -m examples.find_the_mistake - <&-', sys.executable], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert process.communicate() == ("", "find_the_mistake: standard input: it is closed\n")
    assert process.returncode == 2
