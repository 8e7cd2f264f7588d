"""Which account PostgreSQL runs under. It refuses root, and root's folders are closed to everybody else."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from aglet_recovery.launcher.spawning import OURSELVES, Account

NAMESPACE_OPTIONS = ("--user", "--map-user=1000", "--map-group=1000")


def choose(*, bin_dir: Path, data_dir: Path) -> Account:
    """Return ourselves when not root; as root a user namespace where one works, else the user nobody."""
    if os.geteuid() != 0:
        return OURSELVES
    namespace = _namespace()
    if namespace and can(namespace, "-x", bin_dir / "postgres") and can(namespace, "-w", data_dir):
        return namespace
    return nobody()


def nobody() -> Account:
    """Return the account of the system's unprivileged user."""
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return Account(uid=65534, gid=65534)
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)


def can(account: Account, test: str, path: Path) -> bool:
    """Whether `account` passes the shell's file test (`-x`, `-w`) on `path`, tried for real."""
    try:
        done = subprocess.run(
            [*account.prefix, "test", test, str(path)],
            cwd="/",
            capture_output=True,
            timeout=30,
            **account.popen_arguments(),
        )
    except OSError:
        return False
    return done.returncode == 0


def give(path: Path, account: Account) -> None:
    """Hand `path` and everything in it to `account`, when it belongs to somebody else."""
    if os.geteuid() != 0:
        return
    uid, gid = account.uid or 0, account.gid or 0
    if path.stat().st_uid == uid:
        return
    for folder, _, files in os.walk(path):
        for name in files:
            os.lchown(Path(folder) / name, uid, gid)
        # The folder of the tree comes last in its own turn and first in the next: an interrupted walk
        # leaves the top one, which is looked at above, to its old owner.
    for folder, _, _ in os.walk(path, topdown=False):
        os.lchown(folder, uid, gid)


def _namespace() -> Account | None:
    program = shutil.which("unshare")
    return Account(prefix=(program, *NAMESPACE_OPTIONS)) if program else None
