"""The children of `up`: started, listened to, and their end noticed, all in one thread.

The parent-death signal is tied to the thread that forks, so everything here runs in the main thread.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from aglet_recovery.launcher import living, registry
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.living import Mark
from aglet_recovery.launcher.output import Lines, Printer
from aglet_recovery.launcher.spawning import Program, spawn


@dataclass(slots=True)
class Child:
    """One started program. `told` is set once somebody asked it to end: its end is then no news."""

    program: Program
    process: subprocess.Popen[bytes]
    mark: Mark
    told: bool = False
    ended: int | None = None


@dataclass(slots=True)
class Children:
    """All children by name, in the order of their first start."""

    data_dir: Path
    printer: Printer
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    by_name: dict[str, Child] = field(default_factory=dict)

    def start(self, program: Program) -> Child:
        """Start a program under its name. Raises LaunchError, also when the name is in use."""
        if self.is_alive(program.name):
            raise LaunchError(f"{program.name} runs already.")
        try:
            process = spawn(program)
        except OSError as error:
            raise LaunchError(f"{program.name} cannot be started: {error}") from error
        child = Child(program=program, process=process, mark=living.mark(process.pid))
        self.by_name[program.name] = child
        self._listen(program.name, process.stdout)
        self._write_down()
        return child

    def start_again(self, name: str) -> Child:
        """Start a child that ended once more, with the same environment. Raises LaunchError."""
        return self.start(self.known(name).program)

    def known(self, name: str) -> Child:
        """Return the child of that name. Raises LaunchError with the names there are."""
        if name not in self.by_name:
            raise LaunchError(f"There is no child {name}; there are {', '.join(self.by_name) or 'none'}.")
        return self.by_name[name]

    def is_alive(self, name: str) -> bool:
        child = self.by_name.get(name)
        return child is not None and child.process.poll() is None

    def send(self, name: str, number: int) -> None:
        """Send a signal; KILL goes to the whole session, so that pool processes do not stay behind."""
        child = self.known(name)
        child.told = True
        if child.process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if number == signal.SIGKILL:
                os.killpg(child.process.pid, number)
            else:
                child.process.send_signal(number)

    def pump(self, seconds: float) -> None:
        """Pass on output, answer control requests, notice ends; return at the first or after `seconds`."""
        for key, _ in self.selector.select(max(0.0, seconds)):
            key.data()
        for name, child in self.by_name.items():
            self._notice_end(name, child)

    def wait_until(self, done: Callable[[], bool], *, seconds: float) -> bool:
        """Pump until `done`, at most `seconds`; return whether it came to be."""
        deadline = time.monotonic() + seconds
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.pump(min(left, 0.1))
        return True

    def rest(self, seconds: float) -> None:
        """Pump for the whole of `seconds`."""
        self.wait_until(lambda: False, seconds=seconds)

    def _listen(self, name: str, stream: IO[bytes] | None) -> None:
        if stream is None:
            return
        os.set_blocking(stream.fileno(), False)
        lines = Lines(self.printer, name)

        def read() -> None:
            try:
                data = os.read(stream.fileno(), 65536)
            except BlockingIOError:
                return
            if data:
                lines.feed(data)
                return
            lines.close()
            self.selector.unregister(stream)
            stream.close()

        self.selector.register(stream, selectors.EVENT_READ, read)

    def _notice_end(self, name: str, child: Child) -> None:
        code = child.process.poll()
        if code is None or child.ended is not None:
            return
        child.ended = code
        self._write_down()
        if not child.told:
            self.printer.line("up", f"{name} ended by itself ({_in_words(code)}); the others go on without it.")

    def _write_down(self) -> None:
        # Ended ones stay listed: processes of their session may still live.
        registry.write_children(self.data_dir, {name: child.mark for name, child in self.by_name.items()})


def _in_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"
