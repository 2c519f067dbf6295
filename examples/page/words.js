// The sentence: its words are buttons, and arcs above them are as wide as the shares.
"use strict";

const HIGH = 100; // of the space for arcs


// Is this cell's number what an exercise asks for?
const is_hidden = (table, i, j) =>
  state.exercise === "hidden-number" && state.about === `${table}-${i}-${j}`;
const percent_of = x => (x > 0 && x < 0.005 ? "<1 %" : `${Math.round(100 * x)} %`);


function draw_words() {
  $("lines").setAttribute("viewBox", `0 0 ${state.tokens.length} ${HIGH}`);
  $("sentence").style.setProperty("--words", state.tokens.length);
  build("tokens", state.tokens, () =>
    state.tokens.map((title, i) => {
      const button = make_button(`word-${i}`, title, () => choose_word(i), {title});
      return make("li", button, make("span"));
    })
  );
  all_of("#tokens button").forEach((button, i) =>
    button.setAttribute("aria-pressed", i === state.word)
  );
  write("lead-word", state.tokens[state.word]);
  draw_arcs();
}


// Arcs and percentages for the shares. All words are 1 wide.
function draw_arcs() {
  const i = state.word,
    items = [...$("tokens").children],
    row = now.shown.attention_weights[i],
    largest = Math.max(...row);
  $("lines").replaceChildren(...row.map((share, k) => {
    const hidden = is_hidden("attention_weights", i, k),
      part = hidden ? 0 : Math.max(0, share / largest),
      [a, b] = [i + 0.5, k + 0.5],
      top = HIGH - 26 - (HIGH * 0.85 * Math.abs(a - b)) / row.length;
    items[k].lastChild.textContent = hidden ? "?" : percent_of(share);
    return svg("path", {
      d: i === k
        ? `M${a} ${HIGH} c-0.4 -56 0.4 -56 0 0`
        : `M${a} ${HIGH} C${a} ${top} ${b} ${top} ${b} ${HIGH}`,
      "stroke-width": (part && 0.5 + 10.5 * part).toFixed(2),
      opacity: (0.3 + 0.6 * part).toFixed(2)
    });
  }));
}


// What is explained stays the same kind of number, now of this query.
function choose_word(i) {
  const [table, row, column] = state.pin.split("-"),
    follows = Number(row) === state.word && !/keys|values/.test(table);
  change({word: i, pin: follows ? `${table}-${i}-${column}` : state.pin});
}


rooms.push(draw_words);
