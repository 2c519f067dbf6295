"""Find the mistake: at which step does a hand-written attention go wrong, and how?

steps.py      the steps done right, and every known way to do them wrong
search.py     which of them give your numbers
command.py    the command: python3 -m examples.find_the_mistake
"""
