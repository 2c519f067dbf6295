// Run a script in a Python that is written in JavaScript, in a browser, and show its output.
// The exit status is 1 if it failed or called sys.exit.
//   node .ci/browser.js brython|skulpt SCRIPT ARG...
// The page sees the files of this folder and of .ci/pythons/node_modules. Skulpt sees only SCRIPT.
"use strict";

const fs = require("fs");
const {chromium} = require("playwright-core");

const PYTHONS = {
  brython: {
    scripts: ["/brython/brython.js", "/brython/brython_stdlib.js"],
    run: program => {
      __BRYTHON__.brython({pythonpath: ["/"]});
      try {
        __BRYTHON__.runPythonSource(program, "__main__");
      } catch (error) {
        throw new Error(__BRYTHON__.error_trace(error));
      }
    },
  },
  skulpt: {
    scripts: ["/skulpt/dist/skulpt.min.js", "/skulpt/dist/skulpt-stdlib.js"],
    run: async program => {
      let printed = "";
      const read = name => {
        if (name in Sk.builtinFiles.files) {
          return Sk.builtinFiles.files[name];
        }
        throw name;
      };
      Sk.configure({__future__: Sk.python3, read, output: text => { printed += text; }});
      try {
        await Sk.misceval.asyncToPromise(
          () => Sk.importMainWithBody("<stdin>", false, program, true));
      } catch (error) {
        throw new Error(error.toString());
      } finally {
        console.log(printed);
      }
    },
  },
};

function answer(route) {
  const name = new URL(route.request().url()).pathname;
  const path = ["." + name, ".ci/pythons/node_modules" + name].find(fs.existsSync);
  if (!path) {
    return route.fulfill({status: 404, body: "not there"});
  }
  const text = fs.readFileSync(path, "utf8");  // Brython's json cannot read 1e+16
  return route.fulfill({body: path.endsWith(".json") ? text.replace(/e\+/g, "e") : text});
}

async function main([kind, ...args]) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
  try {
    const page = await browser.newPage();
    await page.route("**", answer);
    page.on("console", message => {
      if (message.type() === "log") {
        process.stdout.write(message.text());
      }
    });
    await page.goto("http://localhost/none");  // an empty page is enough
    for (const url of PYTHONS[kind].scripts) {
      await page.addScriptTag({url});
    }
    const program = "import sys\nsys.argv = " + JSON.stringify(args) + "\n";
    await page.evaluate(PYTHONS[kind].run, program + fs.readFileSync(args[0], "utf8"));
  } finally {
    await browser.close();
  }
}

main(process.argv.slice(2)).catch(error => {
  console.error(String(error.message || error));
  process.exitCode = 1;
});
