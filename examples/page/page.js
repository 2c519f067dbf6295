// The page: draws what compute.js computes, and turns what people do into a new state.
"use strict";

const $ = id => document.getElementById(id);
const on = (id, type, action) => $(id).addEventListener(type, action);
const all_of = selector => [...document.querySelectorAll(selector)];

let state = copy(DEFAULTS);
let now = compute(state); // what follows from it, computed once for each state
let pointed = null; // the cell under the pointer: [stage, i, j]; or "field"
let pinned = null; // a cell that stays in the panel
const roving = {}; // the cell of each table that Tab reaches


function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "style") {
      element[name] = value;
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}


function make_button(id, label, onclick, disabled = false) {
  return make("button", {id, onclick, disabled}, label);
}


// New children for the element; what had the focus keeps it.
function redraw(id, ...children) {
  const focused = document.activeElement.id;
  $(id).replaceChildren(...children);
  if (focused && $(focused) && document.activeElement.id !== focused) {
    $(focused).focus({preventScroll: true});
  }
}


// The text of a cell: four decimals, or a question mark where an exercise hides it.
function text_of(stage, i, j) {
  return is_hidden(stage, i, j) ? "?" : four(now.shown[stage][i][j]);
}


// ---- The sentence
function draw_words() {
  redraw(
    "tokens",
    ...state.tokens.map((token, i) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            id: `word-${i}`,
            "aria-pressed": i === state.word,
            onclick: () => change({word: i})
          },
          token
        ),
        make("span", {className: "share"})
      )
    )
  );
  draw_attention(state.word);
}


// Lines and shades for the attention weights of query i.
function draw_attention(i) {
  const items = [...$("tokens").children],
    row = now.shown.attention_weights[i];
  const middle = item => item.offsetLeft + item.offsetWidth / 2;
  const far = Math.max(1, middle(items[items.length - 1]) - middle(items[0]));
  const largest = Math.max(...row);
  $("lines").replaceChildren(
    ...row.map((share, k) => {
      const a = middle(items[i]),
        b = middle(items[k]),
        low = 60;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const high = 20 + (56 * Math.abs(a - b)) / far,
        start = a + 14 * Math.sign(b - a);
      path.setAttribute(
        "d",
        i === k
          ? `M${a} ${low} C${a - 26} ${low - 36} ${a + 26} ${low - 36} ${a} ${low}`
          : `M${start} ${low} C${start} ${low - high} ${b} ${low - high} ${b} ${low}`
      );
      const width = share === 0 ? 0 : Math.max(0, 0.5 + 16 * share);
      path.setAttribute("stroke-width", width.toFixed(2));
      return path;
    })
  );
  items.forEach((item, k) => {
    item.children[0].style.setProperty("--share", row[k] / largest);
    item.children[1].textContent = text_of("attention_weights", i, k);
  });
  const most = row.indexOf(largest);
  $("attends").textContent =
    `${quoted(i)} attends most to ${most === i ? "itself" : quoted(most)}` +
    (now.shown === now.right ? "." : ", with the mistake.");
}


// ---- The stages
function describe(stage) {
  const {product, copy: copied, scale, by} = now.base[stage],
    d_k = now.right.keys[0].length;
  const what = {
    queries: "What a word looks for",
    keys: "What it can be found by",
    values: "What it hands over",
    attention_scores: "How well a query matches a key",
    scaled_scores: copied ? "Not scaled" : "Of one size for any d_k",
    attention_weights: "Shares of 1",
    context_vectors: "The values, blended"
  }[stage];
  const how = product
    ? product.map(in_words).join(" @ ")
    : copied
      ? `here, the ${in_words(copied)}`
      : scale
        ? pretty(`scores ${scale} ${by}, d_k = ${d_k}`)
        : "softmax of each row";
  return `${what}: ${how}.`;
}


function make_cell(stage, i, j, stop) {
  const row = now.shown[stage][i],
    x = row[j],
    y = (now.right[stage][i] || [])[j];
  const id = `${stage}-${i}-${j}`,
    {first} = now;
  const cell = make(
    "td",
    {
      id,
      tabindex: id === stop ? 0 : -1,
      "data-stage": stage,
      "data-row": i,
      "data-column": j,
      "data-value": x,
      "data-right": y,
      style: `--share: ${stage === "attention_weights" ? x / Math.max(...row) : 0}`
    },
    text_of(stage, i, j)
  );
  if (is_marked() && (y === undefined || differ(x, y))) {
    const is_first = first.stage === stage && first.row === i && first.column === j;
    cell.className = is_first ? "differs first" : "differs";
    cell.replaceChildren(make("span", {className: "wrong"}, four(x)));
    if (y !== undefined) {
      cell.append(
        make("span", {className: "unseen"}, " right: "),
        make("span", {}, four(y))
      );
    }
  }
  return cell;
}


// Does the page tell which numbers are wrong? Not in an exercise.
const is_marked = () => now.wrong.length > 0 && !is_secret();


function make_stage(stage) {
  const matrix = now.shown[stage],
    by_key = is_by_key(stage);
  const is_one = state.rows === "one" && stage !== "keys" && stage !== "values";
  const rows = state.tokens
    .map((token, i) => i)
    .filter(i => !is_one || i === state.word);
  const ids = [].concat(
    ...rows.map(i => matrix[i].map((x, j) => `${stage}-${i}-${j}`))
  );
  const stop = ids.includes(roving[stage]) ? roving[stage] : ids[0];
  const heading = (scope, text) => make("th", {scope, title: text}, text);
  const head = matrix[0].map((x, j) =>
    heading("col", by_key ? state.tokens[j] : String(j))
  );
  const corner = heading("col", by_key ? "query\u2193 key\u2192" : "word");
  corner.className = "corner";
  const name = in_words(stage);
  return make(
    "div",
    {className: "stage", id: stage},
    make("h2", {}, name, verdict(stage)),
    paragraph("quiet", describe(stage)),
    make(
      "div",
      {className: "scroll"},
      make(
        "table",
        {role: "grid", "aria-readonly": "true", "aria-label": name},
        make("thead", {}, make("tr", {}, corner, ...head)),
        make(
          "tbody",
          {},
          ...rows.map(i =>
            make(
              "tr",
              {className: i === state.word ? "chosen" : ""},
              heading("row", state.tokens[i]),
              ...matrix[i].map((x, j) => make_cell(stage, i, j, stop))
            )
          )
        )
      )
    )
  );
}


// The first wrong stage is where the mistake is; what comes after it can only follow.
function verdict(stage) {
  const [text, kind] = !now.wrong.some(place => place.stage === stage)
    ? ["\u2713 ok", "ok"]
    : [stage in now.mistake.steps ? "\u2717 wrong" : "\u2717 follows", "bad"];
  return is_marked() ? make("span", {className: `mark ${kind}`}, text) : "";
}


// Where the numbers part, as the parts of a paragraph.
function where_they_part({stage, row, column}) {
  const name = in_words(stage);
  if (row === undefined) {
    const sizes = `${shape(now.shown[stage])}, expected ${shape(now.right[stage])}`;
    return [`The ${name} are ${sizes}.`];
  }
  const link = {href: "#", id: "go", onclick: go_to_first};
  return [
    `The numbers first part at the ${name}: `,
    make("a", link, cell_name(stage, row, column)),
    ". The ",
    make("span", {className: "wrong"}, "wrong"),
    " number is above the right one."
  ];
}


function draw_planted() {
  $("planted").hidden = state.mistake === "none";
  if (state.mistake !== "none") {
    const {first, mistake} = now;
    const wrong = make("b", {}, `Wrong ${in_words(mistake.stage)}: `);
    const right = make("b", {}, "Right: ");
    const where = first
      ? where_they_part(first)
      : state.version === "simplified"
        ? ["Nothing changes in the simplified version: choose Trainable."]
        : ["On these numbers, nothing changes."];
    redraw(
      "planted",
      paragraph("", wrong, mistake.what, ". ", right, mistake.fix, "."),
      paragraph("", ...where)
    );
  }
}


function go_to_first(event) {
  if (event) {
    event.preventDefault();
  }
  if (now.first && now.first.row !== undefined) {
    pin(now.first.stage, now.first.row, now.first.column);
    bring_into_view(pinned.join("-"));
  }
}


// ---- The panel
function draw_panel() {
  all_of(".from, .here, .lit").forEach(e => e.classList.remove("from", "here", "lit"));
  const about = pinned || pointed;
  redraw("walk", ...(state.walk ? [make_station()] : []));
  redraw(
    "how",
    ...(about === null
      ? []
      : about === "field"
        ? explain_field()
        : explain_cell(...about))
  );
  $("panel").hidden = !about && !state.walk;
  document.documentElement.style.setProperty(
    "--low",
    `${$("panel").offsetHeight + 8}px`
  );
}


function paragraph(className, ...text) {
  return make("p", {className}, ...text);
}


function mark(groups) {
  groups.forEach(([name, cells]) =>
    cells.forEach(place => {
      const cell = $(place.join("-"));
      if (cell) {
        cell.classList.add("from");
      }
    })
  );
}


function explain_cell(stage, i, j) {
  const cell = $(`${stage}-${i}-${j}`);
  cell.classList.add("here");
  cell.parentElement.querySelector("th").classList.add("lit");
  cell.closest("table").querySelectorAll("thead th")[j + 1].classList.add("lit");
  const parts = [
    make("div", {className: "bar"}, make("b", {}, cell_name(stage, i, j)))
  ];
  const is_station = state.walk && is_at_station();
  if (pinned && !is_station) {
    parts[0].append(make_button("unpin", "Let go (Esc)", unpin));
  }
  const x = now.shown[stage][i][j],
    y = (now.right[stage][i] || [])[j];
  let told = explain(now.shown, now.steps, stage, i, j);
  if (is_secret()) {
    const by_rule = digits(follow(now.base[stage], now.shown)[i][j], 4);
    told = explain(now.shown, now.base, stage, i, j, by_rule);
    parts.push(
      paragraph("label", `The cell says ${four(x)}. By the formula, it would be:`),
      paragraph("formula", equation(by_rule, told.lines))
    );
  } else if (is_marked() && y !== undefined && differ(x, y)) {
    const right = explain(now.right, now.base, stage, i, j);
    parts.push(
      paragraph("label", "With the mistake"),
      paragraph("formula", equation(digits(x, 4), told.lines)),
      paragraph("label", "Right"),
      paragraph("formula", equation(digits(y, 4), right.lines))
    );
  } else {
    const left = is_hidden(stage, i, j) ? "?" : digits(x, 4);
    parts.push(paragraph("formula", equation(left, told.lines)));
  }
  const words = is_station ? "" : told.words + " ";
  parts.push(paragraph("quiet", words, ...make_links(told.from)));
  mark(told.from);
  return parts;
}


// The sources as links, which lead there.
function make_links(from) {
  const links = [];
  from.forEach(([name, [cell]]) => {
    const id = cell.join("-");
    if ($(id)) {
      links.push(
        links.length ? ", " : "Go to: ",
        make(
          "a",
          {
            href: `#${id}`,
            onclick: event => {
              event.preventDefault();
              bring_into_view(id);
            }
          },
          name
        )
      );
    }
  });
  return links;
}


function explain_field() {
  const i = state.word,
    context = now.shown.context_vectors[i];
  return [
    make("b", {}, `${quoted(i)} now. ${goal_note()}`),
    paragraph(
      "formula",
      "attention weights: " +
        state.tokens
          .map((token, k) => `${token} ${text_of("attention_weights", i, k)}`)
          .join(", ")
    ),
    paragraph(
      "formula",
      "context vector: " +
        context.map((x, j) => text_of("context_vectors", i, j)).join(", ")
    )
  ];
}


// For screen readers: a name while moving, the equation when it is asked for.
function speak(text) {
  $("spoken").textContent = text;
}


function pin(stage, i, j) {
  pinned = [stage, i, j];
  draw_panel();
  $(pinned.join("-")).scrollIntoView({block: "nearest"});
  speak(
    all_of("#how .formula")
      .map(p => p.textContent.split("\n")[0])
      .join("; ")
  );
}


function unpin() {
  const id = pinned && pinned.join("-");
  pinned = null;
  pointed = null;
  draw_panel();
  if (id && document.activeElement === document.body && $(id)) {
    $(id).focus({preventScroll: true});
  }
}


function bring_into_view(id) {
  const target = $(`field-${id}`) || $(id);
  if (target) {
    target.scrollIntoView({block: "center", inline: "nearest"});
    target.focus({preventScroll: true});
  }
}


// ---- The fields
const field_value = field => {
  const {name, row, column} = field.dataset;
  return state[name][row][column];
};


function make_field(name, i, j, label) {
  const field = make("input", {
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    spellcheck: false,
    id: `field-${name}-${i}-${j}`,
    "aria-label": label,
    defaultValue: state[name][i][j],
    "data-name": name,
    "data-row": i,
    "data-column": j,
    onfocus: () => begin(field),
    oninput: () => typed(field),
    onblur: () => leave(field),
    onkeydown: event => press_in_field(field, event)
  });
  fit(field);
  return make("td", {id: `${name}-${i}-${j}`}, field);
}


function begin(field) {
  field.dataset.before = field_value(field);
  pointed = "field";
  draw_panel();
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


// A column is as wide as its longest number: 24 letters are the most that a number
// needs.
function fit(field) {
  field.style.setProperty("--letters", Math.min(field.value.length, 24));
}


// While somebody types, the numbers follow where they can; no word about what is not
// finished.
function typed(field) {
  const {name, row, column, before} = field.dataset,
    next = copy(state);
  const x = to_number(field.value);
  next[name][row][column] = isNaN(x) ? Number(before) : x;
  fit(field);
  pointed = "field";
  complain(field, "");
  try {
    adopt(next, "replace");
  } catch (error) {
    next[name][row][column] = Number(before);
    adopt(next, "replace");
  }
}


function leave(field) {
  const x = to_number(field.value),
    value = field_value(field);
  if (field.value.trim() === "" || x === value) {
    field.value = value;
    fit(field);
  } else {
    const trouble = isNaN(x)
      ? "This is not a number"
      : "With this number, a result is too large";
    complain(field, `${trouble}: still ${pretty(String(value))}.`);
  }
  field.dataset.before = value;
  if (pointed === "field") {
    pointed = null;
    draw_panel();
  }
}


// The message stands in a row of its own, right under the field's row.
function complain(field, text) {
  const id = field.id + "-message";
  if ($(id)) {
    $(id).remove();
  }
  field.setAttribute("aria-invalid", text !== "");
  if (text) {
    field
      .closest("tr")
      .after(
        make(
          "tr",
          {id, className: "message"},
          make("td", {colSpan: MOST + 1}, make("span", {role: "alert"}, text))
        )
      );
    field.setAttribute("aria-describedby", id);
  } else {
    field.removeAttribute("aria-describedby");
  }
}


function make_editor(name) {
  const rows = state[name].map((row, i) => {
    const title = name === "inputs" ? state.tokens[i] : `${i}`;
    const fields = row.map((x, j) =>
      make_field(name, i, j, `${name}, row ${title}, column ${j}`)
    );
    return make("tr", {}, make("th", {scope: "row", title}, title), ...fields);
  });
  return make(
    "div",
    {className: "scroll"},
    make(
      "table",
      {},
      make("caption", {}, name),
      make(
        "tr",
        {},
        make("td", {}),
        ...state[name][0].map((x, j) => make("th", {scope: "col"}, `${j}`))
      ),
      ...rows
    )
  );
}


function draw_editor() {
  $("text").value = state.tokens.join(" ");
  const invented = state.tokens.filter(
    (word, i) => String(state.inputs[i]) === String(invent(word, state.inputs[i].length))
  );
  $("text-note").textContent =
    invented.length === 0
      ? ""
      : `Their numbers are invented, the same for the same word: ` +
        `${invented.join(", ")}. A model would have learned them.`;
  redraw(
    "fields",
    make_editor("inputs"),
    ...(state.version === "simplified" ? [] : MATRICES.map(make_editor))
  );
  document.querySelector(`input[value="${state.version}"]`).checked = true;
  $("rows").checked = state.rows === "all";
  $("causal").checked = state.causal === "on";
  $("mistake").value = state.mistake;
}


// ---- Changes
// Take next as the state, if its numbers can be computed; else throw and change
// nothing. history: "push" for a step that Back undoes, "replace" for typing, "" if the
// link came first.
function adopt(next, history_entry) {
  now = compute(next, secret_mistake());
  state = next;
  if (history_entry) {
    try {
      const link = "#" + encode(state);
      if (link !== (location.hash || "#")) {
        window.history[history_entry + "State"](null, "", link);
      }
    } catch (error) {
      // Some browsers allow 100 changes of a link in half a minute: a later one will
      // catch up.
    }
  }
  say_above("");
  draw_words();
  redraw("stages", ...STAGES.map(make_stage));
  draw_planted();
  if (task && task.cell && !$(task.cell.join("-"))) {
    end_exercise();
  }
  draw_task();
  if (pinned && !$(pinned.join("-"))) {
    pinned = null; // what it was about is gone
  }
  if (pointed !== "field") {
    pointed = null;
  }
  draw_panel();
}


// A change by anything but a field: the fields are drawn anew.
function change(changes) {
  try {
    adopt(Object.assign(copy(state), changes), "push");
  } catch (error) {
    say_above(`${error.message}. Nothing was changed.`);
  }
  draw_editor();
}


function say_above(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}


function open_link() {
  end_exercise();
  pinned = null;
  try {
    const [next, is_complete] = decode(location.hash.slice(1));
    adopt(next, "");
    if (!is_complete) {
      say_above("Parts of this link are unknown, and were left out.");
    }
    if (state.walk) {
      pin(...station_cell());
    }
  } catch (error) {
    adopt(copy(DEFAULTS), "");
    say_above("This link cannot be read. The running example is shown.");
  }
  draw_editor();
}


// ---- Events
function cell_of(event) {
  const cell = event.target.closest("td[data-stage]");
  return (
    cell && [cell.dataset.stage, Number(cell.dataset.row), Number(cell.dataset.column)]
  );
}


function point_at(event) {
  const cell = cell_of(event),
    word = event.target.closest("#tokens button");
  if (word) {
    draw_attention(Number(word.id.slice(5)));
  } else if (cell && event.pointerType !== "touch") {
    // a finger that scrolls asks nothing
    pointed = cell;
    draw_panel();
    if (event.type === "focusin") {
      // Tab comes back to the cell that was last in focus
      $(cell[0]).querySelector("[tabindex='0']").tabIndex = -1;
      roving[cell[0]] = cell.join("-");
      $(roving[cell[0]]).tabIndex = 0;
      speak(`${cell_name(...cell)}: ${text_of(...cell)}`);
    }
  }
}


["pointerover", "focusin"].forEach(type => on("results", type, point_at));
["pointerout", "focusout"].forEach(type =>
  on("tokens", type, () => draw_attention(state.word))
);
on("stages", "click", event => {
  const cell = cell_of(event);
  if (cell && pinned && pinned.join() === cell.join()) {
    unpin();
  } else if (cell) {
    pin(...cell);
  }
});
on("stages", "keydown", event => {
  const cell = cell_of(event);
  const step = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1]
  }[event.key];
  if (cell && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    pin(...cell);
  } else if (cell && step) {
    event.preventDefault();
    const next = $([cell[0], cell[1] + step[0], cell[2] + step[1]].join("-"));
    if (next) {
      next.focus();
    }
  }
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && event.target.tagName !== "INPUT") {
    unpin();
  }
});

all_of("input[name=version]").forEach(radio =>
  radio.addEventListener("change", () => {
    end_exercise();
    change({version: radio.value, walk: 0});
  })
);
on("rows", "change", () => change({rows: $("rows").checked ? "all" : "one"}));
on("causal", "change", () =>
  change({causal: $("causal").checked ? "on" : "off", walk: 0})
);
$("mistake").append(
  ...CHOICES.mistake.map(name => make("option", {value: name}, name))
);
on("mistake", "change", () => {
  const mistake = $("mistake").value;
  end_exercise();
  pinned = null;
  change(
    mistake === "none"
      ? {mistake}
      : {mistake, rows: "all", walk: 0, version: "trainable"}
  );
  go_to_first();
});
$("exercise").append(...KINDS.map(kind => make("option", {value: kind}, kind)));
on("exercise", "change", () => start_exercise($("exercise").value));
on("start-walk", "click", () => {
  end_exercise();
  walk_to(state.walk || 1);
});
on("reset", "click", () => {
  end_exercise();
  unpin();
  change(copy(DEFAULTS));
});

on("text", "change", () => {
  const words = to_words($("text").value);
  if (words.length === 0) {
    draw_editor();
  } else {
    pinned = null;
    change(with_words(state, words.slice(0, MOST)));
    if (words.length > MOST) {
      $("text-note").textContent =
        `Only the first ${MOST} words: there is no room for more.`;
    }
  }
});
on("text", "keydown", event => {
  if (event.key === "Escape") {
    draw_editor();
  }
});


// ---- Your own data
$("matrix").append(
  ...["inputs", ...MATRICES, "everything", ...STAGES].map(name =>
    make("option", {value: name}, name)
  )
);
$("local").hidden = location.protocol !== "file:";


// The text also stands in the field, in case that the browser does not let pages copy.
function give(text) {
  $("pasted").value = text;
  $("pasted").select();
  const copied = navigator.clipboard
    ? navigator.clipboard.writeText(text)
    : Promise.reject();
  copied
    .then(() => "Copied.", () => "Here it is: copy it from the field above.")
    .then(done => ($("data-note").textContent = done));
}


function give_matrix(in_python) {
  const name = $("matrix").value;
  const text = as_text(
    name === "everything" ? everything() : {[name]: now.shown[name]},
    in_python
  );
  give(
    name !== "everything" || in_python || state.version === "trainable"
      ? text
      : text.replace("{", '{"simplified": true,\n')
  );
}


on("copy-json", "click", () => give_matrix(false));
on("copy-python", "click", () => give_matrix(true));
on("copy-link", "click", () => give(location.href));
on("use", "click", () => {
  try {
    change(paste(state, $("pasted").value, $("matrix").value));
    $("data-note").textContent = "Done: see the tables.";
  } catch (error) {
    $("data-note").textContent = `${error.message}. Nothing was changed.`;
  }
});

for (const [link, target] of [
  ["skip", "stages"],
  ["to-words", "words"]
]) {
  on(link, "click", event => {
    // the part after # is the state's
    event.preventDefault();
    $(target).focus();
    $(target).scrollIntoView();
  });
}
window.addEventListener("popstate", open_link);
window.addEventListener("resize", () => {
  draw_attention(state.word);
  draw_panel();
});

$("without").remove();
document.querySelector("main").hidden = false;
open_link();
