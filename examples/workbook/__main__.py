"""python3 -m examples.workbook mine.py: make a file to write into, or check it."""

import argparse
import glob
import json
import os
from collections import Counter
from multiprocessing.pool import ThreadPool

import attention
from examples.tools.common import complain, run, shown
from examples.workbook.blank import blank, hints
from examples.workbook.judge import judge, on_journey
from examples.workbook.steps import NAMES, STEP

THE_END = """
What your functions give for "journey":

%s

To go on, see where weight matrices come from: examples/train.py."""


def wrong(verdicts):
    """Return what is not right, and first what has been begun."""
    names = [name for name in verdicts if verdicts[name][0] != "right"]
    return sorted(names, key=lambda name: verdicts[name][0] != "not yet")


def bar(verdicts):
    marks = [".#"[verdicts[name][0] == "right"] for name in verdicts if name != "file"]
    return "[%s] %d of %d" % ("".join(marks), marks.count("#"), len(marks))


def check(path, names, hint):
    verdicts = judge(path, names)
    for name, (status, mistakes, lines) in verdicts.items():
        print("%-32s%s" % (name, status))
        if lines:
            print("\n    " + "\n    ".join(lines) + "\n")
    print(bar(verdicts))
    todo = wrong(verdicts)
    if todo:
        print("Next: %s." % todo[0])
        if hint and todo[0] in NAMES:
            print(hints(STEP[todo[0]])[hint - 1])
    elif names == NAMES:
        result = attention.Attention(*on_journey(path))
        print(THE_END % attention.ledger(result, 1))
    return len(todo) > 0


def check_all(paths, names, as_json):
    """Check files side by side: a line for each, then what is most common."""
    begun, mistakes, todo = Counter(), Counter(), []
    with ThreadPool(os.cpu_count()) as pool:
        judged = pool.imap(lambda path: judge(path, names), paths)
        for path, verdicts in zip(paths, judged):
            todo += wrong(verdicts)
            begun.update(name for name in names if verdicts[name][0] == "not yet")
            for verdict in verdicts.values():
                mistakes.update(verdict[1])
            print(json.dumps(dict(verdicts, path=path)) if as_json else
                  "%-32s%s" % (shown(path)[1:-1], bar(verdicts)))
    common = {"not yet": begun.most_common(9), "mistakes": mistakes.most_common(9)}
    if as_json:
        print(json.dumps(common))
    for title, counts in common.items() if not as_json else []:
        print("%s: %s" % (title, ", ".join("%s %d" % count for count in counts)))
    return len(todo) > 0


def main():
    parser = argparse.ArgumentParser(
        prog="python3 -m examples.workbook",
        description="Write attention yourself. FILE is made, or checked if it exists. "
        "Exit status: 0 if all is right, 1 if not, 2 if a file cannot be used.")
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="such as mine.py, or a folder")
    add("--hint", metavar="N", nargs="?", const="1", help="what is next: 1, 2 or 3 (all)")
    add("--step", metavar="NAME", choices=NAMES, help="check this one")
    add("--json", action="store_true", help="a line of JSON for each file")
    options, others = parser.parse_known_args()
    files, hint = options.files + others, options.hint or "0"
    if hint not in "0123":  # --hint mine.py
        files, hint = files + [hint], "1"
    paths = []
    for file in files:
        paths += sorted(glob.glob(os.path.join(glob.escape(file), "*.py"))) or [file]
    names, alone = [options.step] if options.step else NAMES, len(paths) == 1
    try:
        for path in paths or [""]:
            known = os.path.exists(path)
            if not path.endswith(".py") or known and not os.path.isfile(path):
                return complain(
                    "%s: expected a .py file (save a notebook as one)" % shown(path))
            if alone and not options.json and not known:
                with open(path, "w") as file:
                    file.write(blank())
                print("Made %s: write into it.\n" % shown(path)[1:-1])
            open(path).close()
    except OSError as error:
        return complain("%s: %s" % (shown(path), error.strerror))
    if alone and not options.json:
        return check(path, names, int(hint))
    return check_all(paths, names, options.json)


if __name__ == "__main__":
    run(main)
