// Numbers and words of your own: typed, or pasted as other programs print them.
"use strict";

const MOST = 12; // words, and numbers in a row
const LETTERS = 20; // of a word
const LONGEST = 100000; // characters of a link or a paste


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
    return at < 0 ? invent(word, d_in) : rows[at];
  });
  const at = words.indexOf(s.tokens[s.word]);
  return {tokens: words, inputs, word: at >= 0 ? at : Math.min(s.word, words.length - 1)};
}


// ---- What was pasted
// What wraps the numbers that Python, NumPy and torch print
const WRAPPING = [
  /#[^\n"'#]*$/gm,
  /^ *(In|Out) ?\[\d+\]:/gm,
  /\b(tensor|array)\(/g,
  /, *(grad_fn|dtype|device)=[^)\n]*/g,
  /\)/g
];
const REFUSED = [
  [/\.\.\.|\u2026/, "Numbers are left out: print all of them"],
  [/\]\s*\],?\s*\[\s*\[/, "There is a second sample: paste only one"]
];


// The page's name for it, or undefined
function known_name(name) {
  const [, role] = /^w_?([qkv])/.exec(name.toLowerCase()) || [];
  const other = {x: "inputs", inputs: "inputs", embeddings: "inputs", tokens: "tokens"};
  return role ? MATRICES["qkv".indexOf(role)] : other[name.toLowerCase()];
}


// {inputs: rows of cells, W_query: ..., tokens: ...} of JSON, Python or a print, where one
// matrix needs no name; else of a spreadsheet
function read(text, name) {
  const plain = WRAPPING.reduce((rest, pattern) => rest.replace(pattern, " "), text),
    found = {};
  for (const [pattern, what] of REFUSED) {
    if (pattern.test(plain)) {
      throw new Error(what);
    }
  }
  if (plain.split("[").length !== plain.split("]").length) {
    throw new Error("A bracket is missing");
  }
  if (/[[{=]/.test(plain)) {
    let key = name;
    for (const [, word, row] of plain.matchAll(/\b(\w+)["']?\s*[=:]|\[([^[\]]+)\]/g)) {
      key = word ? known_name(word) : key;
      found[key] = found[key] || [];
      if (row) {
        found[key].push(row.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,"']+/g) || []);
      }
    }
  } else {
    const between = plain.includes("\t") ? /\t/ : plain.includes(";") ? /;/ : /[,\s]+/,
      lines = plain.split("\n").filter(line => line.trim());
    found[name] = lines.map(line =>
      line.split(between).map(cell => cell.trim()).filter(cell => cell)
    );
  }
  return found;
}


function unquoted(text) {
  try {
    return String(JSON.parse(text));
  } catch (error) {
    return text.replace(/^'(.*)'$/, "$1");
  }
}


const is_word = text =>
  /^["'\p{L}]/u.test(text) && !/^(null|none|true|false|nan|inf(inity)?)$/i.test(text);


// The state with what was pasted. The rows of inputs may begin with their words.
function paste(s, text, name) {
  if (text.length > LONGEST) {
    throw new Error(`More than ${LONGEST} characters do not fit`);
  }
  const next = {...s},
    given = read(text.replace(/\r\n?/g, "\n"), name);
  const names = ["inputs", ...MATRICES].filter(key => key in given && given[key].length);
  if (names.length === 0) {
    throw new Error("No inputs or weight matrix found: choose which, or name it");
  }
  if (given.inputs && given.inputs.every(row => row.length > 1 && is_word(row[0]))) {
    given.tokens = [given.inputs.map(row => row.shift())];
  }
  for (const key of names) {
    next[key] = given[key].map((row, i) => row.map((cell, j) => {
      const x = to_number(cell);
      if (isNaN(x)) {
        const place = `${key}[${i}][${j}]`;
        throw new Error(`${place} is not a finite number: ${cell.slice(0, 20)}`);
      }
      return x;
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
