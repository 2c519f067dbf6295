import doctest
import os
import random
import subprocess
import sys
import time

import pytest

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE, self_attention
from examples import train
from examples.train import gradients

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONTEXT_GRADIENTS = [[1.0, -2.0], [3.0, 0.5], [-1.0, 1.0], [0.0, 2.0], [0.25, -1.0], [2.0, 0.0]]
# What torch 2.13.0's autograd gave in float64 for the running example and these.
AUTOGRAD = train.Gradients(
    W_query=[[0.002409717006541095, 0.011573478334679865],
             [0.04237929825067143, 0.12544604839152515],
             [0.01159645748417933, 0.041646178583334664]],
    W_key=[[0.001983083481731597, 0.005361572655879754],
           [0.036259924070163915, 0.12688639818481828],
           [0.01678732682659525, 0.05198147506207948]],
    W_value=[[2.218619560136744, 0.2110972931121891],
             [3.3552494940592177, 0.3340085578101224],
             [2.9843655934764692, 0.2938581438318957]],
    inputs=[[0.027321453024913123, 0.1794037850118339, 0.04456721677633338],
            [0.16461948652890687, 0.545886562983282, 0.3815783694602083],
            [0.13407876428334453, 0.49276411735945413, 0.32624246777644494],
            [0.10730273936503251, 0.26747709678336173, 0.15850530056667111],
            [0.011672053622928492, 0.08323961850436122, -0.011496360045285994],
            [0.11040216132020785, 0.36886273422076205, 0.22451531138255515]])

def test_doctests():
    result = doctest.testmod(train)
    assert result.attempted > 0 and result.failed == 0

def test_gradients_of_the_running_example():
    found = gradients(INPUTS, W_QUERY, W_KEY, W_VALUE, CONTEXT_GRADIENTS)
    for matrix, expected in zip(found, AUTOGRAD):
        assert [len(row) for row in matrix] == [len(row) for row in expected]
        for row, other in zip(matrix, expected):
            for x, y in zip(row, other):
                assert abs(x - y) <= 1e-13

def loss(matrices, context_gradients):  # whose gradient at the context vectors is this
    context_vectors = self_attention(*matrices).context_vectors
    return sum(g * c for gs, cs in zip(context_gradients, context_vectors)
               for g, c in zip(gs, cs))

@pytest.mark.parametrize("n, d_in, d_k, d_v", [
    (2, 3, 4, 5), (5, 4, 3, 2), (4, 1, 2, 3), (3, 5, 1, 4), (6, 2, 3, 1), (1, 2, 3, 4)])
def test_gradients_against_central_differences(n, d_in, d_k, d_v):
    draw = random.Random(1000 * n + 100 * d_in + 10 * d_k + d_v)
    inputs, W_query, W_key, W_value, context_gradients = [
        [[draw.uniform(-1.0, 1.0) for j in range(columns)] for i in range(rows)]
        for rows, columns in ((n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v), (n, d_v))]
    matrices = [inputs, W_query, W_key, W_value]
    found = gradients(inputs, W_query, W_key, W_value, context_gradients)
    for matrix, gradient in zip(matrices, (found.inputs, ) + tuple(found[:3])):
        assert [len(row) for row in gradient] == [len(row) for row in matrix]
        for row, gradient_row in zip(matrix, gradient):
            for j, x in enumerate(row):
                h = 1e-4
                losses = []
                for step in 1, -1, 2, -2:  # of fourth order: the error is about h**4
                    row[j] = x + step * h
                    losses.append(loss(matrices, context_gradients))
                row[j] = x
                slope = (8 * (losses[0] - losses[1]) - (losses[2] - losses[3])) / (12 * h)
                assert abs(gradient_row[j] - slope) <= 1e-6 * abs(slope) + 1e-11

def test_arguments_are_not_changed_and_nothing_is_shared():
    arguments = [[row[:] for row in matrix]
                 for matrix in (INPUTS, W_QUERY, W_KEY, W_VALUE, CONTEXT_GRADIENTS)]
    for gradient in gradients(*arguments):
        gradient[0][0] = 99.0
    assert arguments == [INPUTS, W_QUERY, W_KEY, W_VALUE, CONTEXT_GRADIENTS]

@pytest.mark.parametrize("place, wrong, error, message", [
    (0, None, TypeError, "inputs is of type NoneType, "),
    (0, [[1.0, 2.0]], ValueError, "inputs is 1 x 2 but W_query is 3 x 2: "),
    (1, [[1.0], [2.0], [3.0]], ValueError, "W_query is 3 x 1 but W_key is 3 x 2: "),
    (2, [[1.0, 2.0], [3.0]], ValueError, "W_key is ragged: "),
    (3, "W_value", TypeError, "W_value is of type str, "),
    (4, [[1.0, 2.0]], ValueError,
     "context_gradients is 1 x 2 but context_vectors is 6 x 2: each number needs its gradient"),
    (4, [[1.0]] * 6, ValueError, "context_gradients is 6 x 1 but context_vectors is 6 x 2: "),
    (4, [[0.0, float("nan")]] * 6, ValueError, "context_gradients[0][1] is nan, "),
    (4, [[1.7e308, 1.7e308]] * 6, ValueError, "overflow: gradient of "),
])
def test_errors(place, wrong, error, message):
    arguments = [INPUTS, W_QUERY, W_KEY, W_VALUE, CONTEXT_GRADIENTS]
    arguments[place] = wrong
    with pytest.raises(error) as caught:
        gradients(*arguments)
    assert str(caught.value).startswith(message)

@pytest.fixture(scope="module")
def trained():
    before, losses = train.random_matrices(), []
    start = time.process_time()
    after = train.train(before, train.STEPS, lambda step, loss: losses.append(loss))
    seconds = time.process_time() - start
    return before, after, losses, seconds

def test_the_loss_is_a_hundredfold_lower_in_ten_seconds(trained):
    before, after, losses, seconds = trained
    assert len(losses) == train.STEPS and losses[-1] < losses[0] / 100.0
    assert train.loss_and_gradients(train.SENTENCES, after)[0] < losses[0] / 100.0
    assert seconds < 10.0
    assert before == train.random_matrices()  # and these have not been changed

def test_every_word_finds_its_word_in_old_and_new_sentences(trained):
    after = trained[1]
    finds = {"small birds sing": [1, 2, 1], "old dogs sleep": [1, 2, 1],
             "young children play": [1, 2, 1], "small dogs play": [1, 2, 1],
             "old children sing": [1, 2, 1], "young birds sleep": [1, 2, 1],
             "sleep small children": [2, 2, 0], "cats dance": [1, 0],
             "old white cats sing": [2, 2, 3, 2]}
    assert sorted(finds) == sorted(train.SENTENCES + train.NEW_SENTENCES)
    for sentence, places in finds.items():
        attention = self_attention(train.embed(sentence), *after)
        for row, place in zip(attention.attention_weights, places):
            assert row[place] > 0.85

def test_what_W_value_has_learned(trained):
    meanings = trained[1][2][3:]
    for row, expected in zip(meanings, [[1.0, 0.0], [0.0, 1.0]]):
        for x, y in zip(row, expected):
            assert abs(x - y) < 0.05

def test_progress_on_a_terminal():
    pty = pytest.importorskip("pty")  # not on Windows
    outer, inner = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "examples.train"], cwd=ROOT, stdout=inner)
    os.close(inner)
    text = b""
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:  # what Linux says when the other end is closed
            break
        if not part:
            break
        text += part
    os.close(outer)
    assert process.wait() == 0
    assert b"\rstep    0 of 600, loss 0.324745\rstep   10 of 600, loss " in text
    assert text.index(b"\rstep  590 of 600") < text.index(b"Every adjective")
    assert text.rstrip().endswith(b"from the words that are in it.")
