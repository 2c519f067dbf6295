"""Causal attention, or hiding later words: python3 -m examples.causal

A language model learns to continue a text: from "Your" to "journey", from "Your journey"
to "starts", and so on. Must it run once for each of these beginnings?

Predict it: all words go through self-attention at once, but a query has only the keys up
to its own. Is row 2 then what self-attention makes of the first three words alone,
nearly or exactly?

Exactly, to the last bit: a sentence of six words is six examples to learn from, at the
price of one. That is what the mask is for. Hidden scores become -inf, and e^-inf is 0:
softmax gives them the attention weight 0, and shares out all of 1 among the others.

One can also set attention weights to 0 after softmax and divide each row by what is left.
The total that softmax has divided by cancels, so this is the same up to rounding. But
where a hidden score is 708 or more above the others, their powers lose digits; from 746
on they are 0, and nothing is left to divide. (In torch's float32, from 88 and 104 on.)
So mask first.
"""

from attention import INPUTS, TOKENS, matmul, self_attention, softmax
from examples.tools.common import print_table, run_without_arguments
from examples.tools.torch_random import manual_seed, three_linears

INF = float("inf")


def later(query, key):
    return key > query


def causal_self_attention(inputs, W_query, W_key, W_value, hidden=later):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [n, d_v]
    """Return self_attention with the score -inf wherever hidden(query, key) is true.
    >>> one = [[1.0]]
    >>> causal_self_attention([[1.0], [1.0]], one, one, one).attention_weights
    [[1.0, 0.0], [0.5, 0.5]]
    """
    seeing = self_attention(inputs, W_query, W_key, W_value)
    scaled_scores = replace(seeing.scaled_scores, -INF, hidden)
    attention_weights = [softmax(row) for row in scaled_scores]
    context_vectors = matmul(attention_weights, seeing.values)
    for query, row in enumerate(context_vectors):
        if INF in row or -INF in row:
            raise ValueError("overflow: context_vectors[%d] is %s" % (query, row))
    return seeing._replace(
        attention_scores=replace(seeing.attention_scores, -INF, hidden),
        scaled_scores=scaled_scores,
        attention_weights=attention_weights,
        context_vectors=context_vectors)


def replace(matrix, x, hidden=later):  # [n, n] -> [n, n]
    """Return the matrix with x wherever hidden(query, key) is true.
    >>> replace([[1.0, 2.0], [3.0, 4.0]], 0.0)
    [[1.0, 0.0], [3.0, 4.0]]
    """
    rows = []
    for q, row in enumerate(matrix):
        rows.append([x if hidden(q, k) else old for k, old in enumerate(row)])
    return rows


def renormalise(attention_weights):  # [n, n] -> [n, n]
    """Return each row divided by what it adds up to.
    >>> renormalise([[0.25, 0.0], [0.5, 0.5]])
    [[1.0, 0.0], [0.5, 0.5]]
    """
    rows = []
    for row in attention_weights:
        total = 0.0
        for weight in row:
            total += weight
        rows.append([weight / total for weight in row])
    return rows


def only_two_words(query, key):
    return key > query or key < query - 1  # try key < query - 2


def main():
    matrices = three_linears(manual_seed(789), 3, 2, 2)  # the book's; not trained
    seeing = self_attention(INPUTS, *matrices)
    causal = causal_self_attention(INPUTS, *matrices)
    print("Scaled scores, later words hidden (query = row, key = column):")
    print_table(causal.scaled_scores, TOKENS, TOKENS)
    print("\nAttention weights:")
    print_table(causal.attention_weights, TOKENS, TOKENS)
    starts = [self_attention(INPUTS[:i + 1], *matrices) for i in range(len(INPUTS))]
    alone = [start.context_vectors[-1] for start in starts]
    same = alone == causal.context_vectors
    print("\nThe context vectors are those of each start alone:", same)
    again = renormalise(replace(seeing.attention_weights, 0.0))
    apart = [abs(x - y) for row, other in zip(again, causal.attention_weights)
             for x, y in zip(row, other)]
    print("Hidden after softmax, attention weights differ by %.0e at most." % max(apart))
    print("\nAttention weights, with the word before and the word itself only:")
    window = causal_self_attention(INPUTS, *matrices, hidden=only_two_words)
    print_table(window.attention_weights, TOKENS, TOKENS)


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
