"""How fast is attention.py? python3 -m examples.tools.benchmark

It shows the best time of several runs, next to that of plain index loops that check and
keep nothing. They take turns, so that a busy machine slows both: look at the ratio.
"""

import random
from math import exp
from time import perf_counter

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.tools.common import run_lesson


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
    queries = index_matmul(inputs, W_query)
    keys = index_matmul(inputs, W_key)
    rows = index_matmul(queries, list(zip(*keys)))
    for row in rows:
        largest = max(row)
        total = 0.0
        for j in range(len(row)):
            row[j] = exp((row[j] - largest) / len(keys[0]) ** 0.5)
            total += row[j]
        for j in range(len(row)):
            row[j] /= total
    return index_matmul(rows, index_matmul(inputs, W_value))


def best_of(rounds, functions, *arguments):
    """Run the functions in turn, and return how many seconds each took at best."""
    best = [float("inf") for function in functions]
    for turn in range(rounds):
        for i, function in enumerate(functions):
            start = perf_counter()
            function(*arguments)
            best[i] = min(best[i], perf_counter() - start)
    return best


def random_matrix(n, d):
    return [[random.uniform(-1, 1) for j in range(d)] for i in range(n)]


def main():
    random.seed(0)
    cases = [("the running example", 300, (INPUTS, W_QUERY, W_KEY, W_VALUE))]
    for n, d, rounds in (64, 64, 5), (256, 64, 2), (64, 256, 2):
        matrices = [random_matrix(d, d) for role in range(3)]
        name = "n = %d, d = %d" % (n, d)
        cases.append((name, rounds, [random_matrix(n, d)] + matrices))
    print("%-20s  attention.py     index loops   ratio" % "self_attention")
    for name, rounds, arguments in cases:
        ours, loops = best_of(rounds, [self_attention, index_loops], *arguments)
        print("%-20s %10.3f ms   %10.3f ms %7.2f" % (
            name, 1e3 * ours, 1e3 * loops, ours / loops))


if __name__ == "__main__":
    run_lesson(main, __doc__)
