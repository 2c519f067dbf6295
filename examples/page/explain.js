// How a number is computed: its equation, with digits that a calculator can check, in
// words, step by step, and its sources.
"use strict";


// ---- Numbers as text
// Equations are ASCII; pretty() is for people.
function digits(x, places) {
  if (x === -Infinity) {
    return "-inf";
  }
  const text = Math.abs(x) < 1e6 ? x.toFixed(places) : x.toExponential(places - 1);
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
}


const pretty = text =>
  text
    .replace(/-/g, "\u2212")
    .replace(/\*/g, "\u00d7")
    .replace(/inf/g, "\u221e")
    .replace(/sqrt\((\w+)\)/g, "\u221a$1");
const four = x => pretty(digits(x, 4));
const bracket = text => (text.startsWith("-") ? `(${text})` : text);

// How many decimals a number shows; none of our business if it has an exponent
const places_of = text =>
  /^-?\d+(\.\d+)?$/.test(text) ? (text.split(".")[1] || "").length : Infinity;


// ---- The right side of an equation
// With the fewest digits whose result has all the digits of left: make_side(places)
// returns {text, value, decimals}. "=" means equal as printed.
function right_side(left, make_side) {
  const [mantissa, exponent] = left.split("e");
  const half_unit = 0.5 * Math.pow(10, Number(exponent || 0) - places_of(mantissa));
  let side;
  for (let places = 4; places <= 17; places++) {
    side = make_side(places);
    if (Math.abs(side.value - Number(left)) <= half_unit) {
      break;
    }
  }
  const is_exact =
    side.decimals <= 8 &&
    !(side.size > 1e5) &&
    Math.abs(side.value - Number(left)) < 1e-10; // 8 decimals miss by more
  return (is_exact ? "= " : "\u2248 ") + side.text;
}


// a*b + c*d + ...; factors(places) returns [[a, b], ...] as text
function products(left, factors) {
  return right_side(left, places => {
    const terms = factors(places),
      numbers = terms.map(term => term.reduce((x, y) => x * y, 1));
    return {
      text: terms.map(term => term.map(bracket).join("*")).join(" + "),
      value: sum_of(numbers),
      size: Math.max(...numbers.map(Math.abs)),
      decimals: Math.max(...terms.map(term => sum_of(term.map(places_of))))
    };
  });
}


// e^(own - largest), over the sum of the powers if there is one
function power(left, own, largest, sum) {
  return right_side(left, places => {
    const [score, top] = [own, largest].map(x => digits(x, places)),
      total = sum ? digits(sum, places) : 1;
    const text =
      score === "-inf" ? "e^(-inf)" : `e^(${score} - ${bracket(top)})`;
    const plain = {"-inf": 0, [top]: 1}[score]; // no other power has a last digit
    return {
      text: sum ? `${text} / ${total}` : text,
      value: (plain === undefined ? Math.exp(score - top) : plain) / total,
      decimals: plain === undefined ? Infinity : 8
    };
  });
}


// ---- Names
// A cell is [table, row, column].
const quoted = index => `\u201c${state.tokens[index]}\u201d`;
const ONE_OF = {
  inputs: "input", queries: "query", keys: "key", values: "value",
  attention_scores: "score", scaled_scores: "scaled score",
  attention_weights: "share", context_vectors: "context vector", powers: "power",
  weighted_values: "share \u00d7 value"
};
const one_of = table => ONE_OF[table] || table;


const cell_in = (name, r, c) =>
  name.endsWith("^T") ? [name.slice(0, -2), c, r] : [name, r, c];


// ---- A cell
// {right, words, from, heads, rows}: the right side of its equation, its sources, and the
// steps of a long one as {label, numbers, cells}. `left` is the left side, if it is not
// the number itself.
function explain(all, table, i, j, left = digits(all[table][i][j], 4)) {
  const {copy: source, scale, softmax: divided, product} = all.steps[table] || {},
    [a, b] = product || all.steps.context_vectors.product;
  if (all[table][i][j] === -Infinity) {
    const words =
      `Hidden: ${quoted(j)} comes later than ${quoted(i)}. The score is set to ` +
      `${pretty("-inf")}, and e^(${pretty("-inf")}) is 0.`;
    return {right: "", from: [], words};
  }
  if (scale) {
    return explain_scale(all, all.steps[table], ["attention_scores", i, j], left);
  }
  if (divided || table === "powers") {
    return explain_power(all, i, j, left, divided);
  }
  if (source) {
    const words = `Copied from the ${in_words(source)}.`;
    return explain_terms(all, [[[source, i, j]]], left, words);
  }
  if (product) {
    const terms = look_up(all, a)[i].map((x, k) => [cell_in(a, i, k), cell_in(b, k, j)]),
      labels = a.startsWith("attention_weights") ? state.tokens : Object.keys(terms);
    return explain_dot(all, terms, left, labels);
  }
  const words = `What ${quoted(i)} adds to the context vector of ${quoted(state.word)}.`;
  return explain_terms(
    all, [[cell_in(a, state.word, i), cell_in(b, i, j)]], left, words
  );
}


const value_in = (all, [table, r, c]) => all[table][r][c];


// terms are lists of cells: the cells of each are multiplied, then all are added up.
function explain_terms(all, terms, left, words) {
  const is_typed = ([table]) =>
    !STAGES.includes(table) || all.steps[table].copy === "inputs";
  const factors = places => terms.map(term => term.map(cell =>
    is_typed(cell) ? String(value_in(all, cell)) : digits(value_in(all, cell), places)
  ));
  const right = products(left, factors);
  return {right, from: terms.flat(), words, factors: factors(4)};
}


// The total of the numbers up to each
function totals(numbers) {
  let sum = 0;
  return numbers.map(x => digits((sum += x), 4));
}


function explain_dot(all, terms, left, labels) {
  const words = "A dot product: multiply pair by pair, then add up.",
    told = explain_terms(all, terms, left, words),
    parts = terms.map(([x, y]) => value_in(all, x) * value_in(all, y)),
    so_far = totals(parts);
  const heads = [...terms[0].map(([table]) => one_of(table)), "product", "so far"];
  const rows = terms.map((cells, k) => ({
    label: labels[k],
    numbers: [...told.factors[k], digits(parts[k], 4), so_far[k]],
    cells
  }));
  return {...told, heads, rows};
}


function explain_scale(all, step, cell, left) {
  const by = divisor(step, all),
    d_k = all.keys[0].length,
    divides = step.scale === "/";
  return {
    right: right_side(left, places => {
      const top = digits(value_in(all, cell), places);
      return {
        text: `${bracket(top)} ${step.scale} ${step.by.replace("d_k", d_k)}`,
        value: divides ? top / by : top * by,
        decimals: Number.isInteger(by) ? places : Infinity
      };
    }),
    from: [cell],
    words:
      `The score ${divides ? "divided" : "multiplied"} by ${pretty(step.by)}. A key ` +
      `has d_k = ${d_k} numbers; longer keys give scores further apart.`
  };
}


// A power, or its share of all powers in the row, or by mistake in the column
function explain_power(all, i, j, left, divided) {
  const by_row = all.steps.attention_weights.softmax === "row",
    own = by_row ? j : i,
    table = all.steps.scaled_scores.copy || "scaled_scores";
  const cells = state.tokens.map((token, k) => [table, by_row ? i : k, by_row ? k : j]),
    scores = cells.map(cell => value_in(all, cell)),
    largest = Math.max(...scores),
    powers = scores.map(score => Math.exp(score - largest)),
    so_far = totals(powers),
    right = power(left, scores[own], largest, divided && sum_of(powers));
  if (!divided) {
    const from = [cells[own], cells[scores.indexOf(largest)]];
    return {right, from, words: "e to the power of the score minus the largest score."};
  }
  return {
    right,
    from: cells,
    words:
      `Softmax of a ${by_row ? "row" : "column"}: e^score divided by the sum of these ` +
      "powers. Subtracting the largest score first keeps the powers small and changes " +
      "no share.",
    heads: ["score", "power", "so far"],
    rows: scores.map((score, k) => ({
      label: state.tokens[k],
      numbers: [digits(score, 4), digits(powers[k], 4), so_far[k]],
      cells: [cells[k]]
    }))
  };
}
