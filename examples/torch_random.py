"""torch's random numbers from a bare Python: python3 -m examples.torch_random

The book's printed digits depend on what torch.manual_seed(seed) and then torch.rand or nn.Linear
give on the CPU. The same numbers, bit for bit, can be had without torch:

  generator            the Mersenne Twister, which Python's random module uses, too; but torch
                       fills its 624 numbers of state from the seed in another way
  torch.rand           each draw is the low 24 bits of the next 32, divided by 2**24, since a
                       float32 has 24 bits
  nn.Linear            draw * (2 * bound) - bound, rounded to a float32 once, where bound is
                       1 / sqrt(d_in) as a float32: first the weight matrix, then the bias

torch 2.13.0 on a CPU with AVX2 gave exactly these numbers. Its code for older CPUs
(ATEN_CPU_CAPABILITY=default) gives the same for torch.rand, but for nn.Linear it rounds the
product, too: half of the numbers then differ, by 0.00000012 of the bound at most. On a GPU,
torch has another generator.
"""

import random
import struct

import attention
from attention import Matrix, sqrt
from examples import tell

def manual_seed(seed: int) -> random.Random:
    """Return a generator in the state in which torch.manual_seed(seed) leaves torch's.

    The state starts with the low 32 bits of seed: seeds that differ by 2**32 are one and the
    same. TypeError if seed is not an int; ValueError if it is not from -2**63 to 2**64 - 1.
    >>> rand(manual_seed(123), 1, 2)
    [[0.29611194133758545, 0.516562283039093]]
    """
    if not isinstance(seed, int):
        raise TypeError("seed is of type %s, expected an int" % type(seed).__name__)
    if not -2 ** 63 <= seed < 2 ** 64:
        raise ValueError("seed is %d, expected from -2**63 to 2**64 - 1" % seed)
    state = [seed & 0xffffffff]
    for i in range(1, 624):  # init_genrand, as the inventors of the Twister call it
        previous = state[-1]
        state.append((1812433253 * (previous ^ (previous >> 30)) + i) & 0xffffffff)
    generator = random.Random()
    generator.setstate((3, tuple(state + [624]), None))  # 3: the format; 624: all are used up
    return generator

def rand(generator: random.Random, rows: int, columns: int) -> Matrix:  # -> [rows, columns]
    """Return what torch.rand(rows, columns) gives next: numbers from 0 up to, not with, 1.

    TypeError if generator is not manual_seed's or rows or columns is not an int; ValueError
    if either is below 1.
    """
    check_counts(generator, ("rows", rows), ("columns", columns))
    return [[draw(generator) for column in range(columns)] for row in range(rows)]

def linear(generator: random.Random, d_in: int, d_out: int, bias: bool = True):
    # -> [d_out, d_in], [d_out] or None
    """Return the weight matrix and the bias of what nn.Linear(d_in, d_out, bias=bias) gives next.

    torch lays the weight matrix out as d_out rows of d_in: attention.transpose makes the
    d_in x d_out that attention.py multiplies by. Errors as in rand.
    >>> W, b = linear(manual_seed(789), 3, 2, bias=False)
    >>> [round(w, 4) for w in W[0]], b
    ([0.3161, 0.4568, 0.5118], None)
    """
    check_counts(generator, ("d_in", d_in), ("d_out", d_out))
    bound = float32(1.0 / sqrt(d_in))
    weight = [[uniform(generator, bound) for i in range(d_in)] for o in range(d_out)]
    return weight, [uniform(generator, bound) for o in range(d_out)] if bias else None

def draw(generator: random.Random) -> float:
    return (generator.getrandbits(32) & 0xffffff) / 16777216.0  # 24 bits, divided by 2**24

def uniform(generator: random.Random, bound: float) -> float:
    # 24 bits times 24 bits fit into a float's 53, so nothing is rounded before the end.
    return float32(draw(generator) * (2.0 * bound) - bound)

def float32(x: float) -> float:
    """Return x rounded to the nearest float32, by storing it in four bytes."""
    return struct.unpack("<f", struct.pack("<f", x))[0]

def check_counts(generator: random.Random, *counts):
    if not isinstance(generator, random.Random):
        raise TypeError("generator is of type %s, expected what manual_seed returns"
                        % type(generator).__name__)
    for name, count in counts:
        if not isinstance(count, int):
            raise TypeError("%s is of type %s, expected an int" % (name, type(count).__name__))
        if count < 1:
            raise ValueError("%s is %d, expected at least 1" % (name, count))

# ---- The command line ---------------------------------------------------------------------------
def table(matrix: Matrix) -> str:
    return "".join("  " + "".join("%12.8f" % x for x in row) + "\n" for row in matrix)

def story() -> str:
    text = "generator = manual_seed(123), then rand(generator, 3, 2) three times:\n"
    generator = manual_seed(123)
    for name, known in (("W_QUERY", attention.W_QUERY), ("W_KEY", attention.W_KEY),
                        ("W_VALUE", attention.W_VALUE)):
        matrix = rand(generator, 3, 2)
        same = [[round(x, 8) for x in row] for row in matrix] == known
        text += "\n%s\nthese %s attention.%s, which has eight decimals.\n" % (
            table(matrix), "are" if same else "ARE NOT", name)
    weight, bias = linear(manual_seed(123), 3, 2)
    text += "\nmanual_seed(123), then linear(generator, 3, 2): the weight matrix as torch keeps\n"
    text += "it, d_out = 2 rows of d_in = 3, and the bias:\n\n%s\n%s" % (
        table(weight), table([bias]))
    weight, bias = linear(manual_seed(789), 3, 2, bias=False)
    text += "\nmanual_seed(789), then linear(generator, 3, 2, bias=False):\n\n" + table(weight)
    generator = random.Random(123)
    text += "\nPython's own random.Random(123) fills the state differently, and the numbers are\n"
    text += "others: " + "".join("%12.8f" % generator.random() for i in range(2)) + "\n"
    return text + """
Other numbers than the book's, with the same seed? Look for
  - a draw in between: each one moves the generator on, so seed again, and keep the order
  - torch.rand in the place of nn.Linear: from 0 to 1, not from -bound to bound
  - nn.Linear's bias: drawn unless bias=False, it shifts all that follows
  - nn.Linear's layout: x @ weight.T, not x @ weight
  - a GPU: draw on the CPU, then move the tensor"""

if __name__ == "__main__":
    raise SystemExit(tell(story))
