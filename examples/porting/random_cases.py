"""Random requests, and what must not depend on them: order, a constant, other queries."""

from random import Random

from examples.porting.self_check import answer


def random_cases(count, seed):
    """Return four cases for each random sequence, with the answers of attention.py."""
    random, cases = Random(seed), []

    def add(what, function, **arguments):
        expected = answer(function, arguments)
        name = "random %d, %s" % (len(cases) // 4, what)
        cases.append({"id": "random-%d" % len(cases), "name": name, "why": "",
                      "function": function, "arguments": arguments, "valid": True,
                      "expected": expected})
        return expected

    def matrix(rows, columns):
        return [[random.randint(-200, 200) / 100 for column in range(columns)]
                for row in range(rows)]

    for number in range(count):
        n, d_in, d_k, d_v = [random.randint(1, 6) for size in range(4)]
        stages = add("as it is", "self_attention", inputs=matrix(n, d_in),
                     W_query=matrix(d_in, d_k), W_key=matrix(d_in, d_k),
                     W_value=matrix(d_in, d_v))
        queries, keys, values = [stages[it] for it in ("queries", "keys", "values")]
        attend = "scaled_dot_product_attention"
        order = random.sample(range(n), n)
        add("keys and values in another order", attend, queries=queries,
            keys=[keys[k] for k in order], values=[values[k] for k in order])
        [more] = matrix(1, d_k)
        add("the same numbers added to all keys", attend, queries=queries,
            keys=[[x + y for x, y in zip(key, more)] for key in keys], values=values)
        add("query 0 alone", attend, queries=queries[:1], keys=keys, values=values)
    return cases
