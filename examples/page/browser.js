// A browser on strings for test_page.py: plays steps on the page.
//
//   node browser.js CHROMIUM PAGE
//
// Each line of standard input is a JSON array of steps, which a new page plays; a line
// answers: {"read": [...], "requests": [...], "errors": [...]}. A step is an array:
//   ["open", "#version=trainable", {"viewport": ..., "file": ...}]   first of all
//   ["hover" | "click" | "tap" | "focus", SELECTOR]   ["fill" | "select", SELECTOR, TEXT]
//   ["press", KEY]   ["back"]   ["media", "print"]   ["run" | "read", SCRIPT]
//   ["size", WIDTH, HEIGHT]   ["mouse", "down" | "up"]   ["mouse", X, Y]
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require(process.env.PLAYWRIGHT_CORE || "playwright-core");

const contexts = {}; // a browser window for each kind of options


async function play(browser, page_file, steps) {
  const [[, hash, options = {}], ...rest] = steps;
  const answer = {read: [], requests: [], errors: []},
    kind = JSON.stringify(options);
  contexts[kind] =
    contexts[kind] || (await browser.newContext({hasTouch: true, ...options}));
  const page = await contexts[kind].newPage();
  page.setDefaultTimeout(20000);
  page.on("request", request => answer.requests.push(request.url()));
  page.on("pageerror", error => answer.errors.push(String(error)));
  page.on("console", message => answer.errors.push(message.text()));
  const plain = {
    press: key => page.keyboard.press(key),
    back: () => page.goBack(),
    media: media => page.emulateMedia({media}),
    select: (at, value) => page.selectOption(at, value),
    size: (width, height) => page.setViewportSize({width: +width, height: +height}),
    mouse: (x, y) => (y ? page.mouse.move(+x, +y) : page.mouse[x]()),
    run: script => page.evaluate(script),
    read: async script => answer.read.push(await page.evaluate(script))
  };
  try {
    await page.goto(pathToFileURL(path.resolve(options.file || page_file)) + hash);
    for (const [what, ...given] of rest) {
      await (plain[what] || page[what].bind(page))(...given);
    }
  } catch (error) {
    answer.errors.push(String(error));
  }
  await page.close();
  return answer;
}


async function main([executablePath, file]) {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  const browser = await chromium.launch({executablePath, args});
  for await (const line of require("readline").createInterface({
    input: process.stdin
  })) {
    console.log(JSON.stringify(await play(browser, file, JSON.parse(line))));
  }
  await browser.close();
}


main(process.argv.slice(2));
