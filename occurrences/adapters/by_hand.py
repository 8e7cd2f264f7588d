"""Replays that a person runs: nothing is sent, and the command to run is shown with the identity in it.

What a schedule calls its task comes from outside, so every word is quoted, and a word that could steer the terminal
it is pasted into is refused.
"""

import json
import shlex
from typing import Any
from uuid import UUID

from occurrences.adapters.base import Message, Repeats, TargetRefused, refuse_if_late


class ByHandTarget:
    """A target without a way in. Whether it was run, and how often, only the run itself can tell."""

    repeats = Repeats.NONE
    can_revoke = False

    def publish(self, message: Message) -> None:
        """Send nothing; refuse what a person could not run either."""
        refuse_if_late(message)
        self.by_hand(message)

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Nobody can tell."""
        return False

    def revoke(self, run: str, queue: str) -> bool:
        """Not from here."""
        return False

    def original_waits(self, run: str, queue: str) -> bool | None:
        """Nobody can tell."""
        return None

    def by_hand(self, message: Message) -> str:
        """The command, for a POSIX shell: the identity as environment, then the task and its arguments as words.

        Raises TargetRefused for a word with a control character, and for a task that `env` would take as a variable.
        """
        environment = [f"{name}={value}" for name, value in _identity(message).items()]
        options = [f"{name}={_word(value)}" for name, value in message.kwargs.items()]
        words = ["env", *environment, message.task, *map(_word, message.args), *options]
        if not all(word.isprintable() for word in words):
            raise TargetRefused("a name or an argument holds a control character; it cannot be pasted safely")
        if "=" in message.task:
            raise TargetRefused("the name of the task holds an equals sign; its first argument would be run instead")
        return shlex.join(words)


def _identity(message: Message) -> dict[str, object]:
    return {
        "AGLET_RECOVERY_ID": message.recovery_id,
        "AGLET_RECOVERY_NUMBER": message.recovery_number,
        "AGLET_SOURCE": message.identity.source,
        "AGLET_SCHEDULE": message.identity.schedule_key,
        "AGLET_DUE": message.due_at,
        "AGLET_DUE_LOCAL": message.due_local,
        "AGLET_ZONE": message.zone,
        "AGLET_ORIGINAL_RUN": message.original_run or "",
        "AGLET_NOT_AFTER": message.not_after.isoformat(),
    }


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
