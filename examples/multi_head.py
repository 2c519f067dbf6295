"""Several heads: python3 -m examples.multi_head

A head is one W_query, W_key and W_value. Why do models have many, and not one that is
larger?

Predict it: each word is to find the two other words of its sentence, and to take over
both meanings. Which does better, one head with d_k = d_v = 4, or two heads with
d_k = d_v = 2? Both have 60 numbers to train.

Two heads. One head has one row of attention weights for a query. It can blend the two
words, but W_value treats both alike, so nobody can tell then what came from which. Two
heads have two rows, and each looks for one word. (Here, each is told which: it makes two
of the four numbers, and is trained by itself. In a model, an output projection mixes what
the heads have found, and training deals out the jobs.)

The context vectors of all heads are joined, row by row. So d_out means two things:

    heads side by side      the width of each head; number_of_heads * d_out when joined
    one projection, split   the width in all; each head has d_out / number_of_heads
                            columns of W_query, W_key and W_value

Both are the same, as each column of x @ W comes from one column of W. Libraries prefer
the second: fewer and larger products.

What comes next in a model: the result is added to the input (a residual connection, so a
layer learns only what to change), each vector goes through a small network of its own,
and all this is one layer of many. Read on in chapter 4 of the book, or in section 3 of
Vaswani et al., "Attention Is All You Need", 2017.
"""

from attention import INPUTS, matmul, self_attention
from examples.causal import causal_self_attention
from examples.tools.common import print_table, run_without_arguments
from examples.tools.torch_random import manual_seed, three_linears
from examples.train import ADJECTIVE, NOUN, SENTENCES, VERB, task, train


def multi_head_attention(inputs, heads):
    # [n, d_in], (W_query, W_key, W_value) for each head -> [n, number of heads * d_v]
    """Return the context vectors of causal_self_attention with each head, joined.
    >>> one = ([[1.0]], [[1.0]], [[1.0]])
    >>> ten = ([[1.0]], [[1.0]], [[10.0]])
    >>> multi_head_attention([[2.0], [2.0]], [one, ten])
    [[2.0, 20.0], [2.0, 20.0]]
    """
    joined = [[] for x in inputs]
    for head in heads:
        context_vectors = causal_self_attention(inputs, *head).context_vectors
        for i, context_vector in enumerate(context_vectors):
            joined[i] += context_vector
    return joined


def split_heads(matrices, heads):  # -> for each head, each [d_in, d_out / heads]
    """Deal out the columns of each matrix to so many heads, from left to right.
    >>> split_heads([[[1.0, 2.0]], [[3.0, 4.0, 5.0, 6.0]]], 2)
    [[[[1.0]], [[3.0, 4.0]]], [[[2.0]], [[5.0, 6.0]]]]
    """
    parts = [[] for h in range(heads)]
    for W in matrices:
        if heads < 1 or len(W[0]) % heads != 0:
            raise ValueError("%d heads cannot share %d columns" % (heads, len(W[0])))
        width = len(W[0]) // heads
        for h in range(heads):
            parts[h].append([row[h * width:(h + 1) * width] for row in W])
    return parts


def project(joined, W_out, b_out):  # [n, d_out], [d_out, d], [d] -> [n, d]
    """Return joined @ W_out + b_out. The bias is one more row, for a number that is 1.
    >>> project([[2.0, 3.0]], [[1.0], [10.0]], [0.5])
    [[32.5]]
    """
    return matmul([row + [1.0] for row in joined], W_out + [b_out])


FINDS = {ADJECTIVE: [NOUN, VERB], NOUN: [VERB, ADJECTIVE], VERB: [NOUN, ADJECTIVE]}


def show(title, inputs, matrices, losses):
    print("%s: loss %.4f, after training %.4f" % (title, losses[0], losses[-1]))
    words = SENTENCES[0].split()
    result = self_attention(inputs, *matrices)
    print_table(result.attention_weights, words, words, places=2)


def main():
    pairs = task(SENTENCES, FINDS)
    generator = manual_seed(123)
    start = three_linears(generator, 5, 4, 4)
    large, losses = train(pairs, start, steps=400)  # try 2000: it ends at 0.05
    show("One head", pairs[0][0], large, losses)
    for h in range(2):
        own = slice(2 * h, 2 * h + 2)
        job = [(inputs, [row[own] for row in wanted]) for inputs, wanted in pairs]
        head, losses = train(job, three_linears(generator, 5, 2, 2), steps=400)
        show("Head %d of two" % h, pairs[0][0], head, losses)
    heads = split_heads(three_linears(generator, 3, 6, 6), 2)
    each, joined = len(heads[0][0][0]), len(multi_head_attention(INPUTS, heads)[0])
    print("Two ways to count the same two heads:")
    print_table([[each, each, joined], [joined, each, joined]],
                ["beside", "split"], ["d_out", "per head", "joined"], places=0)


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
