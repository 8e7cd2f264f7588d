"""What `manage.py` does before and after Django: `up`, and one sentence where servers are missing."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.found import default_data_dir, found

ROOT = Path(__file__).resolve().parents[1]


def run(argv: Sequence[str]) -> None:
    """Run one command of this project; every foreseeable failure ends with a sentence and exit code 1."""
    _read_env_file()
    # `up` starts before Django does: settings read the addresses of the servers it starts.
    if list(argv[1:2]) == ["up"]:
        _up(argv)
        return
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(list(argv))
    except LaunchError as error:
        _end(str(error))
    except Exception as error:
        sentence = _missing_servers(error)
        if sentence is None:
            raise
        _end(sentence)


def _read_env_file() -> None:
    import environ

    path = ROOT / ".env"
    if path.is_file():
        environ.Env.read_env(path)


def _up(argv: Sequence[str]) -> None:
    from aglet_recovery.launcher.starting import up
    from aglet_recovery.launcher.up_options import parse

    options = parse(argv[1:])
    try:
        code = up(options)
    except LaunchError as error:
        _end(str(error))
    sys.exit(code)


def _missing_servers(error: Exception) -> str | None:
    """Return what to do when `error` means that the database or the broker cannot be reached, else None."""
    name = _unreachable(error)
    if name is None:
        return None
    data_dir = default_data_dir()
    if not os.environ.get(name) and found(data_dir) is None:
        return (
            f"This command needs the servers, and no `manage.py up` runs on {data_dir}: start `make run` in "
            f"another terminal, name its data folder in AGLET_DATA_DIR, or set {name}."
        )
    return f"The server of {name} does not answer: {(str(error).strip().splitlines() or [repr(error)])[0]}"


def _unreachable(error: Exception) -> str | None:
    """Return the variable that names the server which cannot be reached."""
    from django.db.utils import OperationalError
    from kombu.exceptions import OperationalError as BrokerError

    # A database that answered, if only to refuse, sent a state with its error: that is no missing server.
    if isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) is None:
        return "DATABASE_URL"
    return "REDIS_URL" if isinstance(error, BrokerError) else None


def _end(sentence: str) -> NoReturn:
    sys.stderr.write(f"{sentence}\n")
    sys.exit(1)
