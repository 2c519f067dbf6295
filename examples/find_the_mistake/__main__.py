"""python3 -m examples.find_the_mistake"""

from examples.tools.common import run
from examples.find_the_mistake.command import main

if __name__ == "__main__":
    run(main)
