"""Train again from many seeds, and count what the lessons claim (a few minutes).

    python3 -m examples.tools.check_claims
"""

from attention import self_attention
from examples import multi_head, next_word, positions, train
from examples.tools.common import run_without_arguments
from examples.tools.torch_random import manual_seed, three_linears

SEEDS = range(40)


def train_fails(seed, d_k):
    pairs, new = train.task(train.SENTENCES), train.task(train.NEW_SENTENCES)
    matrices, losses = train.train(pairs, three_linears(manual_seed(seed), 5, d_k, 2))
    loss = train.loss_and_gradients(new, matrices)[0]
    if d_k == 2:
        assert losses[-1] < 0.02 and not 0.02 < loss < 0.25
    return loss > 0.1


def nearest_nouns_found(seed, sentences):
    matrices = positions.trial(positions.with_positions, sentences, seed)[0]
    for inputs, wanted in train.task(positions.NEW_SENTENCES):
        result = self_attention(positions.with_positions(inputs), *matrices)
        for x, row, meaning in zip(inputs, result.attention_weights, wanted):
            if x[0] == 1.0 and inputs[row.index(max(row))][3:] != meaning:
                return False
    return True


def two_heads_win(seed):
    one, first, second = [losses[-1] for title, (W, losses) in multi_head.race(seed)]
    return one > 0.03 and max(first, second) < 0.02


def verbs_and_subjects(seed):
    model = next_word.learn(next_word.SENTENCES, seed)[0]
    found = [next_word.verb_and_subject(s, model) for s in next_word.NEW_SENTENCES]
    return [min(numbers) > 0.5 for numbers in zip(*found)]


def count(claim, expected, results):
    found = sum(results)  # of True and False
    print("%-58s %3d, expected %3d" % (claim, found, expected), flush=True)
    return found == expected


def main():
    four = positions.SENTENCES[:4]
    verbs, subjects = zip(*[verbs_and_subjects(seed) for seed in range(20)])
    right = [
        count("train: fail on new sentences", 4, [train_fails(s, 2) for s in SEEDS]),
        count("train, d_k = 1: fail", 12, [train_fails(s, 1) for s in SEEDS]),
        count("positions: all nouns found", 38, [
            nearest_nouns_found(s, positions.SENTENCES) for s in SEEDS]),
        count("positions, one layout: all nouns found", 9, [
            nearest_nouns_found(s, four) for s in SEEDS]),
        count("multi_head: two heads do better", 40, [two_heads_win(s) for s in SEEDS]),
        count("next_word, seeds 0 to 19: three verbs right", 20, verbs),
        count("next_word, seeds 0 to 19: looks at the subject", 18, subjects)]
    return 0 if all(right) else 1


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
