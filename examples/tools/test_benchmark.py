"""That benchmark.py measures what it says; the figures are the machine's."""

import pytest

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


def test_what_is_divided_by_what(monkeypatch):
    monkeypatch.setattr(benchmark, "best_of", lambda rounds, functions: [2.0, 8.0, 32.0])
    assert benchmark.nanoseconds(8, 8, 1) == (2e9 / 4096, 8e9 / 512, 32e9 / 1024)
    assert benchmark.nanoseconds(64, 64, 1)[0] == 2e9 / 64 ** 3
    seconds, power = benchmark.growth([(32, 9), (64, 9), (128, 9)])
    assert power == pytest.approx(2)  # fourfold n, sixteenfold time


def test_what_it_prints(monkeypatch, printed):
    monkeypatch.setattr(benchmark, "best_of", lambda rounds, functions: (
        [function() for function in functions[:1]] and [0.003] * len(functions)))
    monkeypatch.setattr(benchmark, "nanoseconds", lambda n, d, rounds: (2.0, 4.0, 8.0))
    lines = printed(benchmark.main)
    assert lines[4][2:] == ["2.0", "4.0", "8.0", "4.00", "2.00"]
    assert lines[8][4:] == ["3000", "us."] and lines[9][-1] == "1.00."
    assert lines[12] == ["n", "=", "32,", "d", "=", "64", "3.0", "ms"]
