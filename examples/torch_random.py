"""Appendix, torch's random numbers: python3 -m examples.torch_random

The book's weight matrices are what torch.rand or nn.Linear give after a
torch.manual_seed(123). Can you have the same numbers without torch?

Predict: Python's random module has the same generator, the Mersenne Twister. Does
random.Random(123).random() give torch's first number?

No. The generator is the same, but Python turns 123 into a different first state, and each
draw into a different number. In torch:

    seed         its low 32 bits are number 0 of 624; each further one comes from the one
                 before it, with the constants from the definition of MT19937
    torch.rand   the low 24 bits of each 32-bit draw, divided by 2**24 (a float32 has 24
                 significant bits): from 0 up to but not including 1
    nn.Linear    draw * (2 * bound) - bound, where bound is 1 / sqrt(d_in) as a float32;
                 first the weight matrix, then the bias

torch 2.13.0 on a CPU with AVX2 gives exactly these numbers. On older CPUs, it rounds
nn.Linear's product, too; on a GPU, it has another generator.

The same seed, but not the book's numbers? Look for
  - other draws in between: each moves the generator on, so seed again, and keep the order
  - torch.rand instead of nn.Linear, or the other way round
  - nn.Linear's bias: unless bias=False, it is drawn, and all later numbers change
  - nn.Linear's layout, [d_out, d_in]: it is x @ weight.T, not x @ weight
  - rounding, or dropout that was left on: call model.eval()

The generator itself is examples/tools/torch_random.py.
"""

import random

from attention import W_QUERY
from examples.tools.common import run_lesson
from examples.tools.torch_random import manual_seed, rand


def main():
    seed = 123  # try 123 + 2 ** 32: torch's numbers stay, Python's do not
    matrix = rand(manual_seed(seed), 3, 2)
    own = random.Random(seed)
    print("torch.rand  %.8f  %.8f" % tuple(matrix[0]))
    print("random      %.8f  %.8f" % (own.random(), own.random()))
    rounded = [[round(x, 8) for x in row] for row in matrix]
    print("The 3 x 2 numbers of torch.rand are W_QUERY:", rounded == W_QUERY)


if __name__ == "__main__":
    run_lesson(main, __doc__)
