"""The parts of an occurrence's address."""

from occurrences.contract.occurrences import COMPACT_TEXT, SOURCE_NAME


class SourceName:
    """A source name; it holds no slash, so the first part of the path is the source."""

    regex = SOURCE_NAME.pattern

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class ScheduleKey:
    """Any text. The server has undone the percent-encoding, so slashes and line breaks stand here as they are."""

    regex = r"(?:.|\n|\r)+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class CompactDue:
    """A due time such as 20261025T013000Z, always the last part."""

    regex = COMPACT_TEXT.pattern

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class WorkItemAct:
    """What is done with a work item."""

    regex = "assign|priority|next-decision|comment|snooze|wake|close|reopen"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
