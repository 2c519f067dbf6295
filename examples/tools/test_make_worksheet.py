import re

from attention import simplified_self_attention
from examples.tools import make_worksheet


def rows(page):  # -> the cells of each row of each table
    tables = re.findall("<table>(.*?)</table>", page, re.DOTALL)
    return [[row.split("<td>")[1:] for row in table.replace("\n", "").split("<tr>")[1:-1]]
            for table in tables]


def test_sheets_are_blank_and_solutions_right():
    tables = rows(make_worksheet.worksheets(20))
    assert len(tables) == 40
    for blank, solved in zip(tables[:20], tables[20:]):
        assert [row[:2] for row in blank] == [row[:2] for row in solved]
        assert set(sum([row[2:] for row in blank[1:]], [])) == {""}
        inputs = [[float(x) for x in row[1].split(",")] for row in solved[1:4]]
        result = simplified_self_attention(inputs)
        for i, row in enumerate(solved[1:4]):
            a, b = [int(x) for x in row[2].split(",")]
            assert a + b == int(row[3]) == result.attention_scores[2][i]
            assert abs(float(row[5]) - result.attention_weights[2][i]) <= 0.00501
        sums = [sum(float(row[column]) for row in solved[1:4]) for column in range(4, 8)]
        for total, expected in zip(sums, solved[4][4:]):
            assert abs(total - float(expected)) < 0.021  # four rounded numbers
    assert len({str(table) for table in tables[20:]}) > 15


def test_the_number_of_sheets(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["make_worksheet", "2"])
    assert make_worksheet.main() is None
    assert capsys.readouterr().out.count("<section>") == 2
    for args in [], ["0"], ["1", "2"]:
        monkeypatch.setattr("sys.argv", ["make_worksheet"] + args)
        assert make_worksheet.main() == 2
        assert capsys.readouterr().err.count("\n") == 1
