"""A port is a process: start it, give it all requests, take its lines, end it."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple

from examples.tools.common import complain, shown

LONGEST = 100000  # bytes of an answer; no right one comes near

# lines: a queue of what it writes to standard output, "" at the end
# said: the first and the last lines that it wrote to standard error
Port = namedtuple("Port", ["process", "lines", "said", "threads"])


def with_port(command, requests, talk):
    """Start the port, return talk(port), and end the port, whatever happens.

    A signal that would end this program must not leave the port behind. So, while the
    port is started or ended, signals are only noted.
    """
    noted = []
    previous = handle(lambda number, frame: noted.append(number))
    try:
        try:
            port = start(command)
        except (OSError, ValueError) as error:
            text = "cannot start %s: %s" % (shown(command[0]), error)
            if os.path.exists(command[0]):
                text += "; try ./FILE or python3 FILE"
            return complain(text)
        try:
            try:
                give(port, requests)
                handle(stop)
                for number in noted:
                    stop(number)
                return talk(port)
            finally:
                handle(lambda number, frame: noted.append(number))
        finally:
            end(port)
    finally:
        for number in previous:
            signal.signal(number, previous[number])
        for number in noted:
            stop(number)


def handle(handler):
    """Let handler see what would end this program; return what did so before."""
    previous = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # Windows has but two of them
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup
            previous[number] = signal.signal(number, handler)
    return previous


def stop(number, frame=None):
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)


def start(command):
    # In a session of its own, so that what it starts itself can be ended with it.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True)
    return Port(process, queue.Queue(100), [], [])


def give(port, requests):
    """Give the port all requests; threads do so, so that nothing it does can block us."""
    text = "".join(line + "\n" for line in requests).encode("ascii")
    for function, argument in ((feed, text), (collect, port.lines), (listen, port.said)):
        thread = threading.Thread(target=function, args=(port.process, argument))
        thread.daemon = True  # it may be left waiting when we are done
        thread.start()
        port.threads.append(thread)


def feed(process, text):
    try:
        with process.stdin:
            process.stdin.write(text)
    except OSError:
        pass  # the port has ended early: its answers will be missed


def collect(process, lines):
    with process.stdout:
        for line in iter(lambda: process.stdout.readline(LONGEST), b""):
            lines.put(line.decode("utf-8", "replace"))
    lines.put("")


def listen(process, said):
    """Keep the first and the last lines, and pass on all of them."""
    with process.stderr:
        for line in iter(lambda: process.stderr.readline(LONGEST), b""):
            text = printable(line.decode("utf-8", "replace").rstrip())
            if text:
                said.append("port: " + text)
                show(said[-1])
            if len(said) > 8:
                del said[5]


def show(text):
    if sys.stderr is not None:
        try:
            os.write(2, (text + "\n").encode("ascii"))  # print would lock it
        except OSError:
            pass  # nobody listens


def printable(text):
    """What a port writes must not steer the terminal.

    >>> print(printable("\\x1b[2J caf\\xe9"))
    \\x1b[2J caf\\xe9
    """
    return "".join(c if " " <= c <= "~" else ascii(c)[1:-1] for c in text)


def take(port, timeout):
    """Return the next line, "" if no more can come, or None if none came in time."""
    latest = time.monotonic() + timeout
    while True:
        has_ended = port.process.poll() is not None
        try:
            return port.lines.get(timeout=1.0 if has_ended else 0.1)
        except queue.Empty:
            if has_ended:
                return ""  # but something that it has started still holds its output
            if time.monotonic() > latest:
                return None


def ending(port, timeout):
    """Say how the port ended, once no more lines can come."""
    try:
        status = port.process.wait(timeout)
    except subprocess.TimeoutExpired:
        return "has closed its output, but did not end"
    port.threads[2].join(1.0)  # its last words
    if status >= 0:
        return "ended with exit status %d" % status
    names = {number.value: number.name for number in signal.Signals}
    return "died of signal %d (%s)" % (-status, names.get(-status, "?"))


def end(port):
    """End the port and what it has started and left in its group."""
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
