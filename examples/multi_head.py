"""Several heads: python3 -m examples.multi_head

A head is one W_query, W_key and W_value. Why do models have many heads, and not one that
is larger?

Predict: each word has to find the two other words of its sentence and take over both
meanings. Which does better, one head with d_k = d_v = 4, or two heads with d_k = d_v = 2?
Both have 60 numbers to train.

Two heads. With each of the seeds 0 to 39, both end with a loss below 0.02, but one large
head ends above 0.03. One head has one row of attention weights for a query. It can blend
the two words, but W_value treats both alike: afterwards they can no longer be told apart.
Two heads have two rows, and each looks for one word. (Here, each is told which, and
trained by itself. In a model, an output projection mixes what the heads have found, and
training divides the work.)

The context vectors of all heads are joined, row by row. So d_out can mean two things: the
width of each head, if heads work side by side, or the width of one projection whose
columns the heads divide. Both give the same, because each column of x @ W comes from one
column of W. Libraries prefer the second: its products are fewer and larger.
"""

from attention import (
    INPUTS, TOKENS, matmul, scaled_dot_product_attention, self_attention)
from examples.causal import causal_self_attention, masked
from examples.tools.common import print_table, run_lesson
from examples.tools.matrices import split_heads
from examples.tools.torch_random import manual_seed, rand, three_linears
from examples.train import ADJECTIVE, NOUN, SENTENCES, VERB, task, train


def side_by_side(inputs, heads):  # -> [n, number of heads * d_v]
    """Run causal_self_attention with each head: W_query, W_key and W_value."""
    return join([causal_self_attention(inputs, *head) for head in heads])


def one_projection(inputs, matrices, number_of_heads):
    """Project by the wide W_query, W_key and W_value, and divide the columns."""
    projected = [matmul(inputs, W) for W in matrices]
    results = []
    for queries, keys, values in split_heads(projected, number_of_heads):
        seeing = scaled_dot_product_attention(queries, keys, values)
        results.append(masked(seeing))
    return join(results)


def join(results):  # an Attention for each head
    joined = results[0].context_vectors
    for result in results[1:]:
        pairs = zip(joined, result.context_vectors)
        joined = [row + more for row, more in pairs]
    return joined


def project(joined, W_out, b_out):  # [n, d_out], [d_out, d], [d] -> [n, d]
    """Return joined @ W_out + b_out: the bias is one more row, multiplied by 1."""
    return matmul([row + [1.0] for row in joined], W_out + [b_out])


FINDS = {
    ADJECTIVE: [NOUN, VERB],
    NOUN: [VERB, ADJECTIVE],
    VERB: [NOUN, ADJECTIVE]}


def race(seed, steps=400):  # -> the matrices and losses of one head, and of two
    pairs = task(SENTENCES, FINDS)
    generator = manual_seed(seed)
    start = three_linears(generator, 5, 4, 4)
    found = [train(pairs, start, steps)]
    for own in slice(0, 2), slice(2, 4):  # of the four numbers
        job = [(inputs, [row[own] for row in wanted]) for inputs, wanted in pairs]
        start = three_linears(generator, 5, 2, 2)
        found.append(train(job, start, steps))
    return found


def main():
    inputs = task(SENTENCES)[0][0]
    words = SENTENCES[0].split()
    titles = ["One head", "Head 0 of two", "Head 1 of two"]
    found = race(seed=123)  # try steps=2000: one head ends at 0.05
    for title, (matrices, losses) in zip(titles, found):
        print("%s, which sees all words: loss %.4f, after training %.4f" % (
            title, losses[0], losses[-1]))
        result = self_attention(inputs, *matrices)
        print_table(result.attention_weights, words, words, 2)
    generator = manual_seed(123)
    wide = three_linears(generator, 3, 4, 4)
    joined = side_by_side(INPUTS, split_heads(wide, 2))
    print("\nTwo causal heads, not trained, joined:")
    print_table(joined, TOKENS)
    split = one_projection(INPUTS, wide, 2)
    print("The same from one projection:", joined == split)
    print("\nMixed by an output projection:")
    W_out = rand(generator, 4, 2)
    print_table(project(joined, W_out, [0.0, 0.0]), TOKENS)


if __name__ == "__main__":
    run_lesson(main, __doc__)
