// The numbers: one query as a ledger, a row for each word and a column for each step; or
// all queries, as the matrices of all stages.
"use strict";

const roving = {}; // the cell of each table that Tab reaches


// Does the page tell which numbers are wrong? Not in an exercise.
const is_marked = () => now.wrong.length > 0 && state.exercise !== "wrong-stage";


// The right number of a wrong cell, undefined if there is none; null if it is not wrong
function right_of(table, i, j) {
  const y = ((now.right[table] || [])[i] || [])[j];
  return is_marked() && differ(now.shown[table][i][j], y) ? y : null;
}


function make_cell(table, i, j) {
  const data = {"data-table": table, "data-row": i, "data-column": j};
  return make("td", {id: `${table}-${i}-${j}`, tabIndex: -1, ...data});
}


// The cell's number as it is now; where it is wrong, the right one under it
function fill_cell(cell) {
  const {table, row, column} = cell.dataset,
    text = is_hidden(table, row, column) ? "?" : four(now.shown[table][row][column]),
    y = right_of(table, row, column);
  cell.className = y === null ? "" : "differs";
  cell.replaceChildren(y === null ? text : make("span.wrong", text));
  if (typeof y === "number") {
    cell.append(make("span.unseen", " right: "), make("span", four(y)));
  }
  if (table === "attention_weights") {
    const shares = now.shown[table][row],
      part = text === "?" ? 0 : Math.max(0, shares[column] / Math.max(...shares));
    cell.style.setProperty("--part", part);
    if (cell.parentElement.querySelector(".bar")) {
      cell.nextSibling.firstChild.style.width = `${100 * part}%`;
    }
  }
}


// ---- One query
// Its columns: a name, how it is computed, the colour, and the tables that its numbers
// and its total come from
const RESULT = ["total: the result", "value", "weighted_values", "context_vectors"];
const COLUMNS = {
  simplified: [
    ["input", "", "key", "inputs"],
    ["score", "query \u00b7 input", "", "attention_scores"],
    ["share", "softmax", "share", "attention_weights", "sum"],
    ["share \u00d7 input", ...RESULT]
  ],
  trainable: [
    ["key", "input @ W_key", "key", "keys"],
    ["score", "query \u00b7 key", "", "attention_scores"],
    ["scaled, s", "score / \u221ad_k", "", "scaled_scores"],
    ["power", "e^(s\u00a0\u2212 max)", "", "powers", "sum"],
    ["share", "power / total", "share", "attention_weights", "sum"],
    ["value", "input @ W_value", "value", "values"],
    ["share \u00d7 value", ...RESULT]
  ]
};


// `cells(j)` are those of word j, `over` those of the query above, `total` those of the
// last row. A cell is [table, row, column].
function columns() {
  const i = state.word,
    all = COLUMNS[is_simplified(state) ? "simplified" : "trainable"],
    row = (table, r) => now.shown[table][r].map((x, c) => [table, r, c]),
    there = all.filter(([, , , table]) => now.shown[table]);
  return there.map(([name, how, role, table, last], k) => {
    const cells = j => (is_by_key(table) ? [[table, i, j]] : row(table, j)),
      width = cells(0).length + (name === "share"), // with a bar
      over = k === 0 ? row("queries", i) : [],
      total = last === "sum" ? [[last, table]] : last ? row(last, i) : [];
    return {name, how, role, width, cells, over, total};
  });
}


function make_part([table, i, j]) {
  const maker = table === "inputs" ? make_field : make_cell;
  return table === "sum" ? make("td.sum", {"data-sum": i}) : maker(table, i, j);
}


// A row of the ledger; a bar fills the rest of a column.
function make_line(kind, title, all, cells_of) {
  const parts = all.flatMap(column => {
    const made = cells_of(column).map(make_part),
      rest = column.width - made.length;
    if (rest) {
      made.push(make("td.bar", {colSpan: rest}, make("i")));
    }
    made[0].dataset.first = "";
    return made;
  });
  return make(kind, heading("row", title), parts);
}


function make_ledger() {
  const all = columns();
  const names = all.map(({name, how, role, width}) =>
    make(
      `th.${role}`,
      {scope: "col", colSpan: width, "data-first": ""},
      name,
      make("small", how)
    )
  );
  const rows = state.tokens.map((token, j) =>
    make_line(j === state.word ? "tr.chosen" : "tr", token, all, ({cells}) => cells(j))
  );
  return make(
    "table",
    {role: "grid", id: "ledger", className: state.version},
    make(
      "thead",
      make_line("tr.query", "query", all, ({over}) => over),
      make("tr.names", heading("col", "word"), names)
    ),
    make("tbody", rows),
    make("tfoot", make_line("tr.total", "total", all, ({total}) => total))
  );
}


// ---- Every query
function make_matrix(stage) {
  const {product, copy: copied, scale, by} = now.base[stage],
    by_key = is_by_key(stage),
    name = in_words(stage);
  const how = product
    ? product.map(in_words).join(" @ ")
    : scale ? pretty(`attention scores ${scale} ${by}`) : copied || "softmax of each row";
  const head = now.shown[stage][0].map((x, j) =>
    heading("col", by_key ? state.tokens[j] : String(j))
  );
  const rows = now.shown[stage].map((row, i) =>
    make(
      "tr",
      {"data-query": i},
      heading("row", state.tokens[i]),
      row.map((x, j) => make_cell(stage, i, j))
    )
  );
  const corner = heading("col", by_key ? "key \u2192\nquery \u2193" : "word");
  const about = {role: "grid", id: `${stage}-table`, "aria-label": name};
  return make(
    by_key && state.tokens.length > 7 ? "section.wide" : "section",
    make("h2", name, make("span.mark", {"data-stage": stage})),
    make("p.quiet", how),
    make("div.scroll", make_table(about, [corner, head], rows))
  );
}


// The first wrong stage is where the mistake is; what comes after it can only follow.
function fill_mark(mark) {
  const {stage} = mark.dataset,
    is_wrong = is_marked() && now.wrong.includes(stage),
    why = is_wrong && stage in now.planted ? "wrong" : "follows";
  mark.className = is_wrong ? "mark wrong" : "mark";
  mark.textContent = is_wrong ? `\u2717 ${why}` : is_marked() ? "\u2713 ok" : "";
}


function draw_numbers() {
  const {version, rows, tokens, word, mistake, exercise} = state,
    is_one = rows === "one",
    sizes = STAGES.map(stage => shape(now.shown[stage])),
    computed = STAGES.filter(stage => !is_simplified(state) || !now.base[stage].copy);
  const key = [version, mistake, exercise, rows, tokens, sizes, is_one && word];
  build("numbers", key, () =>
    is_one
      ? [make("div.scroll", make_ledger())]
      : [make("div.stages", computed.map(make_matrix))]
  );
  all_of("td[data-table]").forEach(fill_cell);
  all_of("td.field input").forEach(fill_field);
  all_of(".mark").forEach(fill_mark);
  all_of("#numbers table").forEach(draw_stop);
  for (const cell of all_of(".sum")) {
    cell.textContent = four(sum_of(now.shown[cell.dataset.sum][word]));
  }
  for (const row of all_of("[data-query]")) {
    row.classList.toggle("chosen", Number(row.dataset.query) === word);
  }
}


// Tab reaches one cell of each table: the one that was last in focus.
function draw_stop(table) {
  const cells = [...table.querySelectorAll("td[data-table]")],
    stop = cells.find(cell => cell.id === roving[table.id]) || cells[0];
  cells.forEach(cell => (cell.tabIndex = cell === stop ? 0 : -1));
}


// The cell that an arrow key leads to: up or down in the column, or line by line
function neighbour(cell, key) {
  const cells = [...cell.closest("table").querySelectorAll("td[data-table]")],
    line = /Up|Down/.test(key)
      ? cells.filter(({offsetLeft}) => offsetLeft === cell.offsetLeft)
      : cells;
  return line[line.indexOf(cell) + (/Up|Left/.test(key) ? -1 : 1)];
}


rooms.push(draw_numbers);
