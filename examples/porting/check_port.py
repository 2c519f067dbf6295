"""Check a port of attention.py, written in any language, against vectors.json.

    python3 -m examples.porting.check_port [--plain] [--float32] [--timeout SECONDS] COMMAND ARG...

COMMAND starts the port. It gets one case per line on its standard input and answers with one
line per case on its standard output; README.md beside this file describes both. Each answer is
compared stage by stage: the first one that diverges is where the mistake is. Where one of the
known mistakes of find_the_mistake gives exactly the port's numbers, its name is printed, too.

Exit status: 0 if every answer is as expected, 1 if not, 2 if the port cannot be started.
"""

import argparse
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import namedtuple

from attention import STAGES, to_matrix
from examples import say
from examples.find_the_mistake import MISTAKES, find_mistakes
from examples.porting.self_check import DOUBLE, complaint, load_cases
from examples.porting.serve import from_words, to_words

SINGLE = 1e-6  # for --float32
LONGEST = 100000  # bytes of an answer; no right one comes near

# ---- The protocol: README.md describes it -------------------------------------------------------
def can_be_plain(case):
    """A plain matrix is ROWS COLUMNS NUMBERS..., so it cannot be ragged."""
    return all(len(row) == len(rows[0]) for rows in case["arguments"].values() for row in rows)

def request(case, plain):
    """Return the line that asks for a case.

    >>> case = {"name": "a", "function": "simplified_self_attention",
    ...         "arguments": {"inputs": [[1.0, 2.0], ["nan", 4.0]]}, "expected": {}}
    >>> request(case, True)
    'simplified_self_attention inputs 2 2 1.0 2.0 nan 4.0'
    """
    if plain:
        return case["function"] + " " + to_words(case["arguments"])
    return json.dumps({key: case[key] for key in ("name", "function", "arguments")})

def read_answer(line, plain):
    """Return the answer in a line, as a dict; ValueError if it is none.

    >>> read_answer("values 1 2 3.5 4 context_vectors 1 1 nan", True)
    {'values': [[3.5, 4.0]], 'context_vectors': [[nan]]}
    """
    if plain:
        words = line.split()
        return {"error": " ".join(words[1:])} if words[:1] == ["error"] else from_words(words)
    try:
        given = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply")
    if not isinstance(given, dict):
        raise ValueError("not a JSON object")
    return given

# ---- The port is a process; threads talk to it, so that nothing it does can block us ------------
Port = namedtuple("Port", ("process", "answers", "last_words"))  # and two queues

def start(command, lines):
    """Start the port, give it all lines, return a Port; OSError or ValueError if it fails."""
    # In a session of its own, so that what it starts itself can be ended with it.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    port = Port(process, queue.Queue(100), queue.Queue())
    text = "".join(line + "\n" for line in lines).encode("ascii")
    for function, arguments in ((feed, (process.stdin, text)),
                                (collect, (process.stdout, port.answers)),
                                (listen, (process.stderr, port.last_words))):
        thread = threading.Thread(target=function, args=arguments)
        thread.daemon = True  # it may be left waiting when we are done
        thread.start()
    return port

def feed(stream, text):
    try:
        stream.write(text)
        stream.close()
    except OSError:
        pass  # the port has ended early: its answers will be missed

def collect(stream, answers):
    """Put each line into the queue, and None at the end."""
    for line in iter(lambda: stream.readline(LONGEST), b""):
        answers.put(line.decode("utf-8", "replace"))
    answers.put(None)

def listen(stream, last_words):
    """Put the last line that is not blank into the queue, at the end."""
    last = ""
    for line in iter(lambda: stream.readline(LONGEST), b""):
        last = line.decode("utf-8", "replace").strip() or last
    last_words.put(last)

def receive(port, plain, timeout):
    """Return the port's next answer; ValueError says why there is none."""
    try:
        line = port.answers.get(timeout=timeout)
    except queue.Empty:
        raise ValueError("no answer within %g s" % timeout)
    if line is None:
        raise ValueError("no answer: the port " + ending(port, timeout))
    try:
        return read_answer(line, plain)
    except ValueError as error:
        raise ValueError("not an answer: %s (%s)" % (excerpt(line), error))

def last_trouble(port, timeout):
    """Return what is wrong after the last answer, or ""."""
    try:
        line = port.answers.get(timeout=timeout)
    except queue.Empty:
        return "The port does not end when its input does."
    if line is not None:
        return "The port has written more lines than there are cases: " + excerpt(line)
    text = ending(port, timeout)
    return "" if port.process.returncode == 0 else "All is answered, but the port " + text

def ending(port, timeout):
    """Say how the port ended, once it has closed its output."""
    try:
        status = port.process.wait(timeout)
    except subprocess.TimeoutExpired:
        return "has closed its output, but did not end"
    text = "ended with exit status %d" % status if status >= 0 else "died of signal %d" % -status
    try:
        words = port.last_words.get(timeout=1)
    except queue.Empty:  # something that the port has started is still there
        words = ""
    return text + "; its last words: " + excerpt(words) if words else text

def excerpt(text):
    text = text.rstrip()
    return ascii(text if len(text) < 100 else text[:97] + "...")

def kill(process):
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass  # it has just ended
    process.wait()

# ---- Is an answer right, and if not, why? -------------------------------------------------------
def judge(case, given, tolerance):
    """Return (what is wrong with an answer or "", the known Mistakes that give it, a hint)."""
    expected, arguments = case["expected"], case["arguments"]
    if "error" in expected:
        return complaint(expected, given, tolerance), [], ""
    why = "this case: " + case["why"]
    if "error" in given:
        given = dict(given, error=excerpt(str(given["error"])))
        return complaint(expected, given, tolerance), [], why
    for stage in given:
        if stage not in STAGES:
            return "%.99a is no stage, expected: %s" % (stage, ", ".join(STAGES)), [], ""
    if "context_vectors" not in given:
        return "context_vectors are missing", [], ""
    try:
        given = {stage: to_matrix(stage, given[stage], False) for stage in given}
    except (TypeError, ValueError) as error:
        return str(error), [], ""
    text = complaint(expected, given, tolerance)
    if not text:
        return "", [], ""
    mistakes = find_mistakes(arguments, given, tolerance) if "queries" not in arguments else []
    if mistakes:
        hint = "as if: " + ", or ".join(mistake.name for mistake in mistakes)
    elif not complaint(expected, given, SINGLE):
        hint = "agrees to 1e-6: printed with fewer than 17 digits? computed in single precision?"
    elif not complaint(expected, {"context_vectors": given["context_vectors"]}, tolerance):
        hint = "the context vectors agree: leave out what you compute in another way"
    else:
        hint = why
    return text, mistakes, hint

# ---- The whole check ----------------------------------------------------------------------------
def check(port, cases, plain, tolerance, timeout):
    """Print a line per case and a summary, end the port, and return the exit status."""
    agreeing, wrong, named, trouble = 0, 0, [], ""
    try:
        for number, case in enumerate(cases):
            progress("%d of %d" % (number + 1, len(cases)))
            try:
                given = receive(port, plain, timeout)
            except ValueError as error:
                report("WRONG  %s: %s" % (case["name"], error))
                trouble = "Stopped there: %d cases were not reached." % (len(cases) - number - 1)
                break
            text, mistakes, hint = judge(case, given, tolerance)
            if text:
                report("WRONG  %s: %s" % (case["name"], text))
                wrong += 1
            else:
                report("ok     " + case["name"])
                agreeing += 1
            if hint:
                report("       " + hint)
            named += mistakes
        else:
            trouble = last_trouble(port, timeout)
    finally:
        progress("")
        if port.process.returncode is None:
            kill(port.process)
    most = max([1] + [named.count(mistake) for mistake in named])
    for mistake in MISTAKES:
        if named.count(mistake) == most:
            report("%s explains %d of %d wrong answers: %s.\n  Put it right: %s." % (
                mistake.name, most, wrong, mistake.what, mistake.fix))
    if trouble:
        report(trouble)
    report("%d of %d cases agree, to %g." % (agreeing, len(cases), tolerance))
    return 0 if agreeing == len(cases) and not trouble else 1

def report(text):
    """Say text; what the port wrote into it must not steer the terminal, so that is escaped."""
    progress("")
    say("".join(c if c == "\n" or " " <= c <= "~" else ascii(c)[1:-1] for c in text))

def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 20 + "\r" + text)
        sys.stderr.flush()

# ---- The command line ---------------------------------------------------------------------------
def seconds(text):
    if not 0 < float(text) <= 3600:
        raise ValueError
    return float(text)

def main(args=None):
    parser = argparse.ArgumentParser(
        prog="python3 -m examples.porting.check_port",
        description="Check a port of attention.py against vectors.json.")
    parser.add_argument("--plain", action="store_true",
                        help="speak the plain protocol, not JSON")
    parser.add_argument("--float32", action="store_true",
                        help="the port computes in single precision: compare to 1e-6, not 1e-12")
    parser.add_argument("--timeout", type=seconds, default=10.0, metavar="SECONDS",
                        help="how long to wait for the next answer, up to 3600 (default: 10)")
    parser.add_argument("command", metavar="COMMAND", help="starts the port")
    parser.add_argument("args", metavar="ARG", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(args)
    cases = load_cases()
    if options.plain:
        left_out = [case["name"] for case in cases if not can_be_plain(case)]
        cases = [case for case in cases if can_be_plain(case)]
        report("Left out, ragged: " + ", ".join(left_out) + ".")
    lines = [request(case, options.plain) for case in cases]
    try:
        port = start([options.command] + options.args, lines)
    except (OSError, ValueError) as error:
        print("check_port: cannot start %a: %s" % (options.command, error), file=sys.stderr)
        return 2
    try:
        return check(port, cases, options.plain, SINGLE if options.float32 else DOUBLE,
                     options.timeout)
    except KeyboardInterrupt:
        return 1

if __name__ == "__main__":
    raise SystemExit(main())
