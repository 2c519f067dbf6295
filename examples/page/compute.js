// What the page computes: every stage, right and with a planted mistake. Nothing here
// touches the document.
"use strict";

const {STAGES, matmul, transpose, softmax, sqrt} = attention;
const MATRICES = ["W_query", "W_key", "W_value"];

const copy = thing => JSON.parse(JSON.stringify(thing));
const in_words = name => (name.startsWith("W_") ? name : name.replace("_", " "));
const is_by_key = table => /scores|weights|powers/.test(table); // column = key
const is_simplified = s => s.version === "simplified";


// ---- The steps
// How each stage is made, as data: run() computes it, explain() describes it.
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
// The mistakes that can be planted, and the steps that each replaces
const PLANTED = {
  "query-and-key-swapped": {
    queries: {product: ["inputs", "W_key"]},
    keys: {product: ["inputs", "W_query"]}
  },
  "keys-times-queries": {attention_scores: {product: ["keys", "queries^T"]}},
  "scaling-forgotten": {scaled_scores: {copy: "attention_scores"}},
  "divided-by-d_k": {scaled_scores: {scale: "/", by: "d_k"}},
  "multiplied-by-sqrt-d_k": {scaled_scores: {scale: "*", by: "sqrt(d_k)"}},
  "softmax-down-the-columns": {attention_weights: {softmax: "column"}},
  "softmax-left-out": {attention_weights: {copy: "scaled_scores"}},
  "attention-weights-transposed": {
    context_vectors: {product: ["attention_weights^T", "values"]}
  },
  "keys-blended": {context_vectors: {product: ["attention_weights", "keys"]}}
};
const NAMES = Object.keys(PLANTED);


function look_up(all, name) {
  // "keys" or "keys^T"
  return name.endsWith("^T") ? transpose(all[name.slice(0, -2)]) : all[name];
}


function divisor(step, all) {
  const d_k = all.keys[0].length;
  return step.by === "d_k" ? d_k : sqrt(d_k);
}


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
  const turn = step.softmax === "row" ? matrix => matrix : transpose;
  return turn(turn(all.scaled_scores).map(row => softmax(row)));
}


// What is given, and every stage.
function run(given, steps) {
  const all = {...given, steps};
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
      throw new Error(`The ${in_words(stage)} would contain ${wrong}`);
    }
  }
  return all;
}


const sum_of = numbers => numbers.reduce((sum, x) => sum + x, 0);


// What the table of one query shows besides the stages: e^score, if softmax is right,
// and the values times their shares.
function add_columns(all) {
  const {steps, word} = all;
  if (steps.attention_weights.softmax === "row") {
    all.powers = all.scaled_scores.map(row =>
      row.map(x => Math.exp(x - Math.max(...row)))
    );
  }
  const [shares, rows] = steps.context_vectors.product.map(name => look_up(all, name));
  all.weighted_values = rows.map((row, j) => row.map(x => shares[word][j] * x));
  return all;
}


const differ = (x, y) => x !== y && !(Math.abs(x - y) <= 0.00006);
const shape = matrix => `${matrix.length} x ${matrix[0].length}`;


// Where a stage first differs: {stage, row, column}, or {stage} if sizes do, or null
function difference(stage, right, shown) {
  const [a, b] = [right[stage], shown[stage]];
  if (shape(a) !== shape(b)) {
    return {stage};
  }
  const column_in = (x, i) => x.findIndex((y, j) => differ(y, b[i][j])),
    row = a.findIndex((x, i) => column_in(x, i) >= 0);
  return row < 0 ? null : {stage, row, column: column_in(a[row], row)};
}


// Everything that is drawn. `wrong` are the stages that differ, `first` is where the
// first difference is. Only the trainable version has mistakes.
function compute(s) {
  const base = is_simplified(s) ? SIMPLIFIED : TRAINABLE,
    name = s.exercise === "wrong-stage" ? NAMES[s.about] : s.mistake,
    planted = (base === TRAINABLE && PLANTED[name]) || {},
    steps = {...base, ...planted};
  const [right, shown] = [base, steps].map(how => add_columns(run(s, how)));
  const places = STAGES.map(stage => difference(stage, right, shown)),
    wrong = places.filter(place => place);
  return {
    base, planted, mistake: MISTAKES[name], right, shown, first: wrong[0],
    wrong: wrong.map(({stage}) => stage)
  };
}
