import re

from attention import simplified_self_attention
from examples.tools import make_worksheet


def test_sheets_are_blank_and_solutions_right(capsys):
    make_worksheet.main()
    page = capsys.readouterr().out
    assert page.count("<section>") == make_worksheet.COUNT
    tables = [[row.split("<td>")[1:] for row in table.split("<tr>")[2:]]
              for table in re.findall("<table>(.*)</table>", page)]
    blanks, solutions = tables[:len(tables) // 2], tables[len(tables) // 2:]
    assert len({str(table) for table in solutions}) > 0.75 * make_worksheet.COUNT
    for blank, solved in zip(blanks, solutions):
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
