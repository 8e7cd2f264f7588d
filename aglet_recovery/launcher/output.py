"""One terminal for many programs: every line with the name of its program in front."""

import contextlib
import sys

LONGEST_LINE = 64 * 1024


class Printer:
    """Writes whole lines to standard output; goes on silently when nobody reads them any more."""

    def __init__(self, *, width: int = 10) -> None:
        self.width = width

    def line(self, name: str, text: bytes | str) -> None:
        raw = text.encode() if isinstance(text, str) else text
        # A terminal that was closed must not keep us from stopping in order.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.buffer.write(name.ljust(self.width).encode() + b" | " + raw.rstrip(b"\r") + b"\n")
            sys.stdout.buffer.flush()


class Lines:
    """Cuts the output of one program into lines."""

    def __init__(self, printer: Printer, name: str) -> None:
        self.printer, self.name, self.rest = printer, name, b""

    def feed(self, data: bytes) -> None:
        *whole, self.rest = (self.rest + data).split(b"\n")
        for line in whole:
            self.printer.line(self.name, line)
        if len(self.rest) > LONGEST_LINE:
            self.close()

    def close(self) -> None:
        if self.rest:
            self.printer.line(self.name, self.rest)
        self.rest = b""
