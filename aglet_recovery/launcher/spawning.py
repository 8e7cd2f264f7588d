"""Starting one program so that it cannot outlive us unseen."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How a program is started that refuses to run as root: by a prefix, or as another user."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    def popen_arguments(self) -> dict[str, Any]:
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


OURSELVES = Account()


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program to start: its name in the output, and everything the kernel needs."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path | None = None
    account: Account = field(default=OURSELVES)
    death_signal: int = signal.SIGKILL


def spawn(program: Program, *, output: int | IO[bytes] | None = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start `program` in a session of its own; it gets its death signal when the calling *thread* ends."""
    return subprocess.Popen(
        [*program.account.prefix, *program.argv],
        env=dict(program.env),
        cwd=program.cwd,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_tie_to_parent(program.death_signal),
        **program.account.popen_arguments(),
    )


def _tie_to_parent(death_signal: int) -> Callable[[], None]:
    parent = os.getpid()

    # Runs after the change of user, which would clear the death signal again.
    def tie() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if _libc is None:
            return
        _libc.prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:
            os._exit(1)

    return tie
