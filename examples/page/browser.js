// A browser on strings for test_page.py: plays steps on the page.
//
//   node browser.js CHROMIUM PAGE
//
// Each line of standard input is a JSON array of steps, which are played; a line answers:
// {"read": [...], "requests": [...], "errors": [...]}. A step is an array:
//   ["open", "#version=trainable", {"viewport": ..., "file": ...}]   first of all
//   ["hover" | "click" | "tap" | "focus", SELECTOR]   ["fill" | "select", SELECTOR, TEXT]
//   ["press", KEY]   ["back"]   ["media", "print"]   ["run" | "read", SCRIPT]
//   ["size", WIDTH, HEIGHT]   ["mouse", "down" | "up"]   ["mouse", X, Y]
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require(process.env.PLAYWRIGHT_CORE || "playwright-core");

const pages = {}; // one for each kind of options, used again and again
let answer = null; // what is told of the steps that play now


async function page_for(browser, options) {
  const kind = JSON.stringify(options);
  if (!pages[kind]) {
    const page = await browser.newPage({hasTouch: true, ...options});
    page.setDefaultTimeout(20000);
    page.on("request", request => answer.requests.push(request.url()));
    page.on("pageerror", error => answer.errors.push(String(error)));
    page.on("console", message => answer.errors.push(message.text()));
    pages[kind] = page;
  }
  return pages[kind];
}


async function play(browser, page_file, steps) {
  const [[, hash, options = {}], ...rest] = steps;
  answer = {read: [], requests: [], errors: []};
  const page = await page_for(browser, options);
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
    await page.goto("about:blank");
    await page.mouse.move(0, 0);
    await page.emulateMedia({media: null});
    await page.goto(pathToFileURL(path.resolve(options.file || page_file)) + hash);
    for (const [what, ...given] of rest) {
      await (plain[what] || page[what].bind(page))(...given);
    }
  } catch (error) {
    answer.errors.push(String(error));
  }
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
