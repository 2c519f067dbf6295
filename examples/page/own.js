// Numbers and words of your own: typed, or pasted as other programs print them.
"use strict";

const MOST = 12; // words, and numbers in a row: more would not be readable
const LETTERS = 20; // of a word
const LONGEST = 100000; // letters of a link or a paste: 12 words need less


// NaN for what is not a number yet: "", "-", "1e". A decimal comma counts as a point.
function to_number(text) {
  const x = text.trim().replace(/\u2212/g, "-").replace(",", ".");
  const is_number =
    /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(x) && isFinite(Number(x));
  return is_number ? Number(x) : NaN;
}


// ---- Words
// Without spaces and invisible characters. Only the joiners stay, which emoji and some
// scripts need between letters.
function to_words(text) {
  return text
    .split(/\s+/)
    .map(word => word.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu, ""))
    .filter(word => /[^\u200c\u200d]/.test(word))
    .map(word => [...word].slice(0, LETTERS).join(""));
}


// Numbers for an unknown word, always the same ones, from its letters
function invent(word, d_in) {
  let seed = 2166136261;
  const mix = x => Math.imul(seed ^ x, 16777619) >>> 0;
  for (const letter of word.toLowerCase()) {
    seed = mix(letter.codePointAt(0));
  }
  return Array.from({length: d_in}, () => {
    seed = mix(seed >>> 15);
    return (seed >>> 8) % 100 / 100;
  });
}


// The state with these words. A word keeps its numbers, or gets those of the running
// example.
function with_words(s, words) {
  const d_in = s.inputs[0].length,
    known = d_in === 3 ? [...s.tokens, ...attention.TOKENS] : s.tokens,
    rows = [...s.inputs, ...attention.INPUTS];
  const inputs = words.map((word, i) => {
    const at = s.tokens[i] === word ? i : known.indexOf(word);
    return at < 0 ? invent(word, d_in) : [...rows[at]];
  });
  const at = words.indexOf(s.tokens[s.word]);
  return {tokens: words, inputs, word: at >= 0 ? at : Math.min(s.word, words.length - 1)};
}


// ---- What was pasted
// JSON, Python, or what Python, NumPy and torch print: "inputs = tensor([[1., 2.]])", one
// name after the other, or one matrix without a name; or the rows of a spreadsheet. What
// wraps the numbers becomes spaces, so that their places stay.
function without_wrapping(text) {
  const wrapping = [
    /#[^\n"'#]*$/gm,
    /^ *(In|Out) ?\[\d+\]:/gm,
    /\b(tensor|array)\(/g,
    /, *(grad_fn|dtype|device)=[^)\n]*/g,
    /\)/g
  ];
  const blank = part => " ".repeat(part.length);
  return wrapping.reduce((plain, pattern) => plain.replace(pattern, blank), text);
}


// The page's name for it, or undefined
function known_name(name) {
  const [, role] = /^w_?([qkv])/.exec(name.toLowerCase()) || [];
  const other = {x: "inputs", inputs: "inputs", embeddings: "inputs", tokens: "tokens"};
  return role ? MATRICES["qkv".indexOf(role)] : other[name.toLowerCase()];
}


function complain_at(text, at, what) {
  const lines = text.slice(0, at).split("\n"),
    column = lines[lines.length - 1].length + 1;
  throw new Error(`Line ${lines.length}, column ${column}: ${what}`);
}


// [{text, at}, ...], the numbers and words of a row that begins at `start`
const cells_of = (row, start, cell) =>
  [...row.matchAll(cell)]
    .map(found => ({text: found[0].trim(), at: start + found.index}))
    .filter(({text}) => text);


// {inputs: rows of cells, W_query: ..., tokens: ...}, whichever are there
function read(text, name) {
  const plain = without_wrapping(text),
    found = {};
  for (const [pattern, what] of [
    [/\.\.\.|\u2026/, "numbers are left out. Print all of them"],
    [/\]\s*\],?\s*\[\s*\[/, "a second sample. Paste only one"]
  ]) {
    if (pattern.test(plain)) {
      complain_at(plain, plain.search(pattern), what);
    }
  }
  if (plain.split("[").length !== plain.split("]").length) {
    throw new Error("A bracket is missing");
  }
  if (/[[{=]/.test(plain)) {
    const part = /\b(\w+)["']?\s*[=:]|\[([^[\]]+)\]/g;
    let key = name;
    for (const [, word, row, at] of matches(part, plain)) {
      key = word ? known_name(word) : key;
      found[key] = found[key] || [];
      if (row) {
        found[key].push(cells_of(row, at + 1, /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,"']+/g));
      }
    }
  } else {
    const cell = plain.includes("\t")
      ? /[^\t]+/g
      : plain.includes(";") ? /[^;]+/g : /[^,\s]+/g;
    const rows = matches(/.+/g, plain).map(([row, at]) => cells_of(row, at, cell));
    found[name] = rows.filter(row => row.length);
  }
  return found;
}


// Each match with its groups and its place
const matches = (pattern, text) =>
  [...text.matchAll(pattern)].map(found => [...found, found.index]);


function unquoted({text}) {
  try {
    return String(JSON.parse(text));
  } catch (error) {
    return text.replace(/^'(.*)'$/, "$1");
  }
}


const is_word = ({text}) =>
  /^["'\p{L}]/u.test(text) && !/^(null|none|true|false|nan|inf(inity)?)$/i.test(text);


// The state with what was pasted. The rows of inputs may begin with their words.
function paste(s, text, name) {
  if (text.length > LONGEST) {
    throw new Error(`More than ${LONGEST} characters do not fit`);
  }
  const next = copy(s),
    given = read(text.replace(/\r\n?/g, "\n"), name);
  const names = ["inputs", ...MATRICES].filter(key => key in given && given[key].length);
  if (names.length === 0) {
    throw new Error("No inputs or weight matrix found: choose which, or name it");
  }
  if (given.inputs && given.inputs.every(row => row.length > 1 && is_word(row[0]))) {
    given.tokens = [given.inputs.map(row => row.shift())];
  }
  for (const key of names) {
    next[key] = given[key].map(row => row.map(cell => {
      const x = to_number(cell.text),
        shown = `\u201c${cell.text.slice(0, 20)}\u201d`;
      return isNaN(x) ? complain_at(text, cell.at, `${shown} is not a finite number`) : x;
    }));
  }
  const words = given.tokens && given.tokens.flat().map(unquoted);
  if (words || next.tokens.length !== next.inputs.length) {
    next.tokens = (words || next.inputs).map((word, i) =>
      (words ? to_words(word).join("_") : s.tokens[i]) || `word${i}`
    );
  }
  if (/"simplified": *true/.test(text)) {
    next.version = "simplified";
  } else if (names.length === 4 && is_simplified(next)) {
    next.version = "trainable";
  }
  next.word = Math.min(next.word, next.tokens.length - 1);
  return next;
}


// ---- What is copied
// [[name, matrix], ...] as Python, or as the JSON of examples.find_the_mistake
function as_text(matrices, in_python) {
  const parts = matrices.map(([name, matrix]) => {
    const rows = `[${matrix.map(row => `[${row.join(", ")}]`).join(",\n ")}]`;
    return in_python
      ? `${name} = ${rows.replace(/-Infinity/g, 'float("-inf")')}`
      : `"${name}": ${rows}`;
  });
  return in_python ? parts.join("\n") : `{${parts.join(",\n")}}`;
}
