"""Rules as the wire format writes them."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from celery import Celery
from celery.schedules import crontab, schedule, solar

from occurrences.contract.schedules import parse_rule
from occurrences.tap.grid import Grid
from occurrences.tap.snapshots import Rule, queue_of, rule_of

APP = Celery("rules", set_as_current=False)
APP.conf.update(
    timezone="Europe/Berlin",
    task_default_queue="demo",
    task_routes={"mail.*": {"queue": "mail"}},
)


def of_app(plan: Any) -> Any:
    plan.app = APP
    return plan


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (crontab(), "* * * * *"),
        (crontab(minute="*/5", hour="2, 3", day_of_week="mon-fri"), "*/5 2,3 * * mon-fri"),
        (crontab(minute=0, hour={4, 2}, day_of_month=[1, 15], month_of_year=12), "0 2,4 1,15 12 *"),
    ],
)
def test_a_crontab_is_written_as_five_fields_in_the_zone_of_the_application(plan: crontab, text: str) -> None:
    assert rule_of(of_app(plan)) == Rule(rule=text, dialect="celery-beat", tz="Europe/Berlin")


def test_a_crontab_with_a_zone_of_its_own_keeps_it() -> None:
    plan = of_app(crontab(hour=3, minute=0))
    plan.tz = ZoneInfo("America/New_York")
    assert rule_of(plan).tz == "America/New_York"


@pytest.mark.parametrize(("period", "text"), [(3, "every 3s"), (0.5, "every 0.5s"), (90.0, "every 90s")])
def test_intervals_are_written_in_seconds(period: float, text: str) -> None:
    assert rule_of(schedule(timedelta(seconds=period))) == Rule(rule=text, dialect="interval-floating")
    assert rule_of(Grid(period)) == Rule(rule=text, dialect="interval", anchor="1970-01-01T00:00:00Z")


def test_a_schedule_we_cannot_read_is_named_by_its_class() -> None:
    class Moon(solar):
        def __init__(self) -> None:
            """Needs no library here."""

    rule = rule_of(Moon())
    assert rule.dialect == "unknown"
    assert rule.rule.endswith("Moon")


def test_the_queue_is_the_one_of_the_options_then_of_the_router_then_the_default() -> None:
    assert queue_of(APP, "mail.send", {"queue": "urgent"}) == "urgent"
    assert queue_of(APP, "mail.send", {}) == "mail"
    assert queue_of(APP, "other", {}) == "demo"


@pytest.mark.parametrize("plan", [crontab(minute="*/5", day_of_week="mon-fri"), schedule(4), Grid(5), Grid(0.5)])
def test_every_rule_is_one_the_console_reads(plan: Any) -> None:
    rule = rule_of(of_app(plan))
    anchor = datetime.fromisoformat(rule.anchor) if rule.anchor else None
    parse_rule(rule.rule, rule.dialect, rule.tz, anchor)
