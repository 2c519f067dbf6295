import pytest

from examples import positions
from examples.positions import (
    NEW_SENTENCES, SENTENCES, looks_at, main, trial, with_positions, without_positions)


@pytest.fixture(scope="module")
def trials():
    return {(prepare, n): trial(prepare, SENTENCES[:n]) for prepare, n in [
        (without_positions, 8), (with_positions, 8), (with_positions, 4)]}


def test_without_positions_the_order_is_not_seen(trials):
    matrices = trials[without_positions, 8][0]
    old, small = looks_at("old dogs play small cats", without_positions, matrices)
    same = looks_at("small dogs play old cats", without_positions, matrices)
    for one, other in zip([old, small], same[::-1]):
        assert one[:2] == other[:2] and abs(one[2] - other[2]) < 1e-14


def test_with_positions_adjectives_find_their_nouns(trials, monkeypatch, printed):
    monkeypatch.setattr(positions, "trial", lambda prepare, sentences: trials[
        prepare, len(sentences)])
    lines = printed(main)
    found = [[line[i + 1] for line in lines[start:start + 5]
              for i, word in enumerate(line) if word == "->"] for start in (0, 5, 10)]
    nearest = ["dogs", "cats", "dogs", "cats", "cats", "cats", "cats"]
    assert found[1] == nearest and found[0] != nearest and found[2] != nearest
    assert lines[8] == (NEW_SENTENCES[1] + " young -> cats 0.96").split()
    losses = [float(lines[start][-1]) for start in (0, 5, 10)]
    assert losses[1] < 0.003 and losses[0] > 0.1 and losses[2] > 0.03
