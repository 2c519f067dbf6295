import pytest

from attention import dot, self_attention
from examples.conftest import check_gradients
from examples.tools.torch_random import manual_seed, rand, three_linears
from examples.train import NEW_SENTENCES, SENTENCES, WORDS, gradients, main, task, train


@pytest.mark.parametrize("n, d_in, d_k, d_v", [
    (5, 4, 3, 2), (4, 1, 2, 3), (3, 5, 1, 4), (1, 2, 3, 4)])
def test_gradients_against_differences(n, d_in, d_k, d_v):
    generator = manual_seed(n)
    matrices = [rand(generator, rows, columns) for rows, columns in (
        (n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v), (n, d_v))]
    context_gradients = matrices.pop()
    found = gradients(self_attention(*matrices), matrices[0], context_gradients)

    def loss():  # one whose gradients at the context vectors are these
        rows = self_attention(*matrices).context_vectors
        return sum(map(dot, context_gradients, rows))

    check_gradients(loss, matrices[1:], found)


def test_the_nearest_of_its_kind_is_wanted():
    [(inputs, wanted)] = task(["old dogs play small cats"])
    found = "dogs", "play", "dogs", "cats", "play"
    assert wanted == [WORDS[word][3:] for word in found]


def test_refusals():
    with pytest.raises(ValueError, match="size"):  # d_v must be 2
        train(task(SENTENCES), three_linears(manual_seed(123), 5, 2, 4))
    with pytest.raises(ValueError, match="rate"):
        train(task(SENTENCES), three_linears(manual_seed(123), 5, 2, 2), rate=50.0)


def test_what_it_prints(printed):
    lines = printed(main)
    assert lines[0][-1].startswith("6.61") and lines[1][-1] == "6.611e-06"
    words = NEW_SENTENCES[2].split()
    table = lines.index(words) + 1
    for word, found, line in zip(words, ["cats", "cats", "sing", "cats"], lines[table:]):
        weights = dict(zip(words, line[1:]))
        assert line[0] == word and float(weights[found]) > 0.85
    for start, row in zip([["16,", "2"], ["123,", "1"], ["123,", "2"]], lines[-3:]):
        shown, new = float(row[3]), float(row[5])
        assert row[:2] == start and shown < 0.03
        assert new < 0.002 if row == lines[-1] else new > 0.6
