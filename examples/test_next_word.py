import json
import os

import pytest

from examples import next_word
from examples.causal import causal_self_attention
from examples.conftest import check_gradients
from examples.next_word import (
    NEW_SENTENCES, SENTENCES, learn, loss_and_gradients, next_shares, only_itself, sample,
    start, verb_and_subject)
from examples.tools.make_trained import DECIMALS, NAMES, as_json

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "trained.json"), encoding="ascii") as file:
    TRAINED = json.load(file)


@pytest.fixture(scope="module")
def trained():
    return learn(SENTENCES, seed=123)


@pytest.fixture(scope="module")
def alone():
    return learn(SENTENCES, seed=123, hidden=only_itself)


def test_the_verb_of_each_sentence_comes_from_its_subject(trained):
    for sentence in SENTENCES + NEW_SENTENCES:
        assert min(verb_and_subject(sentence, trained[0])) > 0.9


def test_what_it_prints(trained, alone, monkeypatch, printed):
    monkeypatch.setattr(next_word, "learn", lambda sentences, seed, hidden=None: (
        alone if hidden else trained))
    lines = printed(next_word.main)
    assert float(lines[0][1][:-1]) > 2.0 and float(lines[0][-1]) < 0.45
    assert lines[8][0] == "cat" and float(lines[8][2]) > 0.95
    for sentence, line in zip(NEW_SENTENCES, lines[12:15]):
        assert line[:-3] == sentence.split()
        subject, right, guessed = [float(x) for x in line[-3:]]
        assert min(subject, right) > 0.9 and 0.4 < guessed < 0.6
    flat, drawn, sharp = [[float(x) for x in line[1:]] for line in lines[18:21]]
    assert max(flat) < 0.3 < 0.99 < max(drawn) <= max(sharp)
    assert " ".join(lines[-1]) in SENTENCES + NEW_SENTENCES


def test_gradients_against_differences():
    model = start(5)
    gradients = loss_and_gradients(SENTENCES[:2], model)[1]
    check_gradients(lambda: loss_and_gradients(SENTENCES[:2], model)[0], model, gradients)


def test_what_it_draws(trained):
    class Draws:  # always the same
        def __init__(self, x):
            self.random = lambda: x

    model = trained[0]
    shares = next_shares(["the"], model)
    assert sample(model, 1.0, Draws(0.0)) == "the the the the the the"
    assert sample(model, 1.0, Draws(1.0 - 1e-9)) == "the sleeps"
    x = shares[0] + shares[1] + shares[2]
    assert sample(model, 1.0, Draws(x - 0.01)).startswith("the dog ")
    assert sample(model, 1.0, Draws(x + 0.01)).startswith("the dogs ")
    cold, warm = [next_shares(["the"], model, factor) for factor in (10.0, 0.1)]
    assert max(cold) > max(shares) > max(warm)


def test_the_stored_model_is_not_out_of_date(trained):
    fresh = json.loads(as_json(trained[0]))
    for name in set(fresh) - set(NAMES):
        assert TRAINED[name] == fresh[name], "make trained.json anew"
    for name, W in zip(NAMES, trained[0]):
        assert [len(row) for row in TRAINED[name]] == [len(row) for row in W]
        for row, numbers in zip(TRAINED[name], W):
            for stored, x in zip(row, numbers):  # the last digits differ between machines
                assert stored == round(stored, DECIMALS)
                assert abs(stored - x) < 0.5 * 0.1 ** DECIMALS + 1e-6


def test_the_stored_model_works():
    model = [TRAINED[name] for name in NAMES]
    for sentence in SENTENCES + NEW_SENTENCES:
        assert min(verb_and_subject(sentence, model)) > 0.9
    for inputs in TRAINED["inputs"], TRAINED["other_inputs"]:
        result = causal_self_attention(inputs, *model[:3])
        assert result.attention_weights[-1][1] > 0.9
