// How a number came to be: its equation, with digits that a calculator can check, in
// words, and the cells that it was made from.
"use strict";


// ---- Numbers as text
// Equations are made of ASCII, so that they can be computed; pretty() is for people.
function digits(x, places) {
  if (x === -Infinity) {
    return "-inf";
  }
  const text = Math.abs(x) < 1e6 ? x.toFixed(places) : x.toExponential(places - 1);
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
}


const pretty = text =>
  text
    .replace(/-/g, "\u2212")
    .replace(/\*/g, "\u00d7")
    .replace(/inf/g, "\u221e")
    .replace(/sqrt\((\w+)\)/g, "\u221a$1")
    // a power stays in a line
    .replace(/(\(\S+) \u2212 (\S+\)+)/g, "$1\u00a0\u2212\u00a0$2");
const four = x => pretty(digits(x, 4));
const bracket = text => (text.startsWith("-") ? `(${text})` : text);

// How many decimals a number shows. Where there is an exponent, none of our business.
const places_of = text =>
  /^-?\d+(\.\d+)?$/.test(text) ? (text.split(".")[1] || "").length : Infinity;


// ---- Lines of an equation
// The line with the fewest digits that, computed as it stands, gives all the digits of
// left: make(places) returns {text, value, decimals}; the value is exact if decimals
// are few.
function line(left, make) {
  const [mantissa, exponent] = left.split("e");
  const half_unit = 0.5 * Math.pow(10, Number(exponent || 0) - places_of(mantissa));
  let made;
  for (let places = 4; places <= 17; places++) {
    made = make(places);
    if (Math.abs(made.value - Number(left)) <= half_unit) {
      break;
    }
  }
  const is_exact =
    made.decimals <= 8 &&
    !(made.size > 1e5) &&
    Math.abs(made.value - Number(left)) < 1e-10; // 8 decimals miss by more
  return Object.assign(made, {text: (is_exact ? "= " : "\u2248 ") + made.text});
}


function total(numbers) {
  let sum = 0;
  for (const x of numbers) {
    sum += x;
  }
  return sum;
}


// left = a*b + c*d + ...; factors(places) returns [[a, b], ...] as text
function product_lines(left, factors) {
  const first = line(left, places => {
    const pairs = factors(places);
    return {
      pairs,
      text: pairs.map(pair => pair.map(bracket).join("*")).join(" + "),
      value: total(pairs.map(([a, b]) => a * b)),
      size: Math.max(...pairs.map(([a, b]) => Math.abs(a * b))),
      decimals: Math.max(...pairs.map(([a, b]) => places_of(a) + places_of(b)))
    };
  });
  const second = line(left, places => {
    const terms = first.pairs.map(([a, b]) => digits(a * b, places));
    return {
      text: terms.map(bracket).join(" + "),
      value: total(terms.map(Number)),
      size: Math.max(...terms.map(Math.abs)),
      decimals: Math.max(...terms.map(places_of))
    };
  });
  return first.pairs.length > 1 ? [first, second] : [first];
}


// left = score / sqrt(d_k), first with the root as it is, then with its digits
function scale_lines(left, score, step, all) {
  const by = divisor(step, all),
    is_whole = Number.isInteger(by);
  const made = (places, number, text) => {
    const top = digits(score, places);
    return {
      text: `${bracket(top)} ${step.scale} ${text}`,
      value: step.scale === "/" ? top / number : top * number,
      decimals: is_whole ? places : Infinity
    };
  };
  const digits_of = places => (is_whole ? String(by) : digits(by, places + 1));
  const lines = [
    line(left, places => made(places, digits_of(places), digits_of(places)))
  ];
  if (step.by !== "d_k") {
    const text = step.by.replace("d_k", all.keys[0].length);
    lines.unshift(line(left, places => made(places, by, text)));
  }
  return lines;
}


// left = e^(own - largest) / (e^(a - largest) + ...)
function softmax_lines(left, scores, own) {
  const largest = Math.max(...scores);
  const share = (powers, decimals) => ({
    text: `${powers[own].text} / (${powers.map(power => power.text).join(" + ")})`,
    value: powers[own].value / total(powers.map(power => power.value)),
    decimals
  });
  const first = line(left, places => {
    const top = digits(largest, places);
    const powers = scores.map(score => {
      const text = digits(score, places);
      return {
        text: score === -Infinity ? "e^(-inf)" : `e^(${text} - ${bracket(top)})`,
        value: Math.exp(Number(text.replace("inf", "Infinity")) - Number(top))
      };
    });
    return Object.assign(share(powers, Infinity), {powers});
  });
  const terms = places =>
    first.powers.map(({value}) => {
      const text = digits(value, places);
      return {text, value: Number(text)};
    });
  const second = line(left, places => share(terms(places), places + 4));
  const third = line(left, places => {
    const powers = terms(places),
      sum = total(powers.map(power => power.value)).toFixed(places);
    return {
      text: `${powers[own].text} / ${sum}`,
      value: powers[own].value / sum,
      decimals: places + 4
    };
  });
  return [first, second, third];
}


// ---- A cell
// A cell is [table, row, column].
const quoted = index => `\u201c${state.tokens[index]}\u201d`;
const row_name = (table, i) =>
  MATRICES.includes(table) ? `row ${i}` : `row ${quoted(i)}`;
const column_name = (table, j) =>
  is_by_key(table) ? `column ${quoted(j)}` : `column ${j}`;


function cell_name(stage, i, j) {
  const place = is_by_key(stage)
    ? `query ${quoted(i)}, key ${quoted(j)}`
    : `${quoted(i)}, number ${j}`;
  return `${stage}[${i}][${j}]: ${place}`;
}


// By the steps: {lines, words, from}, where from is a list of groups [name, cells].
// `left` is what the equation begins with, if it is not to be the number itself.
function explain(all, steps, stage, i, j, left) {
  const step = steps[stage],
    x = all[stage][i][j];
  if (x === -Infinity && stage.endsWith("scores")) {
    return {
      lines: [],
      from: [],
      words:
        `Hidden: ${quoted(j)} comes later than ${quoted(i)}. ` +
        `The score is set to ${pretty("-inf")}, and e^(${pretty("-inf")}) is 0.`
    };
  }
  const number = left || digits(x, 4);
  const is_typed = table => !STAGES.includes(table) || steps[table].copy === "inputs";
  const text = ([table, r, c], places) =>
    is_typed(table) ? String(all[table][r][c]) : digits(all[table][r][c], places);

  if (step.copy) {
    const same = [step.copy, i, j];
    const made = line(number, places => {
      const shown = text(same, places);
      return {text: shown, value: Number(shown), decimals: places_of(shown)};
    });
    return {
      lines: [made],
      from: [[`${in_words(step.copy)}, ${row_name(step.copy, i)}`, [same]]],
      words:
        `The ${in_words(step.copy)} as they are` +
        (steps === SIMPLIFIED
          ? ": the simplified version has no weight matrices and no scaling."
          : ".")
    };
  }
  if (step.scale) {
    const d_k = all.keys[0].length,
      verb = step.scale === "/" ? "divided" : "multiplied";
    return {
      lines: scale_lines(number, all.attention_scores[i][j], step, all),
      from: [["attention score", [["attention_scores", i, j]]]],
      words:
        `The score ${verb} by ${pretty(step.by)}: d_k = ${d_k} is how many numbers ` +
        "a key has."
    };
  }
  if (step.softmax) {
    const by_row = step.softmax === "row";
    const table = steps === SIMPLIFIED ? "attention_scores" : "scaled_scores";
    const cells = all[table].map((row, k) => [
      table,
      by_row ? i : k,
      by_row ? k : j
    ]);
    const name = by_row ? row_name(stage, i) : column_name(stage, j);
    return {
      lines: softmax_lines(
        number,
        cells.map(([, r, c]) => all[table][r][c]),
        by_row ? j : i
      ),
      from: [[`${in_words(table)}, ${name}`, cells]],
      words:
        `Softmax of ${name}: e to the power of each score, as a share of all. ` +
        "The largest score is subtracted first: no share changes, no power " +
        "becomes too large."
    };
  }
  const [a, b] = step.product,
    rows = look_up(all, a)[i].map((unused, k) => k);
  const cell_of = (name, r, c) =>
    name.endsWith("^T") ? [name.slice(0, -2), c, r] : [name, r, c];
  const from = [
    [line_name(a, i, true), rows.map(k => cell_of(a, i, k))],
    [line_name(b, j, false), rows.map(k => cell_of(b, k, j))]
  ];
  return {
    lines: product_lines(number, places =>
      rows.map(k => [text(from[0][1][k], places), text(from[1][1][k], places)])
    ),
    from,
    words:
      `The dot product of ${from[0][0]} and ${from[1][0]}: number by number, ` +
      "multiplied and added up."
  };
}


// "keys, row "step"": what row i, or column i, of "keys" or "keys^T" is in the table
// itself
function line_name(name, i, as_row) {
  const turned = name.endsWith("^T"),
    table = turned ? name.slice(0, -2) : name;
  const name_it = as_row === turned ? column_name : row_name;
  return `${in_words(table)}, ${name_it(table, i)}`;
}


// The equation as text: a line for each step of the evaluation.
function equation(left, lines) {
  return lines
    .map(({text}, k) => pretty((k === 0 ? left : " ".repeat(left.length)) + " " + text))
    .join("\n");
}
