"""How fast is attention.py, and against what? Ratios measured side by side, in one run.

    python3 -m examples.benchmark           under a minute, tables
    python3 -m examples.benchmark --json    the figures for other programs

Every time is the best of several runs, and what is compared takes turns, so that a busy
machine disturbs both. Times differ from machine to machine; ratios much less.
"""

import importlib.util
import json
import os
import random
import subprocess
import sys
from math import exp, log
from time import perf_counter

import attention
from attention import (
    INPUTS, W_KEY, W_QUERY, W_VALUE, check_finite, scaled_dot_product_attention, self_attention,
    to_matrix)
from examples import say

PEAK = """
try:
    with open("/proc/self/status") as status:
        print([line.split()[1] for line in status if line.startswith("VmHWM")][0])
except (OSError, IndexError):
    print(0)
"""
DATA = "INPUTS, W_QUERY, W_KEY, W_VALUE = %r" % ((INPUTS, W_QUERY, W_KEY, W_VALUE),)
JOBS = (
    ("bare interpreter", None, "print([])"),
    ("import attention", None, """
from attention import self_attention, INPUTS, W_QUERY, W_KEY, W_VALUE
print(self_attention(INPUTS, W_QUERY, W_KEY, W_VALUE).context_vectors)"""),
    ("NumPy", "numpy", DATA + """
import numpy
inputs = numpy.array(INPUTS)
queries, keys, values = [inputs @ numpy.array(W) for W in (W_QUERY, W_KEY, W_VALUE)]
scores = queries @ keys.T / keys.shape[1] ** 0.5
powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
print((powers / powers.sum(axis=1, keepdims=True) @ values).tolist())"""),
    ("PyTorch", "torch", DATA + """
import torch
inputs = torch.tensor(INPUTS, dtype=torch.float64)
queries, keys, values = [inputs @ torch.tensor(W, dtype=torch.float64)
                         for W in (W_QUERY, W_KEY, W_VALUE)]
print(torch.nn.functional.scaled_dot_product_attention(queries, keys, values).tolist())"""),
)


def index_loops(inputs, W_query, W_key, W_value):  # [n, d_in], ... -> [n, d_v]
    """The honest rival: the same arithmetic in bare index loops; checks and keeps nothing.

    >>> ["%.4f" % x for x in index_loops(INPUTS, W_QUERY, W_KEY, W_VALUE)[1]]
    ['0.3061', '0.8210']
    """
    n, d_in, d_k, d_v = len(inputs), len(inputs[0]), len(W_key[0]), len(W_value[0])
    projected = []
    for W, d in ((W_query, d_k), (W_key, d_k), (W_value, d_v)):
        product = [[0.0] * d for _ in range(n)]
        for i in range(n):
            for j in range(d):
                total = 0.0
                for k in range(d_in):
                    total += inputs[i][k] * W[k][j]
                product[i][j] = total
        projected.append(product)
    queries, keys, values = projected
    context_vectors = [[0.0] * d_v for _ in range(n)]
    root = d_k ** 0.5
    scores = [0.0] * n
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(d_k):
                total += queries[i][k] * keys[j][k]
            scores[j] = total / root
        largest = max(scores)
        total = 0.0
        for j in range(n):
            scores[j] = exp(scores[j] - largest)
            total += scores[j]
        for j in range(n):
            scores[j] /= total
        for k in range(d_v):
            blend = 0.0
            for j in range(n):
                blend += scores[j] * values[j][k]
            context_vectors[i][k] = blend
    return context_vectors


# ---- Measuring ------------------------------------------------------------------------------

def side_by_side(functions, rounds):  # -> for each function, the seconds of its best run
    """Run the functions in turns, and return the seconds of each one's best run."""
    best = [float("inf") for _ in functions]
    for _ in range(rounds):
        for i, function in enumerate(functions):
            start = perf_counter()
            function()
            best[i] = min(best[i], perf_counter() - start)
    return best


def repeated(function, times):
    def run():
        for _ in range(times):
            function()
    return run


def random_matrix(n, d):  # -> [n, d]
    return [[random.uniform(-1, 1) for _ in range(d)] for _ in range(n)]


def bare_loops(d, times):
    """Return a function that does d multiply-adds of two zipped lists, and that many times."""
    a, b = random_matrix(2, d)

    def run():
        for _ in range(times):
            total = 0.0
            for x, y in zip(a, b):
                total += x * y
    return run


def attention_of(n, d):
    """Return a function that lets n queries attend to n keys: 2*n*n*d multiply-adds."""
    queries, keys, values = [random_matrix(n, d) for _ in range(3)]
    return lambda: scaled_dot_product_attention(queries, keys, values)


def measure_floor():
    """Return rows: n, d, nanoseconds per multiply-add of bare loops and of attention, ratios.

    The floor is the loop over long lists. Over lists of d numbers, as attention has them, the
    same loop is slower: it starts anew every d multiply-adds.
    """
    rows = []
    for n, d, rounds in ((8, 8, 200), (64, 64, 12), (256, 64, 2)):
        progress("1/4 the floor: n = %d, d = %d" % (n, d))
        count = n * n * d
        floor, short, ours = side_by_side(
            [bare_loops(4096, max(1, count // 4096)), bare_loops(d, n * n), attention_of(n, d)],
            rounds)
        floor = floor / (4096 * max(1, count // 4096))
        short, ours = short / count, ours / (2 * count)
        rows.append({"n": n, "d": d, "floor_ns": 1e9 * floor, "loops_of_d_ns": 1e9 * short,
                     "attention_ns": 1e9 * ours, "ratio": ours / floor,
                     "ratio_to_loops_of_d": ours / short})
    return rows


def measure_shares():
    """Return attention.py against bare index loops at the running example's size, and the share
    of checking the input and the results at n = d = 64."""
    progress("2/4 small inputs, and checking")
    example = (INPUTS, W_QUERY, W_KEY, W_VALUE)
    rival, ours = side_by_side([repeated(lambda: index_loops(*example), 50),
                                repeated(lambda: self_attention(*example), 50)], 40)
    matrices = [random_matrix(64, 64) for _ in range(3)]
    result = scaled_dot_product_attention(*matrices)

    def check():
        for matrix in matrices:
            to_matrix("matrix", matrix)
        check_finite("scores", result.attention_scores)
        check_finite("context_vectors", result.context_vectors)

    checking, whole = side_by_side(
        [check, lambda: scaled_dot_product_attention(*matrices)], 10)
    return {"running_example_us": ours / 50 * 1e6, "index_loops_us": rival / 50 * 1e6,
            "ratio": ours / rival, "checking_share": checking / whole}


def exponent(sizes, times):
    """Return the slope of the straight line through the logarithms, by least squares.

    >>> "%.2f" % exponent([1, 2, 4], [5.0, 20.0, 80.0])
    '2.00'
    """
    xs, ys = [log(size) for size in sizes], [log(time) for time in times]
    mean_x = mean_y = 0.0
    for x, y in zip(xs, ys):
        mean_x += x / len(xs)
        mean_y += y / len(ys)
    above = below = 0.0
    for x, y in zip(xs, ys):
        above += (x - mean_x) * (y - mean_y)
        below += (x - mean_x) * (x - mean_x)
    return above / below


def measure_growth():
    """Return seconds over n (d = 64) and over d (n = 48), and the exponents that fit them."""
    growth = {}
    for name, shapes in (("n", [(n, 64) for n in (32, 64, 128, 256)]),
                         ("d", [(48, d) for d in (64, 128, 256, 512)])):
        progress("3/4 how the cost grows with " + name)
        sizes = [n if name == "n" else d for n, d in shapes]
        seconds = side_by_side([attention_of(n, d) for n, d in shapes], 3)
        growth[name] = {"sizes": sizes, "seconds": seconds, "exponent": exponent(sizes, seconds)}
    return growth


def start(*arguments):
    """Run Python with these arguments and return its seconds and what it printed.

    From the second time on, Python has the compiled form of what is imported in __pycache__;
    a file that is run as a command, it compiles each time.
    """
    cached = {name: value for name, value in os.environ.items()
              if name != "PYTHONDONTWRITEBYTECODE"}
    begin = perf_counter()
    output = subprocess.check_output([sys.executable] + list(arguments), env=cached,
                                     universal_newlines=True)
    return perf_counter() - begin, output


def measure_jobs(rounds=15):
    """Return a row for each job in a fresh process: seconds and peak kilobytes (0: unknown)."""
    jobs = [(name, ("-c", code)) for name, module, code in JOBS
            if module is None or importlib.util.find_spec(module) is not None]
    jobs.insert(2, ("attention.py", (attention.__file__,)))
    rows = [{"name": name, "seconds": float("inf"), "peak_kb": 0} for name, arguments in jobs]
    for turn in range(rounds):
        progress("4/4 fresh processes: round %d of %d" % (turn + 1, rounds))
        for row, (name, arguments) in zip(rows, jobs):
            if turn < 3 or row["seconds"] < 1.0:  # a slow start needs no fifteen rounds
                row["seconds"] = min(row["seconds"], start(*arguments)[0])
    for row, (name, arguments) in zip(rows, jobs):
        if arguments[0] == "-c":
            row["peak_kb"] = int(start("-c", arguments[1] + PEAK)[1].split("\n")[-2])
    return rows


# ---- Showing ----------------------------------------------------------------------------------

def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write("\r%-60s\r" % text)
        sys.stderr.flush()


def report(figures):
    lines = ["1. The floor: a bare `total += x * y` loop over two zipped lists", "",
             "              ns per multiply-add                       attention as multiple of",
             "     n    d   floor   loops over d numbers   attention   floor   loops over d"]
    for row in figures["floor"]:
        lines.append("  %4d %4d %7.1f %22.1f %11.1f %7.2f %14.2f" % (
            row["n"], row["d"], row["floor_ns"], row["loops_of_d_ns"], row["attention_ns"],
            row["ratio"], row["ratio_to_loops_of_d"]))
    small = figures["small"]
    lines += ["", "   The running example, self_attention: %.0f us; bare index loops that check"
              % small["running_example_us"],
              "   nothing: %.0f us; ratio %.2f. Checking at n = d = 64: %.1f %% of the time."
              % (small["index_loops_us"], small["ratio"], 100 * small["checking_share"]),
              "", "2. How the cost grows"]
    for name, fixed in (("n", "d = 64"), ("d", "n = 48")):
        growth = figures["growth"][name]
        lines += ["", "   with %s (%s): time ~ %s ^ %.2f" % (name, fixed, name, growth["exponent"])]
        for size, seconds in zip(growth["sizes"], growth["seconds"]):
            bar = "#" * max(1, int(40 * seconds / max(growth["seconds"]) + 0.5))
            lines.append("  %5d %9.1f ms  %s" % (size, seconds * 1e3, bar))
    lines += ["", "3. A fresh process, from its start to the printed context vectors", "",
              "                        time   ratio     peak memory"]
    bare, ours = figures["jobs"][:2]
    for row in figures["jobs"]:
        memory = "%11.1f MB" % (row["peak_kb"] / 1024.0) if row["peak_kb"] else ""
        lines.append(("  %-18s %6.1f ms %7.2f  %s" % (
            row["name"], row["seconds"] * 1e3, row["seconds"] / ours["seconds"], memory)).rstrip())
    lines.append("   import attention takes %.2f times the bare interpreter"
                 % (ours["seconds"] / bare["seconds"]))
    if ours["peak_kb"]:
        lines[-1] += " and %.1f MB more" % ((ours["peak_kb"] - bare["peak_kb"]) / 1024.0)
    return "\n".join(lines + ["   (attention.py, run as a command, is compiled anew and prints the "
                              "whole story)"])


def main(args):
    if args not in ([], ["--json"]):
        print("benchmark: %s: expected nothing or --json" % " ".join(args), file=sys.stderr)
        return 2
    random.seed(0)
    figures = {"python": sys.version.split()[0], "implementation": sys.implementation.name,
               "floor": measure_floor(), "small": measure_shares(), "growth": measure_growth(),
               "jobs": measure_jobs()}
    progress("")
    say(json.dumps(figures, indent=1) if args else report(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
