// Queries and keys of two numbers as arrows, whose ends can be dragged. A dot product is
// the length of the query times the projection of the key on it.
"use strict";

const WIDE = 260,
  TALL = 150;
let scale = null; // {x, y, unit}: where 0 is, and how long 1 is; kept while one drags
let dragged = null; // {role, row, entry}


const on_side = (arrows, side) =>
  arrows.filter(({end}) => (end[0] < 0 ? "left" : "right") === side);


// All ends and 0 fit in, and the names beside them.
function fit_scale(arrows) {
  const [[left, right], [low, high]] = [0, 1].map(k => {
    const all = [0, ...arrows.map(({end}) => end[k])];
    return [Math.min(...all), Math.max(...all)];
  });
  const [before, after] = ["left", "right"].map(side =>
    12 + 8 * Math.max(0, ...on_side(arrows, side).map(({name}) => name.length))
  );
  const across = (WIDE - before - after) / (right - left || 1),
    unit = Math.min(across, (TALL - 20) / (high - low || 1));
  return {x: before - unit * left, y: TALL - 10 + unit * low, unit};
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


// The names, in a column on each side, joined to the ends by lines
function draw_names(arrows, side) {
  const sign = side === "left" ? -1 : 1,
    own = on_side(arrows, side).sort((a, b) => b.end[1] - a.end[1]),
    ends = own.map(({end}) => to_screen(end)),
    x = sign * (15 + Math.max(...ends.map(end => sign * end[0])));
  let y = 0;
  return own.flatMap(({role, name}, k) => {
    const lowest = TALL - 3 - 11 * (own.length - 1 - k),
      label = svg("text", {class: `${role} ${side}`, x});
    y = Math.min(lowest, Math.max(y + 11, ends[k][1] + 4));
    label.setAttribute("y", y);
    label.textContent = name;
    const d = `M${ends[k]} L${x - 3 * sign} ${y - 4}`;
    return [svg("path", {class: "axes", d}), label];
  });
}


// The query and the key that the panel is about, or the one with the largest share
function looked_at() {
  const [table, i, j] = pointed || pinned() || [""],
    row = now.shown.attention_weights[state.word];
  if (is_by_key(table)) {
    return [i, j];
  }
  const is_word = table === "keys" || table.endsWith("values");
  return [state.word, is_word ? i : row.indexOf(Math.max(...row))];
}


function draw_projection(query, key, i, j) {
  const length = Math.hypot(...query),
    score = sum_of(query.map((x, k) => x * key[k])),
    foot = query.map(x => (x * score) / (length * length || 1)),
    left = digits(score, 4);
  const right = products(left, places => [
    [digits(length, places), digits(length ? score / length : 0, places)]
  ]);
  const is_secret = is_hidden("attention_scores", i, j);
  write("projection", is_secret ? "?" : pretty(`${left} ${right}`));
  write("looked", quoted(j));
  return [draw_line("projection", [0, 0], foot), draw_line("drop", key, foot)];
}


function draw_plane() {
  const {queries, keys} = now.shown,
    [i, j] = looked_at(),
    d_k = keys[0].length;
  $("plane").hidden = d_k !== 2;
  write("no-plane", "");
  if (d_k !== 2) {
    const whose = is_simplified(state) ? "an input" : "a key";
    write("no-plane", `No arrows: ${whose} has ${d_k} numbers, not 2.`);
    return;
  }
  const arrows = keys.map((end, row) => {
    const role = row === j ? "key looked" : "key";
    return {role, row, end, name: state.tokens[row].slice(0, 10)};
  });
  arrows.push({role: "query", row: i, end: queries[i], name: "query"});
  if (!dragged) {
    scale = fit_scale(arrows);
  }
  const [x0, y0] = to_screen([0, 0]);
  const handles = arrows.map(({role, row, end}) => {
    const [cx, cy] = to_screen(end),
      data = {"data-role": role, "data-row": row};
    return svg("circle", {class: "handle", r: 12, cx, cy, ...data});
  });
  $("arrows").replaceChildren(
    svg("path", {class: "axes", d: `M0 ${y0} H${WIDE} M${x0} 0 V${TALL}`}),
    ...draw_projection(queries[i], keys[j], i, j),
    ...["left", "right"].flatMap(side => draw_names(arrows, side)),
    ...arrows.flatMap(draw_arrow),
    ...handles
  );
}


// The weight matrix changes as little as possible: as in training, in the direction of
// the word's input.
function drag_to(target) {
  const {role, row, entry} = dragged,
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
on("arrows", "lostpointercapture", () => {
  dragged = null;
  draw_plane();
});
