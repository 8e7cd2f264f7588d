"""Ctrl-C and TERM: the first asks for an orderly stop, the second ends everything at once."""

import os
import selectors
import signal
import socket

from aglet_recovery.launcher.processes import Children

KILLED = 130


class Interrupts:
    """Handlers for the signals that mean stop, also when the shell started us with SIGINT ignored."""

    def __init__(self, children: Children) -> None:
        self.children = children
        self.asked = False
        self._reader, self._writer = socket.socketpair()

    def install(self) -> None:
        """Install the handlers; a signal also ends a wait of the children's selector."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)
        # Whoever started us with nohup wants us to outlive the terminal.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._handle)
        # With a handler a child's end interrupts the wait, so it is reported at once.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self.children.selector.register(self._reader, selectors.EVENT_READ, self._drain)

    def _handle(self, *_: object) -> None:
        if self.asked:
            self._kill()
        self.asked = True

    def _kill(self) -> None:
        self.children.printer.line("up", "second signal: ending everything at once.")
        for name in self.children.by_name:
            # PostgreSQL ends its own sessions on QUIT and recovers at the next start.
            self.children.send(name, signal.SIGQUIT if name == "postgres" else signal.SIGKILL)
        os._exit(KILLED)

    def _drain(self) -> None:
        self._reader.recv(4096)
