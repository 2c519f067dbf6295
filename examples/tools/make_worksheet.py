"""Worksheets to print: python3 -m examples.tools.make_worksheet > worksheets.html

30 pages for students, all with different numbers, and then the solutions. Open the file
in a browser and print as many pages as you need.
"""

from math import exp
from random import Random

from attention import simplified_self_attention
from examples.tools.common import run_lesson

COUNT = 30
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Self-attention by hand: worksheets</title>
<style>
@page { size: A4; margin: 15mm }
body { font: 12pt/1.5 Georgia, serif; max-width: 178mm; margin: auto }
section { break-after: page }
table { border-collapse: collapse; width: 99%; margin: 4mm 0; break-inside: avoid }
td { border: 1px solid #777; height: 11mm; text-align: center }
</style>
"""
SHEET = """<section>
<h1>Self-attention by hand</h1>
<p>Sheet NUMBER. Name: ______________________________
<p>The sentence is "hot green tea". Each word has two numbers. How much does <b>tea</b>
take from each word, itself included? Fill in the table from left to right.
<ol>
<li>Products: multiply each number of the word by the number of tea in the same place.
<li>Score: add up these two products.
<li>e<sup>score</sup>: look it up below the table. Add up the column.
<li>Share: divide e<sup>score</sup> by that sum, to two decimals.
<li>Multiply the share by each of the word's numbers. Add up these two columns: the sums
are the context vector of tea.
</ol>
TABLE
<p>POWERS
<p>Check: what do the shares add up to? ______ Does each number of the context vector lie
between the smallest and the largest number that the words have in that place? ______
<p>Which word does tea take most from, and why? _________________________________
<p>Now double all six numbers. Do the shares of tea become more equal, or less? Guess
first: ____________ Then compute one score again: _________
</section>
"""
SOLUTIONS = """<h1>Solutions</h1>
<p>Only what is shown is rounded. If your last digit is off by 1 or 2, that is no mistake.
If all numbers are doubled, scores become four times as large, and shares less equal.
"""
HEADS = ["word", "its numbers", "products", "score", "e<sup>score</sup>", "share",
         "share *<br>first", "share *<br>second"]


def draw_inputs(number):  # -> [3, 2]
    """Return inputs for which the scores of word 2 are different, and from -2 to 3."""
    random = Random(number)
    while True:
        inputs = [[random.choice([-1, 0, 1, 2]) for j in range(2)] for i in range(3)]
        scores = simplified_self_attention(inputs).attention_scores[2]
        if len(set(scores)) == 3 and -2 <= min(scores) and max(scores) <= 3:
            return inputs


def solve(inputs):  # -> the rows of the table
    result = simplified_self_attention(inputs)
    scores, shares = result.attention_scores[2], result.attention_weights[2]
    c, d = inputs[2]
    rows = [HEADS]
    words = ["hot", "green", "tea"]
    for word, (a, b), score, share in zip(words, inputs, scores, shares):
        rows.append([word, "%d, %d" % (a, b), "%d, %d" % (a * c, b * d), "%d" % score])
        rows[-1] += decimals(exp(score), share, share * a, share * b)
    total = exp(scores[0]) + exp(scores[1]) + exp(scores[2])
    rows.append(["sum", "", "", ""] + decimals(total, 1.0, *result.context_vectors[2]))
    return rows


def decimals(*numbers):
    return ["%.2f" % (round(x, 2) + 0.0) for x in numbers]  # + 0.0: no -0.00


def table(rows):
    return "<table>%s</table>" % "".join("<tr><td>" + "<td>".join(row) for row in rows)


def main():
    powers = ["e<sup>%d</sup> = %.2f" % (x, exp(x)) for x in range(-2, 4)]
    sheet = SHEET.replace("POWERS", " &nbsp; ".join(powers))
    sheets, solutions = "", ""
    for number in range(1, COUNT + 1):
        rows = solve(draw_inputs(number))
        blank = [rows[0]] + [row[:2] + [""] * 6 for row in rows[1:]]
        sheets += sheet.replace("NUMBER", str(number)).replace("TABLE", table(blank))
        solutions += "<p>Sheet %d\n%s\n" % (number, table(rows))
    print(PAGE + sheets + SOLUTIONS + solutions, end="")


if __name__ == "__main__":
    run_lesson(main, __doc__)
