"""Tests of the READMEs: examples run, links lead somewhere, nothing is made up."""

import doctest
import glob
import json
import os
import re
import shutil
import subprocess

import pytest

import attention
from examples.conftest import HERE, text_of
from examples.test_commands import LESSONS

ROOT = os.path.dirname(HERE)
README = os.path.join(ROOT, "README.md")
PAGES = [os.path.relpath(page, HERE)
         for folder in ("", "examples/", "examples/*/", ".ci/", ".github/", ".github/*/")
         for page in glob.glob(os.path.join(ROOT, folder + "*.md"))]


def test_the_examples_in_the_readme():
    failed, tried = doctest.testfile(README, module_relative=False, encoding="utf-8")
    assert failed == 0 and tried > 0


@pytest.mark.parametrize("page", PAGES)
def test_links_and_commands_are_there(page):
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text_of(page)):
        assert os.path.exists(os.path.join(HERE, os.path.dirname(page), link)), link
    for name in re.findall(r"python3? -m examples\.([a-z_.]+)", text_of(page)):
        path = os.path.join(HERE, *name.split("."))
        assert os.path.exists(path + ".py") or os.path.exists(path + "/__main__.py"), name


def test_the_readme_shows_what_the_command_prints(capsys):
    attention.main()
    table = text_of(README).split("```text\n")[1].split("```")[0]
    assert table in capsys.readouterr().out


def test_the_list_of_examples_is_complete():
    listed = text_of("README.md")
    for name in LESSONS:
        assert "(%s.py)" % name in listed, name
    for path in glob.glob(os.path.join(HERE, "*", "README.md")):
        name = os.path.basename(os.path.dirname(path))
        assert "(%s/README.md)" % name in listed, name


def test_the_version_is_the_same_everywhere():
    version = re.search(r"attention-by-hand (\S+),", attention.__doc__).group(1)
    for name, line in (
            ("pyproject.toml", 'version = "%s"'),
            ("examples/porting/vectors.json", '"version": "%s"'),
            (".github/CHANGELOG.md", "## %s ")):
        path = os.path.join(ROOT, *name.split("/"))
        if os.path.exists(path):  # a release lacks some
            assert line % version in text_of(path), name


def test_where_the_running_example_is_known():
    """Whoever changes it changes these files, and makes data from attention.py anew."""
    try:
        tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT).decode().split()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no clone")
    assert [name for name in tracked if name.endswith((".py", ".js", ".md", ".html"))
            if re.search(r"\bjourney\b|0\.2961", text_of(os.path.join(ROOT, name)))] == [
        ".github/CHANGELOG.md", "README.md", "attention.py", "examples/causal.py",
        "examples/class/README.md", "examples/find_the_mistake/README.md",
        "examples/page/index.html", "examples/porting/attention.js",
        "examples/test_torch_random.py", "examples/tools/torch_random.py",
        "examples/workbook/__main__.py", "test_attention.py"]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_attention_js_has_the_same_running_example():
    script = """
const a = require("./examples/porting/attention.js");
console.log(JSON.stringify([a.TOKENS, a.INPUTS, a.W_QUERY, a.W_KEY, a.W_VALUE]));"""
    out = subprocess.check_output(["node", "-e", script], cwd=ROOT)
    assert json.loads(out.decode()) == [
        attention.TOKENS, attention.INPUTS, attention.W_QUERY, attention.W_KEY,
        attention.W_VALUE]
