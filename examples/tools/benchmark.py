"""How fast is attention.py? python3 -m examples.tools.benchmark

It shows the best time of several runs, next to that of plain index loops that check and
keep nothing. They take turns, so that a busy machine slows both: look at the ratio.
"""

from math import exp
from timeit import timeit

from attention import INPUTS, W_KEY, W_QUERY, W_VALUE, self_attention
from examples.tools.common import run_lesson
from examples.tools.torch_random import manual_seed, rand


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


def main():
    generator = manual_seed(123)
    cases = [("the running example", 300, (INPUTS, W_QUERY, W_KEY, W_VALUE))]
    for n, d, rounds in (64, 64, 5), (256, 64, 2), (64, 256, 2):
        matrices = [rand(generator, rows, d) for rows in (n, d, d, d)]
        cases.append(("n = %d, d = %d" % (n, d), rounds, matrices))
    print("%-20s  attention.py     index loops   ratio" % "self_attention")
    for name, rounds, arguments in cases:
        ours, loops = [], []
        for turn in range(rounds):
            ours.append(timeit(lambda: self_attention(*arguments), number=1))
            loops.append(timeit(lambda: index_loops(*arguments), number=1))
        print("%-20s %10.3f ms   %10.3f ms %7.2f" % (
            name, 1e3 * min(ours), 1e3 * min(loops), min(ours) / min(loops)))


if __name__ == "__main__":
    run_lesson(main, __doc__)
