"""Make a notebook of attention.py: python3 -m examples.tools.make_notebook > new.ipynb

Comments and docstrings become text, each function becomes a cell, and its examples become
cells below it, with their outputs. The checks of part 6 come first, in one folded cell.
"""

import base64
import doctest
import inspect
import json
import re

import attention
from examples.tools.common import run_lesson
from examples.tools.heatmap import draw_running_example

TITLE = "# Self-attention by hand\n\nThis is attention.py. Run its cells in order.\n"
FOLDED = "The next cell refuses bad input to the functions below. Run it and read on."
PICTURE = "## A picture\n\n<img alt='attention weights' src='data:image/svg+xml;base64,"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}


def prose(text):  # -> no cell or one
    if not text.strip():
        return []
    lines = []
    for line in text.strip("\n").splitlines():  # tables and code are indented
        lines.append("  " + line if line.startswith("  ") else line.replace("*", "\\*"))
    return [{"cell_type": "markdown", "metadata": {}, "source": "\n".join(lines)}]


def code(source, result="", hidden=False):
    output = {"output_type": "execute_result", "execution_count": None, "metadata": {},
              "data": {"text/plain": result.strip("\n")}}
    if re.search("(?m)^ *print", source):
        output = {"output_type": "stream", "name": "stdout", "text": result}
    return {"cell_type": "code", "metadata": {"jupyter": {"source_hidden": hidden}},
            "execution_count": None, "source": source.strip("\n"),
            "outputs": [output] if result else []}


def cells_of_function(source):
    before, docstring, after = source.split('"""', 2)
    text, pending, cells = "### %s\n\n" % re.findall(r"\w+", before)[1], "", []
    for part in doctest.DocTestParser().parse(inspect.cleandoc(docstring) + "\n"):
        if isinstance(part, str):
            text += part
        elif part.exc_msg is None:
            cells += prose(text)
            text, pending = "", pending + part.source
            if part.want:
                cells.append(code(pending, part.want))
                pending = ""
    cells += prose(text)
    return cells[:1] + [code(before.rstrip(" ") + after.lstrip("\n"))] + cells[1:]


def cells_of_section(source):
    cells = []
    for lines in [part.splitlines() for part in source.strip("\n").split("\n\n")]:
        count = [line.startswith("#") for line in lines + [""]].index(False)
        text = "\n".join(line[2:] for line in lines[:count])
        text = re.sub("(?m)^---- (.*?) -*$", r"## \1\n", text)
        cells += prose(text)
        cells += [code("\n".join(lines[count:]))] if count < len(lines) else []
    return cells


def main():
    with open(attention.__file__) as file:
        tutorial, rest = file.read().split('"""\n', 1)[1].split("# =====", 1)
    guards = "\n\n\n".join(rest.split("# ---- ")[1].split("\n\n\n")[1:])
    about = TITLE + attention.__doc__.split("\n", 1)[1]
    cells = prose(about) + prose(FOLDED) + [code(guards, hidden=True)]
    for part in tutorial.split("\n\n\n"):
        is_function = part.strip().startswith("def ")
        cells += cells_of_function(part) if is_function else cells_of_section(part)
    picture = PICTURE + base64.b64encode(draw_running_example().encode()).decode() + "'>"
    notebook = {"cells": cells + prose(picture), "nbformat": 4, "nbformat_minor": 4}
    print(json.dumps(dict(notebook, metadata=KERNEL), indent=1))


if __name__ == "__main__":
    run_lesson(main, __doc__)
