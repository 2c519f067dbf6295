// Made by make_data.py, which says from what.
const MISTAKES = [{"fix": "queries = inputs @ W_query, keys = inputs @ W_key", "name": "query-and-key-swapped", "steps": {"keys": {"product": ["inputs", "W_query"]},
"queries": {"product": ["inputs", "W_key"]}},
"what": "queries = inputs @ W_key, keys = inputs @ W_query"},
{"fix": "queries @ keys^T: each query with each key", "name": "keys-times-queries", "steps": {"attention_scores": {"product": ["keys", "queries^T"]}},
"what": "keys @ queries^T: a row for each key"},
{"fix": "scores / sqrt(d_k), once; d_k = the width of a key", "name": "scaling-forgotten", "steps": {"scaled_scores": {"copy": "attention_scores"}},
"what": "scores as they are"},
{"fix": "scores / sqrt(d_k), once; d_k = the width of a key", "name": "divided-by-d_k", "steps": {"scaled_scores": {"by": "d_k", "scale": "/"}},
"what": "scores / d_k: no square root, or scaled twice"},
{"fix": "scores / sqrt(d_k), once; d_k = the width of a key", "name": "multiplied-by-sqrt-d_k", "steps": {"scaled_scores": {"by": "sqrt(d_k)", "scale": "*"}},
"what": "scores * sqrt(d_k)"},
{"fix": "softmax of each row (dim=-1 in torch, axis=-1 in NumPy)", "name": "softmax-down-the-columns", "steps": {"attention_weights": {"softmax": "column"}},
"what": "each column adds up to 1, not each row"},
{"fix": "softmax of scaled scores: e^score / sum of the row's e^score", "name": "softmax-left-out", "steps": {"attention_weights": {"copy": "scaled_scores"}},
"what": "scaled scores as they are"},
{"fix": "attention_weights @ values, and nothing else", "name": "attention-weights-transposed", "steps": {"context_vectors": {"product": ["attention_weights^T", "values"]}},
"what": "attention_weights^T @ values"},
{"fix": "attention_weights @ values, and nothing else", "name": "keys-blended", "steps": {"context_vectors": {"product": ["attention_weights", "keys"]}},
"what": "attention_weights @ keys"}];
const LINES = {"simplified": {"attention_scores": [184, "attention_scores = [[dot(query, x) for x in inputs] for query in inputs]"], "attention_weights": [186, "attention_weights = [softmax(scores) for scores in attention_scores]"], "context_vectors": [187, "context_vectors = [blend(shares, inputs) for shares in attention_weights]"], "weighted_values": [153, "total += shares[i] * rows[i][j]"]},
"trainable": {"attention_scores": [328, "attention_scores = matmul(queries, transpose(keys))"], "attention_weights": [331, "attention_weights = [softmax(row) for row in scaled_scores]"], "context_vectors": [332, "context_vectors = matmul(attention_weights, values)"], "keys": [414, "keys = matmul(inputs, W_key)"], "powers": [125, "powers = [exp(score - largest) for score in scores]"], "queries": [413, "queries = matmul(inputs, W_query)"], "scaled_scores": [330, "scaled_scores = [[score / root for score in row] for row in attention_scores]"], "values": [415, "values = matmul(inputs, W_value)"], "weighted_values": [251, "total += row[k] * column[k]"]}};
const TRAINED = {"W_key": [[0.8, 0.6], [0.8, 0.4], [-0.6, -0.2], [-0.3, -0.6], [-0.1, -0.1], [-0.1, -0.3], [0.5, 0.3], [-1.7, -0.9], [0.7, 0], [0.5, 0.2], [0.4, 0.5]], "W_query": [[-1.3, -0.5], [0.5, -0.1], [-0.3, -0.4], [0, -0.1], [-0.2, -0.1], [-0.1, -0.5], [-0.2, 0.2], [0.6, 0.5], [0.3, 0.3], [-1, -0.4], [-1.5, -1]], "W_value": [[-0.1, 0, -0.1], [-0.6, -0.5, 0.2], [-0.6, 1.2, -2.5], [1.7, -1.9, 1.6], [-0.8, -2.8, 0.1], [0.6, 3.5, 1.2], [0.3, 0.6, -0.2], [0.6, 0, -0.5], [-0.6, -0.5, 0.4], [-0.1, -0.3, 0], [-0.2, -0.4, 0.3]], "inputs": [[1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]], "tokens": ["the", "dogs", "near", "the", "cat"]};
const BEFORE = {"W_key": [[0.08, 0.12], [0.29, 0.25], [-0.14, -0.04], [0.1, -0.25], [-0.13, -0.09], [0.22, -0.21], [0.24, 0.02], [-0.28, -0.06], [0.26, -0.16], [0.14, -0.03], [0.13, 0.29]], "W_query": [[-0.12, 0.11], [0.01, -0.26], [-0.15, -0.18], [0.11, -0.11], [-0.26, -0.06], [0.22, -0.23], [-0.22, 0.2], [-0.24, -0.07], [-0.19, 0.1], [0.14, 0.21], [-0.11, 0.06]]};
