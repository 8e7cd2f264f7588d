"""Spools of one host and a shipper for one of them, driven by hand."""

from datetime import UTC, datetime, timedelta
from typing import Any

from occurrences.tap.configuration import Configuration
from occurrences.tap.neighbours import Neighbours
from occurrences.tap.sending import Sender
from occurrences.tap.shipper import Shipper
from occurrences.tap.spool import Spool
from tests.tap.receiver import Receiver

BEGIN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW = BEGIN + timedelta(minutes=1)


class Host:
    """Spools of one host and a shipper for one of them, driven by hand."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.spools: dict[str, Spool] = {}
        self.senders: list[Sender] = []

    def spool(self, name: str, *, role: str = "workers", parent: str | None = None, ships: bool = True) -> Spool:
        head = {
            "spool": name,
            "source": self.configuration.source,
            "role": role,
            "name": f"{role}@host",
            "host": "host",
            "pid": 1,
            "started_at": text(BEGIN),
            "parent": parent,
            "ships_itself": ships,
        }
        spool = self.spools[name] = Spool(self.configuration.folder, head)
        spool.append(process(name, "online"), at=BEGIN)
        return spool

    def shipper(self, name: str, neighbours: Neighbours | None = None) -> Shipper:
        self.senders.append(Sender(self.configuration.url, "secret"))
        neighbours = neighbours or Neighbours(self.configuration.folder, name)
        return Shipper(self.senders[-1], neighbours, beat=lambda now: None, interval=0.05)

    def close(self) -> None:
        for part in (*self.spools.values(), *self.senders):
            part.close()

    def names(self) -> list[str]:
        return sorted(path.parent.name for path in self.configuration.folder.glob("*/header.json"))


def text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def process(name: str, state: str) -> dict[str, Any]:
    return {"kind": "process", "spool": name, "state": state}


def claim(number: int) -> dict[str, Any]:
    return {"kind": "handoff", "record_id": f"run-{number}/claim/1"}


def fill(spool: Spool, count: int) -> None:
    for number in range(1, count + 1):
        spool.append(claim(number), at=BEGIN + timedelta(seconds=number))


def ids(receiver: Receiver) -> list[str]:
    return [record["record_id"] for record in receiver.of("handoff")]


def spans(receiver: Receiver, name: str) -> list[tuple[int | None, int | None]]:
    return [(r["seq_first"], r["seq_last"]) for r in receiver.of("coverage", spool=name)]
