"""Tests of the READMEs: examples run, links lead somewhere, nothing is made up."""

import doctest
import glob
import os
import re

import pytest

import attention

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
PAGES = [README] + [
    os.path.join(folder, name)
    for start in ("examples", ".github")
    for folder, _, names in os.walk(os.path.join(ROOT, start))
    for name in names if name.endswith(".md")]


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_the_examples_in_the_readme():
    failed, tried = doctest.testfile(README, module_relative=False, encoding="utf-8")
    assert failed == 0 and tried > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text(page)):
        assert os.path.exists(os.path.join(os.path.dirname(page), link)), link


def test_the_readme_shows_what_the_command_prints(capsys):
    attention.main()
    story = capsys.readouterr().out
    assert text(README).split("```text\n")[1].split("```")[0] in story


@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_every_command_that_is_named_is_there(page):
    for name in re.findall(r"python3? -m examples\.([a-z_.]+)", text(page)):
        path = os.path.join(ROOT, "examples", *name.split("."))
        assert os.path.exists(path + ".py") or os.path.exists(path + "/__main__.py"), name


def test_the_list_of_examples_is_complete():
    listed = text(os.path.join(ROOT, "examples", "README.md"))
    for path in glob.glob(os.path.join(ROOT, "examples", "*")):
        name = os.path.basename(path)
        if name.endswith(".py") and not name.startswith(("test_", "__", "conftest")):
            assert "(%s)" % name in listed, name
        if os.path.isdir(path) and os.path.exists(path + "/README.md"):
            assert "(%s/README.md)" % name in listed, name
