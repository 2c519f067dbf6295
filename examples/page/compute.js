// What the page computes: the stages, planted mistakes, links, data. Nothing here knows
// the document, and nothing but `state` is changed: by adopt() in page.js.
"use strict";

const {STAGES, matmul, transpose, softmax, sqrt} = attention;
const MATRICES = ["W_query", "W_key", "W_value"];
const MOST = 12; // words, and numbers in a row: more would not be readable
const LONGEST_LINK = 50000; // letters; 12 words with all their numbers need less

const DEFAULTS = {
  version: "simplified",
  word: 1,
  rows: "one",
  causal: "off",
  mistake: "none",
  walk: 0,
  tokens: attention.TOKENS,
  inputs: attention.INPUTS,
  W_query: attention.W_QUERY,
  W_key: attention.W_KEY,
  W_value: attention.W_VALUE
};
const CHOICES = {
  version: ["simplified", "trainable"],
  rows: ["one", "all"],
  causal: ["off", "on"],
  mistake: ["none", ...MISTAKES.map(mistake => mistake.name)]
};

const copy = thing => JSON.parse(JSON.stringify(thing));
const in_words = name => (name.startsWith("W_") ? name : name.replace("_", " "));
const is_by_key = stage => /scores|attention_weights/.test(stage); // column = key


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
const SIMPLIFIED = Object.assign({}, TRAINABLE, {
  queries: {copy: "inputs"},
  keys: {copy: "inputs"},
  values: {copy: "inputs"},
  scaled_scores: {copy: "attention_scores"}
});


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
  const rows =
    step.softmax === "row" ? all.scaled_scores : transpose(all.scaled_scores);
  const shares = rows.map(row => softmax(row));
  return step.softmax === "row" ? shares : transpose(shares);
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
    all[stage].forEach(row =>
      row.forEach(x => {
        if (!(Number.isFinite(x) || (x === -Infinity && stage.endsWith("scores")))) {
          throw new Error(`In the ${in_words(stage)}, a number became too large`);
        }
      })
    );
  }
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
      found.push({
        stage,
        row,
        column: a[row].findIndex((x, j) => differ(x, b[row][j]))
      });
    }
  }
  return found;
}


// All that is drawn. In the simplified version, nothing is projected, rightly or
// wrongly.
function compute(s, secret) {
  const base = s.version === "simplified" ? SIMPLIFIED : TRAINABLE;
  const mistake = MISTAKES.find(m => m.name === (secret || s.mistake));
  const fits = mistake && (base === TRAINABLE || STAGES.indexOf(mistake.stage) > 2);
  const steps = fits ? Object.assign({}, base, mistake.steps) : base;
  const right = run(s, base);
  const shown = fits ? run(s, steps) : right;
  const wrong = differences(right, shown);
  return {base, steps, mistake, right, shown, wrong, first: wrong[0]};
}


// ---- Numbers and words that somebody typed
// NaN for what is no number, or not yet: "", "-", "1e". A decimal comma counts as a
// point.
function to_number(text) {
  const x = text
    .trim()
    .replace(/\u2212/g, "-")
    .replace(",", ".");
  const is_number =
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(x) && isFinite(Number(x));
  return is_number ? Number(x) : NaN;
}


// Without spaces and characters that cannot be seen, such as those that turn the
// direction of a text. Only the joiners stay, which emoji and some scripts need between
// letters.
function to_words(text) {
  const words = text
    .split(/\s+/)
    .map(word => word.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu, ""));
  return words
    .filter(word => /[^\u200c\u200d]/.test(word))
    .map(word => [...word].slice(0, 20).join(""));
}


// A word that nobody has numbers for gets some: always the same ones, from its letters.
function invent(word, d_in) {
  let seed = 7;
  for (const letter of word.toLowerCase()) {
    seed = (seed * 31 + letter.codePointAt(0)) % 65521;
  }
  const row = [];
  while (row.length < d_in) {
    seed = (seed * 171 + 11213) % 53125; // a small generator of pseudo-random numbers
    row.push(Math.round(seed / 531.25) / 100);
  }
  return row;
}


// The state with these words. A word keeps its row, or gets that of the running
// example.
function with_words(s, words) {
  const d_in = s.inputs[0].length,
    free = s.tokens.map((token, i) => i);
  const example = d_in === 3 ? attention.TOKENS : [];
  const inputs = words.map((word, i) => {
    const same =
      free.includes(i) && s.tokens[i] === word
        ? i
        : free.find(k => s.tokens[k] === word && words[k] !== word);
    if (same !== undefined) {
      free.splice(free.indexOf(same), 1);
      return s.inputs[same];
    }
    return example.includes(word)
      ? attention.INPUTS[example.indexOf(word)]
      : invent(word, d_in);
  });
  const at = words.indexOf(s.tokens[s.word]);
  const word = at >= 0 ? at : Math.min(s.word, words.length - 1);
  return Object.assign(copy(s), {tokens: words, inputs, word});
}


// Throws where sizes do not fit, or the page has no room.
function check(s) {
  const zeros = ["inputs", ...MATRICES].map(name =>
    s[name].map(row =>
      row.map(x => {
        if (!Number.isFinite(x)) {
          throw new Error("Something is not a number");
        }
        return 0;
      })
    )
  );
  if (s.version === "simplified") {
    attention.simplified_self_attention(zeros[0]);
  } else {
    attention.self_attention(...zeros);
  }
  if (zeros.some(rows => rows.length > MOST || rows[0].length > MOST)) {
    throw new Error(`The page has room for ${MOST} rows and columns`);
  }
  if (s.tokens.length !== s.inputs.length) {
    throw new Error(`There are ${s.tokens.length} words but ${s.inputs.length} inputs`);
  }
  if (!(s.word in s.tokens)) {
    throw new Error("No word has this number");
  }
}


// ---- The link: the part after #
// Only what differs from DEFAULTS: #version=trainable&word=2&words=a,b&inputs=1,2;3,4
function encode(s) {
  const as_text = {tokens: words => words.map(encodeURIComponent).join(",")};
  for (const name of ["inputs", ...MATRICES]) {
    as_text[name] = matrix => matrix.map(row => row.join(",")).join(";");
  }
  const parts = [];
  for (const name of Object.keys(DEFAULTS)) {
    const [value, standard] = [s, DEFAULTS].map(x =>
      (as_text[name] || String)(x[name])
    );
    if (value !== standard) {
      parts.push(`${name === "tokens" ? "words" : name}=${value}`);
    }
  }
  return parts.join("&");
}


// The state, and whether all parts were known. Some programs encode a link once more.
function decode(hash) {
  if (hash.length > LONGEST_LINK) {
    throw new Error("This link is too long");
  }
  const s = copy(DEFAULTS),
    link = hash.includes("=") ? hash : decodeURIComponent(hash);
  let complete = true;
  for (const part of link.split("&").filter(part => part !== "")) {
    const at = part.indexOf("="),
      key = part.slice(0, at),
      value = part.slice(at + 1);
    if (key in CHOICES && CHOICES[key].includes(value)) {
      s[key] = value;
    } else if (key === "word" || key === "walk") {
      s[key] = /^\d{1,2}$/.test(value) ? Number(value) : NaN;
    } else if (key === "query") {
      // in older links, counted from 1
      s.word = Number(value) - 1;
    } else if (key === "words") {
      s.tokens = value
        .split(",")
        .map(word => to_words(decodeURIComponent(word)).join("_"));
    } else if (key === "inputs" || MATRICES.includes(key)) {
      s[key] = value.split(";").map(row => row.split(",").map(to_number));
    } else {
      complete = false;
    }
  }
  check(s);
  if (s.tokens.includes("") || !(s.walk in [0, ...STATIONS])) {
    throw new Error("A word is missing");
  }
  return [Object.assign(s, s.walk ? station_changes(s.walk) : {}), complete];
}


// ---- Your own data
// The state with what was pasted: JSON (an object, or the rows of one matrix), or the
// cells of a spreadsheet, of which those of `inputs` may begin with a word.
function paste(s, text, name) {
  const next = copy(s);
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    const separator = text.includes("\t") ? "\t" : text.includes(";") ? ";" : /[,\s]+/;
    given = text
      .trim()
      .split(/\r?\n/)
      .map(line => line.trim().split(separator));
  }
  const object = Array.isArray(given) ? {[name]: given} : Object(given);
  const keys = ["inputs", ...MATRICES].filter(key => key in object);
  if (keys.length === 0) {
    throw new Error("Choose inputs or a weight matrix");
  }
  for (const key of keys) {
    const rows = object[key];
    if (!Array.isArray(rows) || rows.length === 0 || !rows.every(Array.isArray)) {
      throw new Error("This is not a list of rows of numbers");
    }
    const named =
      key === "inputs" && rows.every(row => isNaN(to_number(String(row[0]))));
    if (named) {
      next.tokens = rows.map(row => to_words(String(row[0])).join("_"));
    }
    next[key] = rows.map(row =>
      row.slice(named ? 1 : 0).map(x => to_number(String(x)))
    );
  }
  if (Array.isArray(object.tokens)) {
    next.tokens = object.tokens.map(word => to_words(String(word)).join("_"));
  } else if (next.tokens.length !== next.inputs.length) {
    next.tokens = next.inputs.map((row, i) => s.tokens[i] || `word${i}`);
  }
  if (object.simplified === true || keys.length === 4) {
    next.version = object.simplified === true ? "simplified" : "trainable";
  }
  next.word = Math.min(next.word, next.tokens.length - 1);
  check(next);
  return next;
}


// {name: matrix} as JSON, as `python3 -m examples.find_the_mistake` takes it, or as
// Python.
function as_text(matrices, in_python) {
  const parts = Object.keys(matrices).map(name => {
    const rows = `[${matrices[name].map(row => `[${row.join(", ")}]`).join(",\n ")}]`;
    return in_python
      ? `${name} = ${rows.replace(/-Infinity/g, 'float("-inf")')}`
      : `"${name}": ${rows}`;
  });
  return in_python ? parts.join("\n") : `{${parts.join(",\n")}}`;
}


function everything() {
  const names = [
    "inputs",
    ...(state.version === "simplified" ? [] : MATRICES),
    ...STAGES
  ];
  return Object.assign({}, ...names.map(name => ({[name]: now.shown[name]})));
}
