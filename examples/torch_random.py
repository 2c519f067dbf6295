"""Appendix, torch's random numbers: python3 -m examples.torch_random

The book's weight matrices are what torch.rand or nn.Linear give after a
torch.manual_seed(123). Can you have the same numbers without torch?

Predict it: Python's random module has the same generator, the Mersenne Twister. Does
random.Random(123).random() give torch's first number?

No. The generator is the same, but not how 123 becomes its first state, nor what is made
of each draw:

    seed         its low 32 bits are number 0 of 624; each further one is made from the
                 one before it, with the constants from the definition of MT19937
    torch.rand   a float32 has 32 bits, 24 of them significant. So the low 24 bits of each
                 32-bit draw, divided by 2**24: from 0 up to, not with, 1
    nn.Linear    draw * (2 * bound) - bound, where bound is 1 / sqrt(d_in) as a float32;
                 first the weight matrix, then the bias

torch 2.13.0 on a CPU with AVX2 gives exactly these numbers. Its code for older CPUs gives
the same for torch.rand, but rounds nn.Linear's product, too: half of the numbers differ
then, by 0.00000012 of the bound at most. On a GPU, torch has another generator.

Other numbers than the book's, with the same seed? Look for
  - a draw in between: each one moves the generator on, so seed again, and keep the order
  - torch.rand in the place of nn.Linear, or the other way round
  - nn.Linear's bias: drawn unless bias=False, it shifts all that follows
  - nn.Linear's layout, [d_out, d_in]: it is x @ weight.T, not x @ weight
  - rounding, and dropout that was left on: call model.eval()
"""

import random
import struct

from attention import W_QUERY, sqrt, transpose
from examples.common import print_table, run


def manual_seed(seed):
    """Return a generator in the state that torch's has after this seed, from -2**63 to
    2**64 - 1. Seeds that differ by 2**32 are one and the same.
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
    """Return the weight matrix and the bias of what nn.Linear(d_in, d_out, bias) gives
    next, in torch's layout: each row makes one of the d_out numbers.
    >>> weight, bias = linear(manual_seed(789), 3, 2, bias=False)
    >>> [round(w, 4) for w in weight[0]], bias
    ([0.3161, 0.4568, 0.5118], None)
    """
    bound = float32(1.0 / sqrt(d_in))
    weight = [[uniform(generator, bound) for i in range(d_in)] for o in range(d_out)]
    return weight, [uniform(generator, bound) for o in range(d_out)] if bias else None


def three_linears(generator, d_in, d_k, d_v):  # -> [d_in, d_k], [d_in, d_k], [d_in, d_v]
    """Return W_query, W_key and W_value as the book's classes draw them: three nn.Linear
    without bias, each transposed for x @ W."""
    return [transpose(linear(generator, d_in, d, False)[0]) for d in (d_k, d_k, d_v)]


def draw(generator):
    return (generator.getrandbits(32) & 0xffffff) / 2.0 ** 24


def uniform(generator, bound):
    # Only the end is rounded. With draw = k / 2**24 and bound = b * 2**e, k and b of 24
    # bits, the product is k * b * 2**(e - 23), and k * b has 48 bits, of a float's 53.
    # The difference is (k - 2**23) * b * 2**(e - 23), which has no more: exact, too.
    return float32(draw(generator) * (2.0 * bound) - bound)


def float32(x):
    """Return x rounded to the nearest float32, by storing it in four bytes."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def main():
    seed = 123  # try 123 + 2 ** 32: torch's numbers stay, Python's do not
    matrix, own = rand(manual_seed(seed), 3, 2), random.Random(seed)
    print("torch.rand  %.8f  %.8f" % tuple(matrix[0]))
    print("random      %.8f  %.8f" % (own.random(), own.random()))
    same = [[round(x, 8) for x in row] for row in matrix] == W_QUERY
    print("The 3 x 2 numbers of torch.rand are W_QUERY of attention.py:", same)
    weight, bias = linear(manual_seed(seed), 3, 2)
    print("nn.Linear(3, 2), two rows of three numbers, and its bias:")
    print_table(weight + [bias], ["weight", "", "bias"])


if __name__ == "__main__":
    run(main)
