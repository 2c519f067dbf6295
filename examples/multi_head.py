"""Several attention heads, and the two meanings of d_out: python3 -m examples.multi_head

One head gives each query one set of attention weights: one way to compare words. Several heads
compare the same words in several ways, each with weight matrices of its own, and the context
vectors are joined end to end. They are built in two ways, whose d_out differ:

  heads side by side      d_out is the width of each head's context vectors; joined, they are
                          number_of_heads * d_out wide
  one projection, split   d_out is the width of the joined context vectors; each head has
                          d_out / number_of_heads of the columns. At the end, an output
                          projection, @ W_out + b_out, mixes what the heads have found.

Splitting the projected inputs or splitting the columns of the weight matrices is the same: each
column of x @ W comes from one column of W. So the second is the first with the heads cut out of
larger matrices. (Libraries project once and cut afterwards: fewer and larger multiplications.)
"""

from attention import (INPUTS, Matrix, Vector,
                       check_fit, matmul, shape, table, to_matrix, transpose)
from examples import tell
from examples.causal import causal_self_attention, three_linears
from examples.torch_random import linear, manual_seed

def multi_head_attention(inputs: Matrix, heads: list) -> Matrix:
    # [n, d_in], one (W_query, W_key, W_value) per head -> [n, number of heads * d_v]
    """Return the context vectors of causal_self_attention with each head, joined row by row.

    Errors as in self_attention, with the number of the head; also TypeError or ValueError
    if heads is empty or no list, or a head is not three matrices.
    >>> one = ([[1.0]], [[1.0]], [[1.0]])
    >>> ten = ([[1.0]], [[1.0]], [[10.0]])
    >>> multi_head_attention([[2.0], [2.0]], [one, ten])
    [[2.0, 20.0], [2.0, 20.0]]
    """
    inputs = to_matrix("inputs", inputs)
    check_list("heads", heads, "one (W_query, W_key, W_value) for each head")
    joined = [[] for x in inputs]
    for h, head in enumerate(heads):
        check_list("heads[%d]" % h, head, "(W_query, W_key, W_value)", 3)
        try:
            context_vectors = causal_self_attention(inputs, *head).context_vectors
        except (TypeError, ValueError) as error:
            raise type(error)("heads[%d]: %s" % (h, error))
        for row, context_vector in zip(joined, context_vectors):
            row += context_vector
    return joined

def check_list(name: str, things, expected: str, length: int = None):
    if not isinstance(things, (list, tuple)):
        raise TypeError("%s is of type %s, expected %s" % (name, type(things).__name__, expected))
    if len(things) == 0 or length not in (None, len(things)):
        raise ValueError("%s has length %d, expected %s" % (name, len(things), expected))

def split_heads(name: str, W: Matrix, number_of_heads: int) -> list:
    # [d_in, d_out] -> one [d_in, d_out / number_of_heads] per head
    """Return the columns of W, dealt out to the heads from left to right.

    TypeError or ValueError if W is no matrix, or not as many columns for each head.
    >>> split_heads("W", [[1.0, 2.0, 3.0, 4.0]], 2)
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    W = to_matrix(name, W)
    if not isinstance(number_of_heads, int):
        raise TypeError("number_of_heads is of type %s, expected an int"
                        % type(number_of_heads).__name__)
    if number_of_heads < 1 or len(W[0]) % number_of_heads != 0:
        raise ValueError("%s is %s: number_of_heads = %d does not divide its columns"
                         % (name, shape(W), number_of_heads))
    size = len(W[0]) // number_of_heads
    return [[row[h * size:(h + 1) * size] for row in W] for h in range(number_of_heads)]

def split_multi_head_attention(inputs: Matrix, W_query: Matrix, W_key: Matrix, W_value: Matrix,
                               number_of_heads: int, W_out: Matrix, b_out: Vector) -> Matrix:
    # [n, d_in], three [d_in, d_out], int, [d_out, d_out], [d_out] -> [n, d_out]
    """Return the context vectors of the heads that the columns make, joined, @ W_out + b_out.

    TypeError or ValueError as in split_heads and multi_head_attention, or if W_out has not a
    row for each number of a joined context vector, or b_out not one for each column of W_out.
    >>> one = [[1.0, 1.0]]
    >>> swap = [[0.0, 1.0], [1.0, 0.0]]
    >>> split_multi_head_attention([[2.0]], one, one, [[1.0, 10.0]], 2, swap, [0.0, 0.5])
    [[20.0, 2.5]]
    """
    W_out, [b_out] = to_matrix("W_out", W_out), to_matrix("[b_out]", [b_out])
    heads = zip(split_heads("W_query", W_query, number_of_heads),
                split_heads("W_key", W_key, number_of_heads),
                split_heads("W_value", W_value, number_of_heads))
    joined = multi_head_attention(inputs, list(heads))
    check_fit(len(joined[0]) == len(W_out), "joined", joined, "W_out", W_out,
              "W_out needs a row for each number of a joined context vector")
    check_fit(len(b_out) == len(W_out[0]), "[b_out]", [b_out], "W_out", W_out,
              "b_out needs a number for each column of W_out")
    mixed = [[x + b for x, b in zip(row, b_out)] for row in matmul(joined, W_out)]
    return to_matrix("overflow: context_vectors", mixed)

# ---- The command line ---------------------------------------------------------------------------
def story() -> str:
    generator = manual_seed(123)
    heads = [three_linears(generator), three_linears(generator)]
    side_by_side = multi_head_attention(INPUTS, heads)
    generator = manual_seed(123)
    W_query, W_key, W_value = three_linears(generator)
    weight, b_out = linear(generator, 2, 2)
    W_out = transpose(weight)
    joined = split_multi_head_attention(  # with an output projection that changes nothing
        INPUTS, W_query, W_key, W_value, 2, [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    split = split_multi_head_attention(INPUTS, W_query, W_key, W_value, 2, W_out, b_out)
    return "".join((
        "Causal attention with two heads; weight matrices: nn.Linear, torch.manual_seed(123).\n",
        "\n=== HEADS SIDE BY SIDE: d_out = 2 in each of the 2 heads ===\n",
        "\ncontext vectors: columns 1 and 2 from head 1, 3 and 4 from head 2.\n",
        table(side_by_side),
        "\n=== ONE PROJECTION, SPLIT: d_out = 2 in all, 1 for each of the 2 heads ===\n",
        "\nThe three weight matrices are those of head 1 above. Each head has one column of\n",
        "each, compares words by that column alone, and so has attention weights of its own.\n",
        "\njoined: column 1 from head 1, column 2 from head 2.\n", table(joined),
        "\ncontext vectors: joined @ W_out + b_out.\n", table(split),
        "\n                          d_out   in each head   context vector\n",
        "  heads side by side          2              2                4\n",
        "  one projection, split       2              1                2"))

if __name__ == "__main__":
    raise SystemExit(tell(story))
