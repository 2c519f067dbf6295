"""Signals as in a terminal: nohup or a `&` would have them ignored, also in children."""

import signal

for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
