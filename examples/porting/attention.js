// Self-attention by hand, in JavaScript: attention.py, function by function, with the
// same names, parts, and order of every addition. Read both side by side.
//
// In a page, <script src="attention.js"></script> defines one name: attention. In Node.js
// it is `const attention = require("./attention.js")`. Then, for example,
//   attention.simplified_self_attention(attention.INPUTS).context_vectors[1]

"use strict";

var attention = (() => {  // var, so that a page sees this one name

// ---- 1. The running example: S. Raschka, "Build a Large Language Model", chapter 3

const TOKENS = ["Your", "journey", "starts", "with", "one", "step"];

const INPUTS = [
  [0.43, 0.15, 0.89],  // Your
  [0.55, 0.87, 0.66],  // journey
  [0.57, 0.85, 0.64],  // starts
  [0.22, 0.58, 0.33],  // with
  [0.77, 0.25, 0.10],  // one
  [0.05, 0.80, 0.55],  // step
];

const W_QUERY = [
  [0.29611194, 0.51656228],
  [0.25167072, 0.68855679],
  [0.07397246, 0.86652195],
];
const W_KEY = [
  [0.13657987, 0.10247904],
  [0.18405646, 0.72644675],
  [0.31525391, 0.68710667],
];
const W_VALUE = [
  [0.07563531, 0.19663817],
  [0.31641197, 0.40174013],
  [0.11856830, 0.82739538],
];

// ---- 2. Simplified self-attention: no weight matrices

function dot(a, b) {  // [d], [d] -> a number
  check_lengths("a", a, "b", b);
  let total = 0;
  for (let i = 0; i < a.length; i++) {
    total += a[i] * b[i];
  }
  return total;
}

function softmax(scores) {  // [n] -> [n]
  // e^1000 would be Infinity. With the largest score subtracted from all, no power is
  // above 1, and the shares stay the same.
  const largest = scores.reduce((x, y) => Math.max(x, y), -Infinity);
  const powers = scores.map(score => Math.exp(score - largest));
  let total = 0;
  for (const power of powers) {
    total += power;
  }
  if (!(total >= 1)) {  // the largest score adds e^0 = 1; without it, total is 0 or NaN
    throw new Error(`scores are ${scores}, expected numbers, not all of them -Infinity`);
  }
  return powers.map(power => power / total);
}

function blend(shares, rows) {  // [n], [n, d] -> [d]
  check_lengths("shares", shares, "rows", rows);
  return rows[0].map((_, j) => {
    let total = 0;
    for (let i = 0; i < rows.length; i++) {
      total += shares[i] * rows[i][j];
    }
    return total;
  });
}

// What the attention functions return: an object of these, in this order
const STAGES = ["queries", "keys", "values", "attention_scores", "scaled_scores",
                "attention_weights", "context_vectors"];

function simplified_self_attention(inputs) {  // [n, d]
  inputs = to_matrix("inputs", inputs);
  const attention_scores = inputs.map(query => inputs.map(x => dot(query, x)));
  check_finite("overflow: attention_scores", attention_scores);
  const attention_weights = attention_scores.map(softmax);
  const context_vectors = attention_weights.map(weights => blend(weights, inputs));
  return {queries: inputs, keys: inputs, values: inputs,  // not projected
          attention_scores, scaled_scores: attention_scores,  // not scaled
          attention_weights, context_vectors};
}

// ---- 3. The same as matrix products

function transpose(matrix) {  // [n, d] -> [d, n]
  check_rows("matrix", matrix);
  return matrix[0].map((_, j) => matrix.map(row => row[j]));
}

function matmul(a, b) {  // [n, d] @ [d, p] -> [n, p]
  check_rows("a", a);
  check_lengths("a[0]", a[0], "b", b);
  const columns = transpose(b);
  return a.map(row => columns.map(column => dot(row, column)));
}

function sqrt(x) {  // guesses above the root fall until rounding stops them (Heron)
  if (!(x >= 0 && x < Infinity)) {  // NaN fails every comparison
    throw new Error(`x is ${x}, expected a finite number from 0 up`);
  }
  if (x === 0) {
    return 0;
  }
  let guess = Math.max(1, x);
  let better = (guess + x / guess) / 2;
  while (better < guess) {
    guess = better;
    better = (guess + x / guess) / 2;
  }
  return guess;
}

// ---- 4. Trainable self-attention

function scaled_dot_product_attention(queries, keys, values) {
  // [m, d_k], [n, d_k], [n, d_v]
  [queries, keys, values] = to_matrices(
    ["queries", queries, "m", "d_k"],
    ["keys", keys, "n", "d_k"],
    ["values", values, "n", "d_v"]);
  const root = sqrt(keys[0].length);
  const attention_scores = matmul(queries, transpose(keys));
  check_finite("overflow: attention_scores", attention_scores);
  const scaled_scores = attention_scores.map(row => row.map(score => score / root));
  const attention_weights = scaled_scores.map(softmax);
  const context_vectors = matmul(attention_weights, values);
  check_finite("overflow: context_vectors", context_vectors);
  return {queries, keys, values, attention_scores, scaled_scores, attention_weights,
          context_vectors};
}

function self_attention(inputs, W_query, W_key, W_value) {
  // [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v]
  [inputs, W_query, W_key, W_value] = to_matrices(
    ["inputs", inputs, "n", "d_in"],
    ["W_query", W_query, "d_in", "d_k"],
    ["W_key", W_key, "d_in", "d_k"],
    ["W_value", W_value, "d_in", "d_v"]);
  const queries = matmul(inputs, W_query);
  const keys = matmul(inputs, W_key);
  const values = matmul(inputs, W_value);
  return scaled_dot_product_attention(queries, keys, values);
}

// ---- 5. Traditional attention, or cross-attention: between two sequences

function cross_attention(targets, sources, W_query, W_key, W_value) {
  // [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v]
  [targets, sources, W_query, W_key, W_value] = to_matrices(
    ["targets", targets, "m", "d_t"],
    ["sources", sources, "n", "d_in"],
    ["W_query", W_query, "d_t", "d_k"],
    ["W_key", W_key, "d_in", "d_k"],
    ["W_value", W_value, "d_in", "d_v"]);
  const queries = matmul(targets, W_query);
  const keys = matmul(sources, W_key);
  const values = matmul(sources, W_value);
  return scaled_dot_product_attention(queries, keys, values);
}

// ---- 6. Bad input: say what is wrong and where

// Return the matrices. A size must be the same wherever it has the same name.
function to_matrices(...given) {  // [name, rows, "n", "d"], ...
  const known = {};
  return given.map(([name, rows, height, width]) => {
    const matrix = to_matrix(name, rows);
    for (const [size, number] of [[height, matrix.length], [width, matrix[0].length]]) {
      const shape = `${name} is ${matrix.length} x ${matrix[0].length}`;
      const first = known[size] || (known[size] = {number, shape});
      if (number !== first.number) {
        throw new Error(`${first.shape} but ${shape}: ` +
                        `${size} cannot be both ${first.number} and ${number}`);
      }
    }
    return matrix;
  });
}

function check_rows(name, matrix) {
  if (!Array.isArray(matrix) || !matrix.every(Array.isArray)) {
    throw new Error(`${name} is not an array of rows of numbers`);
  }
  matrix.forEach(
    (row, i) => check_lengths(name + "[0]", matrix[0], `${name}[${i}]`, row));
  if (matrix.length === 0 || matrix[0].length === 0) {
    throw new Error(`${name} is empty, expected at least one row of one number`);
  }
}

// A copy. JavaScript computes with nearly anything ("3" * null is 0): check each entry.
function to_matrix(name, rows) {
  check_rows(name, rows);
  const matrix = rows.map(row => [...row]);  // fills the hole in [1, , 2] with undefined
  check_finite(name, matrix);
  return matrix;
}

function check_finite(name, matrix) {
  matrix.forEach((row, i) => row.forEach((x, j) => {
    if (!Number.isFinite(x)) {
      throw new Error(`${name}[${i}][${j}] is ${x}, expected a finite number`);
    }
  }));
}

function check_lengths(name, a, other, b) {
  if (a.length !== b.length) {
    throw new Error(`${name} has length ${a.length} but ${other} has length ${b.length}`);
  }
}

// ---- 7. The porting protocol, with JSON: README.md beside this file describes it

const FUNCTIONS = new Map([
  [simplified_self_attention, ["inputs"]],
  [scaled_dot_product_attention, ["queries", "keys", "values"]],
  [self_attention, ["inputs", "W_query", "W_key", "W_value"]],
  [cross_attention, ["targets", "sources", "W_query", "W_key", "W_value"]],
].map(([f, names]) => [f.name, [f, names]]));

// JSON has no NaN and no infinity: they are strings.
const SPECIAL = new Map([["nan", NaN], ["inf", Infinity], ["-inf", -Infinity]]);

function answer(line) {
  try {
    const request = JSON.parse(line, (key, x) => SPECIAL.has(x) ? SPECIAL.get(x) : x);
    const [f, names] = FUNCTIONS.get(request.function);
    return JSON.stringify(f(...names.map(name => request.arguments[name])));
  } catch (error) {
    return JSON.stringify({error: error.message});
  }
}

function main() {
  process.stdout.on("error", () => process.exit(1));  // nobody reads on
  const lines = require("fs").readFileSync(0, "utf8").split("\n");
  for (const line of lines.filter(line => line !== "")) {
    process.stdout.write(answer(line) + "\n");
  }
}

return {STAGES, TOKENS, INPUTS, W_QUERY, W_KEY, W_VALUE, dot, softmax, blend, transpose,
        matmul, sqrt, simplified_self_attention, scaled_dot_product_attention,
        self_attention, cross_attention, main};
})();

if (typeof module !== "undefined") {  // Node.js
  module.exports = attention;
  if (require.main === module) {
    attention.main();
  }
}
