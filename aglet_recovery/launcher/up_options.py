"""The options of `up`, read before Django is loaded."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aglet_recovery.launcher.found import default_data_dir

PORT = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What one `up` was asked for."""

    data_dir: Path
    host: str
    port: int
    lab: bool

    @property
    def address(self) -> str:
        """The address at which this machine itself reaches the web process."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{_bracketed(host)}:{self.port}"

    @property
    def bind(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `up` on `parser`."""
    parser.add_argument("--data-dir", type=Path, help="where everything is kept (default .aglet, or AGLET_DATA_DIR)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=PORT, help=f"the port to listen on (default {PORT})")
    parser.add_argument("--lab", action="store_true", help="run the practice application too, in .aglet-lab")


def parse(argv: Sequence[str]) -> Options:
    """Return the options; a bad one prints the usage and ends with exit code 2."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, prog="manage.py up", description="Start the console with everything it needs, until Ctrl-C."
    )
    add_arguments(parser)
    given = parser.parse_args(list(argv)[1:])
    data_dir = given.data_dir.expanduser() if given.data_dir else default_data_dir(lab=given.lab)
    return Options(data_dir=data_dir.absolute(), host=given.host.strip("[]"), port=given.port, lab=given.lab)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 1 to 65535")
    return int(text)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
