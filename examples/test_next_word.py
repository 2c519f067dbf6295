import json
from types import SimpleNamespace

import pytest

from examples.conftest import check_gradients, text_of
from examples.next_word import (
    NEW_SENTENCES, SENTENCES, learn, loss_and_gradients, main, next_shares, sample, start,
    verb_and_subject)
from examples.tools.common import first_difference
from examples.tools.make_trained import DECIMALS, NAMES, stored

TRAINED = json.loads(text_of("trained.json"))


@pytest.fixture(scope="module")
def trained():
    return learn(SENTENCES, seed=123)


def test_what_it_prints(printed):
    lines = printed(main)
    assert float(lines[0][1][:-1]) > 2.0 and float(lines[0][-1]) < 0.45
    assert lines[8][0] == "cat" and float(lines[8][2]) > 0.95
    for sentence, line in zip(NEW_SENTENCES, lines[12:15]):
        subject, right, guessed = [float(x) for x in line[-3:]]
        assert line[:-3] == sentence.split() and min(subject, right) > 0.9
        assert 0.4 < guessed < 0.6  # a word that sees only itself can only guess
    flat, drawn, sharp = [[float(x) for x in line[1:]] for line in lines[18:21]]
    assert max(flat) < 0.2 < max(drawn) < 0.3 < 0.4 < max(sharp)
    assert " ".join(lines[-1]) in SENTENCES + NEW_SENTENCES


def test_gradients_against_differences():
    model = start(5)
    gradients = loss_and_gradients(SENTENCES[:2], model)[1]
    check_gradients(lambda: loss_and_gradients(SENTENCES[:2], model)[0], model, gradients)


def test_what_it_draws(trained):
    model = trained[0]
    x = sum(next_shares(["the"], model)[:3])  # what "the", "near" and "dog" have
    for draw, words in (0.0, "the the the the the the"), (x - 0.01, "the dog "), (
            x + 0.01, "the dogs "), (1.0 - 1e-9, "the sleeps"):
        always = SimpleNamespace(random=lambda: draw)
        assert sample(model, 1.0, always).startswith(words)


def test_the_stored_model_works_and_is_not_out_of_date(trained):
    model = [TRAINED[name] for name in NAMES]
    for kept, W in zip(model, trained[0]):  # last digits differ between machines
        assert first_difference(kept, W, 0.5 * 0.1 ** DECIMALS + 1e-6) is None
    assert TRAINED == stored(model), "make trained.json anew"
    for sentence in SENTENCES + NEW_SENTENCES:
        assert min(verb_and_subject(sentence, model)) > 0.9
