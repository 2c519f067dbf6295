"""Train again from many seeds, and count what the lessons claim (a few minutes).

    python3 -m examples.tools.check_claims
"""

from examples import multi_head, next_word, positions, train
from examples.tools.common import run_lesson
from examples.tools.torch_random import manual_seed, three_linears

NEAREST = ["dogs", "cats", "cats", "cats", "cats"]


def works_on_new_sentences(seed, d_k=2):
    before = three_linears(manual_seed(seed), 5, d_k, 2)
    matrices, losses = train.train(train.task(train.SENTENCES), before)
    new = train.task(train.NEW_SENTENCES)
    loss = train.loss_and_gradients(new, matrices)[0]
    if d_k == 2:
        assert losses[-1] < 0.02 and not 0.02 < loss < 0.25, seed
    return loss < 0.1


def with_one_number(seed):
    return works_on_new_sentences(seed, d_k=1)


def finds_nearest(seed, shown=positions.SENTENCES):
    matrices = positions.trial(positions.with_positions, shown, seed)[0]
    nouns = []
    for sentence in positions.NEW_SENTENCES:
        found = positions.looks_at(sentence, positions.with_positions, matrices)
        nouns += [noun for adjective, noun, weight in found]
    return nouns == NEAREST


def from_one_layout(seed):
    return finds_nearest(seed, positions.SENTENCES[:4])


def two_heads_win(seed):
    one, first, second = [losses[-1] for matrices, losses in multi_head.race(seed)]
    return one > 0.03 and max(first, second) < 0.02


def three_verbs(seed, part=0):
    model = next_word.learn(next_word.SENTENCES, seed)[0]
    found = [next_word.verb_and_subject(s, model) for s in next_word.NEW_SENTENCES]
    return min(pair[part] for pair in found) > 0.5


def three_subjects(seed):
    return three_verbs(seed, part=1)


CLAIMS = [  # so many seeds, of which so many do
    (works_on_new_sentences, 40, 36), (with_one_number, 40, 28),
    (finds_nearest, 40, 38), (from_one_layout, 40, 9), (two_heads_win, 40, 40),
    (three_verbs, 20, 20), (three_subjects, 20, 18)]


def main():
    status = 0
    for claim, seeds, expected in CLAIMS:
        count = len([seed for seed in range(seeds) if claim(seed)])
        print("%-24s %2d of %d, expected %2d" % (
            claim.__name__, count, seeds, expected), flush=True)
        if count != expected:
            status = 1
    return status


if __name__ == "__main__":
    run_lesson(main, __doc__)
