"""Run the self-check in this Python, then print every number of every case as its 64 bits.

Bits, because text would not do: MicroPython's repr of a float is not always exact. Run from the
repository root, in any Python; any_python.py does so in many and compares.
"""

import struct
import sys

sys.path.insert(0, ".")
from attention import STAGES
from examples.porting import self_check

def bits(x):
    return "".join("%02x" % byte for byte in struct.pack(">d", x))

version = sys.version.split()[0]  # but PyPy and MicroPython tell there whose language they speak
if sys.implementation.name != "cpython":
    version = ".".join(str(part) for part in sys.implementation.version[:3])
print("python\t" + version)
status = self_check.main([])
for case in self_check.load_cases():
    given = self_check.answer(case["function"], case["arguments"])
    for stage in STAGES:
        if stage in given:  # not if it was an error, as the self-check has made sure
            numbers = [bits(x) for row in given[stage] for x in row]
            print("bits\t%s\t%s\t%s" % (case["name"], stage, " ".join(numbers)))
sys.exit(status)
