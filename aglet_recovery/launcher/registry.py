"""What is written down while `up` runs: its children, and the servers for other commands to find."""

import json
import os
from pathlib import Path

from aglet_recovery.launcher import living
from aglet_recovery.launcher.living import Mark


def write_children(data_dir: Path, marks: dict[str, Mark]) -> None:
    """Write down which processes are ours, for an `up` that has to clean up after this one."""
    _write(data_dir / "run" / "children.json", {name: mark.to_json() for name, mark in marks.items()})


def read_children(data_dir: Path) -> dict[str, Mark]:
    """Return the children that the last `up` wrote down; damaged entries are left out."""
    try:
        written = json.loads((data_dir / "run" / "children.json").read_text())
    except (OSError, ValueError):
        return {}
    entries = written.items() if isinstance(written, dict) else ()
    marks = {name: living.mark_from_json(value) for name, value in entries}
    return {name: mark for name, mark in marks.items() if mark is not None}


def write_servers(
    data_dir: Path, *, database_url: str | None, redis_url: str | None, base_url: str, sockets: Path
) -> None:
    """Tell other commands where the servers are. None for an address of the environment."""
    found = {
        "database_url": database_url,
        "redis_url": redis_url,
        "base_url": base_url,
        "sockets": str(sockets),
    }
    _write(data_dir / "run" / "servers.json", {"up": living.mark(os.getpid()).to_json(), **found})


def forget(data_dir: Path) -> None:
    """Remove both files after an orderly stop."""
    for name in ("children.json", "servers.json", "control.sock"):
        (data_dir / "run" / name).unlink(missing_ok=True)


def _write(path: Path, content: object) -> None:
    # Renamed into place: a reader sees the old file or the new one, never half of it.
    half = path.with_suffix(".half")
    half.touch(mode=0o600)
    half.write_text(json.dumps(content))
    half.replace(path)
