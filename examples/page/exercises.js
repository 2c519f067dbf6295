// Exercises: a hidden number, a hidden mistake, goals.
"use strict";

// A goal is reached when `is_reached` says so of the shares of the query.
const EXERCISES = {
  "hidden-number": {
    question: () => `What is ${cell_name(...state.about.split("-"))}?`
  },
  "wrong-stage": {
    question: () => "One step is wrong. At which stage do the numbers first go wrong?",
    hint: () => "Point at numbers, stage by stage: does each agree with its equation?"
  },
  "mostly-one-word": {
    question: (from, to) => `Make ${from} take more than half from ${to}.`,
    hint: (from, to) =>
      `Raise the numbers of ${to}: then its dot product with ${from} grows.`,
    is_reached: row => row[last_word()] > 0.5
  },
  "equal-shares": {
    question: from => `Make ${from} take the same share from every word.`,
    hint: () => "What does a query of zeros match best?",
    is_reached: row => row.length > 1 && row.every(share => !differ(share, row[0]))
  },
  "nearly-nothing": {
    question: from => `Make ${from} take less than 0.01 from itself.`,
    hint: () =>
      "A dot product can be negative, too. In the trainable version, the query and the " +
      "key of a word can differ.",
    is_reached: row => row[state.word] < 0.01
  }
};
CHOICES.exercise = ["none", ...Object.keys(EXERCISES)];
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
  if (exercise === "hidden-number") {
    change({...plain, rows: "one"});
    change({exercise, about: draw_hidden()}, "replace");
  } else if (exercise === "wrong-stage") {
    const version = is_simplified(state) ? "trainable" : state.version,
      others = Object.keys(NAMES).filter(name => name !== state.about),
      about = any_of(others); // a number: its name would be in the link
    change({...plain, exercise, about, version, rows: "all", causal: "off"});
  } else {
    change({...plain, exercise});
  }
}


const tell = text => write("note", text);


function check_answer(text) {
  const {first, mistake} = now,
    [table, i, j] = state.about.split("-");
  if (state.exercise === "hidden-number") {
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
  const {hint} = EXERCISES[state.exercise];
  if (hint) {
    tell(say(hint));
  } else {
    change({pin: state.about}, "replace");
  }
}


function make_task() {
  const {exercise} = state;
  if (exercise === "none") {
    return [];
  }
  const {question, is_reached} = EXERCISES[exercise],
    answer = make(exercise === "hidden-number" ? "input" : "select", {
      id: "answer",
      autocomplete: "off",
      onkeydown: ({key}) => key === "Enter" && check_answer(answer.value)
    });
  if (exercise === "wrong-stage") {
    answer.append(...make_options(STAGES));
  }
  const buttons = [
    make_button("check", "Check", () => check_answer(answer.value)),
    make_button("another", "Another", () => start_exercise(exercise)),
    make_button("help", "Help", help),
    make_button("end-task", "End", () => start_exercise("none"))
  ];
  return [
    make("label", make("b", say(question)), is_reached ? "" : answer),
    make("div.row", buttons.slice(is_reached ? 2 : 0)),
    make("p", {id: "note", role: "status"})
  ];
}


// Only another task is built anew: a half-typed answer stays.
function draw_task() {
  const {exercise, about, word, tokens} = state,
    {is_reached} = EXERCISES[exercise] || {};
  build("task", [exercise, about, word, tokens], make_task);
  if (is_reached && is_reached(now.shown.attention_weights[word])) {
    tell("\u2713 Goal reached.");
  } else if (is_reached) {
    tell($("note").textContent.replace(/^\u2713.*/, "")); // a hint stays
  }
}


rooms.push(draw_task);
