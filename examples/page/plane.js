// Queries and keys of two numbers as arrows in a plane. The dot product is the length of
// the query times the projection of the key on it. An arrow's end can be dragged.
"use strict";

const WIDE = 250,
  TALL = 128;
let scale = null; // {x, y, unit}: where 0 is, and how long 1 is; kept while one drags
let dragged = null; // {role, row, entry}


// All ends and 0 fit in; right of the ends, there is room for the words.
function fit_scale(ends) {
  const [[left, right], [low, high]] = [0, 1].map(k => {
    const all = [0, ...ends.map(end => end[k])];
    return [Math.min(...all), Math.max(...all)];
  });
  const span = [right - left || 1, high - low || 1],
    unit = Math.min((WIDE - 80) / span[0], (TALL - 26) / span[1]);
  return {x: 12 - unit * left, y: TALL - 12 + unit * low, unit};
}


const to_screen = ([x, y]) => [scale.x + scale.unit * x, scale.y - scale.unit * y];


function draw_line(name, start, end) {
  const [[x1, y1], [x2, y2]] = [start, end].map(to_screen);
  return svg("line", {class: name, x1, y1, x2, y2});
}


function draw_arrow({role, end}) {
  const [[x, y], [x0, y0]] = [end, [0, 0]].map(to_screen);
  const angle = (Math.atan2(y - y0, x - x0) * 180) / Math.PI,
    transform = `translate(${x} ${y}) rotate(${angle})`;
  return [
    draw_line(role, [0, 0], end),
    svg("path", {class: `${role} head`, d: "M0 0 l-9 -4 v8 z", transform})
  ];
}


// Names beside the ends, moved down where they would lie on each other
function draw_labels(arrows, looked) {
  const labels = arrows.map(({role, row, end}) => {
    const [x, y] = to_screen(end),
      label = svg("text", {class: row === looked ? `${role} looked` : role, x: x + 7});
    label.textContent = role === "query" ? "query" : state.tokens[row].slice(0, 10);
    return {x, y: y + 4, label};
  });
  labels.sort((a, b) => a.y - b.y);
  labels.forEach((one, k) => {
    for (const above of labels.slice(0, k)) {
      if (Math.abs(above.x - one.x) < 60) {
        one.y = Math.max(one.y, above.y + 13);
      }
    }
    one.label.setAttribute("y", one.y);
  });
  return labels.map(({label}) => label);
}


// The key that the panel is about, or that with the largest share
function looked_at() {
  const [table, i, j] = pointed || pinned() || [""],
    row = now.shown.attention_weights[state.word];
  return is_by_key(table) && i === state.word ? j : row.indexOf(Math.max(...row));
}


function draw_projection(query, key) {
  const length = Math.hypot(...query),
    score = sum_of(query.map((x, k) => x * key[k])),
    foot = query.map(x => (x * score) / (length * length || 1)),
    left = digits(score, 4);
  const right = products(left, places => [
    [digits(length, places), digits(length ? score / length : 0, places)]
  ]);
  write("projection", pretty(`${left} ${right}`));
  return [draw_line("projection", [0, 0], foot), draw_line("drop", key, foot)];
}


function draw_plane() {
  const {queries, keys} = now.shown,
    query = queries[state.word],
    d_k = query.length;
  $("plane").hidden = d_k !== 2;
  $("no-plane").textContent =
    d_k === 2 ? "" : `(Keys of 2 numbers are drawn as arrows; these have ${d_k}.)`;
  if (d_k !== 2) {
    return;
  }
  const arrows = keys.map((end, row) => ({role: "key", row, end}));
  arrows.push({role: "query", row: -1, end: query});
  if (!dragged) {
    scale = fit_scale(arrows.map(({end}) => end));
  }
  const j = looked_at(),
    [x0, y0] = to_screen([0, 0]);
  const handles = arrows.map(({role, row, end}) => {
    const [cx, cy] = to_screen(end);
    const data = {"data-role": role, "data-row": row};
    return svg("circle", {class: "handle", r: 12, cx, cy, ...data});
  });
  $("arrows").replaceChildren(
    svg("path", {class: "axes", d: `M0 ${y0} H${WIDE} M${x0} 0 V${TALL}`}),
    ...draw_projection(query, keys[j]),
    ...arrows.flatMap(draw_arrow),
    ...draw_labels(arrows, j),
    ...handles
  );
}


// The weight matrix changes as little as it can so that the query or key of the word is
// there: as in training, in the direction of the word's input.
function drag_to(target) {
  const {role, entry} = dragged,
    row = role === "query" ? state.word : dragged.row,
    next = copy(state),
    input = state.inputs[row];
  if (is_simplified(state)) {
    next.inputs[row] = target.map(x => Number(x.toFixed(4)));
  } else {
    const [name, ends] = role === "query" ? ["W_query", "queries"] : ["W_key", "keys"],
      size = sum_of(input.map(x => x * x)) || Infinity,
      delta = target.map((x, c) => (x - now.right[ends][row][c]) / size);
    next[name] = state[name].map((weights, r) =>
      weights.map((w, c) => Number((w + input[r] * delta[c]).toFixed(4)))
    );
  }
  change(next, entry);
  dragged.entry = "replace";
}


rooms.push(draw_plane);
on("arrows", "pointerdown", event => {
  const {role, row} = event.target.dataset;
  if (role) {
    $("arrows").setPointerCapture(event.pointerId);
    dragged = {role, row: Number(row), entry: "push"};
    event.preventDefault();
  }
});
on("arrows", "pointermove", event => {
  if (dragged) {
    const {left, top, width} = $("arrows").getBoundingClientRect(),
      zoom = WIDE / width;
    drag_to([
      ((event.clientX - left) * zoom - scale.x) / scale.unit,
      (scale.y - (event.clientY - top) * zoom) / scale.unit
    ]);
  }
});
["pointerup", "pointercancel"].forEach(type =>
  on("arrows", type, () => {
    dragged = null;
    draw_plane();
  })
);
