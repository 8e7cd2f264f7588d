"""What the environment tells the tap: where to send, as which source, and where to keep what waits."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

REQUIRED = ("AGLET_TAP_URL", "AGLET_TAP_SOURCE", "AGLET_TAP_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The settings of one tapped application; `key` never shows in a repr, so never in a log."""

    url: str
    source: str
    key: str = field(repr=False)
    spool: Path
    send_arguments: bool = False

    @property
    def folder(self) -> Path:
        """The folder of this source's spools, one sub-folder for each process."""
        return self.spool / self.source.replace("/", "_")


def missing(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Names of the required settings that are absent or empty."""
    return [name for name in REQUIRED if not environ.get(name)]


def read_configuration(environ: Mapping[str, str] = os.environ) -> Configuration | None:
    """The configuration, or None when a required setting is missing (the tap then does nothing).

    Without `AGLET_TAP_SPOOL` the spool lies in the temporary folder, under a name of this user.
    """
    if missing(environ):
        return None
    default = Path(tempfile.gettempdir()) / f"aglet-tap-{os.getuid()}"
    return Configuration(
        url=environ["AGLET_TAP_URL"].rstrip("/"),
        source=environ["AGLET_TAP_SOURCE"],
        key=environ["AGLET_TAP_KEY"],
        spool=Path(environ.get("AGLET_TAP_SPOOL") or default),
        send_arguments=environ.get("AGLET_TAP_SEND_ARGUMENTS", "0") in ("1", "true", "yes"),
    )
