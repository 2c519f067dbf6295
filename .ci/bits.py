"""Print this Python's version, the self-check's lines, and all numbers as 64 bits each.

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
status = self_check.main([])
for case in self_check.load_cases():
    given = self_check.answer(case["function"], case["arguments"])
    for stage in STAGES:
        if stage in given:  # not if it was an error, as the self-check has made sure
            numbers = [bits(x) for row in given[stage] for x in row]
            print("%s, %s: %s" % (case["name"], stage, " ".join(numbers)))
if status != 0:  # in Brython, sys.exit(0) is a failure, too
    sys.exit(status)
