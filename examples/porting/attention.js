// Self-attention by hand, in JavaScript: attention.py, function by function. Read both side by
// side: the names and the parts are the same, and so is the order of every addition.
//
//   1. The running example         six words and three weight matrices
//   2. Arithmetic by hand          dot, transpose, matmul, sqrt, softmax
//   3. Simplified self-attention   no weight matrices: words are compared as they are
//   4. Trainable self-attention    W_query, W_key, W_value: queries, keys and values
//   5. Traditional attention       queries from one sequence, keys and values from another
//   6. Bad input                   refused, with its name and place
//   7. The porting protocol        for the checker, on standard input and output
//
// A matrix is an array of n rows, each an array of d numbers: [n, d]. A TypeError stands for
// Python's TypeError, an Error for ValueError.
//
// In a page, <script src="attention.js"></script> defines one name: attention. In Node.js it
// is `const attention = require("./attention.js")`. Then, for example,
//   attention.simplified_self_attention(attention.INPUTS).context_vectors[1]

"use strict";

/**
 * @typedef {number[][]} Matrix  rows of equal length
 *
 * @typedef {Object} Attention  what the attention functions return: every stage, in the order
 *   of the computation; m queries, n keys
 * @property {Matrix} queries            [m, d_k]
 * @property {Matrix} keys               [n, d_k]
 * @property {Matrix} values             [n, d_v]
 * @property {Matrix} attention_scores   [m, n]: query = row, key = column
 * @property {Matrix} scaled_scores      [m, n]
 * @property {Matrix} attention_weights  [m, n]: each row adds up to 1
 * @property {Matrix} context_vectors    [m, d_v]
 */

var attention = (() => {  // var, so that a page sees this one name

const STAGES = ["queries", "keys", "values", "attention_scores", "scaled_scores",
                "attention_weights", "context_vectors"];

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

// ---- 2. Arithmetic by hand

/**
 * The dot product: a[0]*b[0] + a[1]*b[1] + ...
 * @param {number[]} a  [d]
 * @param {number[]} b  [d]
 * @returns {number}
 */
function dot(a, b) {
  if (a.length !== b.length) {
    throw new Error(`a has ${a.length} numbers but b has ${b.length}`);
  }
  let total = 0;
  for (let i = 0; i < a.length; i++) {
    total += a[i] * b[i];
  }
  return total;
}

/**
 * The columns of the matrix as rows.
 * @param {Matrix} matrix  [n, d]
 * @returns {Matrix} [d, n]
 */
function transpose(matrix) {
  check_rows("matrix", matrix);
  return matrix[0].map((_, j) => matrix.map(row => row[j]));
}

/**
 * a @ b: entry [i][j] is the dot product of row i of a and column j of b.
 * @param {Matrix} a  [n, m]
 * @param {Matrix} b  [m, p]
 * @returns {Matrix} [n, p]
 */
function matmul(a, b) {
  check_sizes(["a", a, "n", "m"], ["b", b, "m", "p"]);
  const columns = transpose(b);
  return a.map(row => columns.map(column => dot(row, column)));
}

/**
 * The square root of x by Heron's method: if guess is above the root, x / guess is below it,
 * and their mean is a better guess.
 * @param {number} x
 * @returns {number}
 */
function sqrt(x) {
  if (!(x >= 0 && x < Infinity)) {  // NaN fails every comparison
    throw new Error(`x is ${x}, expected a finite number from 0 up`);
  }
  if (x === 0) {
    return 0;
  }
  let guess = Math.max(1, x);  // never below the root
  let better = (guess + x / guess) / 2;
  while (better < guess) {  // it falls until rounding stops it
    guess = better;
    better = (guess + x / guess) / 2;
  }
  return guess;
}

/**
 * Shares of 1: each e^score, divided by the sum of all e^score.
 * @param {number[]} scores  [n]
 * @returns {number[]} [n]
 */
function softmax(scores) {
  if (scores.length === 0) {
    throw new Error("scores is empty, expected at least one score");
  }
  // e^1000 is too large for a number: it would be Infinity. With the largest score subtracted
  // from all, no power exceeds e^0 = 1; the common factor cancels in the division.
  const largest = scores.reduce((x, y) => Math.max(x, y));
  const powers = scores.map(score => Math.exp(score - largest));
  let total = 0;
  for (const power of powers) {
    total += power;
  }
  if (!(total >= 1)) {  // the largest score adds e^0 = 1: without it, total is NaN
    refuse_scores(scores);
  }
  return powers.map(power => power / total);
}

// ---- 3. Simplified self-attention: no weight matrices

/**
 * @param {Matrix} inputs  [n, d_in]
 * @returns {Attention} with context_vectors [n, d_in]
 */
function simplified_self_attention(inputs) {
  [inputs] = checked(["inputs", inputs, "n", "d_in"]);
  const attention_scores = matmul(inputs, transpose(inputs));
  check_finite("overflow: attention_scores", attention_scores);
  const attention_weights = attention_scores.map(softmax);
  const context_vectors = matmul(attention_weights, inputs);
  check_finite("overflow: context_vectors", context_vectors);
  return {
    queries: copy(inputs),  // not projected
    keys: copy(inputs),
    values: inputs,
    attention_scores,
    scaled_scores: copy(attention_scores),  // not scaled
    attention_weights,
    context_vectors,
  };
}

const copy = matrix => matrix.map(row => [...row]);

// ---- 4. Trainable self-attention

/**
 * @param {Matrix} queries  [m, d_k]
 * @param {Matrix} keys     [n, d_k]
 * @param {Matrix} values   [n, d_v]
 * @returns {Attention} with context_vectors [m, d_v]
 */
function scaled_dot_product_attention(queries, keys, values) {
  [queries, keys, values] = checked(
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

/**
 * @param {Matrix} inputs   [n, d_in]
 * @param {Matrix} W_query  [d_in, d_k]
 * @param {Matrix} W_key    [d_in, d_k]
 * @param {Matrix} W_value  [d_in, d_v]
 * @returns {Attention} with context_vectors [n, d_v]
 */
function self_attention(inputs, W_query, W_key, W_value) {
  [inputs, W_query, W_key, W_value] = checked(
    ["inputs", inputs, "n", "d_in"],
    ["W_query", W_query, "d_in", "d_k"],
    ["W_key", W_key, "d_in", "d_k"],
    ["W_value", W_value, "d_in", "d_v"]);
  const queries = matmul(inputs, W_query);
  const keys = matmul(inputs, W_key);
  const values = matmul(inputs, W_value);
  return scaled_dot_product_attention(queries, keys, values);
}

// ---- 5. Traditional attention: one sequence attends to another

/**
 * @param {Matrix} targets  [m, d_t]
 * @param {Matrix} sources  [n, d_in]
 * @param {Matrix} W_query  [d_t, d_k]
 * @param {Matrix} W_key    [d_in, d_k]
 * @param {Matrix} W_value  [d_in, d_v]
 * @returns {Attention} with context_vectors [m, d_v]
 */
function cross_attention(targets, sources, W_query, W_key, W_value) {
  [targets, sources, W_query, W_key, W_value] = checked(
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

// ---- 6. Bad input: say what is wrong and where, never compute with it

/**
 * New matrices. A size has the same number wherever it has the same name.
 * @param {...[string, Matrix, string, string]} given  name, matrix, its height, its width
 * @returns {Matrix[]}
 */
function checked(...given) {
  const copies = given.map(
    ([name, matrix, height, width]) => [name, to_matrix(name, matrix), height, width]);
  check_sizes(...copies);
  return copies.map(([name, matrix]) => matrix);
}

function check_sizes(...given) {
  const known = new Map();
  for (const [name, matrix, height, width] of given) {
    check_rows(name, matrix);
    const shape = `${name} is ${matrix.length} x ${matrix[0].length}`;
    for (const [size, number] of [[height, matrix.length], [width, matrix[0].length]]) {
      const [expected, first] = known.get(size) || [number, shape];
      if (number !== expected) {
        throw new Error(
          `${first} but ${shape}: ${size} cannot be both ${expected} and ${number}`);
      }
      known.set(size, [expected, first]);
    }
  }
}

// A matrix has at least one number, and as many in each row.
function check_rows(name, matrix) {
  if (!Array.isArray(matrix) || !matrix.every(Array.isArray)) {
    throw new TypeError(`${name} is not a list of rows of numbers`);
  }
  const ragged = matrix.findIndex(row => row.length !== matrix[0].length);
  if (ragged >= 0) {
    throw new Error(`${name} is ragged: ${name}[0] has ${matrix[0].length} numbers but ` +
                    `${name}[${ragged}] has ${matrix[ragged].length}`);
  }
  if (matrix.length === 0 || matrix[0].length === 0) {
    throw new Error(`${name} is empty, expected at least one row of one number`);
  }
}

/**
 * New rows of finite numbers, or an error that says where this fails. JavaScript computes with
 * nearly anything ("3" * null is 0), so each number is looked at.
 * @param {string} name  for the error
 * @param {Matrix} rows
 * @returns {Matrix}
 */
function to_matrix(name, rows) {
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
  check_finite(name, matrix);
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

function refuse_scores(scores) {
  scores.forEach((score, i) => {
    if (!(score < Infinity)) {
      throw new Error(`scores[${i}] is ${score}, expected a number or -Infinity`);
    }
  });
  throw new Error("scores are all -Infinity, expected at least one number");
}

// ---- 7. The porting protocol: README.md beside this file describes it

const FUNCTIONS = new Map([
  [simplified_self_attention, ["inputs"]],
  [scaled_dot_product_attention, ["queries", "keys", "values"]],
  [self_attention, ["inputs", "W_query", "W_key", "W_value"]],
  [cross_attention, ["targets", "sources", "W_query", "W_key", "W_value"]],
].map(([f, names]) => [f.name, [f, names]]));

function call(name, given) {
  if (!FUNCTIONS.has(name)) {
    throw new Error(`function is ${name}, expected: ${[...FUNCTIONS.keys()].join(", ")}`);
  }
  const [f, names] = FUNCTIONS.get(name);
  for (const argument of Object.keys(given)) {
    if (!names.includes(argument)) {
      throw new Error(`${name} has no argument ${argument}, expected: ${names.join(", ")}`);
    }
  }
  return f(...names.map(argument => given[argument]));
}

// JSON has no NaN and no infinity: they are strings.
const SPECIAL = new Map([["nan", NaN], ["inf", Infinity], ["-inf", -Infinity]]);

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

// FUNCTION, then NAME ROWS COLUMNS NUMBERS... for each argument; the answer has the stages.
function answer_plain(line) {
  try {
    // Spaces and tabs separate words; \s would be more than that.
    const words = line.replace(/\r+$/, "").split(/[ \t]/).filter(word => word !== "");
    const name = words.shift();
    const given = {};
    while (words.length > 0) {
      const [argument, ...sizes] = words.splice(0, 3);
      if (sizes.length < 2 || !sizes.every(size => SIZE.test(size))) {
        throw new Error(`${argument} needs ROWS and COLUMNS, from 0 to 9999`);
      }
      const [rows, columns] = sizes.map(Number);
      if (rows * columns > words.length) {
        throw new Error(`${argument} ${rows} ${columns} needs ${rows * columns} numbers`);
      }
      given[argument] = [];
      for (let i = 0; i < rows; i++) {
        given[argument].push(words.splice(0, columns).map(to_number));
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
  const answer = plain ? answer_plain : answer_json;
  let rest = "";  // of a line
  process.stdout.on("error", () => process.exit(0));  // the reader has seen enough
  process.stdin.setEncoding("utf8").on("data", text => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    lines.forEach(line => process.stdout.write(answer(line) + "\n"));
  }).on("end", () => {
    if (rest !== "") {
      process.stdout.write(answer(rest) + "\n");
    }
  });
}

return {STAGES, TOKENS, INPUTS, W_QUERY, W_KEY, W_VALUE,
        dot, transpose, matmul, sqrt, softmax, simplified_self_attention,
        scaled_dot_product_attention, self_attention, cross_attention, to_matrix, main};
})();

if (typeof module !== "undefined") {  // Node.js
  module.exports = attention;
  if (require.main === module) {
    attention.main(process.argv.slice(2));
  }
}
