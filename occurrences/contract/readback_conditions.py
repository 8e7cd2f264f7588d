"""V1 to V7: what must hold before a replay is verified, each with its sentence (safety contract, 4.9)."""

from dataclasses import dataclass

from .replay_facts import Seen
from .times import clock_text, span_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition: True holds, False does not, None cannot be told yet."""

    name: str
    passed: bool | None
    sentence: str


def conditions_of(seen: Seen) -> tuple[Condition, ...]:
    """Return V1 to V7 in order, as the page lists them; the replay is verified exactly where all of them hold."""
    return (
        _acknowledged(seen),
        _carried(seen),
        _succeeded(seen),
        _identity_equal(seen),
        _original_clean(seen),
        _only_once(seen),
        _in_time(seen),
    )


def _acknowledged(seen: Seen) -> Condition:
    if seen.uncertain:
        return _told("V1", None, "It was sent and the target never answered.")
    facts = seen.facts
    if facts.published_at is None and not seen.any and not facts.seen_in_queue:
        return _told("V1", None, "It is not sent yet.")
    return _told("V1", True, f"The target took it under {facts.recovery_id}.")


def _carried(seen: Seen) -> Condition:
    if seen.mismatching:
        return _told("V2", False, "Its handoffs arrived under another identity.")
    if not seen.claimed:
        return _told("V2", None, "No handoff of its worker has arrived yet.")
    if seen.read_back_at is None:
        return _told("V2", None, "Its handoffs arrived, and none of them names the original.")
    return _told("V2", True, "Its handoffs arrived with the identity of the original.")


def _succeeded(seen: Seen) -> Condition:
    if seen.thrown_away is not None:
        return _told("V3", False, "It was thrown away unstarted.")
    if seen.end is None:
        return _told("V3", None, "It has no end yet.")
    good = seen.end.outcome == "succeeded"
    return _told("V3", good, f"It ended: {seen.end.outcome or 'without a result'}.")


def _identity_equal(seen: Seen) -> Condition:
    if seen.rb1 == "mismatch":
        return _told("V4", False, f"Read back, its {' and '.join(seen.mismatching)} is not what was decided.")
    if seen.rb1 is None:
        return _told("V4", None, "No worker has read its identity back yet.")
    return _told("V4", True, "Read back: source, schedule, due time, recovery number and recovery id are equal.")


def _original_clean(seen: Seen) -> Condition:
    if seen.facts.original_started_after or seen.facts.original_succeeded:
        return _told("V5", False, "The original ran as well since this was decided.")
    if seen.end is None:
        return _told("V5", None, "The original has not run so far; it is read again when this ends.")
    return _told("V5", True, "The original did not run between the decision and the end of this.")


def _only_once(seen: Seen) -> Condition:
    if seen.successes > 1 or (seen.successes and seen.facts.original_succeeded):
        return _told("V6", False, "This due time succeeded more than once.")
    if seen.end is None:
        return _told("V6", None, "No success of this due time is on record yet.")
    return _told("V6", True, "No second success of this due time is on record.")


def _in_time(seen: Seen) -> Condition:
    limit = clock_text(seen.limit, seen.facts.identity.due_at.date())
    allowed = f"read back by {limit} and ended within {span_text(seen.facts.run)}"
    if seen.too_late:
        return _told("V7", False, f"It was not {allowed}.")
    if seen.read_back_at is None or seen.end is None:
        return _told("V7", None, f"It has time left to be {allowed}.")
    return _told("V7", True, f"It was {allowed}.")


def _told(name: str, passed: bool | None, sentence: str) -> Condition:
    return Condition(name=name, passed=passed, sentence=sentence)
