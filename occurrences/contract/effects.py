"""What a second run of a schedule would do: the effect class its owner chooses (safety contract, input I3)."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Effect(StrEnum):
    """The effect class of a schedule; unclassified until its owner says otherwise."""

    KEYED = "keyed"
    REPEATABLE = "repeatable"
    CUMULATIVE = "cumulative"
    ONCE = "once"
    UNCLASSIFIED = "unclassified"

    @property
    def words(self) -> str:
        """The words on screen."""
        return self.value.capitalize()

    @property
    def meaning(self) -> str:
        """The one line an owner chooses by."""
        return MEANINGS[self]


MEANINGS: Mapping[Effect, str] = MappingProxyType(
    {
        Effect.KEYED: "The work knows its due time: a second run of the same one is ignored.",
        Effect.REPEATABLE: "Running it twice leaves the same result as running it once.",
        Effect.CUMULATIVE: "A later success covers this due time as well: nothing is lost by leaving it out.",
        Effect.ONCE: "It does something outside that must not happen twice, and nothing there notices a second run.",
        Effect.UNCLASSIFIED: "Nobody has said yet what a second run would do, so the worst is assumed.",
    }
)
