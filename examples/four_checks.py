"""Where did it go wrong? python3 -m examples.four_checks

Your context vectors are not the book's. Six stages come before them, so where do you look
first? Guess before you run this: which of the seven stages does each mistake change?

    1  projections   W_key and W_value are swapped
    2  scores        each query meets the next key: an index is off by one
    3  scaling       scores are divided by d_k, not by its root
    4  softmax       it runs down the columns, not along the rows
    5  blend         the inputs are blended, not the values

A mistake carries over to later stages. So check the stages in the order of the
computation: the first X of a column shows which step went wrong.
"""

from attention import (
    INPUTS, STAGES, W_KEY, W_QUERY, W_VALUE, matmul, scaled_dot_product_attention,
    self_attention, softmax, transpose)
from examples.tools.common import run_lesson


def five_mistakes(right):  # -> five results
    queries, keys, values = right[:3]
    mixed_up = self_attention(INPUTS, W_QUERY, W_VALUE, W_KEY)
    next_keys = keys[1:] + keys[:1]  # try keys[::-1]
    shifted = scaled_dot_product_attention(queries, next_keys, values)
    halves = [[score / 2.0 for score in row] for row in right.attention_scores]
    columns = [softmax(column) for column in transpose(right.scaled_scores)]
    return [
        mixed_up,
        shifted._replace(keys=keys),
        blended(right._replace(scaled_scores=halves), [softmax(row) for row in halves]),
        blended(right, transpose(columns)),
        right._replace(context_vectors=matmul(right.attention_weights, INPUTS))]


def blended(result, attention_weights):
    return result._replace(
        attention_weights=attention_weights,
        context_vectors=matmul(attention_weights, result.values))


def main():
    right = self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE)
    mistakes = five_mistakes(right)
    print("Mistake               1  2  3  4  5     X: differs from the right result")
    for i, stage in enumerate(STAGES):
        marks = ""
        for wrong in mistakes:
            marks += "  ." if wrong[i] == right[i] else "  X"
        print("  %-18s%s" % (stage, marks))


if __name__ == "__main__":
    run_lesson(main, __doc__)
