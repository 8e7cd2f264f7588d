"""The records of a batch on their way in, and the count of what became of them."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from occurrences.contract.errors import NotPlaced, Refused
from occurrences.contract.occurrences import Identity
from occurrences.contract.wire import (
    CoverageIn,
    HandoffIn,
    ProcessIn,
    ScheduleIn,
    canonical,
    parse_record,
    record_key,
    text_digest,
)

Parsed = HandoffIn | ScheduleIn | ProcessIn | CoverageIn | NotPlaced


@dataclass(slots=True)
class Counts:
    """What became of the records of one request; `refused` names the record by its place in the request."""

    accepted: int = 0
    duplicate: int = 0
    discrepancy: int = 0
    unlinked: int = 0
    quarantined: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)

    def copy(self) -> "Counts":
        """The counts so far, for a transaction that may have to be tried again."""
        return replace(self, refused=list(self.refused))

    def refuse(self, index: int, refused: Refused) -> None:
        """Note a record that breaks the format; it stays with its sender."""
        self.refused.append({"index": index, "field": refused.field, "reason": refused.reason})

    @property
    def stored_any(self) -> bool:
        """Whether anything was stored or was there already."""
        return bool(self.accepted + self.duplicate + self.discrepancy + self.unlinked + self.quarantined)

    def as_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Item:
    """A well-formed record: its place in the request, its body as sent, and the body parsed."""

    index: int
    body: dict[str, Any]
    parsed: Parsed


@dataclass(slots=True)
class Filing:
    """A handoff record on its way to the occurrence it belongs to. `key` is empty while it has none."""

    source: str
    said: HandoffIn
    body: dict[str, Any]
    text: str  # the body as canonical JSON
    received_at: datetime
    record_key: bytes
    digest: bytes
    named: Identity | None = None
    key: UUID | None = None
    recovery: tuple[UUID, int] | None = None  # id and number of the replay it belongs to, as we know them

    @classmethod
    def of(cls, source: str, said: HandoffIn, body: dict[str, Any], received_at: datetime) -> "Filing":
        """Work out the keys that make storing it twice impossible, and the occurrence it names."""
        text = canonical(body)
        return cls(
            source=source,
            said=said,
            body=body,
            text=text,
            received_at=received_at,
            record_key=record_key(source, said.record_id),
            digest=text_digest(text),
            named=said.identity,
            key=said.identity.key if said.identity else None,
        )


def parse(index: int, value: object, *, source: str) -> Item:
    """Parse one record of a request; raises Refused when it breaks the format."""
    try:
        parsed: Parsed = parse_record(value, source=source)
    except NotPlaced as not_placed:
        parsed = not_placed
    assert isinstance(value, dict)  # noqa: S101  the parser refuses everything else
    return Item(index, value, parsed)
