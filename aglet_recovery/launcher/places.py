"""The data folder, and the places outside it for what does not fit into it."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aglet_recovery.launcher import accounts
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.spawning import Account

# The kernel takes 107 bytes for the address of a socket; PostgreSQL's file name is 16 of them.
LONGEST_FOLDER = 90
SHARED_STATE = Path("/var/lib/aglet-recovery")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where everything of one installation lies; `sockets` may be a short folder outside `data_dir`."""

    data_dir: Path
    sockets: Path
    pg_data: Path
    pg_bin: Path
    account: Account

    @property
    def run(self) -> Path:
        return self.data_dir / "run"

    @property
    def pg_sockets(self) -> Path:
        return self.sockets / "pg"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def control_socket(self) -> Path:
        return self.sockets / "control.sock"


def make_data_dir(data_dir: Path) -> None:
    """Create the data folder with its private parts. Raises LaunchError when it is not ours to write."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("run", "spool", "valkey"):
            (data_dir / name).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise LaunchError(f"The data folder {data_dir} cannot be made: {error.strerror}.") from error
    if not os.access(data_dir / "run", os.W_OK):
        raise LaunchError(f"The data folder {data_dir} belongs to another user: name another one with --data-dir.")


def settle(data_dir: Path, *, pg_bin: Path, account: Account) -> Places:
    """Return the places for this start, made so that `account` reaches what it must; undo with `clear`."""
    if account.uid is not None:
        # Passing through is enough: everything inside is closed by itself.
        data_dir.chmod(0o711)
        (data_dir / "run").chmod(0o711)
        pg_bin = _reachable_server(pg_bin, data_dir, account)
    places = Places(
        data_dir=data_dir,
        sockets=_sockets(data_dir, account),
        pg_data=_cluster(data_dir, account),
        pg_bin=pg_bin,
        account=account,
    )
    places.pg_sockets.mkdir(mode=0o700, exist_ok=True)
    accounts.give(places.pg_sockets, account)
    return places


def clear(places: Places) -> None:
    """Remove the short socket folder, when there was one."""
    if places.sockets != places.run:
        remove_short_folder(places.sockets)


def remove_short_folder(folder: Path) -> None:
    """Remove a socket folder under the temp folder that an `up` made; anything else is left alone."""
    if folder.name.startswith("aglet-") and folder.is_dir() and folder.stat().st_uid == os.geteuid():
        shutil.rmtree(folder, ignore_errors=True)


def _sockets(data_dir: Path, account: Account) -> Path:
    run = data_dir / "run"
    # PostgreSQL's client takes a comma for the end of a host's name.
    fits = len(os.fsencode(run / "pg")) <= LONGEST_FOLDER and "," not in str(run)
    if fits and accounts.can(account, "-x", run):
        return run
    folder = Path(tempfile.mkdtemp(prefix="aglet-", dir=_short_temp()))
    if account.uid is not None:
        folder.chmod(0o711)
    return folder


def _short_temp() -> str:
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= LONGEST_FOLDER - 20 else "/tmp"  # noqa: S108


def _cluster(data_dir: Path, account: Account) -> Path:
    """Return where the database lies: in the data folder unless `account` cannot get there.

    A link in the data folder then leads to it, so that a new data folder never meets an old database.
    """
    inside = data_dir / "pg"
    if inside.is_symlink():
        if inside.readlink().parent.is_dir():
            return inside.readlink()
        inside.unlink()
    if accounts.can(account, "-x", data_dir):
        return inside
    _make_shared()
    home = Path(tempfile.mkdtemp(prefix="data-", dir=SHARED_STATE))
    home.chmod(0o711)
    if inside.exists():
        shutil.move(inside, home / "pg")
    inside.symlink_to(home / "pg")
    return home / "pg"


def _make_shared() -> None:
    try:
        SHARED_STATE.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as error:
        raise LaunchError(
            f"PostgreSQL does not run as root and its user cannot reach the data folder, nor can {SHARED_STATE} "
            "be made for it: set DATABASE_URL to a running server, or start as a plain user."
        ) from error


def _reachable_server(bin_dir: Path, data_dir: Path, account: Account) -> Path:
    """Return a `bin` folder that `account` can run: the given one, or a copy made once."""
    if accounts.can(account, "-x", bin_dir / "postgres"):
        return bin_dir
    home = data_dir if accounts.can(account, "-x", data_dir) else SHARED_STATE
    if home == SHARED_STATE:
        _make_shared()
    package = bin_dir.parent.parent
    stamp = f"{package.stat().st_mtime_ns:x}"
    copy = home / f"server-{stamp}"
    if not copy.exists():
        _copy_server(package, copy)
    return copy / package.name / bin_dir.parent.name / "bin"


def _copy_server(package: Path, copy: Path) -> None:
    half = copy.with_name(copy.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    # The programs look for their libraries in a sibling of the package, so both keep their names.
    for part in (package, package.with_name(package.name + ".libs")):
        if part.exists():
            shutil.copytree(part, half / part.name, symlinks=True, ignore=shutil.ignore_patterns("*.py*"))
    half.chmod(0o755)
    half.rename(copy)
