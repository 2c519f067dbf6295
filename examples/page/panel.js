// The panel explains how a number is computed, marks its sources in the tables, and
// tells what a planted mistake did.
"use strict";

// The name of a cell: its index in attention.py's result, if it is there, and its words
function cell_name(table, i, j) {
  const place = is_by_key(table)
    ? `query ${quoted(i)}, key ${quoted(j)}`
    : `${quoted(i)}, number ${j}`;
  return `${STAGES.includes(table) ? `${table}[${i}][${j}]` : one_of(table)}: ${place}`;
}


// The cell on the page. In the simplified version, queries, keys and values are inputs.
const find_cell = ([table, i, j]) =>
  $(`${table}-${i}-${j}`) ||
  (is_simplified(state) && STAGES.indexOf(table) < 3 && $(`inputs-${i}-${j}`));


function mark(cells, className) {
  cells.map(find_cell).forEach(cell => cell && cell.classList.add(className));
}


function unmark(className) {
  all_of("." + className).forEach(cell => cell.classList.remove(className));
}


function bring_into_view(cell) {
  cell.scrollIntoView({block: "nearest", inline: "nearest"});
}


// The line of attention.py that computes it
function make_code(table) {
  const lines = is_simplified(state) ? LINES.simplified : LINES.trainable,
    [number, code] = lines[table] || [];
  const does_right = is_marked() && table in now.planted ? ", does it right" : "",
    link = make("a", {href: "../../attention.py"}, "attention.py");
  return number
    ? make("p.code", link, `, line ${number}${does_right}:`, make("code", code))
    : "";
}


// ---- The steps of a dot product or of softmax
function make_steps({heads, rows}) {
  let step = -1; // the line that an arrow key led to
  const lines = rows.map(({label, numbers}) =>
    make("tr", heading("row", label), numbers.map(text => make("td", pretty(text))))
  );
  const onkeydown = event => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (by) {
      event.preventDefault();
      step = Math.max(0, Math.min(rows.length - 1, step + by));
      const {cells, numbers} = rows[step];
      unmark("pair");
      lines[step].classList.add("pair");
      bring_into_view(lines[step]);
      mark(cells, "pair");
      speak(heads.map((name, k) => `${name} ${numbers[k]}`).join(", "));
    }
  };
  const label = "Steps: arrow keys move from one to the next";
  return make(
    "div.scroll",
    {id: "steps", tabIndex: 0, role: "group", "aria-label": label, onkeydown},
    make_table({}, [make("td"), heads.map(text => heading("col", text))], lines)
  );
}


const formula = (left, {right}) => make("p.formula", right && pretty(`${left} ${right}`));


// The explanation of the cell, and its equations
function make_equations(table, i, j) {
  const {shown, right, base} = now,
    x = shown[table][i][j],
    y = right_of(table, i, j),
    told = explain(shown, table, i, j);
  if (state.exercise === "wrong-stage" && table in base) {
    const by_rule = digits(follow(base[table], shown)[i][j], 4),
      rule = explain({...shown, steps: base}, table, i, j, by_rule),
      said = `The cell shows ${four(x)}. By the formula, it should be:`;
    return [rule, make("p", said), formula(by_rule, rule)];
  }
  if (typeof y === "number") {
    return [
      told,
      make("b", "With the mistake"), formula(digits(x, 4), told),
      make("b", "Right"), formula(digits(y, 4), explain(right, table, i, j))
    ];
  }
  return [told, formula(is_hidden(table, i, j) ? "?" : digits(x, 4), told)];
}


function explain_cell(table, i, j) {
  const [told, ...equations] = make_equations(table, i, j),
    cell = find_cell([table, i, j]);
  cell.classList.add("here");
  mark(told.from, "from");
  const head = [make("h2", one_of(table)), make("p.quiet", cell_name(table, i, j))];
  return told.from.some(source => is_hidden(...source))
    ? [...head, make("p", "The hidden number is part of this equation.")]
    : [
      ...head,
      ...equations,
      told.rows ? make_steps(told) : "",
      make("p.quiet", told.words),
      told.right && make_code(table)
    ];
}


function make_planted() {
  const {mistake, first} = now,
    title = make("b", `Planted: ${state.mistake}. `);
  if (state.mistake === "none" || state.exercise !== "none") {
    return [];
  }
  if (!first) {
    return [make("p", title, "It changes nothing here.")];
  }
  const {stage, row} = first,
    [actual, expected] = [now.shown, now.right].map(all => shape(all[stage]));
  const sizes = `The ${in_words(stage)} are ${actual}, expected ${expected}.`;
  return [
    make("p", title),
    make("p", make("span.wrong", "Wrong:"), ` ${mistake.what}`),
    make("p", make("b", "Right:"), ` ${mistake.fix}`),
    make("p", row === undefined ? sizes : "")
  ];
}


function draw_panel() {
  ["from", "here", "pair"].forEach(unmark);
  const about = pointed || pinned(),
    hint = "Point at a number to see how it is computed. Click to keep it here.";
  $("planted").replaceChildren(...make_planted());
  $("how").replaceChildren(...(about ? explain_cell(...about) : [make("p.quiet", hint)]));
}


// The number and its sources, as far as there is room
function show_all_of_it() {
  all_of("td.from, td.here").forEach(bring_into_view);
}


// Keep the cell in the panel, or none
function pin(id) {
  change({pin: id}, "replace");
  speak(all_of("#how .formula").map(p => p.textContent).join("; "));
}


rooms.push(draw_panel);
