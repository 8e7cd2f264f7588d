"""The identity of an occurrence, its text form and the key computed from it."""

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b

from .errors import InvalidIdentity
from .times import EARLIEST, LATEST

SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9:._-]*")
DUE_TEXT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
COMPACT_TEXT = re.compile(r"\d{8}T\d{6}Z")
LONGEST_NAME = 512
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
VERSION_8 = 0x8 << 76
VARIANT = 0b10 << 62

# A name of our own under which recovery ids are made; it must never change, or a replay gets a second id.
RECOVERY_NAMESPACE = uuid.UUID("6d0f7d3c-6d1e-5c55-9a43-6f3c0f5b2a71")


def trimmed(instant: datetime) -> datetime:
    """Return `instant` in UTC without its fraction of a second; a naive time raises InvalidIdentity."""
    if instant.tzinfo is None:
        raise InvalidIdentity("a due time needs an offset")
    try:
        return instant.astimezone(UTC).replace(microsecond=0)
    except OverflowError:
        raise InvalidIdentity("a due time lies between the years 2000 and 2100") from None


def check_source_name(source: str) -> None:
    """Raise InvalidIdentity unless `source` is a source name such as `celery:billing`."""
    if len(source) > LONGEST_NAME or not SOURCE_NAME.fullmatch(source):
        raise InvalidIdentity("a source name is made of a-z, 0-9 and : . _ -, and begins with a letter or digit")


def check_schedule_key(schedule_key: str) -> None:
    """Raise InvalidIdentity unless `schedule_key` is text that can be stored and shown."""
    if not 1 <= len(schedule_key) <= LONGEST_NAME:
        raise InvalidIdentity(f"a schedule key has 1 to {LONGEST_NAME} characters")
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in schedule_key):
        raise InvalidIdentity("a schedule key holds no NUL and no lone surrogate")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Identity:
    """Source, schedule key and nominal due instant: what stays the same whatever happens to the occurrence.

    Handoff contract, section 1. The due instant is kept in UTC at the source's grain of one second.
    """

    source: str
    schedule_key: str
    due_at: datetime

    def __post_init__(self) -> None:
        check_source_name(self.source)
        check_schedule_key(self.schedule_key)
        due_at = trimmed(self.due_at)
        if not EARLIEST <= due_at < LATEST:
            raise InvalidIdentity("a due time lies between the years 2000 and 2100")
        object.__setattr__(self, "due_at", due_at)

    def __str__(self) -> str:
        return f"{self.source}/{self.schedule_key}@{self.due_at:%Y-%m-%dT%H:%M:%SZ}"

    @classmethod
    def parse(cls, text: str) -> "Identity":
        """Read the text form; anything else raises InvalidIdentity."""
        source, slash, rest = text.partition("/")
        schedule_key, at, due = rest.rpartition("@")
        if not slash or not at or not DUE_TEXT.fullmatch(due):
            raise InvalidIdentity("an identity looks like source/schedule@2026-10-25T01:30:00Z")
        return cls(source=source, schedule_key=schedule_key, due_at=_read(due, "%Y-%m-%dT%H:%M:%SZ"))

    @property
    def compact(self) -> str:
        """The due instant as it stands in an address: `20261025T013000Z`."""
        return f"{self.due_at:%Y%m%dT%H%M%SZ}"

    @classmethod
    def from_address(cls, *, source: str, schedule_key: str, compact: str) -> "Identity":
        """Read the three parts of a page's address; anything else raises InvalidIdentity."""
        if not COMPACT_TEXT.fullmatch(compact):
            raise InvalidIdentity("a due time in an address looks like 20261025T013000Z")
        return cls(source=source, schedule_key=schedule_key, due_at=_read(compact, "%Y%m%dT%H%M%SZ"))

    @property
    def key(self) -> uuid.UUID:
        """The primary key, a version 8 UUID: 48 bits of due time, then a digest of source and schedule."""
        return uuid.UUID(int=(_milliseconds(self.due_at) << 80) | _digest(self.source, self.schedule_key))


def key_floor(instant: datetime) -> uuid.UUID:
    """Return the lowest key of the millisecond of `instant`, for ranges and partition bounds."""
    return uuid.UUID(int=_milliseconds(instant) << 80)


def recovery_id(identity: Identity, number: int) -> uuid.UUID:
    """Return the id of the `number`-th replay of an occurrence: the same question gives the same id."""
    if number < 1:
        raise InvalidIdentity("replays are counted from 1; 0 is the original")
    return uuid.uuid5(RECOVERY_NAMESPACE, f"{number}:{identity}")


def _read(text: str, pattern: str) -> datetime:
    try:
        return datetime.strptime(text, pattern).replace(tzinfo=UTC)
    except ValueError:
        raise InvalidIdentity(f"{text} is no moment of the calendar") from None


@lru_cache(maxsize=16_384)
def _digest(source: str, schedule_key: str) -> int:
    """The low 80 bits of every key of a schedule."""
    pair = _prefixed(source) + _prefixed(schedule_key)
    digest = int.from_bytes(blake2b(pair, digest_size=16).digest(), "big")
    high = (digest >> 64) & 0xFFF
    low = digest & ((1 << 62) - 1)
    return VERSION_8 | (high << 64) | VARIANT | low


def _prefixed(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return len(encoded).to_bytes(4, "big") + encoded


def _milliseconds(instant: datetime) -> int:
    elapsed = instant - EPOCH
    return elapsed.days * 86_400_000 + elapsed.seconds * 1000 + elapsed.microseconds // 1000
