"""The fields of one wire record, taken out one by one with their types checked."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from .errors import Refused
from .times import EARLIEST, LATEST

LONGEST = 512
LARGEST_INTEGER = 2**31 - 1  # what a column of whole numbers holds
LARGEST_NUMBER = 2**53  # what a line of a spool can be numbered with
MOMENT = re.compile(
    r"(?P<year>[+-]?\d{4,6})-(?P<rest>\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(?P<part>\d{1,9}))?"
    r"(?P<offset>Z|[+-]\d{2}:\d{2})",
    re.ASCII,
)
NO_OFFSET = re.compile(r"[+-]?\d{4,6}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?", re.ASCII)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class OutOfRangeError(ValueError):
    """A well-formed moment outside the years 2000 to 2100."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} lies outside the years 2000 to 2100")
        self.field = field


class Fields:
    """A wire object and which of its fields were asked for; what nobody asked for is refused at the end."""

    def __init__(self, value: Mapping[object, object], path: str = "") -> None:
        self.path = path
        self.seen: set[str] = set()
        self.value: dict[str, object] = {}
        for name, item in value.items():
            if not isinstance(name, str):
                raise Refused(self.name("?"), "a field's name is not text")
            self.value[name] = item

    def name(self, field: str) -> str:
        """Return the full name of a field for a refusal."""
        return f"{self.path}.{field}" if self.path else field

    def take(self, field: str, *, required: bool = True) -> object:
        """Return the raw value; null counts as absent, and absent is refused where it is required."""
        self.seen.add(field)
        item = self.value.get(field)
        if item is None and required:
            raise Refused(self.name(field), "is missing" if field not in self.value else "is null")
        return item

    def text(self, field: str, *, longest: int = LONGEST) -> str:
        """Return required text of 1 to `longest` characters."""
        return self._text(field, self.take(field), longest)

    def optional_text(self, field: str) -> str | None:
        """Return text, or None where it is absent or null."""
        item = self.take(field, required=False)
        return None if item is None else self._text(field, item)

    def choice(self, field: str, choices: Sequence[str]) -> str:
        """Return required text that is one of `choices`."""
        item = self.text(field)
        if item not in choices:
            raise Refused(self.name(field), f"is none of {', '.join(choices)}")
        return item

    def optional_choice(self, field: str, choices: Sequence[str]) -> str | None:
        """Return text that is one of `choices`, or None where it is absent or null."""
        return None if self.take(field, required=False) is None else self.choice(field, choices)

    def integer(self, field: str, *, least: int = 0) -> int:
        """Return a required whole number of at least `least`."""
        return self._integer(field, self.take(field), least)

    def optional_integer(self, field: str, *, least: int = 0, most: int = LARGEST_INTEGER) -> int | None:
        """Return a whole number, or None where it is absent or null."""
        item = self.take(field, required=False)
        return None if item is None else self._integer(field, item, least, most)

    def optional_number(self, field: str, *, most: float) -> float | None:
        """Return a number from 0 to `most`, or None where it is absent or null."""
        item = self.take(field, required=False)
        if item is None:
            return None
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            raise Refused(self.name(field), "is not a number")
        if not 0 <= item <= most:
            raise Refused(self.name(field), f"is below 0 or above {most:g}")
        return float(item)

    def boolean(self, field: str) -> bool:
        """Return a required true or false."""
        item = self.take(field)
        if not isinstance(item, bool):
            raise Refused(self.name(field), "is not true or false")
        return item

    def moment(self, field: str) -> datetime:
        """Return a required time in UTC; raise OutOfRangeError for a well-formed one of another century."""
        return self._moment(field, self.take(field))

    def optional_moment(self, field: str) -> datetime | None:
        """Return a time in UTC, or None where it is absent or null."""
        item = self.take(field, required=False)
        return None if item is None else self._moment(field, item)

    def optional_anchor(self, field: str) -> datetime | None:
        """Return a time to count from, or None: unlike a moment of evidence it may be as old as the epoch."""
        item = self.take(field, required=False)
        if item is None:
            return None
        if not isinstance(item, str):
            raise Refused(self.name(field), "is not a time written as text")
        return read_moment(item, self.name(field), earliest=EPOCH)

    def moments(self, field: str) -> tuple[datetime, ...]:
        """Return a list of times in UTC; absent or null is an empty one."""
        return tuple(self._moment(field, item) for item in self.items(field))

    def section(self, field: str) -> "Fields":
        """Return the fields of a required object."""
        return self._section(field, self.take(field))

    def optional_section(self, field: str) -> "Fields | None":
        """Return the fields of an object, or None where it is absent or null."""
        item = self.take(field, required=False)
        return None if item is None else self._section(field, item)

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a list of text; absent or null is an empty one."""
        return tuple(self._text(field, item) for item in self.items(field))

    def items(self, field: str) -> Sequence[object]:
        """Return the items of a list; absent or null is an empty one, more than 1,000 are refused."""
        item = self.take(field, required=False)
        if item is None:
            return ()
        if not isinstance(item, list):
            raise Refused(self.name(field), "is not a list")
        if len(item) > 1000:
            raise Refused(self.name(field), "has more than 1000 items")
        return item

    def refuse_unknown(self) -> None:
        """Refuse the first field that nobody asked for."""
        unknown = sorted(set(self.value) - self.seen)
        if unknown:
            raise Refused(self.name(unknown[0][:LONGEST]), "is not a field of this kind")

    def _text(self, field: str, item: object, longest: int = LONGEST) -> str:
        if not isinstance(item, str):
            raise Refused(self.name(field), "is not text")
        check_text(item, self.name(field))
        if not 1 <= len(item) <= longest:
            raise Refused(self.name(field), f"is empty or longer than {longest} characters")
        return item

    def _integer(self, field: str, item: object, least: int, most: int = LARGEST_INTEGER) -> int:
        if isinstance(item, bool) or not isinstance(item, int):
            raise Refused(self.name(field), "is not a whole number")
        if not least <= item <= most:
            raise Refused(self.name(field), f"is below {least} or too large")
        return item

    def _section(self, field: str, item: object) -> "Fields":
        if not isinstance(item, Mapping):
            raise Refused(self.name(field), "is not an object")
        return Fields(item, self.name(field))

    def _moment(self, field: str, item: object) -> datetime:
        if not isinstance(item, str):
            raise Refused(self.name(field), "is not a time written as text")
        return read_moment(item, self.name(field))


def check_text(text: str, field: str) -> None:
    """Refuse what the database cannot hold: NUL and lone surrogates."""
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text):
        raise Refused(field, "holds a NUL or a lone surrogate")


def check_deep(value: object, field: str) -> None:
    """Refuse what the database cannot hold anywhere inside a JSON value."""
    if isinstance(value, str):
        check_text(value, field)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            check_deep(name, field)
            check_deep(item, field)
    elif isinstance(value, list):
        for item in value:
            check_deep(item, field)


def read_moment(text: str, field: str, *, earliest: datetime = EARLIEST) -> datetime:
    """Return an RFC 3339 time in UTC; refuse other text, raise OutOfRangeError outside `earliest` to 2100."""
    match = MOMENT.fullmatch(text)
    if match is None:
        naive = NO_OFFSET.fullmatch(text) is not None
        raise Refused(field, "has no offset" if naive else "is not a time like 2026-10-25T01:30:00Z")
    if len(match["year"]) != 4 or not earliest.year - 1 <= int(match["year"]) <= 2100:
        # The rest must still be a moment of some year: 2000 has every day that there is.
        _in_utc(match, "2000", field)
        raise OutOfRangeError(field)
    moment = _in_utc(match, match["year"], field)
    if not earliest <= moment < LATEST:
        raise OutOfRangeError(field)
    return moment


def _in_utc(match: re.Match[str], year: str, field: str) -> datetime:
    part = (match["part"] or "").ljust(6, "0")[:6]
    offset = "+00:00" if match["offset"] == "Z" else match["offset"]
    rest = match["rest"].replace(" ", "T")
    try:
        return datetime.fromisoformat(f"{year}-{rest}.{part}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise Refused(field, "is no moment of the calendar") from None
