"""Examples built on attention.py; README.md lists them in reading order."""

import os, sys

def say(text: str):
    """Print text, and end quietly where the reader, `head` for instance, has seen enough."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left
        if not isinstance(error, BrokenPipeError):
            print("cannot print: %s" % error, file=sys.stderr)
            raise SystemExit(2)

def tell(story) -> int:
    """Say what story() returns: the whole command of an example that has no options."""
    if sys.argv[1:]:
        print("%s: %s: expected no arguments" % (os.path.basename(sys.argv[0]),
                                                 " ".join(sys.argv[1:])), file=sys.stderr)
        return 2
    say(story())
    return 0
