"""One tree of named refusals. Each carries the sentence that a person or a sender reads."""


class ContractError(ValueError):
    """Something the handoff contract does not accept."""


class InvalidIdentity(ContractError):
    """The text or the parts do not make the identity of an occurrence."""


class InvalidCapabilities(ContractError):
    """A source declares what it reports in words the contract does not know."""


class InvalidPolicy(ContractError):
    """A claim-age policy version that cannot be applied."""


class InvalidQuestion(ContractError):
    """A question the judge cannot answer, for example one with naive times."""


class RefusedRule(ContractError):
    """A recurrence rule that is not understood, in the parser's own words."""


class Refused(ContractError):
    """A record that breaks the wire format; it stays with its sender."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class InvalidWindow(ContractError):
    """A window file that cannot be read; `where` is the place in the document, `line` its line in the file."""

    def __init__(self, where: str, reason: str, *, line: int = 1) -> None:
        super().__init__(f"{where}: {reason}" if where else reason)
        self.where = where
        self.reason = reason
        self.line = line


class NotPlaced(ContractError):
    """A well-formed record that no occurrence can hold; it is kept in quarantine."""

    def __init__(self, reason: str, record_id: str, handoff: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.record_id = record_id
        self.handoff = handoff
