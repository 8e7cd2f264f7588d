"""The chain of the audit: each row's digest covers its own words and the digest of the row before it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

FIRST = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One row of the chain as it is stored; `id` only names it. `role` is None in rows older than that column."""

    id: int
    at: datetime
    by: str
    act: str
    subject: str
    detail: Any
    role: str | None
    before: Any
    after: Any
    request_id: str
    previous: str
    digest: str

    @property
    def own_digest(self) -> str:
        """SHA-256 over the words of the row and `previous`, as hex."""
        body = [self.previous, self.at.astimezone(UTC).isoformat(), self.by, self.act, self.subject, self.detail]
        if self.role is not None:
            body += [self.role, self.before, self.after, self.request_id]
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first row at which a chain does not hold, and why."""

    link: Link
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What a walk along the chain found: how many rows hold, the digest of the last of them, the first break.

    `met` says whether the digest that was asked for is one of theirs.
    """

    rows: int
    head: str
    broken: Break | None
    met: bool


def walk(links: Iterable[Link], *, expect: str | None = None) -> Walk:
    """Go along the chain from its first row and stop at the first break.

    Rows cut off at the end leave a chain that holds: only a digest that was kept elsewhere (`expect`) shows it.
    """
    rows, head, met = 0, FIRST, expect in (None, FIRST)
    for link in links:
        if (why := _fault(link, head)) is not None:
            return Walk(rows=rows, head=head, broken=Break(link=link, why=why), met=met)
        rows, head = rows + 1, link.digest
        met = met or head == expect
    return Walk(rows=rows, head=head, broken=None, met=met)


def _fault(link: Link, head: str) -> str | None:
    if link.previous != head:
        return "it does not follow the row before it: a row between them was removed, added or moved"
    if link.own_digest != link.digest:
        return "its words are not those it was written with"
    return None
