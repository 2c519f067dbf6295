"""Signals as in a terminal: nohup or a `&` would have them ignored, also in children."""

import json
import os
import signal

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def text_of(name):  # of a file in this folder
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


REFERENCE = json.loads(text_of("reference.json"))

for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def check_lines(lines):
    assert len(lines) > 2
    for line in lines:
        assert line == line.rstrip() and len(line) <= 90
        assert all(" " <= character <= "~" for character in line)


def check_gradients(loss, matrices, gradients, h=1e-5):
    """Compare each gradient with how the loss changes where its number does."""
    for matrix, gradient in zip(matrices, gradients):
        assert [len(row) for row in gradient] == [len(row) for row in matrix]
        for row, expected in zip(matrix, gradient):
            for j, x in enumerate(row):
                row[j] = x + h
                above = loss()
                row[j] = x - h
                slope = (above - loss()) / (2.0 * h)
                row[j] = x
                assert abs(expected[j] - slope) < 1e-9


@pytest.fixture
def printed(capsys):
    """Return what a lesson's main() prints, as lines of words."""
    def call(main):
        assert main() is None
        lines = capsys.readouterr().out.splitlines()
        check_lines(lines)
        return [line.split() for line in lines]
    return call
