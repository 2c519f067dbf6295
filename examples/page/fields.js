// The numbers that can be changed, in the ledger or in tables of their own, and the
// sentence.
"use strict";

const value_of = ({dataset}) => state[dataset.name][dataset.row][dataset.column];
let typing = null; // the field that somebody types in


function make_field(name, i, j) {
  const title = name === "inputs" ? state.tokens[i] : i;
  const field = make("input", {
    inputMode: "decimal",
    size: 1,
    autocomplete: "off",
    spellcheck: false,
    id: `field-${name}-${i}-${j}`,
    "aria-label": `${name}, row ${title}, column ${j}`,
    "aria-describedby": "field-note",
    "data-name": name,
    "data-row": i,
    "data-column": j,
    onfocus: () => begin(field),
    oninput: () => typed(field),
    onblur: () => leave(field),
    onkeydown: event => press_in_field(field, event)
  });
  return make("td.field", {id: `${name}-${i}-${j}`}, field);
}


function fill_field(field) {
  if (field !== typing) {
    field.value = value_of(field);
    fit(field);
  }
}


// A column is as wide as its longest number, which has at most 24 characters.
function fit(field) {
  const letters = Math.max(3, Math.min(field.value.length, 24));
  field.style.minWidth = `calc(${letters}ch + 0.5rem)`;
}


function begin(field) {
  field.dataset.before = value_of(field);
  field.dataset.entry = "push"; // the first change is a step that Back undoes
  note_on_field(field, "Results change as you type. \u2191 adds 0.1, \u2193 subtracts it.");
}


function press_in_field(field, event) {
  const up = {ArrowUp: 0.1, ArrowDown: -0.1}[event.key],
    x = to_number(field.value);
  if (up && !isNaN(x)) {
    event.preventDefault();
    field.value = Number((x + (event.shiftKey ? 10 * up : up)).toFixed(10));
    typed(field);
  } else if (event.key === "Escape") {
    field.value = field.dataset.before;
    typed(field);
  } else if (event.key === "Enter") {
    leave(field);
  }
}


// While somebody types, the numbers follow if they can; unfinished ones are no error.
function typed(field) {
  const {name, row, column, before, entry} = field.dataset,
    x = to_number(field.value);
  const take = number => {
    const next = copy(state);
    next[name][row][column] = number;
    adopt(next, entry);
  };
  note_on_field(field, "");
  typing = field;
  try {
    take(isNaN(x) ? Number(before) : x);
  } catch (error) {
    take(Number(before));
  }
  typing = null;
  field.dataset.entry = "replace";
  fit(field);
}


function leave(field) {
  const x = to_number(field.value),
    value = value_of(field);
  if (field.value.trim() === "" || x === value) {
    note_on_field(field, "");
    fill_field(field);
  } else {
    const trouble = isNaN(x)
      ? `\u201c${field.value}\u201d is not a number`
      : `With ${field.value}, a result is too large`;
    note_on_field(field, `${trouble}: still ${pretty(String(value))}.`, true);
  }
}


function note_on_field(field, text, is_wrong = false) {
  field.setAttribute("aria-invalid", is_wrong);
  write("field-note", text);
  $("field-note").className = is_wrong ? "alert" : "quiet";
}


function make_editor(name) {
  const rows = state[name].map((row, i) =>
    make(
      "tr",
      heading("row", name === "inputs" ? state.tokens[i] : String(i)),
      row.map((x, j) => make_field(name, i, j))
    )
  );
  const columns = state[name][0].map((x, j) => heading("col", String(j)));
  const table = make_table({}, [make("td"), columns], rows);
  table.prepend(make(`caption.${name}`, name));
  return table;
}


function draw_fields() {
  // in the ledger of the simplified version, the inputs are fields themselves
  const names = !is_simplified(state)
    ? TABLES
    : state.rows === "all" ? ["inputs"] : [];
  const key = [state.tokens, names.map(name => [name, shape(state[name])])];
  build("fields", key, () => names.map(make_editor));
  if (document.activeElement !== $("text")) {
    $("text").value = state.tokens.join(" ");
  }
}


function change_sentence() {
  const text = $("text").value,
    words = to_words(text),
    known = [...state.tokens, ...attention.TOKENS],
    unknown = words.filter(word => !known.includes(word)),
    is_cut = text.split(/\s+/).some(word => [...word].length > LETTERS);
  const notes = [
    unknown.length && `The numbers for ${unknown.join(", ")} are made up.`,
    words.length > MOST && `Only the first ${MOST} words fit.`,
    is_cut && `Words are cut after ${LETTERS} letters.`
  ];
  if (words.length > 0) {
    change(with_words(state, words.slice(0, MOST)));
  }
  write("text-note", notes.filter(note => note).join(" "));
  $("text").value = state.tokens.join(" ");
}


rooms.push(draw_fields);
on("text", "change", change_sentence);
