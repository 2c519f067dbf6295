"""torch's random numbers without torch: examples/torch_random.py explains them."""

import random
import struct

from attention import sqrt, transpose


def manual_seed(seed):
    """Return a generator in the same state as torch's after this seed.
    >>> rand(manual_seed(123), 1, 2)
    [[0.29611194133758545, 0.516562283039093]]
    """
    if not -2 ** 63 <= seed < 2 ** 64:
        raise ValueError("seed is %d, expected from -2**63 to 2**64 - 1" % seed)
    state = [seed & 0xffffffff]
    for i in range(1, 624):
        previous = state[-1]
        state.append((1812433253 * (previous ^ (previous >> 30)) + i) & 0xffffffff)
    generator = random.Random()
    generator.setstate((3, tuple(state + [624]), None))  # 3: the format; 624: all used up
    return generator


def rand(generator, rows, columns):  # -> [rows, columns]
    """Return what torch.rand(rows, columns) gives next."""
    return [[draw(generator) for column in range(columns)] for row in range(rows)]


def linear(generator, d_in, d_out, bias=True):  # -> [d_out, d_in], [d_out] or None
    """Return the weight matrix, in torch's layout, and the bias that
    nn.Linear(d_in, d_out, bias) draws next.
    >>> weight, bias = linear(manual_seed(789), 3, 2, bias=False)
    >>> [round(w, 4) for w in weight[0]], bias
    ([0.3161, 0.4568, 0.5118], None)
    """
    bound = float32(1.0 / sqrt(d_in))
    weight = [[uniform(generator, bound) for i in range(d_in)] for o in range(d_out)]
    return weight, [uniform(generator, bound) for o in range(d_out)] if bias else None


def three_linears(generator, d_in, d_k, d_v):  # -> [d_in, d_k], [d_in, d_k], [d_in, d_v]
    """Return W_query, W_key and W_value as the book's classes draw them."""
    return [transpose(linear(generator, d_in, d, False)[0]) for d in (d_k, d_k, d_v)]


def draw(generator):
    return (generator.getrandbits(32) & 0xffffff) / 2.0 ** 24


def uniform(generator, bound):
    # Only the result is rounded: draw and bound have 24 bits each, so the product and the
    # difference have at most 48, and a float has 53.
    return float32(draw(generator) * (2.0 * bound) - bound)


def float32(x):
    """Return x rounded to the nearest float32, by storing it in four bytes."""
    return struct.unpack("<f", struct.pack("<f", x))[0]
