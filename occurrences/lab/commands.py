"""How `up --lab` starts the practice application: its broker user and its two processes."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from redis import Redis

from occurrences.lab.plan import KEY_PREFIX, QUEUE, USER

PASSWORD_FILE = "lab_password"  # noqa: S105  the name of the file, not what is in it
APP = "occurrences.lab.app"
# Its own keys and channels, and nothing that administers the server or looks at other people's data.
RIGHTS = (
    "reset",
    "on",
    "resetkeys",
    f"~{KEY_PREFIX}*",
    "resetchannels",
    f"&{KEY_PREFIX}*",
    "+@all",
    "-@admin",
    "-@dangerous",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabChild:
    """One process to start: its name in the output of `up`, and everything it needs."""

    name: str
    argv: list[str]
    env: dict[str, str]
    cwd: Path


def acl_setup(redis_socket: Path, password_file: Path) -> None:
    """Make the broker user of the lab, with a password made once and kept in `password_file` (0600)."""
    with Redis(unix_socket_path=str(redis_socket)) as broker:
        broker.execute_command("ACL", "SETUSER", USER, *RIGHTS, f">{_password(password_file)}")


def _password(path: Path) -> str:
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(24))
    return path.read_text(encoding="utf-8").strip()


def broker_url(redis_socket: Path, password: str) -> str:
    """The address the lab signs in with, in the form Celery reads."""
    return f"redis+socket://{USER}:{quote(password)}@{quote(str(redis_socket))}?virtual_host=0"


def commands(python: str, data_dir: Path, redis_socket: Path, tap_env: dict[str, str]) -> list[LabChild]:
    """The worker and the beat of the lab, to be started in this order after `acl_setup`.

    The working folder is the data folder, so that whatever they write goes away with it.
    """
    url = broker_url(redis_socket, _password(data_dir / PASSWORD_FILE))
    env = {**tap_env, "LAB_BROKER_URL": url}
    celery = [python, "-m", "celery", "-A", APP]
    worker = ["worker", "-Q", QUEUE, "-c", "2", "-n", "lab@%h", "-I", "occurrences.tap.worker"]
    beat = ["beat", "-S", "occurrences.tap.scheduler:TapScheduler", "-l", "WARNING"]
    return [
        LabChild(
            name="lab-worker",
            argv=[*celery, *worker, "--without-gossip", "--without-mingle", "-l", "WARNING"],
            env=env,
            cwd=data_dir,
        ),
        LabChild(name="lab-beat", argv=[*celery, *beat], env=env, cwd=data_dir),
    ]
