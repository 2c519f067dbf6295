"""How fast is attention.py, and how does its time grow?

    python3 -m examples.tools.benchmark

Each time is the best of several runs, and what is compared takes turns, so that a busy
machine disturbs both. Times differ from machine to machine; ratios much less.
"""

import random
from math import exp, log
from time import perf_counter

from attention import (
    INPUTS, W_KEY, W_QUERY, W_VALUE, scaled_dot_product_attention, self_attention)
from examples.tools.common import run_without_arguments

EXAMPLE = (INPUTS, W_QUERY, W_KEY, W_VALUE)


def index_matmul(a, b):  # [n, m] @ [m, p] -> [n, p]
    product = [[0.0] * len(b[0]) for row in a]
    for i in range(len(a)):
        for j in range(len(b[0])):
            total = 0.0
            for k in range(len(b)):
                total += a[i][k] * b[k][j]
            product[i][j] = total
    return product


def index_loops(inputs, W_query, W_key, W_value):  # -> context_vectors [n, d_v]
    queries, keys, values = [index_matmul(inputs, W) for W in (W_query, W_key, W_value)]
    rows = index_matmul(queries, list(zip(*keys)))
    for row in rows:
        largest = max(row)
        total = 0.0
        for j in range(len(row)):
            row[j] = exp((row[j] - largest) / len(keys[0]) ** 0.5)
            total += row[j]
        for j in range(len(row)):
            row[j] /= total
    return index_matmul(rows, values)


def best_of(rounds, functions):
    """Run the functions in turns, and return the seconds of each one's best run."""
    best = [float("inf") for function in functions]
    for turn in range(rounds):
        for i, function in enumerate(functions):
            start = perf_counter()
            function()
            best[i] = min(best[i], perf_counter() - start)
    return best


def attention_of(n, d):
    """Return a function: n queries attend to n keys, in 2 * n * n * d multiply-adds."""
    queries, keys, values = [
        [[random.uniform(-1, 1) for j in range(d)] for i in range(n)] for role in range(3)]
    return lambda: scaled_dot_product_attention(queries, keys, values)


def growth(shapes):
    """Return the seconds for each n and d, and the power with which they grow."""
    seconds = best_of(3, [attention_of(n, d) for n, d in shapes])
    larger = shapes[-1][0] * shapes[-1][1] / (shapes[0][0] * shapes[0][1])
    return seconds, log(seconds[-1] / seconds[0]) / log(larger)


def main():
    random.seed(0)
    rival, ours = best_of(500, [
        lambda: index_loops(*EXAMPLE), lambda: self_attention(*EXAMPLE)])
    print("The running example, self_attention: %.0f us." % (1e6 * ours))
    print("Index loops that check and keep nothing: %.0f us. Ratio: %.2f." % (
        1e6 * rival, ours / rival))
    for name, shapes in [("n", [(32, 64), (64, 64), (128, 64), (256, 64)]),
                         ("d", [(48, 64), (48, 128), (48, 256), (48, 512)])]:
        seconds, power = growth(shapes)
        print("\nAs %s grows, time grows like %s ^ %.2f:" % (name, name, power))
        for (n, d), time in zip(shapes, seconds):
            print("  n = %3d, d = %3d %9.1f ms, %5.1f ns for a multiply-add" % (
                n, d, 1e3 * time, 1e9 * time / (2 * n * n * d)))


if __name__ == "__main__":
    run_without_arguments(main, __doc__)
