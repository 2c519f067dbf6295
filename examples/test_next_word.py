import json

from examples.conftest import check_gradients, text_of
from examples.next_word import (
    NEW_SENTENCES, SENTENCES, learn, loss_and_gradients, main, start, verb_and_subject)
from examples.tools.common import first_difference
from examples.tools.make_trained import DECIMALS, NAMES, stored

TRAINED = json.loads(text_of("trained.json"))


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
    for i, ends_well in (-11, False), (-1, True):  # drawn with scores times 0.1, and 10
        assert (" ".join(lines[i]) in SENTENCES + NEW_SENTENCES) == ends_well


def test_gradients_against_differences():
    model = start(5)
    gradients = loss_and_gradients(SENTENCES[:2], model)[1]
    check_gradients(lambda: loss_and_gradients(SENTENCES[:2], model)[0], model, gradients)


def test_the_stored_model_works_and_is_not_out_of_date():
    model = [TRAINED[name] for name in NAMES]
    fresh = learn(SENTENCES, seed=123)[0]
    for kept, W in zip(model, fresh):  # last digits differ between machines
        assert first_difference(kept, W, 0.5 * 0.1 ** DECIMALS + 1e-6) is None
    assert TRAINED == stored(model), "make trained.json anew"
    for sentence in SENTENCES + NEW_SENTENCES:
        assert min(verb_and_subject(sentence, model)) > 0.9
