"""Train from many seeds, and count what the lessons claim (a few minutes).

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


def finds_nearest(seed, shown=positions.SENTENCES):
    matrices = positions.trial(positions.with_positions, shown, seed)[0]
    nouns = []
    for sentence in positions.NEW_SENTENCES:
        found = positions.looks_at(sentence, positions.with_positions, matrices)
        nouns += [noun for adjective, noun, weight in found]
    return nouns == NEAREST


def two_heads_win(seed):
    one, first, second = [losses[-1] for matrices, losses in multi_head.race(seed)]
    return one > 0.03 and max(first, second) < 0.02


def verbs_and_subjects(seed):
    model = next_word.learn(next_word.SENTENCES, seed)[0]
    found = [next_word.verb_and_subject(s, model) for s in next_word.NEW_SENTENCES]
    return [min(numbers) > 0.5 for numbers in zip(*found)]


def main():
    seeds, four = range(40), positions.SENTENCES[:4]
    verbs, subjects = zip(*[verbs_and_subjects(seed) for seed in range(100)])
    status = 0
    for claim, expected, results in [
            ("train, new sentences", 36, [works_on_new_sentences(s) for s in seeds]),
            ("train, d_k = 1", 28, [works_on_new_sentences(s, d_k=1) for s in seeds]),
            ("positions", 38, [finds_nearest(s) for s in seeds]),
            ("positions, four sentences", 9, [finds_nearest(s, four) for s in seeds]),
            ("multi_head", 40, [two_heads_win(s) for s in seeds]),
            ("next_word, verbs", 95, verbs),
            ("next_word, subjects", 81, subjects)]:
        count = sum(results)  # of True and False
        print("%-25s %3d, expected %3d" % (claim, count, expected))
        if count != expected:
            status = 1
    return status


if __name__ == "__main__":
    run_lesson(main, __doc__)
