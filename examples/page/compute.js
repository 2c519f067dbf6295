// What the page computes: every stage, right and with a planted mistake. Nothing here
// knows the document, and nothing is remembered.
"use strict";

const {STAGES, matmul, transpose, softmax, sqrt} = attention;
const MATRICES = ["W_query", "W_key", "W_value"];

const copy = thing => JSON.parse(JSON.stringify(thing));
const in_words = name => (name.startsWith("W_") ? name : name.replace("_", " "));
const is_by_key = table => /scores|weights|powers/.test(table); // column = key
const is_simplified = s => s.version === "simplified";


// ---- The steps
// How each stage comes to be, as data: run() computes by it, and explain() tells it.
const TRAINABLE = {
  queries: {product: ["inputs", "W_query"]},
  keys: {product: ["inputs", "W_key"]},
  values: {product: ["inputs", "W_value"]},
  attention_scores: {product: ["queries", "keys^T"]},
  scaled_scores: {scale: "/", by: "sqrt(d_k)"},
  attention_weights: {softmax: "row"},
  context_vectors: {product: ["attention_weights", "values"]}
};
const SIMPLIFIED = {
  ...TRAINABLE,
  queries: {copy: "inputs"},
  keys: {copy: "inputs"},
  values: {copy: "inputs"},
  attention_scores: {product: ["queries", "inputs^T"]},
  scaled_scores: {copy: "attention_scores"},
  context_vectors: {product: ["attention_weights", "inputs"]}
};


function look_up(all, name) {
  // "keys" or "keys^T"
  return name.endsWith("^T") ? transpose(all[name.slice(0, -2)]) : all[name];
}


function divisor(step, all) {
  const d_k = all.keys[0].length;
  return step.by === "d_k" ? d_k : sqrt(d_k);
}


const by_rows = (direction, matrix, f) =>
  direction === "row" ? matrix.map(f) : transpose(transpose(matrix).map(f));


function follow(step, all) {
  if (step.copy) {
    return all[step.copy];
  }
  if (step.product) {
    return matmul(...step.product.map(name => look_up(all, name)));
  }
  if (step.scale) {
    const by = divisor(step, all);
    return all.attention_scores.map(row =>
      row.map(x => (step.scale === "/" ? x / by : x * by))
    );
  }
  return by_rows(step.softmax, all.scaled_scores, row => softmax(row));
}


// What is given, and every stage.
function run(given, steps) {
  const {inputs, W_query, W_key, W_value} = given;
  const all = {inputs, W_query, W_key, W_value};
  for (const stage of STAGES) {
    all[stage] = follow(steps[stage], all);
    if (given.causal === "on" && stage.endsWith("scores")) {
      all[stage] = all[stage].map((row, i) =>
        row.map((x, j) => (j > i ? -Infinity : x))
      );
    }
    const wrong = all[stage].flat().find(
      x => !Number.isFinite(x) && !(x === -Infinity && stage.endsWith("scores"))
    );
    if (wrong !== undefined) {
      throw new Error(`In the ${in_words(stage)}, a number would be ${wrong}`);
    }
  }
  return all;
}


const sum_of = numbers => numbers.reduce((sum, x) => sum + x, 0);


// What the table of one query shows beside the stages. Where softmax is left out, there
// are no powers.
function add_columns(all, steps, i) {
  const direction = steps.attention_weights.softmax;
  if (direction) {
    all.powers = by_rows(direction, all.scaled_scores, row => {
      const largest = Math.max(...row);
      return row.map(x => Math.exp(x - largest));
    });
  }
  const [shares, rows] = steps.context_vectors.product.map(name => look_up(all, name));
  all.weighted_values = rows.map((row, j) => row.map(x => shares[i][j] * x));
  return all;
}


const differ = (x, y) => x !== y && !(Math.abs(x - y) <= 0.00006);
const shape = matrix => `${matrix.length} x ${matrix[0].length}`;


// Where the stages part: {stage, row, column} for each that does, without row and
// column where shapes differ.
function differences(right, shown) {
  const found = [];
  for (const stage of STAGES) {
    const a = right[stage],
      b = shown[stage];
    const row = a.findIndex((x, i) => x.some((y, j) => differ(y, (b[i] || [])[j])));
    if (shape(a) !== shape(b)) {
      found.push({stage});
    } else if (row >= 0) {
      const column = a[row].findIndex((x, j) => differ(x, b[row][j]));
      found.push({stage, row, column});
    }
  }
  return found;
}


// All that is drawn. Mistakes are those of the trainable version.
function compute(s) {
  const base = is_simplified(s) ? SIMPLIFIED : TRAINABLE;
  const secret = s.exercise === "stage" ? MISTAKES[s.about] : undefined;
  const mistake =
    base === TRAINABLE ? secret || MISTAKES.find(m => m.name === s.mistake) : undefined;
  const steps = {...base, ...(mistake ? mistake.steps : {})};
  const right = add_columns(run(s, base), base, s.word);
  const shown = mistake ? add_columns(run(s, steps), steps, s.word) : right;
  const wrong = differences(right, shown);
  return {base, steps, mistake, right, shown, wrong, first: wrong[0]};
}
