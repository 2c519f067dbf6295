// The walk: one number on its way from the input to the context vector, station by
// station.
"use strict";

// `code` are lines of attention.py, word for word. `from` and `to` are the query and
// the word whose key and value it meets. The first four are of the simplified version.
const STATIONS = [
  {
    cell: to => ["queries", state.word, 0],
    code: "[0.55, 0.87, 0.66],  # journey",
    text: from =>
      `A program can compare numbers, not words, so each word is a list of numbers: ` +
      `its embedding. These here are invented; a language model learns its own, ` +
      `hundreds for a word. ${from} starts as this row.`
  },
  {
    cell: to => ["attention_scores", state.word, to],
    code: "attention_scores = matmul(inputs, transpose(inputs))",
    text: (from, to) =>
      `What ${from} means depends on its neighbours. How much does ${to} matter to ` +
      `it? Compare the two rows: multiply number by number and add up. Where both ` +
      `are large, the score is large.`
  },
  {
    cell: to => ["attention_weights", state.word, to],
    code: "attention_weights = [softmax(row) for row in attention_scores]",
    text: (from, to) =>
      `Scores can be of any size. Softmax makes them shares of 1: the attention ` +
      `weights. This is the share that ${from} takes from ${to}.`
  },
  {
    cell: to => ["context_vectors", state.word, 0],
    code: "context_vectors = matmul(attention_weights, inputs)",
    text: from =>
      `Blend all words in these shares. The result stands for ${from} again, but ` +
      `now with something of every word of its sentence: a context vector.`
  },
  {
    cell: to => ["queries", state.word, 0],
    code: "queries = matmul(inputs, W_query)",
    text: from =>
      `So far nothing can be learned: two words always match as their embeddings ` +
      `do. Weight matrices change that. W_query makes of ${from} a query: what it ` +
      `looks for. Training changes the matrices until a model makes fewer mistakes; ` +
      `these here are random.`
  },
  {
    cell: to => ["keys", to, 0],
    code: "keys = matmul(inputs, W_key)",
    text: (from, to) =>
      `W_key makes of each word a key: what it can be found by. This belongs to ` +
      `${to}.`
  },
  {
    cell: to => ["values", to, 0],
    code: "values = matmul(inputs, W_value)",
    text: (from, to) => `W_value makes a value: what ${to} hands over when it is found.`
  },
  {
    cell: to => ["attention_scores", state.word, to],
    code: "attention_scores = matmul(queries, transpose(keys))",
    text: (from, to) =>
      `Now the query of ${from} is compared with the key of ${to}. Both were made ` +
      `by matrices, so training can decide what matches.`
  },
  {
    cell: to => ["scaled_scores", state.word, to],
    code: "scaled_scores = [[score / root for score in row] for row in attention_scores]",
    text: () =>
      `The more numbers a key has, the further from 0 its scores get. Divided by ` +
      `${pretty("sqrt(d_k)")}, they keep the same size; else softmax would give ` +
      `nearly all to one word.`
  },
  {
    cell: to => ["attention_weights", state.word, to],
    code: "attention_weights = [softmax(row) for row in scaled_scores]",
    text: (from, to) =>
      `Softmax again: the share that ${from} takes from ${to}. An attention weight ` +
      `is computed anew for each sentence; it is no part of a weight matrix.`
  },
  {
    cell: to => ["context_vectors", state.word, 0],
    code: "context_vectors = matmul(attention_weights, values)",
    text: from =>
      `The values, blended in these shares: the new ${from}, which knows its ` +
      `sentence. The next layer of a model goes on from here, in the end to guess ` +
      `the next word. The way is right; with random matrices, the numbers mean ` +
      `nothing yet.`
  }
];

const last_word = () => state.tokens.length - 1;
const station_cell = () => STATIONS[state.walk - 1].cell(last_word());
const is_at_station = () => pinned !== null && pinned.join() === station_cell().join();


// The changes that lead to station k, from 1; 0 ends the walk.
function station_changes(k) {
  return k === 0
    ? {walk: 0}
    : {
        walk: k,
        version: k > 4 ? "trainable" : "simplified",
        mistake: "none",
        causal: "off"
      };
}


function make_station() {
  const k = state.walk,
    {text, code} = STATIONS[k - 1];
  const bar = make(
    "div",
    {className: "bar"},
    make("b", {}, `Station ${k} of ${STATIONS.length}`),
    make_button("previous", "Previous", () => walk_to(k - 1), k === 1),
    make_button("next", "Next", () => walk_to(k + 1), k === STATIONS.length),
    make_button("end-walk", "End", () => walk_to(0))
  );
  const words = make(
    "p",
    {id: "station-text"},
    text(quoted(state.word), quoted(last_word()))
  );
  const link = make("a", {href: "../../attention.py"}, "attention.py");
  const lines = paragraph("code", make("code", {}, code), " in ", link);
  return make("div", {id: "station"}, bar, words, lines);
}


function walk_to(k) {
  pinned = null;
  change(station_changes(k));
  if (k > 0) {
    pin(...station_cell());
    bring_into_view(pinned.join("-"));
  }
  ($(k === STATIONS.length ? "previous" : "next") || $("start-walk")).focus({
    preventScroll: true
  });
}
