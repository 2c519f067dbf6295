import doctest
from math import exp

from examples import two_sequences
from examples.two_sequences import ENGLISH, FRENCH, translation

def test_doctests():
    result = doctest.testmod(two_sequences)
    assert result.attempted > 0 and result.failed == 0

def test_each_french_word_attends_to_its_translation():
    attention = translation()
    found = {}
    for word, row in zip(FRENCH, attention.attention_weights):
        assert len(row) == len(ENGLISH) and abs(sum(row) - 1.0) < 1e-15
        found[word] = ENGLISH[row.index(max(row))]
        assert word == "les" or max(row) > 0.95
    assert found == {"Je": "I", "n'": "not", "aime": "like", "pas": "not", "les": "cats",
                     "chats": "cats", "noirs": "black"}

def test_by_hand():
    attention = translation()
    right = exp(12.0 / 5.0 ** 0.5)  # one score of 12, and 0 for the five other words
    assert abs(attention.attention_weights[0][0] - right / (right + 5.0)) < 1e-15
    denies, helps = right, exp(12.0 * 0.2 / 5.0 ** 0.5)  # "not" and "do"
    expected = denies / (denies + helps + 4.0)
    assert abs(attention.attention_weights[1][2] - expected) < 1e-15
    assert attention.attention_weights[1] == attention.attention_weights[3]  # n' ... pas
    assert abs(attention.context_vectors[0][0] - right / (right + 5.0)) < 1e-15  # who

def test_the_output_of_the_command():
    text = two_sequences.story()
    assert "  noirs     0.00    0.00    0.00    0.00    0.98    0.00\n" in text
    assert "  noirs   .        .        .        .        ######## .\n" in text
