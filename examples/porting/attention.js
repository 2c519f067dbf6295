// Self-attention by hand, in JavaScript: attention.py, function by function. Read both side by
// side: the names are the same, and so is the order of every addition.
//
//   1. Arithmetic by hand          dot, transpose, matmul, sqrt, softmax
//   2. Simplified self-attention   no weight matrices: words are compared as they are
//   3. Trainable self-attention    W_query, W_key, W_value: queries, keys and values
//   4. Traditional attention       queries from one sequence, keys and values from another
//   5. Bad input                   refused, with its name and place
//   6. The four checks             at which stage do two computations part?
//   7. The running example         six words and three weight matrices
//   8. The porting protocol        for check_port, on standard input and output
//
// Shapes: [n, d] is an array of n rows, each an array of d numbers. In attention scores and
// attention weights, query = row and key = column. A TypeError stands for Python's TypeError,
// an Error for ValueError.
//
// In a page, <script src="attention.js"></script> defines one name: attention. In Node.js it
// is `const attention = require("./attention.js")`. Then, for example,
//   attention.simplified_self_attention(attention.INPUTS).context_vectors[1]

var attention = (function () {  // so that only this one name is seen outside
"use strict";

// What attention returns: every stage, in the order in which the numbers come to be.
const STAGES = ["queries", "keys", "values", "attention_scores", "scaled_scores",
                "attention_weights", "context_vectors"];

// Python's Attention(...): an object whose keys are the stages.
function Attention(...matrices) {
  const record = {};
  STAGES.forEach((stage, i) => { record[stage] = matrices[i]; });
  return record;
}

// ---- 1. Arithmetic by hand ---------------------------------------------------------------------

// a[0]*b[0] + a[1]*b[1] + ...
function dot(a, b) {  // [d], [d] -> one number
  if (a.length !== b.length) {
    throw new Error(`a has ${a.length} numbers but b has ${b.length}`);
  }
  let total = 0;
  for (let i = 0; i < a.length; i++) {
    total += a[i] * b[i];
  }
  return total;
}

// The columns of matrix as rows.
function transpose(matrix, name = "matrix") {  // [n, d] -> [d, n]
  const columns = [], d = width(name, matrix);
  for (let j = 0; j < d; j++) {
    columns.push(matrix.map(row => row[j]));
  }
  return columns;
}

// a @ b, whose entry [i][j] is row i of a dot column j of b.
function matmul(a, b, a_name = "a", b_name = "b") {  // [n, m] @ [m, p] -> [n, p]
  const columns = transpose(b, b_name);
  check_fit(width(a_name, a) === b.length, a_name, a, b_name, b,
            "the first needs as many columns as the second has rows");
  return a.map(row => columns.map(column => dot(row, column)));
}

// The square root of x by Heron's method: if guess is above the root, x / guess is below it,
// and their mean is a better guess.
function sqrt(x) {
  if (!(x >= 0 && x < Infinity)) {  // NaN fails every comparison
    throw new Error(`x is ${x}, expected a finite number from 0 up`);
  }
  if (x === 0) {
    return 0;
  }
  let guess = Infinity, better = Math.max(1, x);  // never below the root
  while (better < guess) {  // it falls until rounding stops it
    guess = better;
    better = (guess + x / guess) / 2;
  }
  return guess;
}

// Positive attention weights that add up to 1: e^score over the sum of all e^score.
function softmax(scores) {  // [n] -> [n]
  if (scores.length === 0) {
    throw new Error("scores is empty, expected at least one score");
  }
  // e^1000 is too large for a number: it would be Infinity. Less the maximum, no power is
  // larger than e^0 = 1; all are smaller by the same factor, which cancels in the division.
  let largest = -Infinity;  // not 0: all scores may be below it
  for (const score of scores) {
    if (score > largest) {
      largest = score;
    }
  }
  const powers = scores.map(score => Math.exp(score - largest));
  let total = 0;
  for (const power of powers) {
    total += power;
  }
  if (Number.isNaN(total)) {  // Infinity - Infinity is NaN, too
    scores.forEach((score, i) => {
      if (!(score < Infinity)) {
        throw new Error(`scores[${i}] is ${score}, expected a number or -Infinity`);
      }
    });
    throw new Error("scores are all -Infinity, expected at least one number");
  }
  return powers.map(power => power / total);
}

// ---- 2. Simplified self-attention: no weight matrices ------------------------------------------

function simplified_self_attention(inputs) {  // [n, d] -> context_vectors [n, d]
  const queries = to_matrix("inputs", inputs);  // three copies: nothing returned is shared
  const keys = to_matrix("inputs", inputs);
  const values = to_matrix("inputs", inputs);
  return attend(queries, keys, values, 1);
}

// The three steps for all queries; root is what scores are divided by (see part 3).
//   attention_scores  = queries @ keys^T                [m, n]
//   scaled_scores     = attention_scores / root         [m, n]
//   attention_weights = softmax of each row             [m, n]
//   context_vectors   = attention_weights @ values      [m, d_v]
function attend(queries, keys, values, root) {
  // [m, d_k], [n, d_k], [n, d_v] -> context_vectors [m, d_v]
  const scores = queries.map(query => keys.map(key => dot(query, key)));
  check_finite("overflow: attention_scores", scores);
  const scaled = scores.map(row => row.map(score => score / root));
  const attention_weights = scaled.map(row => softmax(row));
  const context_vectors = matmul(attention_weights, values);
  check_finite("overflow: context_vectors", context_vectors);
  return Attention(queries, keys, values, scores, scaled, attention_weights, context_vectors);
}

// ---- 3. Trainable self-attention ---------------------------------------------------------------

function scaled_dot_product_attention(queries, keys, values) {
  // [m, d_k], [n, d_k], [n, d_v] -> context_vectors [m, d_v]
  queries = to_matrix("queries", queries);
  keys = to_matrix("keys", keys);
  values = to_matrix("values", values);
  check_fit(queries[0].length === keys[0].length, "queries", queries, "keys", keys, SAME_WIDTH);
  check_fit(keys.length === values.length, "keys", keys, "values", values,
            "each key needs a value");
  return attend(queries, keys, values, sqrt(keys[0].length));
}

function self_attention(inputs, W_query, W_key, W_value) {
  // [n, d_in], [d_in, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [n, d_v]
  return cross_attention(inputs, inputs, W_query, W_key, W_value);
}

// ---- 4. Traditional attention: one sequence attends to another ---------------------------------

function cross_attention(targets, sources, W_query, W_key, W_value) {
  // [m, d_t], [n, d_in], [d_t, d_k], [d_in, d_k], [d_in, d_v] -> context_vectors [m, d_v]
  const [t, s] = targets === sources ? ["inputs", "inputs"] : ["targets", "sources"];
  targets = to_matrix(t, targets);
  sources = to_matrix(s, sources);
  W_query = to_matrix("W_query", W_query);
  W_key = to_matrix("W_key", W_key);
  check_fit(W_query[0].length === W_key[0].length, "W_query", W_query, "W_key", W_key, SAME_WIDTH);
  const queries = matmul(targets, W_query, t, "W_query");
  const keys = matmul(sources, W_key, s, "W_key");
  const values = matmul(sources, to_matrix("W_value", W_value), s, "W_value");
  [queries, keys, values].forEach((matrix, i) => {
    check_finite("overflow: " + STAGES[i], matrix);
  });
  return attend(queries, keys, values, sqrt(keys[0].length));
}

// ---- 5. Bad input: say what is wrong and where, never compute with it --------------------------

const SAME_WIDTH = "a query and a key need the same width";

// JavaScript computes with nearly anything ("3" * null is 0), so each number is looked at.
function to_matrix(name, rows, finite = true) {
  check_kind(Array.isArray(rows), name, rows, "rows of numbers");
  const matrix = [];
  for (let i = 0; i < rows.length; i++) {  // by number: map would skip the hole in [1, , 2]
    check_kind(Array.isArray(rows[i]), `${name}[${i}]`, rows[i], "a row of numbers");
    matrix.push([]);
    for (let j = 0; j < rows[i].length; j++) {
      const x = rows[i][j];
      check_kind(typeof x === "number" || typeof x === "boolean", `${name}[${i}][${j}]`, x,
                 "a real number");
      matrix[i].push(Number(x));  // true counts as 1, as in Python
    }
  }
  if (finite) {
    check_finite(name, matrix);
  }
  width(name, matrix);
  return matrix;
}

function check_kind(is_right, place, thing, expected) {
  if (!is_right) {
    const type = thing === null ? "null" : typeof thing;
    throw new TypeError(`${place} is of type ${type}, expected ${expected}`);
  }
}

function check_finite(name, matrix) {
  matrix.forEach((row, i) => row.forEach((x, j) => {
    if (!Number.isFinite(x)) {
      throw new Error(`${name}[${i}][${j}] is ${x}, expected a finite number`);
    }
  }));
}

// The length of the rows; an Error if there is none, or if they differ.
function width(name, matrix) {
  if (!Array.isArray(matrix) || !matrix.every(row => Array.isArray(row))) {
    throw new TypeError(`${name} is not a list of rows of numbers`);
  }
  if (matrix.length === 0 || matrix[0].length === 0) {
    throw new Error(`${name} is empty, expected at least one row of one number`);
  }
  matrix.forEach((row, i) => {
    if (row.length !== matrix[0].length) {
      throw new Error(`${name} is ragged: ${name}[0] has ${matrix[0].length} numbers ` +
                      `but ${name}[${i}] has ${row.length}`);
    }
  });
  return matrix[0].length;
}

function check_fit(fits, a_name, a, b_name, b, rule) {
  if (!fits) {
    throw new Error(`${a_name} is ${shape(a)} but ${b_name} is ${shape(b)}: ${rule}`);
  }
}

function shape(matrix) {
  return `${matrix.length} x ${matrix[0].length}`;
}

// ---- 6. The four checks: at which stage do two computations part? ------------------------------
const CHECKS = [["1 projections", STAGES.slice(0, 3)], ["2 scores", STAGES.slice(3, 4)],
                ["3 scaling", STAGES.slice(4, 5)], ["4 softmax", STAGES.slice(5, 6)],
                ["context vectors", STAGES.slice(6)]];

// The first divergence of actual from expected, in the order of CHECKS, or null. Numbers agree
// if no more than tolerance apart; NaN never agrees. Where shapes differ, row and column are
// null.
function first_divergence(expected, actual, tolerance = 0.00006) {
  expected = to_stages("expected", expected);
  actual = to_stages("actual", actual);
  const common = STAGES.filter(stage => stage in expected && stage in actual);
  if (common.length === 0) {
    throw new Error("expected and actual have no stage in common");
  }
  for (const stage of common) {
    const a = expected[stage], b = actual[stage];
    if (shape(a) !== shape(b)) {
      return {stage: stage, row: null, column: null, expected: shape(a), actual: shape(b)};
    }
    for (let i = 0; i < a.length; i++) {
      for (let j = 0; j < a[i].length; j++) {
        const x = a[i][j], y = b[i][j];
        if (x !== y && !(Math.abs(x - y) <= tolerance)) {  // so, NaN differs
          return {stage: stage, row: i, column: j, expected: x, actual: y};
        }
      }
    }
  }
  return null;
}

function to_stages(name, record) {
  check_kind(record !== null && typeof record === "object", name, record, "an object");
  const matrices = {};
  for (const stage of Object.keys(record)) {
    if (!STAGES.includes(stage)) {
      throw new Error(`${name} has ${stage}, expected stages: ${STAGES.join(", ")}`);
    }
    matrices[stage] = to_matrix(`${name}.${stage}`, record[stage], false);
  }
  return matrices;
}

// ---- 7. The running example: S. Raschka, "Build a Large Language Model", chapter 3 -------------
const TOKENS = ["Your", "journey", "starts", "with", "one", "step"];
const INPUTS = [[0.43, 0.15, 0.89],  // Your
                [0.55, 0.87, 0.66],  // journey
                [0.57, 0.85, 0.64],  // starts
                [0.22, 0.58, 0.33],  // with
                [0.77, 0.25, 0.10],  // one
                [0.05, 0.80, 0.55]];  // step
const W_QUERY = [[0.29611194, 0.51656228], [0.25167072, 0.68855679], [0.07397246, 0.86652195]];
const W_KEY = [[0.13657987, 0.10247904], [0.18405646, 0.72644675], [0.31525391, 0.68710667]];
const W_VALUE = [[0.07563531, 0.19663817], [0.31641197, 0.40174013], [0.11856830, 0.82739538]];

// ---- 8. The porting protocol: README.md beside this file describes it --------------------------
const FUNCTIONS = {
  simplified_self_attention: [simplified_self_attention, "inputs"],
  scaled_dot_product_attention: [scaled_dot_product_attention, "queries", "keys", "values"],
  self_attention: [self_attention, "inputs", "W_query", "W_key", "W_value"],
  cross_attention: [cross_attention, "targets", "sources", "W_query", "W_key", "W_value"],
};
const SPECIAL = new Map([["nan", NaN], ["inf", Infinity], ["-inf", -Infinity]]);  // not in JSON

function call(name, given) {
  if (!Object.keys(FUNCTIONS).includes(name)) {
    throw new Error(`function is ${name}, expected: ${Object.keys(FUNCTIONS).join(", ")}`);
  }
  const [f, ...names] = FUNCTIONS[name];
  for (const argument of Object.keys(given)) {
    if (!names.includes(argument)) {
      throw new Error(`${name} has no argument ${argument}, expected: ${names.join(", ")}`);
    }
  }
  return f(...names.map(argument => given[argument]));
}

// A line of JSON: {"function": ..., "arguments": {...}} is answered by the stages.
function answer_json(line) {
  try {
    const request = Object(JSON.parse(line, (key, x) => SPECIAL.has(x) ? SPECIAL.get(x) : x));
    return JSON.stringify(call(request.function, Object(request.arguments)));
  } catch (error) {
    return JSON.stringify({error: error.message});
  }
}

// On its own, Number would also take 0x10, or 1e2 as a size, and it makes NaN of other words.
const NUMBER = /^[+-]?(nan|inf|infinity|([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)$/i;
const SIZE = /^[0-9]{1,4}$/;

function to_number(word) {
  if (!NUMBER.test(word)) {
    throw new Error(`${word} is not a number`);
  }
  return Number(word.replace(/inf(inity)?/i, "Infinity"));  // of nan it makes NaN
}

// A plain line: FUNCTION, then NAME ROWS COLUMNS NUMBERS... for each argument; answered by
// NAME ROWS COLUMNS NUMBERS... for each stage.
function answer_plain(line) {
  try {
    const tokens = line.trim().split(/\s+/);
    const name = tokens[0], given = {};
    let at = 1;
    while (at < tokens.length) {
      const argument = tokens[at], sizes = tokens.slice(at + 1, at + 3);
      if (sizes.length < 2 || !sizes.every(size => SIZE.test(size))) {
        throw new Error(`${argument} needs ROWS and COLUMNS, from 0 to 9999`);
      }
      const [rows, columns] = sizes.map(Number);
      at += 3;
      if (at + rows * columns > tokens.length) {
        throw new Error(`${argument} is cut short`);
      }
      given[argument] = [];
      for (let i = 0; i < rows; i++) {
        given[argument].push(tokens.slice(at, at + columns).map(to_number));
        at += columns;
      }
    }
    const record = call(name, given);
    return STAGES.map(stage => [stage, record[stage].length, record[stage][0].length,
                                ...record[stage].map(row => row.join(" "))].join(" ")).join(" ");
  } catch (error) {
    return "error " + error.message.replace(/\s+/g, " ");
  }
}

function main(args) {
  const plain = args[0] === "--plain";
  if (args.length > (plain ? 1 : 0)) {
    process.stderr.write("usage: node attention.js [--plain]  (see README.md)\n");
    process.exitCode = 2;
    return;
  }
  process.stdout.on("error", () => process.exit(0));  // the reader has seen enough
  const lines = require("readline").createInterface({input: process.stdin});
  lines.on("line", line => {
    process.stdout.write((plain ? answer_plain(line) : answer_json(line)) + "\n");
  });
}

return {STAGES, CHECKS, TOKENS, INPUTS, W_QUERY, W_KEY, W_VALUE,
        dot, transpose, matmul, sqrt, softmax, simplified_self_attention,
        scaled_dot_product_attention, self_attention, cross_attention,
        to_matrix, first_divergence, main};
})();

if (typeof module !== "undefined") {  // Node.js
  module.exports = attention;
  if (require.main === module) {
    attention.main(process.argv.slice(2));
  }
}
