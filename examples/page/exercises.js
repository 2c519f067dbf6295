// Exercises: a hidden number, a hidden mistake, goals. What an exercise is about is
// kept here, not in the link.
"use strict";

let task = null; // {kind, cell, secret, goal, note, hint}

const is_hidden = (stage, i, j) =>
  task !== null && task.cell !== undefined && task.cell.join() === [stage, i, j].join();
const secret_mistake = () => (task === null ? undefined : task.secret);
const is_secret = () => secret_mistake() !== undefined;
const one_of = list => list[Math.floor(Math.random() * list.length)];

// A goal is reached when `is_reached` says so of the numbers on the page.
const GOALS = [
  {
    name: "goal: mostly one word",
    text: () =>
      `Make ${quoted(state.word)} attend mostly to ${quoted(last_word())}: with an ` +
      "attention weight above 0.5.",
    hint: () =>
      `Raise the numbers of ${quoted(last_word())}: the dot product with ` +
      `${quoted(state.word)} grows. Arrow up adds 0.1, with Shift 1.`,
    is_reached: row => row[last_word()] > 0.5
  },
  {
    name: "goal: equal shares",
    text: () => `Make ${quoted(state.word)} take the same share from every word.`,
    hint: () => "What does a query of zeros match best?",
    is_reached: row => row.length > 1 && row.every(share => !differ(share, row[0]))
  },
  {
    name: "goal: nearly nothing",
    text: () => `Make ${quoted(state.word)} take less than 0.01 from itself.`,
    hint: () =>
      "A dot product can be negative, too. In the trainable version, the query and the " +
      "key of a word can differ.",
    is_reached: row => row[state.word] < 0.01
  }
];
const KINDS = [
  "none",
  "find a hidden number",
  "find the wrong stage",
  ...GOALS.map(goal => goal.name)
];


function end_exercise() {
  const had_secret = is_secret();
  task = null;
  draw_task();
  $("exercise").value = "none";
  if (had_secret) {
    now = compute(state);
  }
}


function start_exercise(kind) {
  end_exercise();
  pinned = null;
  const goal = GOALS.find(g => g.name === kind),
    plain = {mistake: "none", walk: 0};
  if (kind === "find a hidden number") {
    change(plain);
    const stages = STAGES.filter(stage => !now.base[stage].copy);
    const stage = one_of(stages),
      row = now.shown[stage][state.word];
    const columns = row.map((x, j) => j).filter(j => row[j] !== -Infinity);
    task = {kind, cell: [stage, state.word, one_of(columns)]};
  } else if (kind === "find the wrong stage") {
    task = {kind, secret: one_of(MISTAKES).name};
  } else if (goal) {
    task = {kind, goal};
  }
  change(
    is_secret()
      ? {...plain, version: "trainable", rows: "all", causal: "off"}
      : kind === "none"
        ? {}
        : plain
  );
  $("exercise").value = kind;
  if (task && task.cell) {
    bring_into_view(task.cell.join("-"));
  }
}


function tell(note) {
  task.note = note;
  draw_task();
  speak(note);
}


function check_answer(text) {
  if (!task.cell) {
    check_stage(text);
    return;
  }
  const [stage, i, j] = task.cell,
    x = digits(now.shown[stage][i][j], 4);
  if (differ(Number(x), to_number(text))) {
    tell("\u2717 Not yet. Four decimals, please; Help shows the equation.");
  } else {
    tell(`\u2713 Right: ${pretty(x)}.`);
  }
}


function check_stage(stage) {
  const {first, mistake} = now;
  if (!first) {
    tell("On these numbers, the mistake changes nothing. Take another one.");
  } else if (stage === first.stage) {
    tell(`\u2713 Right. Wrong was: ${mistake.what}. Better: ${mistake.fix}.`);
  } else if (STAGES.indexOf(stage) < STAGES.indexOf(first.stage)) {
    tell(`\u2717 The ${in_words(stage)} are still right.`);
  } else {
    tell(`\u2717 The numbers part before the ${in_words(stage)}.`);
  }
}


function goal_note() {
  const row = now.shown.attention_weights[state.word];
  return task && task.goal && task.goal.is_reached(row) ? "\u2713 Goal reached." : "";
}


function help() {
  if (task.cell) {
    pin(...task.cell);
  } else if (task.goal) {
    tell(task.goal.hint());
  } else {
    tell("Point at numbers, stage by stage: is the equation's number the cell's?");
  }
}


function make_answer() {
  const answer = task.cell ? make("input", {inputMode: "decimal"}) : make("select", {});
  answer.id = "answer";
  answer.append(
    ...STAGES.map(stage => make("option", {value: stage}, in_words(stage)))
  );
  answer.value = $("answer") ? $("answer").value : answer.value;
  answer.onkeydown = event => {
    if (event.key === "Enter") {
      check_answer(answer.value);
    }
  };
  return answer;
}


function draw_task() {
  $("task").hidden = task === null;
  if (task === null) {
    $("task").replaceChildren();
    return;
  }
  const bar = make("div", {className: "bar"}),
    note = goal_note();
  if (task.goal) {
    bar.append(make("b", {}, task.goal.text()), make("span", {id: "reached"}, note));
  } else {
    const question = task.cell
      ? `What is ${cell_name(...task.cell)}? `
      : "One step is wrong. At which stage do the numbers first part? ";
    bar.append(
      make("label", {}, make("b", {}, question), make_answer()),
      make_button("check", "Check", () => check_answer($("answer").value)),
      make_button("another", "Another one", () => start_exercise(task.kind))
    );
  }
  bar.append(
    make_button("help", task.goal ? "Hint" : "Help", help),
    make_button("end-task", "End", () => start_exercise("none"))
  );
  redraw("task", bar, make("p", {id: "note"}, task.note || ""));
  if (note) {
    speak(note);
  }
}
