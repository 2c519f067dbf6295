// The sentence: its words are buttons, and arcs above them are as wide as the shares.
"use strict";

const HIGH = 74; // of the space for arcs


// Is this cell's number what an exercise asks for?
const is_hidden = (table, i, j) =>
  state.exercise === "hidden" && state.about === `${table}-${i}-${j}`;
const percent_of = x => (x > 0 && x < 0.005 ? "<1 %" : `${Math.round(100 * x)} %`);


function draw_words() {
  build("tokens", state.tokens, () =>
    state.tokens.map((token, i) =>
      make("li", make_button(`word-${i}`, token, () => choose_word(i)), make("span"))
    )
  );
  all_of("#tokens button").forEach((button, i) =>
    button.setAttribute("aria-pressed", i === state.word)
  );
  $("lead-word").textContent = state.tokens[state.word];
  draw_attention(state.word);
}


// Arcs and percentages for the attention weights of query i.
function draw_attention(i) {
  const items = [...$("tokens").children],
    row = now.shown.attention_weights[i],
    largest = Math.max(...row);
  const middle = items.map(item => item.offsetLeft + item.offsetWidth / 2);
  const far = Math.max(1, middle[middle.length - 1] - middle[0]);
  const arcs = row.map((share, k) => {
    const [a, b] = [middle[i], middle[k]],
      part = is_hidden("attention_weights", i, k) ? 0 : Math.max(0, share / largest),
      top = HIGH - 26 - (HIGH * 0.85 * Math.abs(a - b)) / far;
    items[k].lastChild.textContent = is_hidden("attention_weights", i, k)
      ? "?"
      : percent_of(share);
    return svg("path", {
      d: i === k
        ? `M${a} ${HIGH} c-32 -56 32 -56 0 0`
        : `M${a} ${HIGH} C${a} ${top} ${b} ${top} ${b} ${HIGH}`,
      "stroke-width": (part && 0.5 + 10.5 * part).toFixed(2),
      opacity: (0.3 + 0.6 * part).toFixed(2)
    });
  });
  $("lines").replaceChildren(...arcs);
  const most = row.indexOf(largest);
  $("attends").textContent = state.exercise === "hidden"
    ? ""
    : `${quoted(i)} takes most from ${most === i ? "itself" : quoted(most)}` +
      (now.shown === now.right ? "." : ", with the mistake.") +
      (state.causal === "on" && i < row.length - 1
        ? " Later words are hidden: their share is 0."
        : "");
}


// What is explained stays the same kind of number, now of this query.
function choose_word(i) {
  const [table, row, column] = state.pin.split("-");
  const follows = Number(row) === state.word &&
    (is_by_key(table) || table === "queries" || table === "context_vectors");
  change({word: i, pin: follows ? `${table}-${i}-${column}` : state.pin});
}


rooms.push(draw_words);
["pointerover", "focusin"].forEach(type =>
  on("tokens", type, event => {
    const word = event.target.closest("button");
    if (word) {
      draw_attention(Number(word.id.slice(5)));
    }
  })
);
["pointerout", "focusout"].forEach(type =>
  on("tokens", type, () => draw_attention(state.word))
);
window.addEventListener("resize", () => draw_attention(state.word));
