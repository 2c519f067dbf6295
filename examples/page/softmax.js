// Two cards below the numbers: softmax with a temperature, and what training changed.
"use strict";


const factor = () => Math.pow(2, $("factor").value);


// A bar for each word: of its score above, of its share below.
function make_bars() {
  return state.tokens.map(token =>
    make(
      "li",
      make("div.above", make("i")),
      make("div"),
      make("b", token),
      make("div.share"),
      make("div.below", make("i"))
    )
  );
}


function draw_temperature() {
  $("sharpness").hidden = state.exercise === "hidden-number";
  build("bars", state.tokens, make_bars);
  const row = now.shown.scaled_scores[state.word],
    scores = row.map(x => x * factor()),
    shares = softmax(scores);
  const far = Math.max(...row.filter(isFinite).map(Math.abs)) * 8 || 1;
  [...$("bars").children].forEach((item, j) => {
    const [above, score, , share, below] = item.children;
    const part = isFinite(scores[j]) ? Math.abs(scores[j]) / far : 0;
    above.firstChild.style.height = `${100 * part}%`;
    above.firstChild.className = scores[j] < 0 ? "negative" : "";
    score.textContent = pretty(digits(scores[j], 2));
    share.textContent = digits(shares[j], 2);
    below.firstChild.style.height = `${100 * shares[j]}%`;
  });
  const temperature = digits(1 / factor(), 2),
    text = `scores \u00d7 ${digits(factor(), 2)}, temperature ${temperature}`;
  write("factor-text", text);
  $("factor").setAttribute("aria-valuetext", text);
}


rooms.push(draw_temperature);
on("factor", "input", draw_temperature);


// The last word of the trained example: its shares with random matrices, and with those
// that training found.
function draw_training() {
  const start = start_of("trained");
  const shares = s => run(s, TRAINABLE).attention_weights[start.word];
  const [before, after] = [{...start, ...BEFORE}, start].map(shares);
  const bar = share => [
    make("td", percent_of(share)),
    make("td.bar", make("i", {style: `width: ${100 * share}%`}))
  ];
  $("shares").replaceChildren(
    ...start.tokens.map((token, j) =>
      make("tr", heading("row", token), bar(before[j]), bar(after[j]))
    )
  );
}


draw_training();
