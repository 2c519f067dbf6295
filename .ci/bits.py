"""Print this Python's version, and all numbers of all cases as 64 bits each.

Bits, because MicroPython's repr of a float is not always exact. Run it from the
repository root, in any Python; any_python.py does so in many and compares.
"""

import struct
import sys

sys.path.insert(0, ".")
from attention import STAGES
from examples.porting import self_check


def bits(x):
    return "".join(["%02x" % byte for byte in struct.pack(">d", x)])


print(".".join([str(part) for part in sys.implementation.version[:3]]))
for case in self_check.load_cases():
    given = self_check.answer(case["function"], case["arguments"])
    for stage in STAGES:
        if stage in given:  # not if it was refused
            numbers = [bits(x) for row in given[stage] for x in row]
            print("%s, %s: %s" % (case["name"], stage, " ".join(numbers)))
