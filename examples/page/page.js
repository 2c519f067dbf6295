// What people do: events become changes of the state. And the start.
"use strict";


// ---- Pointing at numbers
function point_at(cell) {
  pointed = place_of(cell);
  draw_panel();
  draw_plane();
}


on("numbers", "pointerover", event => {
  const cell = event.target.closest("td[data-table]");
  if (cell && event.pointerType !== "touch") {
    point_at(cell); // a finger may only be scrolling
  }
});
on("numbers", "pointerleave", () => pinned() && pointed && point_at(null));
on("numbers", "focusin", ({target}) => {
  if (target.dataset.table) {
    const table = target.closest("table");
    roving[table.id] = target.id;
    draw_stop(table);
    point_at(target);
    speak(`${cell_name(...pointed)}: ${target.textContent}`);
  }
});
on("numbers", "click", ({target}) => {
  const cell = target.closest("td[data-table]");
  if (cell) {
    pin(cell.id === state.pin ? "" : cell.id);
  }
});
on("numbers", "keydown", event => {
  const {key, target} = event,
    is_arrow = key.startsWith("Arrow");
  if (target.dataset.table && (is_arrow || key === "Enter" || key === " ")) {
    event.preventDefault();
    const next = is_arrow && neighbour(target, key);
    if (next) {
      next.focus();
    } else if (!is_arrow) {
      pin(target.id);
    }
  }
});
document.addEventListener("keydown", ({key, target}) => {
  if (key === "Escape" && target.type !== "text") {
    pin("");
  }
});


// ---- The toolbar
function plant(mistake) {
  const version = is_simplified(state) ? "trainable" : state.version,
    plain = {version, causal: "off", walk: 0, exercise: "none", pin: ""};
  change(mistake === "none" ? {mistake} : {...plain, mistake});
  const {first} = now;
  if (first && first.row !== undefined) {
    change({rows: "all", pin: `${first.stage}-${first.row}-${first.column}`}, "replace");
    bring_into_view($(state.pin));
  }
}


const TOOLS = {
  version: version => change({...to_version(version), walk: 0, exercise: "none"}),
  rows: rows => change({rows}),
  causal: () => change({causal: state.causal === "on" ? "off" : "on", walk: 0}),
  mistake: plant,
  exercise: start_exercise
};
on("toolbar", "change", ({target}) => TOOLS[target.name](target.value));
on("start-walk", "click", () => walk_to(state.walk || 1));
on("reset", "click", () => {
  kept = {};
  change(start_of(DEFAULTS.version));
});
rooms.push(() => {
  for (const tool of all_of("#toolbar [name]")) {
    const value = state[tool.name];
    if (tool.tagName === "SELECT") {
      tool.value = value;
    } else {
      tool.checked = tool.value === value;
    }
  }
});


// ---- Your own data
function copy_matrix(in_python) {
  const name = $("matrix").value,
    given = is_simplified(state) ? ["inputs"] : TABLES,
    names = name === "everything" ? [...given, ...STAGES] : [name];
  const text = as_text(names.map(key => [key, now.shown[key]]), in_python),
    is_flagged = names.length > 1 && !in_python && is_simplified(state);
  $("pasted").value = is_flagged ? text.replace("{", '{"simplified": true,\n') : text;
  $("pasted").select();
  const is_copied = document.execCommand("copy");
  write("data-note", is_copied ? "Copied." : "Copy it from the field above.");
}


on("copy-json", "click", () => copy_matrix(false));
on("copy-python", "click", () => copy_matrix(true));
on("use", "click", () => {
  try {
    const next = paste(state, $("pasted").value, $("matrix").value);
    adopt({...next, exercise: "none"}, "push");
    write("data-note", "Done.");
  } catch (error) {
    write("data-note", `${error.message}. Nothing was changed.`);
  }
});


// ---- Links
function open_link() {
  const link = location.hash.slice(1),
    has_pin = link.includes("pin=");
  say_above("");
  try {
    const [{walk}, is_complete] = decode(link),
      version = walk ? `&version=${STATIONS[walk - 1].version}` : "",
      [next] = decode(link + version);
    adopt(walk && !has_pin ? {...next, pin: station_pin(next)} : next, "");
    if (!is_complete) {
      say_above("Parts of this link are unknown and were ignored.");
    }
  } catch (error) {
    adopt(start_of(DEFAULTS.version), "");
    say_above("This link cannot be read. The running example is shown.");
  }
  if (state.walk || has_pin) {
    show_all_of_it();
  }
}


for (const [link, target] of [["skip", "numbers"], ["to-words", "words"]]) {
  on(link, "click", event => {
    event.preventDefault(); // what follows # is the state
    $(target).focus();
    $(target).scrollIntoView();
  });
}
window.addEventListener("popstate", open_link);

for (const name of ["mistake", "exercise"]) {
  $(name).append(...make_options(CHOICES[name].slice(1)));
}
$("matrix").append(...make_options([...TABLES, "everything", ...STAGES]));
$("without").remove();
all_of("[data-later]").forEach(part => (part.hidden = false));
open_link();
