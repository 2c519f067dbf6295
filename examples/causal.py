"""Causal attention, or hiding later words: python3 -m examples.causal

A language model learns to continue a text: from "Your" to "journey", from "Your journey"
to "starts", and so on. Does it have to run once for each of these beginnings?

Predict: all words go through self-attention at once, but a query meets only the keys up
to its own. Is row 2 then what self-attention gives for the first three words alone,
nearly or exactly?

Exactly, to the last bit. So a sentence of six words gives five examples to learn from,
each with the word that comes next, for the price of one. Later words are hidden by a
mask: their scores become -inf. As e^-inf is 0, softmax gives them the attention weight 0,
and the others share all of 1.

You can also set attention weights to 0 after softmax, and divide each row by the rest of
its sum. The total that softmax has divided by cancels out, so the result is the same up
to rounding, unless a hidden score is so far above the others that nothing is left.
"""

from attention import INPUTS, TOKENS, matmul, self_attention, softmax
from examples.tools.common import first_difference, print_table, run_lesson
from examples.tools.matrices import INF, later, renormalise, replace
from examples.tools.torch_random import manual_seed, three_linears


def masked(seeing, hidden=later):  # Attention -> Attention
    """Return the result with the score -inf wherever hidden(query, key) is true."""
    scaled_scores = replace(seeing.scaled_scores, -INF, hidden)
    for query, row in enumerate(scaled_scores):
        if max(row) == -INF:
            raise ValueError("query %d: all keys are hidden" % query)
    weights = [softmax(row) for row in scaled_scores]
    context_vectors = matmul(weights, seeing.values)
    for query, row in enumerate(context_vectors):
        if INF in row or -INF in row:
            raise ValueError("overflow: context_vectors[%d]" % query)
    scores = replace(seeing.attention_scores, -INF, hidden)
    return seeing._replace(
        attention_scores=scores,
        scaled_scores=scaled_scores,
        attention_weights=weights,
        context_vectors=context_vectors)


def causal_self_attention(inputs, W_query, W_key, W_value, hidden=later):
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> Attention
    seeing = self_attention(inputs, W_query, W_key, W_value)
    return masked(seeing, hidden)


WINDOW = 2  # a query sees itself and the word before; try 3


def outside_window(query, key):
    return key > query or key <= query - WINDOW


def main():
    matrices = three_linears(manual_seed(789), 3, 2, 2)  # the book's; not trained
    seeing = self_attention(INPUTS, *matrices)
    causal = causal_self_attention(INPUTS, *matrices)
    print("Scaled scores, later words hidden:")
    print_table(causal.scaled_scores, TOKENS, TOKENS)
    print("\nAttention weights:")
    print_table(causal.attention_weights, TOKENS, TOKENS)
    alone = []
    for i in range(len(INPUTS)):
        beginning = self_attention(INPUTS[:i + 1], *matrices)
        alone.append(beginning.context_vectors[i])
    same = alone == causal.context_vectors
    print("\nThe same as each beginning alone:", same)
    again = renormalise(replace(seeing.attention_weights, 0.0))
    found = first_difference(causal.attention_weights, again, 1e-15)
    print("The same if hidden after softmax:", found is None)
    print("\nAttention weights with a window of %d words:" % WINDOW)
    window = masked(seeing, outside_window)
    print_table(window.attention_weights, TOKENS, TOKENS)


if __name__ == "__main__":
    run_lesson(main, __doc__)
