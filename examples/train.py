"""Training W_query, W_key and W_value by gradient descent: python3 -m examples.train

The task: in each sentence, every word is to find one other word and take over its meaning.
An adjective is to find the noun, the noun its verb, and the verb its noun.

Each word is 5 numbers. Three say what kind of word it is, two stand for its meaning; they are
made up. Nobody tells the model what the numbers are for. It starts from random weight matrices,
and is told only how far its context vectors are from the meanings they should be.

  1. Gradients          derived by hand, from the context vectors back to the weight matrices
  2. The task           six sentences to learn from, three to try afterwards
  3. Training           plain gradient descent
  4. The command line
"""

import sys
from collections import namedtuple

from attention import (Matrix, check_fit, dot, matmul, self_attention, shape, sqrt, to_matrix,
                       transpose)
from examples import tell
from examples.torch_random import linear, manual_seed

# ---- 1. Gradients -------------------------------------------------------------------------------
Gradients = namedtuple("Gradients", ("W_query", "W_key", "W_value", "inputs"))

def gradients(inputs: Matrix, W_query: Matrix, W_key: Matrix, W_value: Matrix,
              context_gradients: Matrix) -> Gradients:
    # [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v], [n, d_v] -> a gradient for each of the four
    """Return how the loss changes with each weight matrix and with the inputs.

    The loss is any one number computed from the context vectors. The gradient of a matrix M,
    written dM here, is a matrix of M's shape: if M[i][j] grows by a tiny h, the loss grows by
    dM[i][j] * h. context_gradients is dC; the rest follows from it, last step first.

    Self-attention, with X the inputs and r = sqrt(d_k):

      Q = X @ W_query    K = X @ W_key    V = X @ W_value
      S = Q @ K^T        Z = S / r        A = softmax of each row of Z    C = A @ V

    Products come first, since most steps are products. In M = F @ G,

      M[i][j] = F[i][0] * G[0][j] + F[i][1] * G[1][j] + ...

    If F[i][k] grows by h, each M[i][j] of row i grows by h * G[k][j], and the loss by
    h * (dM[i][0] * G[k][0] + dM[i][1] * G[k][1] + ...): row i of dM dot row k of G. If G[k][j]
    grows by h, each M[i][j] of column j grows by F[i][k] * h, and the loss by
    h * (F[0][k] * dM[0][j] + F[1][k] * dM[1][j] + ...): column k of F dot column j of dM. So

      dF = dM @ G^T
      dG = F^T @ dM

    1. C = A @ V is a product:

      dA = dC @ V^T
      dV = A^T @ dC

    2. Softmax, for one row: a[j] = e^z[j] / t, where t = e^z[0] + e^z[1] + ... If z[k] grows
       by h, e^z[k] grows by h * e^z[k], and so does t. Relative to their size, e^z[k] grows by
       h, and t by h * e^z[k] / t = h * a[k]. The relative growth of a quotient is that of its
       numerator less that of its denominator:

      a[k] grows by a[k] * (h - h * a[k])
      a[j] grows by a[j] * (0 - h * a[k])      for each other j

       The loss grows by da[j] times the growth of a[j], added up over all j. The h alone gives
       da[k] * a[k] * h, and the h * a[k] give -a[k] * h * (da[0] * a[0] + da[1] * a[1] + ...).
       Added, and divided by h:

      dz[k] = a[k] * (da[k] - dot(da, a))

    3. Z = S / r: if S[i][j] grows by h, Z[i][j] grows by h / r.

      dS = dZ / r

    4. S = Q @ K^T is a product. The rule gives Q^T @ dS for K^T; transposed, that is dK:

      dQ = dS @ K
      dK = dS^T @ Q

    5. Q = X @ W_query, K = X @ W_key and V = X @ W_value are products:

      dW_query = X^T @ dQ
      dW_key   = X^T @ dK
      dW_value = X^T @ dV

    6. X is in all three of them, so what it does through each is added up:

      dX = dQ @ W_query^T + dK @ W_key^T + dV @ W_value^T

       (A language model trains its embeddings with it. Here, they stay as they are.)

    TypeError or ValueError as in self_attention; ValueError, too, if context_gradients has not
    the shape of the context vectors, or a gradient overflows.

    One word attends to itself whatever its query and key are, so these two do not matter:
    >>> gradients([[2.0]], [[1.0]], [[1.0]], [[3.0]], [[1.0]])
    Gradients(W_query=[[0.0]], W_key=[[0.0]], W_value=[[2.0]], inputs=[[3.0]])
    """
    X = to_matrix("inputs", inputs)
    W_query, W_key = to_matrix("W_query", W_query), to_matrix("W_key", W_key)
    W_value = to_matrix("W_value", W_value)
    dC = to_matrix("context_gradients", context_gradients)
    attention = self_attention(X, W_query, W_key, W_value)
    check_fit(shape(dC) == shape(attention.context_vectors), "context_gradients", dC,
              "context_vectors", attention.context_vectors, "each number needs its gradient")
    A, r = attention.attention_weights, sqrt(len(W_key[0]))
    dA = matmul(dC, transpose(attention.values))
    dV = matmul(transpose(A), dC)
    dZ = []
    for a, da in zip(A, dA):
        mean = dot(da, a)  # the attention weights a add up to 1, so this is a mean of da
        dZ.append([a_k * (da_k - mean) for a_k, da_k in zip(a, da)])
    dS = [[dz / r for dz in row] for row in dZ]
    dQ = matmul(dS, attention.keys)
    dK = matmul(transpose(dS), attention.queries)
    dX = add(add(matmul(dQ, transpose(W_query)), matmul(dK, transpose(W_key))),
             matmul(dV, transpose(W_value)))
    found = Gradients(matmul(transpose(X), dQ), matmul(transpose(X), dK),
                      matmul(transpose(X), dV), dX)
    for name, gradient in zip(found._fields, found):
        to_matrix("overflow: gradient of " + name, gradient)
    return found

def add(a: Matrix, b: Matrix, factor: float = 1.0) -> Matrix:  # [n, m], [n, m] -> [n, m]
    """Return a + factor * b.
    >>> add([[1.0, 2.0]], [[10.0, 20.0]], 0.5)
    [[6.0, 12.0]]
    """
    return [[x + factor * y for x, y in zip(row, other)] for row, other in zip(a, b)]

# ---- 2. The task --------------------------------------------------------------------------------
#            adjective noun verb  meaning
WORDS = {"small":    [1.0, 0.0, 0.0, -0.8, 0.3],
         "old":      [1.0, 0.0, 0.0, 0.6, 0.7],
         "young":    [1.0, 0.0, 0.0, -0.2, -0.9],
         "birds":    [0.0, 1.0, 0.0, 0.4, -0.6],
         "dogs":     [0.0, 1.0, 0.0, -0.7, -0.3],
         "children": [0.0, 1.0, 0.0, 0.9, 0.2],
         "sing":     [0.0, 0.0, 1.0, 0.1, 0.8],
         "sleep":    [0.0, 0.0, 1.0, -0.5, -0.7],
         "play":     [0.0, 0.0, 1.0, 0.7, -0.1],
         # and three that training does not show:
         "white":    [1.0, 0.0, 0.0, 0.5, -0.5],
         "cats":     [0.0, 1.0, 0.0, -0.1, 0.6],
         "dance":    [0.0, 0.0, 1.0, -0.8, 0.4]}
ADJECTIVE, NOUN, VERB = 0, 1, 2
FINDS = {ADJECTIVE: NOUN, NOUN: VERB, VERB: NOUN}
SENTENCES = ["small birds sing", "old dogs sleep", "young children play",
             "small dogs play", "old children sing", "young birds sleep"]
NEW_SENTENCES = ["sleep small children", "cats dance", "old white cats sing"]

def embed(sentence: str) -> Matrix:  # n words -> [n, 5]
    return [WORDS[word][:] for word in sentence.split()]

def wanted(inputs: Matrix) -> Matrix:  # [n, 5] -> [n, 2]
    """Return, for each word, the meaning of the word that it is to find."""
    kinds = [x[:3].index(1.0) for x in inputs]
    return [inputs[kinds.index(FINDS[kind])][3:] for kind in kinds]

# ---- 3. Training --------------------------------------------------------------------------------
RATE = 2.0  # how far to go against the gradient; with 4.0, it overshoots and does not get there
STEPS = 600

def random_matrices() -> list:  # W_query [5, 2], W_key [5, 2], W_value [5, 2]
    generator = manual_seed(123)
    return [transpose(linear(generator, 5, 2, bias=False)[0]) for role in range(3)]

def loss_and_gradients(sentences: list, matrices: list):
    # -> one number, the gradients of the weight matrices
    """Return the mean of (context vector - wanted)**2 over all numbers of all words, and the
    gradients of that: the square d**2 grows by 2 * d * h if d grows by h."""
    count, loss = 0, 0.0
    totals = [[[0.0 for w in row] for row in W] for W in matrices]
    for sentence in sentences:
        count += 2 * len(sentence.split())
    for sentence in sentences:
        inputs = embed(sentence)
        context_vectors = self_attention(inputs, *matrices).context_vectors
        off = add(context_vectors, wanted(inputs), -1.0)
        for row in off:
            loss += dot(row, row) / count
        context_gradients = [[2.0 * d / count for d in row] for row in off]
        found = gradients(inputs, *(matrices + [context_gradients]))
        totals = [add(total, gradient) for total, gradient in zip(totals, found)]
    return loss, totals

def train(matrices: list, steps: int, report) -> list:
    """Return the weight matrices after so many steps, each a bit against the gradient.

    report(step, loss) is called before each step.
    """
    for step in range(steps):
        loss, found = loss_and_gradients(SENTENCES, matrices)
        report(step, loss)
        matrices = [add(W, gradient, -RATE) for W, gradient in zip(matrices, found)]
    return matrices

# ---- 4. The command line ------------------------------------------------------------------------
def on_a_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()

def progress(step: int, loss: float):
    if step % 10 == 0 and on_a_terminal():  # \r goes back to the start of the line
        sys.stdout.write("\rstep %4d of %d, loss %.6f" % (step, STEPS, loss))
        sys.stdout.flush()

def bars(sentence: str, before: list, after: list) -> str:
    words, text = sentence.split(), '\n"%s"\n' % sentence
    old, new = [self_attention(embed(sentence), *matrices) for matrices in (before, after)]
    for q, query in enumerate(words):
        for k, key in enumerate(words):
            text += "  %-9s-> %-9s" % (query if k == 0 else "", key)
            for attention in old, new:
                weight = attention.attention_weights[q][k]
                text += "%6.2f %-20s" % (weight, "#" * int(20 * weight + 0.5))
            text = text.rstrip() + "\n"
    return text

def table(matrix: Matrix) -> str:
    return "".join("  %-13s" % name + "".join("%8.2f" % x for x in row) + "\n" for name, row in
                   zip(("is adjective", "is noun", "is verb", "meaning 1", "meaning 2"), matrix))

def story() -> str:
    before = random_matrices()
    after = train(before, STEPS, progress)
    if on_a_terminal():
        sys.stdout.write("\r" + " " * 40 + "\r")
    losses = [loss_and_gradients(sentences, matrices)[0]
              for sentences in (SENTENCES, NEW_SENTENCES) for matrices in (before, after)]
    header = "\n  query     key" + " " * 11 + "before training" + " " * 12 + "after\n"
    text = "Every adjective is to find the noun, the noun its verb, the verb its noun.\n"
    text += "%d steps of gradient descent on %d sentences:\n\n" % (STEPS, len(SENTENCES))
    text += "  loss before training %10.6f\n  loss after training  %10.6f" % tuple(losses[:2])
    text += ", %.0f times lower\n" % (losses[0] / losses[1])
    text += "\n=== TWO OF THE SENTENCES: attention weights before and after ===\n" + header
    for sentence in SENTENCES[:2]:
        text += bars(sentence, before, after)
    text += "\n=== SENTENCES THAT TRAINING DID NOT SHOW: other words, order and length ===\n"
    text += "\n  loss before training %10.6f\n  loss after training  %10.6f\n" % tuple(losses[2:])
    text += header
    for sentence in NEW_SENTENCES:
        text += bars(sentence, before, after)
    return text + """
=== WHAT WAS LEARNED: W_value after training ===

%s
The last two rows are nearly 1 0 and 0 1: a value hands over the word's meaning. (The row for
adjectives could be anything, as nobody is to find one.)

=== THE LESSON ===

Training changed the weight matrices. Now they are fixed: the same W_query, W_key and W_value
for every sentence. The attention weights were not learned and are not stored. They are computed
afresh for each new sentence, from the words that are in it.""" % table(after[2])

if __name__ == "__main__":
    raise SystemExit(tell(story))
