"""That benchmark.py measures what it says; the figures are the machine's."""

from attention import self_attention
from examples.tools import benchmark
from examples.tools.common import first_difference


def test_the_rival_does_the_same_job():
    expected = self_attention(*benchmark.EXAMPLE).context_vectors
    actual = benchmark.index_loops(*benchmark.EXAMPLE)
    assert first_difference(expected, actual, 1e-12) is None


def test_best_of_takes_turns_and_keeps_the_best(monkeypatch):
    turns, clock = [], [0.0, 5.0, 5.0, 9.0, 10.0, 12.0, 12.0, 18.0]
    monkeypatch.setattr(benchmark, "perf_counter", lambda: clock.pop(0))
    best = benchmark.best_of(2, [lambda: turns.append("a"), lambda: turns.append("b")])
    assert (turns, best) == (["a", "b", "a", "b"], [2.0, 4.0])


def test_what_it_prints(monkeypatch, printed):
    times = [[0.002, 0.003], [0.001, 0.0, 0.0, 0.064], [0.001, 0.0, 0.0, 0.008]]
    monkeypatch.setattr(benchmark, "best_of", lambda rounds, functions: (
        [function() for function in functions[:2]] and times.pop(0)))
    lines = printed(benchmark.main)
    assert lines[0][-2] == "3000" and lines[1][-1] == "1.50."
    assert [lines[3][-1], lines[9][-1]] == ["2.00:", "1.00:"]
    assert lines[7] == "n = 256, d = 64 64.0 ms, 7.6 ns for a multiply-add".split()
