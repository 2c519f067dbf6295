// The walk: from the input to the context vector, station by station, and on to a
// trained model.
"use strict";

// A station is about a number of `table`, for the query of the word `from`, and the key
// and value of the word `to`.
const station = (version, table, text) => ({version, table, text});
const STATIONS = [
  station("simplified", "queries", from =>
    "A program computes with numbers, not words. So each word is a list of numbers, " +
    `its embedding; that of ${from} is marked. These are made up. A language model ` +
    "learns its own, hundreds for each word."
  ),
  station("simplified", "attention_scores", (from, to) =>
    `How much does ${to} matter to ${from}? Compare their numbers: multiply them pair ` +
    "by pair, and add up. Two equal signs raise the score, opposite ones lower it."
  ),
  station("simplified", "attention_weights", (from, to) =>
    "To blend words, we need parts of a whole, none of them negative. Softmax turns " +
    "the scores into shares that add up to 1: the attention weights. This one is what " +
    `${from} takes from ${to}.`
  ),
  station("simplified", "context_vectors", from =>
    "Multiply each word's numbers by its share, and add up. The result is the context " +
    `vector: new numbers for ${from} that carry something of every word.`
  ),
  station("trainable", "queries", from =>
    "So far nothing can be learned. Real models first multiply each input by weight " +
    `matrices. W_query turns ${from} into its query: what it looks for.`
  ),
  station("trainable", "keys", (from, to) =>
    `W_key turns ${to} into its key: what it can be found by.`
  ),
  station("trainable", "values", (from, to) =>
    `W_value turns ${to} into its value: what it hands over.`
  ),
  station("trainable", "attention_scores", (from, to) =>
    `The query of ${from} is compared with the key of ${to}. Both come from matrices, ` +
    "so training can decide what matches what."
  ),
  station("trainable", "scaled_scores", () =>
    "The more numbers a key has, the further apart its scores are, and softmax would " +
    "give nearly everything to one word. So scores are divided by \u221ad_k. The " +
    "slider further down shows the difference."
  ),
  station("trainable", "attention_weights", (from, to) =>
    `Softmax again: what ${from} takes from ${to}. An attention weight is computed ` +
    "anew for each sentence; the numbers in a weight matrix are learned once."
  ),
  station("trainable", "context_vectors", from =>
    "The values, multiplied by their shares and added up, are the context vector of " +
    `${from}. With random matrices, no word dominates. What does training change?`
  ),
  station("trained", "attention_weights", () =>
    "A small model has learned to guess the next word: sleep or sleeps? The verb " +
    `belongs to \u201c${TRAINED.tokens[SUBJECT]}\u201d. Nobody told the model, but ` +
    "the query of the last word finds the key of this subject, and the last word takes " +
    "nearly everything from it."
  )
];


const last_word = () => state.tokens.length - 1;
const say = sentence => sentence(quoted(state.word), quoted(last_word()));


// The cell that the station of a state is about
function station_pin({version, walk, word, tokens}) {
  const {table} = STATIONS[walk - 1],
    to = version === "trained" ? SUBJECT : tokens.length - 1,
    row = table === "keys" || table === "values" ? to : word;
  return `${table}-${row}-${is_by_key(table) ? to : 0}`;
}


function make_station() {
  const k = state.walk,
    is_last = k === STATIONS.length;
  return [
    make(
      "div.row",
      make("b", `${k} of ${STATIONS.length}`),
      make_button("previous", "Back", () => walk_to(k - 1), {disabled: k === 1}),
      make_button("next", "Next", () => walk_to(k + 1), {disabled: is_last}),
      make_button("end-walk", "End", () => walk_to(0))
    ),
    make("p", {id: "station-text"}, say(STATIONS[k - 1].text))
  ];
}


// Station 0 is the end of the walk.
function walk_to(k) {
  if (k === 0) {
    change({walk: 0, pin: ""});
    $("start-walk").focus({preventScroll: true});
    return;
  }
  const {version} = STATIONS[k - 1],
    causal = version === "trained" ? "on" : "off",
    plain = {rows: "one", mistake: "none", exercise: "none", walk: k, causal},
    next = {...state, ...to_version(version), ...plain};
  change({...next, pin: station_pin(next)});
  show_all_of_it();
  speak($("station-text").textContent);
  $(k === STATIONS.length ? "previous" : "next").focus({preventScroll: true});
}


rooms.push(() => {
  $("walk").replaceChildren(...(state.walk ? make_station() : []));
  if (state.walk === 1) {
    mark(state.inputs[state.word].map((x, k) => ["inputs", state.word, k]), "from");
  }
});
