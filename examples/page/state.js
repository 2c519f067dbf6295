// The state of the page: its values, the link that restores it, and its changes. Rooms
// read `state` and `now`, and call change() or adopt().
"use strict";

const SUBJECT = 1; // which word of the trained example the verb belongs to

const DEFAULTS = {
  version: "simplified",
  word: 1,
  rows: "one",
  causal: "off",
  mistake: "none",
  exercise: "none",
  about: "", // which cell an exercise hides, or which mistake
  walk: 0,
  pin: "attention_scores-1-2", // the cell that the panel explains
  tokens: attention.TOKENS,
  inputs: attention.INPUTS,
  W_query: attention.W_QUERY,
  W_key: attention.W_KEY,
  W_value: attention.W_VALUE
};
const TABLES = ["inputs", ...MATRICES];
const CHOICES = {
  version: ["simplified", "trainable", "trained"],
  rows: ["one", "all"],
  causal: ["off", "on"],
  mistake: ["none", ...NAMES]
};


function start_of(version) {
  const s = {...DEFAULTS, version};
  if (version !== "trained") {
    return s;
  }
  const word = TRAINED.tokens.length - 1,
    pin = `attention_weights-${word}-${SUBJECT}`;
  return {...s, ...TRAINED, causal: "on", word, pin};
}


// Throws if sizes do not fit; if they are too large, before anything is computed.
function check(s) {
  const given = TABLES.map(name => s[name]);
  if (given.some(rows => rows.length > MOST || rows.some(row => row.length > MOST))) {
    throw new Error(`The page has room for ${MOST} rows and columns`);
  }
  if (s.tokens.length !== s.inputs.length || !(s.word in s.tokens)) {
    throw new Error("Each row of inputs needs one word");
  }
  attention.simplified_self_attention(s.inputs);
  if (!is_simplified(s)) {
    attention.self_attention(...given);
  }
}


// ---- The link: the part after #
// Only what differs from the start: #version=trainable&word=2&tokens=a,b&inputs=1,2;3,4
function in_link(name, value) {
  return name === "tokens"
    ? value.map(encodeURIComponent).join(",")
    : TABLES.includes(name) ? value.map(row => row.join(",")).join(";") : String(value);
}


function encode(s) {
  const start = {...start_of(s.version), version: DEFAULTS.version};
  return Object.keys(DEFAULTS)
    .map(name => [name, ...[s, start].map(x => in_link(name, x[name]))])
    .filter(([name, text, standard]) => text !== standard)
    .map(([name, text]) => `${name === "tokens" ? "words" : name}=${text}`)
    .join("&");
}


// The value of one part of a link; undefined if it is unknown
function from_link(key, value) {
  const to_count = text => (/^\d{1,2}$/.test(text) ? Number(text) : NaN),
    to_rows = text => text.split(";").map(row => row.split(",").map(to_number));
  if (key in CHOICES) {
    return CHOICES[key].find(choice => choice === value);
  }
  if (key === "tokens") {
    return value.split(",").map(word => to_words(decodeURIComponent(word)).join("_"));
  }
  const read = {word: to_count, walk: to_count, pin: String, about: String};
  return TABLES.includes(key) ? to_rows(value) : read[key] && read[key](value);
}


// The state, and whether all parts were known. Some programs encode a link twice.
function decode(hash) {
  const link = hash.includes("=") ? hash : decodeURIComponent(hash);
  const parts = link.split("&").filter(part => part !== "").map(part => {
    const [name, ...values] = part.split("="),
      key = name === "words" ? "tokens" : name;
    return [key, from_link(key, values.join("="))];
  });
  const known = parts.filter(([, value]) => value !== undefined),
    given = Object.fromEntries(known),
    start = start_of(given.version || DEFAULTS.version);
  if (given.mistake === "softmax-left-out") {
    start.causal = "off"; // scores of -Infinity cannot be shares
  }
  const s = {...start, ...given},
    numbers = [s.walk, ...TABLES.map(name => s[name])].flat(2);
  if (hash.length > LONGEST || s.tokens.includes("") || numbers.some(isNaN)) {
    throw new Error("This link cannot be read");
  }
  check(s);
  return [s, known.length === parts.length];
}


// ---- Changes
let state = start_of(DEFAULTS.version);
let now = compute(state); // what follows from it, computed once for each state
let pointed = null; // the cell under the pointer: [table, row, column]
const rooms = []; // functions: each draws one room of the page
let kept = {}; // the other example while one looks at this


// The place [table, row, column] of an element, if that is a cell
function place_of(element) {
  const {table, row, column} = element ? element.dataset : {};
  return table ? [table, Number(row), Number(column)] : null;
}


const pinned = () => place_of($(state.pin)); // the cell that stays in the panel


// Make next the state; if its numbers cannot be computed, throw and change nothing.
// entry: "push" for a step that Back undoes, "replace" for what belongs to the step
// before, "" if the state came from the link.
function adopt(next, entry) {
  check(next);
  now = compute(next);
  state = next;
  pointed = null;
  rooms.forEach(draw => draw());
  if (state.exercise === "hidden-number" && !$(state.about)) {
    adopt({...state, exercise: "none", about: ""}, entry); // its cell is gone
    return;
  }
  const link = "#" + encode(state);
  if (entry && link !== (location.hash || "#")) {
    try {
      history[entry + "State"](null, "", link);
    } catch (error) {
      // Some browsers allow only 100 in 30 seconds: a later one will catch up.
    }
  }
}


function change(changes, entry = "push") {
  try {
    say_above("");
    adopt({...state, ...changes}, entry);
  } catch (error) {
    say_above(`${error.message}. Nothing was changed.`);
    rooms.forEach(draw => draw()); // controls go back to what is true
  }
}


// From one example to another, which is as it was left
function to_version(version) {
  const example = name => (name === "trained" ? "trained" : "running");
  if (example(version) === example(state.version)) {
    return {version};
  }
  kept[example(state.version)] = state;
  return {...(kept[example(version)] || start_of(version)), version, rows: state.rows};
}


// ---- What rooms use
const $ = id => document.getElementById(id);
const on = (id, type, action) => $(id).addEventListener(type, action);
const write = (id, text) => ($(id).textContent = text);
const all_of = selector => [...document.querySelectorAll(selector)];


// An element: make("td.number", {id: "x"}, "text", [elements])
function make(kind, ...parts) {
  const [tag, className] = kind.split("."),
    element = document.createElement(tag);
  element.className = className || "";
  for (const part of parts.flat()) {
    if (part instanceof Node || typeof part === "string") {
      element.append(part);
    } else {
      for (const [name, value] of Object.entries(part)) {
        if (name in element) {
          element[name] = value;
        } else {
          element.setAttribute(name, value);
        }
      }
    }
  }
  return element;
}


const make_table = (properties, head, rows) =>
  make("table", properties, make("thead", make("tr", head.flat())), make("tbody", rows));
const heading = (scope, title) => make("th", {scope, title}, title);
const make_options = values =>
  values.map(value => make("option", {value}, value.replace(/-/g, " ")));
const make_button = (id, label, onclick, more = {}) =>
  make("button", {id, onclick, ...more}, label);


function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
}


// New children only if the key has changed: otherwise they keep their focus and scroll
// position, and only their numbers change.
const built = {};
function build(id, key, make_children) {
  const text = JSON.stringify(key);
  if (built[id] !== text) {
    built[id] = text;
    $(id).replaceChildren(...make_children());
  }
}


function say_above(text) {
  write("message", text);
  $("message").hidden = !text;
}


// For screen readers
const speak = text => write("spoken", text);
