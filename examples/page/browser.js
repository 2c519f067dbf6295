// A browser on strings for test_page.py: plays steps on the page.
//
//   node browser.js CHROMIUM PAGE
//
// Each line of standard input is a JSON array of steps, which a new page plays; a line
// answers: {"read": [...], "requests": [...], "errors": [...]}. A step is an array:
//   ["open", "#version=trainable", {"viewport": ..., "file": ...}]   first of all
//   ["hover" | "click" | "tap" | "focus", SELECTOR]   ["fill" | "select", SELECTOR, TEXT]
//   ["press", KEY]   ["type", TEXT]   ["back"]   ["media", "print"]   ["read", SCRIPT]
//   ["contrast"]: the text of the smallest contrast
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require(process.env.PLAYWRIGHT_CORE || "playwright-core");


// Every text on the page with its background: the smallest contrast as WCAG 2 defines
// it.
function smallest_contrast() {
  function channels(colour) {
    // of "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)"
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  }
  const over = (top, low) =>
    [0, 1, 2].map(i => top[i] * top[3] + low[i] * (1 - top[3]));
  function luminance(colour) {
    const [r, g, b] = colour
      .map(x => x / 255)
      .map(x => (x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4)));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  let smallest = {ratio: Infinity};
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.textContent.trim();
    if (!text || !element.getClientRects().length || element.tagName === "OPTION") {
      continue;
    }
    const around = [];
    for (let e = element; e; e = e.parentElement) {
      around.unshift(e);
    }
    let below = [255, 255, 255];
    for (const e of around) {
      below = over(channels(getComputedStyle(e).backgroundColor), below);
    }
    const a = luminance(over(channels(getComputedStyle(element).color), below));
    const b = luminance(below),
      ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < smallest.ratio) {
      smallest = {ratio, text};
    }
  }
  return smallest;
}


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
    type: text => page.keyboard.type(text),
    back: () => page.goBack(),
    media: media => page.emulateMedia({media}),
    select: (at, value) => page.selectOption(at, value),
    read: async script => answer.read.push(await page.evaluate(script)),
    contrast: async () => answer.read.push(await page.evaluate(smallest_contrast))
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
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  });
  for await (const line of require("readline").createInterface({
    input: process.stdin
  })) {
    console.log(JSON.stringify(await play(browser, file, JSON.parse(line))));
  }
  await browser.close();
}


main(process.argv.slice(2));
