"""Tests of benchmark.py: that it measures what it says; the figures are the machine's."""

import doctest
import json
import os
import subprocess
import sys

import pytest

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE, first_divergence, self_attention
from examples import benchmark

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_the_examples_in_the_docstrings():
    failed, tried = doctest.testmod(benchmark)
    assert failed == 0 and tried > 0


def test_the_rival_does_the_same_job():
    example = (INPUTS, W_QUERY, W_KEY, W_VALUE)
    ours = {"context_vectors": self_attention(*example).context_vectors}
    rival = {"context_vectors": benchmark.index_loops(*example)}
    assert first_divergence(ours, rival, 1e-15) is None


@pytest.mark.parametrize("name, module, code", benchmark.JOBS[1:])
def test_every_fresh_process_prints_the_context_vectors(name, module, code):
    if module:
        pytest.importorskip(module)
    printed = json.loads(benchmark.start("-c", code)[1])
    expected = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE).context_vectors
    found = first_divergence({"context_vectors": expected}, {"context_vectors": printed}, 1e-12)
    assert found is None


def test_the_bare_interpreter_prints_nothing_else_and_tells_its_peak():
    lines = benchmark.start("-c", benchmark.JOBS[0][2] + benchmark.PEAK)[1].splitlines()
    assert lines[0] == "[]" and int(lines[1]) >= 0


def test_side_by_side_takes_turns_and_keeps_the_best(monkeypatch):
    turns, clock = [], [0.0, 5.0, 5.0, 9.0, 10.0, 12.0, 12.0, 18.0]
    monkeypatch.setattr(benchmark, "perf_counter", lambda: clock.pop(0))
    best = benchmark.side_by_side([lambda: turns.append("a"), lambda: turns.append("b")], 2)
    assert (turns, best) == (["a", "b", "a", "b"], [2.0, 4.0])


FIGURES = {
    "floor": [{"n": 64, "d": 64, "floor_ns": 40.0, "loops_of_d_ns": 42.0, "attention_ns": 44.0,
               "ratio": 1.1, "ratio_to_loops_of_d": 1.05}],
    "small": {"running_example_us": 90.0, "index_loops_us": 60.0, "ratio": 1.5,
              "checking_share": 0.034},
    "growth": {"n": {"sizes": [32, 64], "seconds": [0.01, 0.04], "exponent": 2.0},
               "d": {"sizes": [64, 128], "seconds": [0.02, 0.04], "exponent": 1.0}},
    "jobs": [{"name": "bare interpreter", "seconds": 0.01, "peak_kb": 10240},
             {"name": "import attention", "seconds": 0.02, "peak_kb": 20480},
             {"name": "attention.py", "seconds": 0.03, "peak_kb": 0}]}


def test_the_report():
    report = benchmark.report(FIGURES)
    for part in (
            "    64   64    40.0                   42.0        44.0    1.10           1.05\n",
            "self_attention: 90 us; bare index loops that check\n   nothing: 60 us; ratio 1.50. "
            "Checking at n = d = 64: 3.4 % of the time.\n",
            "   with n (d = 64): time ~ n ^ 2.00\n     32      10.0 ms  ##########\n"
            "     64      40.0 ms  " + "#" * 40 + "\n",
            "  bare interpreter     10.0 ms    0.50         10.0 MB\n"
            "  import attention     20.0 ms    1.00         20.0 MB\n"
            "  attention.py         30.0 ms    1.50\n"
            "   import attention takes 2.00 times the bare interpreter and 10.0 MB more\n"):
        assert part in report
    assert max(len(line) for line in report.splitlines()) <= 80


def test_without_known_memory_the_report_is_silent_about_it():
    jobs = [dict(row, peak_kb=0) for row in FIGURES["jobs"]]
    assert "MB" not in benchmark.report(dict(FIGURES, jobs=jobs))


def test_what_is_divided_by_what(monkeypatch):
    """With times that we set, every figure can be worked out by hand."""
    monkeypatch.setattr(benchmark, "side_by_side", lambda functions, rounds: [
        2.0 * 4 ** i for i, _ in enumerate(functions)])  # seconds: 2, 8, 32, 128
    row = benchmark.measure_floor()[0]  # 4096, 512 and 2 * 512 multiply-adds
    assert (row["n"], row["d"], row["floor_ns"]) == (8, 8, 2e9 / 4096)
    assert (row["ratio"], row["ratio_to_loops_of_d"]) == (64.0, 2.0)
    shares = benchmark.measure_shares()
    assert (shares["ratio"], shares["checking_share"]) == (4.0, 0.25)
    for growth in benchmark.measure_growth().values():  # sizes double, times are fourfold
        assert growth["exponent"] == pytest.approx(2.0)


def test_the_command(capsys, monkeypatch):
    for name in ("floor", "small", "growth", "jobs"):
        function = {"small": "measure_shares"}.get(name, "measure_" + name)
        monkeypatch.setattr(benchmark, function, lambda name=name: FIGURES[name])
    assert benchmark.main(["--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {name: figures[name] for name in FIGURES} == FIGURES
    assert benchmark.main([]) == 0
    assert capsys.readouterr().out == benchmark.report(FIGURES) + "\n"
    assert benchmark.main(["--fast"]) == 2
    assert capsys.readouterr().err == "benchmark: --fast: expected nothing or --json\n"


def test_small_measurements(monkeypatch):
    """A short real run of side_by_side and of measure_jobs."""
    assert 0 < benchmark.side_by_side([benchmark.attention_of(4, 4)], 1)[0] < 1
    rows = benchmark.measure_jobs(rounds=1)
    assert [row["name"] for row in rows[:3]] == [
        "bare interpreter", "import attention", "attention.py"]
    assert all(0 < row["seconds"] < 60 for row in rows)


def test_as_a_command():
    process = subprocess.Popen([sys.executable, "-m", "examples.benchmark", "--fast"], cwd=ROOT,
                               stderr=subprocess.PIPE, universal_newlines=True)
    assert process.communicate()[1] == "benchmark: --fast: expected nothing or --json\n"
    assert process.returncode == 2
