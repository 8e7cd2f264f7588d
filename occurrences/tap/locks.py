"""File descriptors and locks that must die with the process that took them.

A lock taken with flock belongs to the open file, and a forked child shares it: a killed process
would look alive for as long as any child of it lives. So every descriptor of the tap is known here
and closed in a child before anything else runs there.
"""

import fcntl
import os
import threading
from pathlib import Path

_held: set[int] = set()
_forking = threading.RLock()  # no descriptor may be between "opened" and "known" while the process forks


def open_held(path: Path, flags: int) -> int:
    """Open `path` and remember the descriptor; errors as os.open raises them."""
    with _forking:
        descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
        _held.add(descriptor)
        return descriptor


def close_held(descriptor: int) -> None:
    """Close a descriptor of ours, and with it any lock on it."""
    with _forking:
        if descriptor in _held:
            _held.discard(descriptor)
            os.close(descriptor)


def try_lock(path: Path) -> int | None:
    """The descriptor of `path` with the exclusive lock on it, or None while another process has it.

    A lock on a file that was removed meanwhile is worth nothing, so it counts as not obtained.
    """
    try:
        descriptor = open_held(path, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink > 0:
            return descriptor
    except OSError:
        pass
    close_held(descriptor)
    return None


def is_locked(path: Path) -> bool:
    """True while some process holds the lock of `path`; False when it is free or gone."""
    descriptor = try_lock(path)
    if descriptor is None:
        return path.exists()
    close_held(descriptor)
    return False


def _after_in_child() -> None:
    for descriptor in _held:
        try:
            os.close(descriptor)
        except OSError:
            continue
    _held.clear()
    _forking.release()


os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_after_in_child)
