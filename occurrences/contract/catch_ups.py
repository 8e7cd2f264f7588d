"""How long a scheduler may still fire a due time it missed (safety contract, 4.3): data, with the source of each line.

A due time that was not acted on is lost for good only once its scheduler can no longer make up for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType


class MadeUp(StrEnum):
    """What a scheduler does about the due times it missed once it is back."""

    NONE = "none"
    LATEST = "latest"
    EVERY = "every"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """The catch-up of one scheduler: what is made up, and for how long after the due time (None = without end).

    `setting` is the scheduler's own name of the limit; `told` says that snapshots of the source name what is made
    up, so that they are believed over this line.
    """

    made_up: MadeUp
    lasts: timedelta | None
    source: str
    setting: str = ""
    told: bool = False

    def over_at(self, due: datetime) -> datetime | None:
        """Return from when on `due` is not made up any more; None where that moment never comes or is not known."""
        if self.made_up is MadeUp.NONE:
            return due
        return None if self.made_up is MadeUp.UNKNOWN or self.lasts is None else due + self.lasts


BEAT = CatchUp(
    made_up=MadeUp.LATEST,
    lasts=None,
    setting="beat_cron_starting_deadline",
    told=True,
    source="celery/celery `celery/schedules.py`: past due is sent once at the start, unless the deadline is set",
)
ROBFIG = "kubernetes/kubernetes `pkg/controller/cronjob`: only the most recent missed time, within the deadline if set"

CATCH_UPS: Mapping[str, CatchUp] = MappingProxyType(
    {
        "celery-beat": BEAT,
        "django-celery-beat": BEAT,
        "kubernetes": CatchUp(made_up=MadeUp.LATEST, lasts=None, setting="startingDeadlineSeconds", source=ROBFIG),
        "temporal": CatchUp(
            made_up=MadeUp.EVERY,
            lasts=timedelta(days=365),
            setting="catchup_window",
            source="temporalio/temporal `service/worker/scheduler`: everything inside the window, one year by default",
        ),
        "fugit": CatchUp(
            made_up=MadeUp.NONE,
            lasts=None,
            source="rails/solid_queue and bensheldon/good_job: at the start only the next time is planned",
        ),
        "apscheduler": CatchUp(
            made_up=MadeUp.LATEST,
            lasts=timedelta(seconds=1),
            setting="misfire_grace_time",
            source="agronholm/apscheduler 3.x: a run later than the grace time, 1 s by default, is dropped",
        ),
        "debian-cron": CatchUp(
            made_up=MadeUp.EVERY,
            lasts=timedelta(hours=3),
            source="cron(8) of Debian: when the clock jumps ahead by less than three hours, what lay between is run",
        ),
        "croniter": CatchUp(
            made_up=MadeUp.UNKNOWN,
            lasts=None,
            source="a library, no scheduler: what is made up depends on who uses it",
        ),
    }
)
NOT_KNOWN = CatchUp(made_up=MadeUp.UNKNOWN, lasts=None, source="no line for this dialect")


def catch_up_of(dialect: str, *, told: str | None = None, deadline: timedelta | None = None) -> CatchUp:
    """Return the catch-up of a dialect.

    `told` is what the revision in force says (`latest`, `none`), `deadline` the starting deadline that is set (None =
    the default of the dialect).
    """
    known = CATCH_UPS.get(dialect, NOT_KNOWN)
    if known.told and told == MadeUp.NONE:
        return replace(known, made_up=MadeUp.NONE)
    return known if deadline is None or known.made_up is MadeUp.UNKNOWN else replace(known, lasts=deadline)
