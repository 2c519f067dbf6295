"""python3 -m examples.porting"""

from examples.porting.command import main
from examples.tools.common import run

if __name__ == "__main__":
    run(main)
