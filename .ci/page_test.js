// A browser on strings for examples/test_page.py: plays steps on examples/attention.html.
//
//   node page_test.js CHROMIUM PAGE
//
// Each line of standard input is a JSON array of steps; a new page plays them, and a line of
// JSON answers: {"read": [...], "requests": [...], "errors": [...]}. A step is an array:
//   ["open", "#version=trainable", {"width": 400, "dark": true}]    first of all
//   ["hover" | "click" | "tap" | "focus", SELECTOR]   ["fill" | "select", SELECTOR, TEXT]
//   ["press", KEY]   ["back"]   ["read", JAVASCRIPT]   ["contrast"]: the smallest on the page
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require(process.env.PLAYWRIGHT_CORE || "playwright-core");

// Every text on the page with its background: the smallest contrast as WCAG 2 defines it.
function smallest_contrast() {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  function channels(colour) {  // [red, green, blue, alpha] of any CSS colour
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  function luminance(colour) {
    const [r, g, b] = colour.map(x => x / 255).map(
      x => x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  let smallest = {ratio: Infinity};
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, text = texts.currentNode.textContent.trim();
    if (!text || !element.getClientRects().length || element.tagName === "OPTION") {
      continue;
    }
    let below = [255, 255, 255];
    const around = [];
    for (let e = element; e; e = e.parentElement) {
      around.unshift(e);
    }
    for (const e of around) {
      below = over(channels(getComputedStyle(e).backgroundColor), below);
    }
    const a = luminance(over(channels(getComputedStyle(element).color), below));
    const b = luminance(below), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < smallest.ratio) {
      smallest = {ratio, text};
    }
  }
  return smallest;
}

async function play(context, file, steps) {
  const [[, hash, options = {}], ...rest] = steps;
  const answer = {read: [], requests: [], errors: []};
  const page = await context.newPage();
  await page.setViewportSize({width: options.width || 1200, height: 900});
  await page.emulateMedia({colorScheme: options.dark ? "dark" : "light"});
  page.on("request", request => answer.requests.push(request.url()));
  page.on("pageerror", error => answer.errors.push(String(error)));
  page.on("console", message => answer.errors.push(message.text()));
  try {
    await page.goto(pathToFileURL(path.resolve(file)) + hash);
    for (const [what, at, text] of rest) {
      if (what === "press") {
        await page.keyboard.press(at);
      } else if (what === "back") {
        await page.goBack();
      } else if (what === "read") {
        answer.read.push(await page.evaluate(at));
      } else if (what === "contrast") {
        answer.read.push(await page.evaluate(smallest_contrast));
      } else if (what === "select") {
        await page.selectOption(at, text);
      } else {
        await page[what](at, ...(text === undefined ? [] : [text]));
      }
    }
  } catch (error) {
    answer.errors.push(String(error));
  }
  await page.close();
  return answer;
}

async function main([executablePath, file]) {
  const browser = await chromium.launch({executablePath, args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"]});
  const context = await browser.newContext({hasTouch: true});
  context.setDefaultTimeout(20000);
  for await (const line of require("readline").createInterface({input: process.stdin})) {
    console.log(JSON.stringify(await play(context, file, JSON.parse(line))));
  }
  await browser.close();
}

main(process.argv.slice(2));
