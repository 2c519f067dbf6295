"""What is behind wrong answers? It is said if it holds for all of them.

Each step is judged from the port's own numbers before it, and not judged if their sizes
are wrong. A mistake is named if it gives the port's very numbers, right ones included.
"""

from attention import STAGES, sqrt, transpose
from examples.find_the_mistake.describe import describe
from examples.find_the_mistake.steps import (
    MISTAKES, before, divide, each, flat, reshape, right_steps, width)
from examples.porting.protocol import request
from examples.porting.self_check import answer as computed
from examples.porting.self_check import largest
from examples.tools.common import first_difference, in_words, near

LARGE = 80.0  # e^88.8 is too large for single precision
NEARLY = 1e-4
PRODUCTS = ("queries", "keys", "values", "attention_scores", "context_vectors")
FLAT = "In a flat array, m[i][j] is m[i * columns + j]."
NEARLY_RIGHT = "Right to 4 digits or more: is there an epsilon, or single precision " \
    "where a double belongs? If all is of single precision: --float32."


def explain(answers, plain, tolerance):
    """Yield the lines that explain the wrong ones of these answers to valid cases."""
    wrong = [answer for answer in answers if answer.text]
    right = [answer for answer in answers if not answer.text]
    if wrong and right:
        yield from about_which(wrong, right, plain)
    numbers = [answer for answer in wrong if "context_vectors" in answer.given]
    if numbers:
        text = about_digits(numbers) or about_protocol(answers, tolerance)
        yield from [text] if text else about_steps(numbers, right, tolerance)


def agrees(answer, stage, tolerance):
    return same(answer.case["expected"][stage], answer.given[stage], tolerance)


def same(expected, actual, tolerance):
    """Do two matrices agree? If nan is expected, it agrees with nan."""
    def near_or_nan(x, y, tolerance):
        return near(x, y, tolerance) or x != x and y != y

    limit = tolerance * largest([[x for x in flat(expected) if x - x == 0.0]])
    return first_difference(expected, actual, limit, near_or_nan) is None


# ---- What concerns whole answers


def about_which(wrong, right, plain):
    """Say what the wrong cases have in common: long requests, large scores."""
    lengths, are_large = [], []
    for answers in right, wrong:
        lengths.append([len(request(answer.case, plain)) for answer in answers])
        are_large.append([largest(answer.case["expected"]["scaled_scores"]) > LARGE
                          for answer in answers])
    if len(right) > 3 and max(lengths[0]) < min(lengths[1]):
        yield "Requests of up to %d characters are right, those of %d and more are " \
            "wrong: is a line read whole?" % (max(lengths[0]), min(lengths[1]))
    if all(are_large[1]) and not all(are_large[0]):
        yield "Only scores above %g or below -%g are wrong: does softmax subtract " \
            "the largest score of the row? Does the maximum start from the first " \
            "score?" % (LARGE, LARGE)


def about_digits(wrong):
    """Say that numbers are right but for their last digits; or return ""."""
    matrices = [rows for answer in wrong for rows in answer.given.values()]
    numbers = [x for rows in matrices for x in flat(rows)]
    for form, name, first in ("%.*e", "digits", 1), ("%.*f", "decimals", 0):
        for places in range(14):
            if all(float(form % (places, x)) == x for x in numbers):
                if all(agrees(answer, stage, 10.0 ** -places)
                       for answer in wrong for stage in answer.given):
                    return "All is right but short: print 17 digits, not %d %s." % (
                        places + first, name)
                break
    return ""


def swapped(rows):
    return reshape(rows, width(rows), len(rows))


AS_IT_IS = ("", lambda rows: rows)
SHAPES = (AS_IT_IS, ("ROWS and COLUMNS swapped", swapped),
          ("all matrices transposed", transpose))
BY_COLUMNS = "column by column, not row by row"
READ = SHAPES + (
    (BY_COLUMNS, lambda rows: transpose(swapped(rows))),
    ("each number without its exponent: 1e+200 is 1",
     lambda rows: each(lambda x: float(repr(x).split("e")[0]), rows)),
    ("each number without its decimals (a comma for the point?): 0.43 is 0",
     lambda rows: each(lambda x: float(int(x)), rows)))
WRITTEN = SHAPES + ((BY_COLUMNS, lambda rows: swapped(transpose(rows))),)


def about_protocol(answers, tolerance):
    """Say how requests were misread, or answers miswritten, if that explains them all."""
    for reading, read in READ:
        for writing, write in WRITTEN:
            texts = ["read " + reading] * bool(reading)
            texts += ["written " + writing] * bool(writing)
            if texts and all(is_as_if(answer, read, write, tolerance)
                             for answer in answers):
                return "Everything fits this: " + ", and ".join(texts) + "."
    return ""


def is_as_if(answer, read, write, tolerance):
    case = answer.case
    arguments = {name: read(rows) for name, rows in case["arguments"].items()}
    expected = computed(case["function"], arguments)
    if "error" in expected:
        return not set(answer.given).intersection(STAGES)
    return "context_vectors" in answer.given and all(
        same(write(expected[stage]), answer.given[stage], 10 * tolerance)
        for stage in answer.given)


# ---- Step by step


def own(answer, steps={}):
    """Return {stage: rows}, as they follow from the port's own numbers before each, with
    some steps replaced. None: the step cannot be told here, as a bias in a single row."""
    case, found = answer.case, {}
    s = before(case["arguments"])
    steps = dict(right_steps(case["arguments"]), **steps)
    for stage in STAGES:
        s.got = answer.given.get(stage)
        try:
            found[stage] = steps[stage](s) or None
        except (ArithmeticError, IndexError, TypeError, ValueError):
            pass  # not even the sizes fit
        rows = s.got or found.get(stage)
        expected = case["expected"][stage]
        fits = rows and len(rows) == len(expected) and width(rows) == width(expected)
        setattr(s, stage, rows if fits else None)
    return found


def about_steps(numbers, right, tolerance):
    yield "Step by step, each from the port's own numbers before it:"
    lines = {}
    for stage in STAGES:
        wrong = []
        for answer in numbers:
            rows = own(answer).get(stage)
            if stage in answer.given and rows and not agrees(answer, stage, tolerance):
                if not same(rows, answer.given[stage], tolerance):
                    wrong.append((answer, rows))
        if wrong:
            lines[stage] = about_step(stage, wrong, right, tolerance)
            lines[stage].insert(0, "%s: wrong by itself in %d case%s" % (
                in_words(stage), len(wrong), "s" * (len(wrong) > 1)))
    texts = [text for stage in lines for text in lines[stage][1:]]
    if len(texts) > 1 and set(texts) == {NEARLY_RIGHT}:
        yield "  %s:\n    %s" % (", ".join(map(in_words, lines)), NEARLY_RIGHT)
        return
    if all(stage in lines and "as if" not in lines[stage][1] for stage in PRODUCTS):
        yield "  All products of matrices are wrong: look at matmul and dot."
        yield "  " + FLAT
    for stage in lines:
        yield "  " + "\n    ".join(lines[stage])


def about_step(stage, wrong, right, tolerance):
    """Return in lines what is known of a step that is wrong by itself."""
    answers = [answer for answer, rows in wrong]
    functions = set(answer.case["function"] for answer in answers)
    is_simplified = functions == {"simplified_self_attention"}
    if is_simplified and stage == "scaled_scores":
        return ["The simplified version scales nothing."]
    right = [answer for answer in right if answer.case["function"] in functions]
    lines = []
    for mistake in names(stage, answers, right, 10 * tolerance):
        fix = "Put it right: %s." % mistake.fix
        lines = [line for line in lines if line != fix]
        lines += ["as if: %s: %s." % (mistake.name, mistake.what), fix]
    if lines:
        return lines
    if all(same(rows, answer.given[stage], NEARLY) for answer, rows in wrong):
        return [NEARLY_RIGHT]
    is_projected = all("W_query" in answer.case["arguments"] for answer in answers)
    if stage in STAGES[:3] and not is_projected:
        return ["Where nothing is projected, your %s are not what was sent: is a matrix "
                "read right?" % stage, FLAT]
    return about_numbers(stage, wrong, is_simplified, tolerance)


def about_numbers(stage, wrong, is_simplified, tolerance):
    texts = []
    for answer, rows in wrong:
        others = {"the expected rows, but row i is row i + 1": rows[1:] + rows[:1],
                  "copies of the expected row 0": rows[:1] * len(rows)}
        if is_simplified:
            d = width(answer.case["arguments"]["inputs"])
            others["the expected scores / sqrt(d)"] = divide(rows, sqrt(d))
        for it in answer.given:
            if it != stage:
                others["your " + in_words(it)] = answer.given[it]
        texts.append(describe(
            rows, answer.given[stage], tolerance * largest(rows), others))
    text = max(sorted(set(texts)), key=texts.count)  # what is said most often
    if not text:
        return ["No known mistake explains all of it."]
    lines = ["In %d of them: %s" % (texts.count(text), text)]
    if text.startswith("These are your"):
        lines.append("Was a list changed in place?")
    if text.endswith("sqrt(d)."):
        lines.append("The simplified version scales nothing.")
    return lines


def names(stage, wrong, right, tolerance):
    """Return the mistakes that explain this stage of all answers."""
    found = []
    unseen = [it for it in STAGES[:STAGES.index(stage)]
              if not any(it in answer.given for answer in wrong)] + [stage]
    for mistake in MISTAKES:
        steps = {it: mistake.steps[it] for it in unseen if it in mistake.steps}
        plants = [{it: steps[it]} for it in steps] + [steps] * (len(steps) > 1)
        if mistake.whole and steps:
            plants = [mistake.steps]
        stages = set(mistake.steps if mistake.whole else ()).union([stage])
        if any(gives(plant, stages, wrong + right, tolerance) for plant in plants):
            found.append(mistake)
    return [it for it in found if it.whole] or found


def gives(plant, stages, answers, tolerance):
    """Do these steps give the stages of all answers?"""
    told = False
    for answer in answers:
        found = own(answer, plant)
        for stage in stages.intersection(answer.given):
            rows = found.get(stage, [[]])
            if rows and not same(rows, answer.given[stage], tolerance):
                return False
            told = told or rows
    return told
