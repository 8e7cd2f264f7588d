"""The eight handoffs in order, who owns each, and what a source can show of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType

from .errors import InvalidCapabilities


class Handoff(IntEnum):
    """The stations of an occurrence, due to terminal; the number is the rank (handoff contract, 3)."""

    DUE = 0
    TICK = 1
    ENQUEUE = 2
    READY = 3
    CLAIM = 4
    START = 5
    EXPIRATION = 6
    TERMINAL = 7

    @property
    def word(self) -> str:
        """The word on the wire and in the log: `tick`."""
        return self.name.lower()

    @property
    def label(self) -> str:
        """The words of the station on a page."""
        return LABELS[self]

    @classmethod
    def from_word(cls, word: str) -> "Handoff":
        """Return the handoff called `word`; another word raises ValueError."""
        try:
            return WORDS[word]
        except KeyError:
            raise ValueError(f"{word!r} is none of {', '.join(WORDS)}") from None


WORDS: Mapping[str, Handoff] = MappingProxyType({handoff.word: handoff for handoff in Handoff})

LABELS: Mapping[Handoff, str] = MappingProxyType(
    {
        Handoff.DUE: "Due",
        Handoff.TICK: "Scheduler tick",
        Handoff.ENQUEUE: "Enqueue",
        Handoff.READY: "Ready",
        Handoff.CLAIM: "Worker claim",
        Handoff.START: "Start",
        Handoff.EXPIRATION: "Expiration",
        Handoff.TERMINAL: "Terminal",
    }
)

OWNERS: Mapping[Handoff, str] = MappingProxyType(
    {
        Handoff.DUE: "schedule owner",
        Handoff.TICK: "scheduler process",
        Handoff.ENQUEUE: "scheduler process",
        Handoff.READY: "queue",
        Handoff.CLAIM: "worker",
        Handoff.START: "worker process",
        Handoff.EXPIRATION: "queue or worker",
        Handoff.TERMINAL: "worker",
    }
)

# Expiration is left out: it is a branch that replaces claim or start, so its absence is the normal case.
STEPS = (Handoff.TICK, Handoff.ENQUEUE, Handoff.READY, Handoff.CLAIM, Handoff.START, Handoff.TERMINAL)


class Role(StrEnum):
    """Whose evidence must be complete before an absence is proven."""

    SCHEDULER = "scheduler"
    WORKERS = "workers"
    CLOCK = "clock"


class Capability(StrEnum):
    """What a source can show of one handoff."""

    OBSERVED = "observed"
    INFERRED = "inferred"
    MERGED = "merged_with"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a source reports of each handoff; what is not named is observed."""

    states: Mapping[Handoff, Capability] = field(default_factory=dict)
    hosts: Mapping[Handoff, Handoff] = field(default_factory=dict)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, str]) -> "Capabilities":
        """Read `{"ready": "merged_with:enqueue", "claim": "none"}`; other words raise InvalidCapabilities."""
        states: dict[Handoff, Capability] = {}
        hosts: dict[Handoff, Handoff] = {}
        for word, text in mapping.items():
            handoff = _known(word)
            state, _, host = text.partition(":")
            states[handoff] = _state(state, has_host=bool(host))
            if host:
                hosts[handoff] = _known(host)
        result = cls(states=states, hosts={handoff: _host_of(handoff, hosts) for handoff in hosts})
        result._check_merges()
        return result

    def state(self, handoff: Handoff) -> Capability:
        """Return what the source can show of `handoff`."""
        return self.states.get(handoff, Capability.OBSERVED)

    def reports(self, handoff: Handoff) -> bool:
        """Return whether the source can show `handoff` at all, by a record of its own or by another's."""
        return self.state(handoff) is not Capability.NONE

    def merged_with(self, handoff: Handoff) -> Handoff | None:
        """Return the handoff whose record also stands for `handoff`, or None."""
        return self.hosts.get(handoff)

    def to_mapping(self) -> dict[str, str]:
        """Return the wire form with every handoff but the derived due."""
        return {handoff.word: self._text(handoff) for handoff in Handoff if handoff is not Handoff.DUE}

    def _text(self, handoff: Handoff) -> str:
        host = self.merged_with(handoff)
        return str(self.state(handoff)) if host is None else f"{Capability.MERGED}:{host.word}"

    def _check_merges(self) -> None:
        for handoff, host in self.hosts.items():
            steps = handoff in STEPS and host in STEPS and handoff is not host
            if not steps or self.state(host) in (Capability.MERGED, Capability.NONE):
                raise InvalidCapabilities(f"{handoff.word} cannot be merged with {host.word}")


def _host_of(handoff: Handoff, hosts: Mapping[Handoff, Handoff]) -> Handoff:
    """Return whose record stands for `handoff` in the end: a handoff can be merged with one that is merged itself."""
    host = hosts[handoff]
    for _ in hosts:
        host = hosts.get(host, host)
    return host


def _known(word: str) -> Handoff:
    if word == Handoff.DUE.word or word not in WORDS:
        raise InvalidCapabilities(f"{word!r} is no handoff that a source reports")
    return WORDS[word]


def _state(text: str, *, has_host: bool) -> Capability:
    if text not in list(Capability) or (text == Capability.MERGED) is not has_host:
        raise InvalidCapabilities(f"{text!r} is not observed, inferred, none or merged_with:<handoff>")
    return Capability(text)


CELERY_TAP: Mapping[str, str] = MappingProxyType(
    {
        "tick": "observed",
        "enqueue": "observed",
        "ready": "merged_with:enqueue",
        "claim": "observed",
        "start": "observed",
        "expiration": "observed",
        "terminal": "observed",
    }
)


def usual_owner(handoff: Handoff) -> str:
    """Return whom to look for first when `handoff` is absent."""
    return OWNERS[handoff]


def role_of(handoff: Handoff, capabilities: Capabilities) -> Role:
    """Return whose coverage proves the absence of `handoff` (handoff contract, section 5).

    A handoff merged with another one lies in the evidence of whoever reports that other one.
    """
    reporter = capabilities.merged_with(handoff) or handoff
    if reporter is Handoff.DUE:
        return Role.CLOCK
    return Role.SCHEDULER if reporter <= Handoff.READY else Role.WORKERS
