"""One `up` to a data folder. The kernel lets go of the lock whatever way the holder ends."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from aglet_recovery.launcher.errors import LaunchError


@contextlib.contextmanager
def hold(data_dir: Path) -> Iterator[None]:
    """Hold the data folder. Raises LaunchError when another `up` does."""
    handle = os.open(data_dir / "run" / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LaunchError(_taken(data_dir, os.read(handle, 32).decode(errors="replace"))) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _taken(data_dir: Path, pid: str) -> str:
    return (
        f"Another `up` (process {pid.strip() or 'unknown'}) runs on {data_dir}: stop that one first, or "
        "give this one a folder of its own with --data-dir."
    )
