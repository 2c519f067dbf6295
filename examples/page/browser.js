// A browser for test_page.py:
//
//   node browser.js CHROMIUM PAGE
//
// Each line of standard input is a JSON array: the link, options, and steps such as
// "fill #id 0.5"; any other step is JavaScript to read. A line answers: {"read": [...],
// "requests": [...], "errors": [...]}.
"use strict";

const {pathToFileURL} = require("url");
const {chromium} = require(process.env.PLAYWRIGHT_CORE);

const pages = {}; // one for each kind of options, used again and again
let answer = null; // to the steps that play now


async function page_for(browser, options) {
  const kind = JSON.stringify(options);
  if (!pages[kind]) {
    const page = await browser.newPage({hasTouch: true, ...options});
    page.on("request", request => answer.requests.push(request.url()));
    page.on("pageerror", error => answer.errors.push(String(error)));
    page.on("console", message => answer.errors.push(message.text()));
    pages[kind] = page;
  }
  return pages[kind];
}


async function do_step(page, step, helpers) {
  const [verb, ...words] = step.split(" "),
    about = words.join(" "),
    text = words.slice(1).join(" ");
  const verbs = {
    back: () => page.goBack(),
    fill: () => page.fill(words[0], text),
    media: () => page.emulateMedia({media: about}),
    mouse: () => (text ? page.mouse.move(+words[0], +text) : page.mouse[about]()),
    press: () => page.keyboard.press(about),
    run: () => page.evaluate(about),
    select: () => page.selectOption(words[0], text)
  };
  if (/^(click|focus|hover|tap)$/.test(verb)) {
    await page[verb](about);
  } else if (verbs[verb]) {
    await verbs[verb]();
  } else {
    answer.read.push(await page.evaluate(helpers + step));
  }
}


async function play(browser, page_file, [link, {file, helpers, ...options}, ...steps]) {
  answer = {read: [], requests: [], errors: []};
  const page = await page_for(browser, options);
  try {
    await page.goto("about:blank");
    await page.mouse.move(0, 0);
    await page.emulateMedia({media: null});
    await page.goto(pathToFileURL(file || page_file) + link);
    for (const step of steps) {
      await do_step(page, step, helpers);
    }
  } catch (error) {
    answer.errors.push(String(error));
  }
  return answer;
}


async function main([executablePath, file]) {
  const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
  for await (const line of require("readline").createInterface({
    input: process.stdin
  })) {
    console.log(JSON.stringify(await play(browser, file, JSON.parse(line))));
  }
  await browser.close();
}


main(process.argv.slice(2));
