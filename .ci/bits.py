"""Run the self-check in this Python, then print all numbers of all cases as 64 bits each.

Bits, because text would not do: MicroPython's repr of a float is not always exact. After
the self-check's lines, there is one of JSON for each case: {case: {stage: [[bits, ...],
...]}}, and before them {"version": ...}. Run it from the repository root, in any Python;
any_python.py does so in many and compares.
"""

import json
import struct
import sys

sys.path.insert(0, ".")
from attention import STAGES
from examples.porting import self_check


def bits(x):
    return "".join(["%02x" % byte for byte in struct.pack(">d", x)])


version = sys.version.split()[0]  # but others tell there whose language they speak
if sys.implementation.name != "cpython":
    version = ".".join([str(part) for part in sys.implementation.version[:3]])
status = self_check.main([])
print(json.dumps({"version": version}))
for case in self_check.load_cases():
    given = self_check.answer(case["function"], case["arguments"])
    matrices = {}
    for stage in STAGES:
        if stage in given:  # not if it was an error, as the self-check has made sure
            matrices[stage] = [[bits(x) for x in row] for row in given[stage]]
    print(json.dumps({case["name"]: matrices}))
if status != 0:
    sys.exit(status)
