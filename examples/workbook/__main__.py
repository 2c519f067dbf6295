"""python3 -m examples.workbook mine.py: make a file to write into, or check it."""

import argparse
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import time

import attention
from examples.tools.common import complain, run, shown
from examples.workbook import blank
from examples.workbook.steps import STEPS, function_of, right

ROOT = os.path.dirname(os.path.abspath(attention.__file__))
NAMES = [step.name for step in STEPS]
LEFT_OUT = (r'\n +if .*\n +(raise|refuse).*|\n? +#.*|'
            r'\n +"""[\s\S]*?"""|\n.*(check|to_float)[\s\S]*?\)(\[0\])?(?=\n)')


def ask(path, names, limit=10):
    """Return {name: [status, mistakes, lines]}; or {"file": ...} if the file fails."""
    command = [sys.executable, "-B", "-m", "examples.workbook.judge"]
    try:
        out = subprocess.run(command + [os.path.abspath(path)] + names, cwd=ROOT,
                             timeout=limit, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        end = "it ends Python"
    except subprocess.TimeoutExpired as error:
        out, end = error.output or b"", "it still runs after %g seconds" % limit
    lines = out.decode().splitlines() + [json.dumps(["not yet", [end], [end]])]
    verdicts = {name: ["waits", [], []] for name in names}
    verdicts.update(zip(["file"] + names, map(json.loads, lines)))
    file = verdicts.pop("file")
    return verdicts if file[0] == "right" else {"file": file}


def report(path, verdicts, todo, before):
    """Print verdicts, why the newest right step works, and what is next."""
    for name, (status, mistakes, lines) in verdicts.items():
        print("%-32s%s" % (name, status))
        if lines:
            print("\n    " + "\n    ".join(lines) + "\n")
    for name in [name for name in verdicts if name not in todo + before][-1:]:
        step, source, place = find(name)
        print("\n%s is right. %s See %s." % (name, step.why, place))
    if len(verdicts) == len(NAMES):
        print("\n%d of %d are right." % (len(verdicts) - len(todo), len(NAMES)))
    if todo and todo[0] in NAMES:
        with open(path, "rb") as file:
            above = file.read().split(b"def " + function_of(todo[0]).encode() + b"(")[0]
        print("Next: %s, %s (line %d of %s)." % (
            todo[0], verdicts[todo[0]][0], above.count(b"\n") + 1, shown(path)[1:-1]))


def find(name):  # -> a step, its right function without checks, and its place
    lines, number = inspect.getsourcelines(right(name))
    file = os.path.relpath(inspect.getsourcefile(right(name)), ROOT)
    step = STEPS[NAMES.index(name)]
    source = re.sub(LEFT_OUT, "", "".join(lines))
    source = re.sub(r"Attention\([\s\S]*\)", step.stages.replace(" ", ", "), source)
    if name == "softmax":
        source = re.sub(r"\n.*largest = .*| - largest", "", source)
    return step, source, "%s, line %d" % (file, number)


def hint(name, count):
    """Print hints. Two are the right function with gaps."""
    step, source, place = find(name)
    outline = re.sub(r"( [-+]?=| in|return) [^:\n]*", r"\1 ...", source)
    print("\n".join([step.hint, outline, re.sub(r"\([^()]*\)", "(...)", source)][:count]))


def check(path, options):
    before = []
    while True:
        saved = os.stat(path).st_mtime
        verdicts = ask(path, [options.step] if options.step else NAMES)
        todo = [name for name in verdicts if verdicts[name][0] != "right"]
        todo.sort(key=lambda name: verdicts[name][0] != "not yet")
        if options.json:
            print(json.dumps(verdicts))
        else:
            report(path, verdicts, todo, before)
            if todo and todo[0] in NAMES:
                hint(todo[0], options.hint)
        if not options.watch:
            return min(len(todo), 1)
        before = [name for name in verdicts if name not in todo]
        while not os.path.exists(path) or os.stat(path).st_mtime == saved:
            time.sleep(0.3)


def main():
    parser = argparse.ArgumentParser(
        prog="python3 -m examples.workbook", usage="%(prog)s FILE [OPTION]",
        description="Write attention yourself. FILE is made, or checked if it exists. "
        "Exit status: 0 if all is right, 1 if not, 2 if FILE cannot be used.")
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="such as mine.py")
    add("--hint", metavar="N", nargs="?", type=int, choices=[1, 2, 3], const=1, default=0,
        help="up to 3 hints for the next step")
    add("--step", metavar="NAME", choices=NAMES, help="check this one")
    add("--solution", metavar="NAME", choices=NAMES, help="print this one")
    add("--watch", action="store_true", help="check at every save")
    add("--json", action="store_true", help="print all in JSON")
    options, unknown = parser.parse_known_args()
    if options.solution:
        step, source, place = find(options.solution)
        print("# %s\n%s" % (place, source))
        return 0
    if unknown or options.file is None:
        return complain("expected one FILE, see --help")
    try:
        if not os.path.exists(options.file):
            shutil.copyfile(blank.__file__, options.file)
            if not options.json:
                print("Made %s: write into it.\n" % shown(options.file)[1:-1])
        open(options.file, "rb").close()
    except OSError as error:
        return complain("%s: %s" % (shown(options.file), error.strerror))
    return check(options.file, options)


if __name__ == "__main__":
    run(main)
