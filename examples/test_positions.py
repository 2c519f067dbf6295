from attention import self_attention
from examples.positions import trial, with_positions, without_positions
from examples.train import task

SENTENCES = ["old dogs play small cats", "small dogs play old cats"]


def attention_weights(place, matrices):  # one dict of (query, key) for each sentence
    found = []
    for sentence, (inputs, wanted) in zip(SENTENCES, task(SENTENCES)):
        words = sentence.split()
        rows = self_attention(place(inputs), *matrices).attention_weights
        found.append({(q, k): rows[i][j] for i, q in enumerate(words)
                      for j, k in enumerate(words)})
    return found


def test_without_positions_the_order_is_not_seen():
    matrices, loss, new_loss = trial(without_positions)
    one, other = attention_weights(without_positions, matrices)
    assert max(abs(one[pair] - other[pair]) for pair in one) < 1e-14
    assert loss > 0.02 and new_loss > 0.2


def test_with_positions_adjectives_find_their_nouns():
    matrices, loss, new_loss = trial(with_positions)
    one, other = attention_weights(with_positions, matrices)
    assert min(one["old", "dogs"], one["small", "cats"]) > 0.9
    assert min(other["small", "dogs"], other["old", "cats"]) > 0.9
    assert loss < 0.001 and new_loss < 0.001
