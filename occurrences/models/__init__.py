"""The records. Fields, constraints and indexes; no rule and no verb lives here."""

from occurrences.models.absences import Absence
from occurrences.models.audit import AuditEntry
from occurrences.models.coverage import Coverage, CoverageStretch
from occurrences.models.decisions import Decision
from occurrences.models.handoffs import Discrepancy, HandoffRecord, Quarantine, Run, Unlinked
from occurrences.models.occurrences import Occurrence
from occurrences.models.people import SignInLink
from occurrences.models.policies import ClaimAgePolicy
from occurrences.models.replays import Readback, Replay
from occurrences.models.schedules import Pause, Schedule, ScheduleRevision
from occurrences.models.sources import ClockSkew, Source, SourceKey
from occurrences.models.sweeps import Sweep, SweepGap
from occurrences.models.teams import Team
from occurrences.models.work_items import WorkItem, WorkItemEntry
from occurrences.models.workers import Process

__all__ = [
    "Absence",
    "AuditEntry",
    "ClaimAgePolicy",
    "ClockSkew",
    "Coverage",
    "CoverageStretch",
    "Decision",
    "Discrepancy",
    "HandoffRecord",
    "Occurrence",
    "Pause",
    "Process",
    "Quarantine",
    "Readback",
    "Replay",
    "Run",
    "Schedule",
    "ScheduleRevision",
    "SignInLink",
    "Source",
    "SourceKey",
    "Sweep",
    "SweepGap",
    "Team",
    "Unlinked",
    "WorkItem",
    "WorkItemEntry",
]
