// Exercises: a hidden number, a hidden mistake, goals.
"use strict";

let note = ""; // what was said about the last answer

// A goal is reached when `is_reached` says so of the shares of the query.
const GOALS = {
  "mostly-one": {
    text: (from, to) => `Make ${from} take more than half from ${to}.`,
    hint: (from, to) =>
      `Raise the numbers of ${to}: then its dot product with ${from} grows.`,
    is_reached: row => row[last_word()] > 0.5
  },
  "equal-shares": {
    text: from => `Make ${from} take the same share from every word.`,
    hint: () => "What does a query of zeros match best?",
    is_reached: row => row.length > 1 && row.every(share => !differ(share, row[0]))
  },
  "nearly-nothing": {
    text: from => `Make ${from} take less than 0.01 from itself.`,
    hint: () =>
      "A dot product can be negative, too. In the trainable version, the query and the " +
      "key of a word can differ.",
    is_reached: row => row[state.word] < 0.01
  }
};
const any_of = list => list[Math.floor(Math.random() * list.length)];


// A number to hide that appears nowhere else on the page
function draw_hidden() {
  const shown = all_of("#numbers td[data-table]"),
    texts = shown.map(cell => cell.textContent);
  const fair = shown.filter(({dataset, textContent}) =>
    Number(dataset.row) === state.word &&
    (now.base[dataset.table] || {copy: true}).copy === undefined &&
    textContent !== four(-Infinity) &&
    texts.filter(text => text === textContent).length === 1
  );
  return any_of(fair.length ? fair : shown).id;
}


function start_exercise(exercise) {
  const plain = {exercise: "none", about: "", mistake: "none", walk: 0, pin: ""};
  note = "";
  if (exercise === "hidden") {
    change({...plain, rows: "one"});
    change({exercise, about: draw_hidden()}, "replace");
  } else if (exercise === "stage") {
    const about = String(any_of(Object.keys(MISTAKES))),
      version = is_simplified(state) ? "trainable" : state.version;
    change({...plain, exercise, about, version, rows: "all", causal: "off"});
  } else {
    change({...plain, exercise});
  }
}


function tell(text) {
  note = text;
  write("note", text);
}


function check_answer(text) {
  const {first, mistake} = now,
    [table, i, j] = state.about.split("-");
  if (state.exercise === "hidden") {
    const x = digits(now.shown[table][i][j], 4);
    tell(
      differ(Number(x), to_number(text))
        ? "\u2717 Not yet. Four decimals, please; Help shows the equation."
        : `\u2713 Right: ${pretty(x)}.`
    );
  } else if (!first) {
    tell("With these numbers, the mistake changes nothing. Try another one.");
  } else if (text === first.stage) {
    tell(`\u2713 Right. The mistake: ${mistake.what}. Correct: ${mistake.fix}.`);
  } else {
    tell(
      STAGES.indexOf(text) < STAGES.indexOf(first.stage)
        ? `\u2717 The ${in_words(text)} are still right.`
        : `\u2717 The numbers go wrong before the ${in_words(text)}.`
    );
  }
}


function help() {
  const goal = GOALS[state.exercise];
  if (state.exercise === "hidden") {
    change({pin: state.about}, "replace");
  } else {
    tell(
      goal
        ? goal.hint(quoted(state.word), quoted(last_word()))
        : "Point at numbers, stage by stage. Does each cell agree with its equation?"
    );
  }
}


function make_task() {
  const {exercise, about, word} = state,
    goal = GOALS[exercise],
    answer = make(exercise === "hidden" ? "input" : "select", {
      id: "answer",
      autocomplete: "off",
      onkeydown: ({key}) => key === "Enter" && check_answer(answer.value)
    });
  if (exercise === "none") {
    return [];
  }
  if (exercise === "stage") {
    answer.append(...make_options(STAGES));
  }
  const question = goal
    ? goal.text(quoted(word), quoted(last_word()))
    : exercise === "hidden"
      ? `What is ${cell_name(...about.split("-"))}?`
      : "One step is wrong. At which stage do the numbers first go wrong?";
  const buttons = [
    make_button("check", "Check", () => check_answer(answer.value)),
    make_button("another", "Another one", () => start_exercise(exercise)),
    make_button("help", goal ? "Hint" : "Help", help),
    make_button("end-task", "End", () => start_exercise("none"))
  ];
  return [
    make("label", make("b", question), goal ? "" : answer),
    make("div.row", buttons.slice(goal ? 2 : 0)),
    make("p", {id: "note", role: "status"})
  ];
}


// Only another task is built anew: a half-typed answer stays.
function draw_task() {
  const {exercise, about, word, tokens} = state,
    goal = GOALS[exercise];
  build("task", [exercise, about, word, tokens], make_task);
  if (goal) {
    const is_reached = goal.is_reached(now.shown.attention_weights[word]);
    tell(is_reached ? "\u2713 Goal reached." : note.replace(/^\u2713.*/, ""));
  } else if (exercise !== "none") {
    tell(note);
  }
}


rooms.push(draw_task);
