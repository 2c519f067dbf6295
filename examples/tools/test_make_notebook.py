import ast
import json

import attention
from examples.conftest import text_of
from examples.tools import make_notebook

NOTEBOOK = json.loads(text_of("attention.ipynb"))


def test_it_is_not_out_of_date(capsys):
    make_notebook.main()
    assert json.loads(capsys.readouterr().out) == NOTEBOOK, "make attention.ipynb anew"


def test_each_cell_gives_what_is_shown_where_there_is_nothing_else(capsys):
    names = {"__name__": "notebook"}
    for cell in NOTEBOOK["cells"]:
        if cell["cell_type"] == "code":
            body = ast.parse(cell["source"]).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            lines = cell["source"].splitlines()
            end = len(lines) if last is None else last.lineno - 1
            exec("\n".join(lines[:end]), names)
            value = None if last is None else eval("\n".join(lines[end:]), names)
            printed = capsys.readouterr().out or ("" if value is None else repr(value))
            assert printed == "".join(output.get("text") or output["data"]["text/plain"]
                                      for output in cell["outputs"])
    assert names["INPUTS"] == attention.INPUTS and "self_attention" in names
