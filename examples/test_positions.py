import pytest

from attention import self_attention
from examples import positions
from examples.positions import SENTENCES, trial, with_positions, without_positions
from examples.train import task


@pytest.fixture(scope="module")
def trials():
    return {(prepare, n): trial(prepare, SENTENCES[:n]) for prepare, n in [
        (without_positions, 8), (with_positions, 8), (with_positions, 4)]}


def test_without_positions_the_order_is_not_seen(trials):
    matrices, loss, new_loss = trials[without_positions, 8]
    found = []
    for sentence in "old dogs play small cats", "small dogs play old cats":
        words, inputs = sentence.split(), task([sentence])[0][0]
        rows = self_attention(without_positions(inputs), *matrices).attention_weights
        found.append({(q, k): rows[i][j] for i, q in enumerate(words)
                      for j, k in enumerate(words)})
    assert max(abs(found[0][pair] - found[1][pair]) for pair in found[0]) < 1e-14


def test_with_positions_adjectives_find_their_nouns(trials, monkeypatch, printed):
    monkeypatch.setattr(positions, "trial", lambda prepare, sentences: trials[
        prepare, len(sentences)])
    lines = printed(positions.main)
    assert len(lines) == 15
    nearest = ["dogs", "cats", "dogs", "cats", "cats", "cats", "cats"]
    found = [[line[i + 1] for line in lines[start:start + 5] for i, word in
              enumerate(line) if word == "->"] for start in (0, 5, 10)]
    assert found[1] == nearest and found[0] != nearest and found[2] != nearest
    losses = [float(lines[start][-1]) for start in (0, 5, 10)]
    assert losses[1] < 0.003 and losses[0] > 0.1 and losses[2] > 0.03
    for start in 0, 5, 10:
        for line in lines[start + 1:start + 5]:
            for i, word in enumerate(line):  # the adjectives, in their order
                assert word != "->" or line[i - 1] in line[:5]
