import re

import pytest

from attention import simplified_self_attention
from examples.tools import make_worksheet


def test_sheets_are_blank_and_solutions_right():
    tables = [[row.split("<td>")[1:] for row in table.split("<tr>")[2:]] for table in
              re.findall("<table>(.*)</table>", make_worksheet.worksheets(20))]
    assert len(tables) == 40 and len({str(table) for table in tables[20:]}) > 15
    for blank, solved in zip(tables, tables[20:]):
        assert blank == [row[:2] + [""] * 6 for row in solved]
        inputs = [[float(x) for x in row[1].split(",")] for row in solved[:3]]
        result = simplified_self_attention(inputs)
        for i, row in enumerate(solved[:3]):
            a, b = [int(x) for x in row[2].split(",")]
            assert a + b == int(row[3]) == result.attention_scores[2][i]
            assert abs(float(row[5]) - result.attention_weights[2][i]) <= 0.00501
        sums = [sum(float(row[column]) for row in solved[:3]) for column in range(4, 8)]
        for total, expected in zip(sums, solved[3][4:]):
            assert abs(total - float(expected)) < 0.021  # four rounded numbers


@pytest.mark.parametrize("args, status", [
    (["2"], None), ([], 2), (["0"], 2), (["1", "2"], 2)])
def test_the_number_of_sheets(args, status, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["make_worksheet"] + args)
    assert make_worksheet.main() == status
    out, err = capsys.readouterr()
    assert (out.count("<section>"), err.count("\n")) == ((0, 1) if status else (2, 0))
