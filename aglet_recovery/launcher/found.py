"""Finding the servers of a running `up`. Standard library only: every command does this at its start."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aglet_recovery.launcher import living


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a running `up` started; None stands for a server that it took from its environment."""

    database_url: str | None
    redis_url: str | None
    base_url: str | None
    sockets: Path


def default_data_dir(*, lab: bool = False) -> Path:
    """Return AGLET_DATA_DIR, else `.aglet` (lab: `.aglet-lab`) beside manage.py or in the current folder."""
    given = os.environ.get("AGLET_DATA_DIR")
    if given:
        return Path(given).absolute()
    checkout = Path(__file__).resolve().parents[2]
    root = checkout if (checkout / "manage.py").exists() else Path.cwd()
    return root / (".aglet-lab" if lab else ".aglet")


def found(data_dir: str | Path) -> Found | None:
    """Return the servers of the `up` that runs on this data folder, or None when none does."""
    written = read_servers(data_dir)
    up = living.mark_from_json(written.get("up"))
    if up is None or not living.is_alive(up):
        return None
    return Found(
        database_url=_text(written, "database_url"),
        redis_url=_text(written, "redis_url"),
        base_url=_text(written, "base_url"),
        sockets=Path(str(written["sockets"])),
    )


def read_servers(data_dir: str | Path) -> dict[str, object]:
    """Return what the last `up` on this data folder wrote down, empty when nothing or nothing readable."""
    try:
        written = json.loads((Path(data_dir) / "run" / "servers.json").read_text())
    except (OSError, ValueError):
        return {}
    return written if isinstance(written, dict) and "sockets" in written else {}


def _text(written: Mapping[str, object], key: str) -> str | None:
    value = written.get(key)
    return value if isinstance(value, str) else None
