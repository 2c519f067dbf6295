// Made by make_mistakes.py from examples.find_the_mistake.
const MISTAKES = [
{
  name: "query-and-key-swapped",
  stage: "queries",
  what: "queries = inputs @ W_key, keys = inputs @ W_query",
  fix: "queries = inputs @ W_query, keys = inputs @ W_key",
  steps: {
    keys: {"product": ["inputs", "W_query"]},
    queries: {"product": ["inputs", "W_key"]},
  }},
{
  name: "keys-times-queries",
  stage: "attention_scores",
  what: "keys @ queries^T: a row for each key",
  fix: "queries @ keys^T: each query with each key",
  steps: {
    attention_scores: {"product": ["keys", "queries^T"]},
  }},
{
  name: "scaling-forgotten",
  stage: "scaled_scores",
  what: "scores as they are",
  fix: "scores / sqrt(d_k), once; d_k = the width of a key",
  steps: {
    scaled_scores: {"copy": "attention_scores"},
  }},
{
  name: "divided-by-d_k",
  stage: "scaled_scores",
  what: "scores / d_k: no square root, or scaled twice",
  fix: "scores / sqrt(d_k), once; d_k = the width of a key",
  steps: {
    scaled_scores: {"scale": "/", "by": "d_k"},
  }},
{
  name: "multiplied-by-sqrt-d_k",
  stage: "scaled_scores",
  what: "scores * sqrt(d_k)",
  fix: "scores / sqrt(d_k), once; d_k = the width of a key",
  steps: {
    scaled_scores: {"scale": "*", "by": "sqrt(d_k)"},
  }},
{
  name: "softmax-down-the-columns",
  stage: "attention_weights",
  what: "each column adds up to 1, not each row",
  fix: "softmax of each row (dim=-1 in torch, axis=-1 in NumPy)",
  steps: {
    attention_weights: {"softmax": "column"},
  }},
{
  name: "softmax-left-out",
  stage: "attention_weights",
  what: "scaled scores as they are",
  fix: "softmax of scaled scores: e^score / sum of the row's e^score",
  steps: {
    attention_weights: {"copy": "scaled_scores"},
  }},
{
  name: "attention-weights-transposed",
  stage: "context_vectors",
  what: "attention_weights^T @ values",
  fix: "attention_weights @ values, and nothing else",
  steps: {
    context_vectors: {"product": ["attention_weights^T", "values"]},
  }},
{
  name: "keys-blended",
  stage: "context_vectors",
  what: "attention_weights @ keys",
  fix: "attention_weights @ values, and nothing else",
  steps: {
    context_vectors: {"product": ["attention_weights", "keys"]},
  }},
];
