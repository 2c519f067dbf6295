"""A port is a process: start it, give it requests, take its lines, end it."""

import os
import queue
import signal
import subprocess
import threading
import time
from collections import namedtuple

from examples.porting.protocol import printable
from examples.tools.common import complain, shown

LONGEST = 100000  # bytes of an answer; no right one comes near
TOO_MANY = 10  # lines more than there are requests
MOST = 20  # lines of standard error that are shown

# lines: a queue of what it writes to standard output, "" at the end
# said: some of the lines that it writes to standard error
Port = namedtuple("Port", ["process", "lines", "said", "threads"])

noted = []  # signals that would have ended this program, and left the port behind
shown_before = set()  # of standard error: each line is shown once


def note_signals():
    """From now on, signals are only noted: the port is ended first, then the program."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # Windows has but two of them
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, lambda number, frame: noted.append(number))


def stop_if_noted():
    if noted:
        raise KeyboardInterrupt if noted[0] == signal.SIGINT else SystemExit(
            128 + noted[0])


def exchange(command, text, count, timeout):
    """Give the port the text, which has so many requests. Return its lines (None if it
    cannot be started), and what else is wrong with it, or "".
    """
    try:
        port = start(command, text)
    except (OSError, ValueError) as error:
        trouble = "cannot start %s: %s" % (shown(command[0]), error)
        if os.path.exists(command[0]):
            trouble += "; try ./FILE or python3 FILE"
        return None, trouble
    lines, trouble = [], None
    try:
        while trouble is None and not noted:
            line = take(port, timeout)
            if line:
                lines.append(line)
                if len(lines) == count + TOO_MANY:
                    trouble = "writes more and more lines"
            elif line == "":
                trouble = ending(port, timeout)
            else:
                trouble = "does not end when its input does"
                if len(lines) < count:
                    trouble = "was silent for %g s" % timeout
    finally:
        trouble = end(port) or trouble
        for text in port.said:
            if text not in shown_before:
                complain(text)
                shown_before.add(text)
    stop_if_noted()
    return lines, trouble


def start(command, text):
    """Start the port; threads write and read, so that nothing it does can block us."""
    # In a session of its own, so that what it starts itself can be ended with it.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True)
    port = Port(process, queue.Queue(100), [], [])
    for function, argument in ((feed, text), (collect, port.lines), (listen, port.said)):
        thread = threading.Thread(target=function, args=(process, argument))
        thread.daemon = True  # it may be left waiting when we are done
        thread.start()
        port.threads.append(thread)
    return port


def feed(process, text):
    try:
        with process.stdin:
            process.stdin.write(text.encode("ascii"))
    except OSError:
        pass  # the port has ended early: its answers will be missed


def collect(process, lines):
    with process.stdout:
        for line in iter(lambda: process.stdout.readline(LONGEST), b""):
            lines.put(line.decode("utf-8", "replace"))
    lines.put("")


def listen(process, texts):
    """Keep the first and the last lines of standard error."""
    with process.stderr:
        for line in iter(lambda: process.stderr.readline(LONGEST), b""):
            text = printable(line.decode("utf-8", "replace").rstrip())
            texts.append("port: " + text[:200])
            if len(texts) > MOST:
                texts[MOST // 2:MOST // 2 + 2] = ["port: ..."]


def take(port, timeout):
    """Return the next line, "" if no more can come, or None if none came in time."""
    latest = time.monotonic() + timeout
    while not noted:
        has_ended = port.process.poll() is not None
        try:
            return port.lines.get(timeout=1.0 if has_ended else 0.1)
        except queue.Empty:
            if has_ended:
                return ""  # but something that it has started still holds its output
            if time.monotonic() > latest:
                return None


def ending(port, timeout):
    """Say how the port ended, once no more lines can come; "" if it ended well."""
    try:
        status = port.process.wait(timeout)
    except subprocess.TimeoutExpired:
        return "has closed its output, but did not end"
    if status < 0:
        return "died of signal %d" % -status
    return "ended with exit status %d" % status if status else ""


def end(port):
    """End the port and what it has left in its session; say what is not ended."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(port.process.pid, signal.SIGKILL)
        else:
            port.process.kill()
    except OSError:
        pass  # nothing is left of it
    port.process.wait()
    latest = time.monotonic() + 1.0
    for thread in port.threads:
        while thread.is_alive() and time.monotonic() < latest:
            while not port.lines.empty():
                port.lines.get()  # make room for what is still to come
            thread.join(0.01)
    if any(thread.is_alive() for thread in port.threads):
        return "has started something that still runs, in a session of its own"
    return ""
