"""That benchmark.py measures what it says; the figures are the machine's."""

import json

import pytest

from attention import self_attention
from examples.tools import benchmark

EXPECTED = self_attention(*benchmark.EXAMPLE).context_vectors


def same(actual, expected):
    for row, others in zip(actual, expected):
        assert row == pytest.approx(others, rel=1e-12)
    return len(actual) == len(expected)


def test_the_rival_does_the_same_job():
    assert same(benchmark.index_loops(*benchmark.EXAMPLE), EXPECTED)


@pytest.mark.parametrize("name", benchmark.PROGRAMS)
def test_every_program_prints_the_context_vectors(name):
    module, code = benchmark.PROGRAMS[name]
    pytest.importorskip(module)
    assert same(json.loads(benchmark.start(code)), EXPECTED)


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


def test_the_command(monkeypatch, capsys):
    calls = []
    monkeypatch.setattr(benchmark, "best_of", lambda rounds, functions: (
        calls.append(functions) or [0.003] * len(functions)))
    benchmark.main([])
    out = capsys.readouterr().out
    assert "3000 us. Ratio: 1.00." in out and "import attention       3.0 ms" in out
    assert calls[-1][0]() == "\n" and same(json.loads(calls[-1][1]()), EXPECTED)
