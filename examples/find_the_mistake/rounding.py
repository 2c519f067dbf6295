"""How exact are the numbers? Each stands for all numbers that are printed like it.

0.306 is any number from 0.3055 to 0.3065, and what is computed from it may be off by what
that amounts to.
"""

import struct
from collections import namedtuple
from decimal import Decimal
from math import expm1, frexp

from attention import transpose
from examples.causal import INF
from examples.find_the_mistake.steps import added_up, flat, width

MADE_OF = {
    "queries": ("targets", "W_query"),
    "keys": ("sources", "W_key"),
    "values": ("sources", "W_value"),
    "attention_scores": ("queries", "keys"),
    "scaled_scores": ("attention_scores",),
    "attention_weights": ("scaled_scores",),
    "context_vectors": ("attention_weights", "values")}

# The most decimals and digits of a matrix's numbers
Print = namedtuple("Print", ["decimals", "digits"])


def print_of(texts):
    """Return the Print of numbers as they were written; 1.0 is a whole number."""
    found = [Decimal(repr(float(x)) if "e" in x.lower() else x) for x in texts]
    found = [x for x in found if x.is_finite()]
    decimals = max([-x.as_tuple().exponent for x in found] + [0])
    if decimals == 1 and all(x == int(x) for x in found):
        decimals = 0
    return Print(decimals, max([len(x.as_tuple().digits) for x in found] + [1]))


def prints_of(case, given, known):
    """Return the Prints that are known, or those that the floats show."""
    prints = dict(known or {name: print_of(map(repr, flat(rows))) for name, rows in
                            dict(case, **given).items() if isinstance(rows, list)})
    for stage in given:  # 0 and 1 may be rounded like the numbers of other stages
        if prints[stage].decimals == 0:
            prints[stage] = Print(decimals_of(given, prints), 17)
    return prints


def half_unit(x, printed):
    """Return how far from x the number may be that was printed as x."""
    if x - x != 0.0:
        return 0.0
    if printed.decimals == 0:  # whole numbers are exact, but for noise
        return 0.00006 * max(1.0, abs(x))
    places = printed.digits - 1 - Decimal(x).adjusted() if x else printed.decimals
    return 0.505 * 0.1 ** min(places, printed.decimals)


def unit_of(matrix, printed):
    return max(half_unit(x, printed) for x in flat(matrix))


def decimals_of(names, prints):
    return max([prints[name].decimals for name in names if name in prints] + [0])


def errors_of_case(case, given, prints):
    """Return how far each matrix of the case may be off. Those of one or two decimals
    were typed, and are exact, unless the stages have as few."""
    errors, shown = {}, decimals_of(given, prints)
    for name in set(case).intersection(prints):
        decimals = prints[name].decimals
        is_exact = decimals == 0 or decimals < 3 and not 0 < shown <= decimals
        errors[name] = 0.0 if is_exact else unit_of(case[name], prints[name])
    if "inputs" in errors:
        errors["targets"] = errors["sources"] = errors["inputs"]
    return errors


def level_of(given, prints):
    """Return how exactly the stages were computed: a name, words, and how far off a
    number may be for each 1 that an operation results in."""
    for name, bits, store in (
            ("bfloat16", 8, bfloat16),
            ("float16", 11, lambda x: struct.unpack("e", struct.pack("e", x))[0])):
        if is_stored(given, prints, bits, store):
            return name, "computed in " + name, 2.0 ** (1 - bits)
    decimals = decimals_of(given, prints)
    if not 0 < decimals < 9:
        return "", "", 2.0 ** -23
    about = "rounded to %d decimal%s" % (decimals, "s" * (decimals > 1))
    return "rounded", about, 2.0 ** -23


def bfloat16(x):  # the first two bytes of a float32, rounded to even
    [bits] = struct.unpack("<I", struct.pack("<f", x))
    bits += 0x7fff + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xffff0000))[0]


def is_stored(given, prints, bits, store):
    """Can all numbers be of this format, and is that no accident?"""
    chance = 1.0
    for stage, rows in given.items():
        for x in {x for x in flat(rows) if x - x == 0.0}:
            unit = half_unit(x, prints[stage])
            if abs(x) > 60000 or abs(store(x) - x) > unit:
                return False
            if x != int(x):
                chance *= min(1.0, 2 * unit / 2.0 ** (frexp(x)[1] - bits))
    return chance < 0.005


def error_of(stage, stages, errors, eps, by_factors):
    """Return how far this stage may be off, if what it is made of is off by errors;
    by_factors: each attention weight by a factor, for it was made of scores."""
    before, rows = [errors[part] for part in MADE_OF[stage]], stages[stage]
    if stage == "scaled_scores":
        ratio = largest(rows) / largest(stages["attention_scores"])
        return before[0] * ratio + eps * largest(rows)
    if stage == "attention_weights":  # each e^score is off by a factor, so is their sum
        return (expm1(min(2 * before[0], 1.0)) + 8 * eps) * largest(rows)
    a, b = [stages[part] for part in MADE_OF[stage]]
    if not b:
        return (before[0] if a else errors[stage]) + eps * largest(rows)
    off = before[0] * longest(b if stage == "attention_scores" else transpose(b))
    if by_factors and stage == "context_vectors":
        off = before[0] / largest(a) * longest(a) * largest(b)
    off += width(a) * before[0] * before[1]
    return off + before[1] * longest(a) + 8 * eps * longest(a) * largest(b)


def largest(matrix):  # of the numbers that do not hide a key
    return max([abs(x) for x in flat(matrix) if -1e8 < x < INF] + [1e-300])


def longest(matrix):
    return max(added_up([abs(x) for x in row if -1e8 < x < INF]) for row in matrix)


def agree(x, y, tolerance):
    """nan is nan, and -inf is whatever hides a key."""
    if x < -1e8:
        return y < -1000
    return x == y or abs(x - y) <= tolerance or x != x and y != y


def apart(rows, given, printed):
    """Return how far the given rows are from these: as they are, and beyond what their
    print leaves open. Where more than numbers differ, it is infinite."""
    most, beyond = 0.0, 0.0
    if [len(row) for row in rows] != [len(row) for row in given]:
        return INF, INF
    for x, y in zip(flat(rows), flat(given)):
        if not agree(x, y, 0.0):
            off = abs(x - y)
            if not off < INF:
                return INF, INF
            most, beyond = max(most, off), max(beyond, off - half_unit(y, printed))
    return most, beyond
