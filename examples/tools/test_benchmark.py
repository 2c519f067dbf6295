import itertools

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.tools import benchmark
from examples.tools.common import first_difference


def test_the_rival_does_the_same_job():
    example = (INPUTS, W_QUERY, W_KEY, W_VALUE)
    ours, loops = self_attention(*example), benchmark.index_loops(*example)
    assert first_difference(ours.context_vectors, loops, 1e-12) is None


def test_what_it_prints(monkeypatch, printed):
    clock = itertools.cycle([0.009, 0.009, 0.003, 0.002])
    monkeypatch.setattr(benchmark, "timeit", lambda job, number: next(clock))
    for line in printed(benchmark.main)[1:]:
        assert line[-5:] == ["3.000", "ms", "2.000", "ms", "1.50"]
