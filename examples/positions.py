"""Positions: python3 -m examples.positions

"old dogs play small cats" and "small dogs play old cats" have the same words. Which noun
does "old" belong to?

Predict it: training shows six sentences with two nouns each. Will an adjective find its
own noun, which is the nearest?

It cannot. A score compares two words, and nothing in an embedding tells where its word
stands. In both sentences, "old" has the same query, the same keys to choose from, and so
the same attention weights. What training finds instead is which adjective stood with
which noun, and that is no use in new sentences.

So add to each embedding a vector that depends on the position only. Here it is the hand
of a clock, [cos, sin] of its angle, which moves on by an eighth of a turn with each word.
The dot product of two hands is 1 at the same position and falls with the distance, up to
half a turn (four words); what queries and keys make of it is up to training. (Here, the
hand has two numbers of its own, so that you see it. Language models add positions to the
numbers of the embedding itself, which has hundreds: hands of many clocks, slow and fast
ones, or vectors that are trained. Read on in section 3.5 of Vaswani et al., "Attention
Is All You Need", 2017.)
"""

from math import cos, pi, sin

from attention import self_attention
from examples.tools.common import print_table, run_without_arguments
from examples.tools.torch_random import manual_seed, three_linears
from examples.train import loss_and_gradients, task, train

SENTENCES = [
    "old dogs play small cats",
    "small birds sing old children",
    "young children play white dogs",
    "white cats sleep young birds",
    "small dogs dance old birds",
    "old children sing small dogs",
]
NEW_SENTENCES = [
    "small dogs play old cats",
    "young cats dance white birds",
    "old birds sleep",
]
TURN = 2.0 * pi / 8.0  # try 2.0 * pi / 3.0: words 1 and 4, both nouns, have the same hand


def hand(position):  # -> [2]
    """Return a vector that tells the position.
    >>> hand(0)
    [1.0, 0.0]
    """
    return [cos(position * TURN), sin(position * TURN)]


def with_positions(inputs):  # [n, d_in] -> [n, d_in + 2]
    """Return each input with the hand of its position.
    >>> with_positions([[5.0]])
    [[5.0, 1.0, 0.0]]
    """
    return [x + hand(i) for i, x in enumerate(inputs)]


def without_positions(inputs):  # [n, d_in] -> [n, d_in + 2]
    """Return each input with two zeros instead, which tell nothing.
    >>> without_positions([[5.0]])
    [[5.0, 0.0, 0.0]]
    """
    return [x + [0.0, 0.0] for x in inputs]


def trial(prepare):  # what to do with the inputs: one of the two above
    """Return the trained matrices, and the loss on sentences shown and on new ones."""
    shown = [(prepare(inputs), wanted) for inputs, wanted in task(SENTENCES)]
    new = [(prepare(inputs), wanted) for inputs, wanted in task(NEW_SENTENCES)]
    matrices, losses = train(shown, three_linears(manual_seed(123), 7, 2, 2), steps=400)
    return matrices, losses[-1], loss_and_gradients(new, matrices)[0]


def main():
    sentence = NEW_SENTENCES[0]
    words = sentence.split()
    for prepare in without_positions, with_positions:
        matrices, loss, new_loss = trial(prepare)
        inputs = prepare(task([sentence])[0][0])
        result = self_attention(inputs, *matrices)
        name = prepare.__name__.replace("_", " ")
        print("%s: loss %.4f, on new sentences %.4f" % (name, loss, new_loss))
        print_table(result.attention_weights, words, words, places=2)


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
