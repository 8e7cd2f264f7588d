"""On which line of a JSON text a place such as `handoffs[3].at` stands."""

import re
from collections.abc import Iterator
from json import JSONDecoder

PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
SPACE = re.compile(r"[ \t\r\n]*")
READ = JSONDecoder().raw_decode


def line_of(text: str, where: str) -> int:
    """Return the line, from 1, of the value at `where` in a valid JSON `text`; as far as the place exists.

    A place names fields and, in brackets, positions from 0: `expected.occurrences[2].verdict`.
    """
    at = _past_space(text, 0)
    for position, field in PART.findall(where):
        # Of a field that stands there twice the last one counts, as it does for whoever reads the value.
        found = [start for name, start in _members(text, at) if name == (field or int(position))]
        if not found:
            break
        at = found[-1]
    return text.count("\n", 0, at) + 1


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Yield the name, or the position, of each member of the object or list at `at`, and where its value begins."""
    if text[at] not in "{[":
        return
    closing, number = {"{": "}", "[": "]"}[text[at]], 0
    at = _past_space(text, at + 1)
    while text[at] != closing:
        name: str | int = number
        if closing == "}":
            name, at = READ(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        yield name, at
        number += 1
        at = _past_space(text, READ(text, at)[1])
        if text[at] == ",":
            at = _past_space(text, at + 1)


def _past_space(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match is not None else at
