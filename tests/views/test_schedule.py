"""The page of one schedule: what comes, what came, its contract in words, and who owns it."""

import re
from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client

from occurrences.models import Pause, Schedule, Source, Team
from occurrences.queries.pages.addresses import address_of, address_of_schedule
from occurrences.queries.pages.schedule import SchedulePage, schedule_page
from tests import wire
from tests.builders import BERLIN, BILLING, DAY, SEARCH, Night
from tests.views.clients import client_of, flat, owned

pytestmark = pytest.mark.django_db
HEALTHY = address_of_schedule(BILLING, "healthy")


def part(client: Client, name: str, address: str = HEALTHY) -> str:
    return client.get(address).content.decode().partition(f'id="{name}"')[2].partition("</section>")[0]


def test_it_shows_the_next_ten_in_local_time_and_utc(in_browser: Client, night: Night):
    rows = part(in_browser, "coming").partition("<tbody>")[2].split("<tr")[1:]
    dues = [row for row in rows if "colspan" not in row]
    assert len(dues) == 10
    assert f"{night.due + DAY:%H:%M}Z" in dues[0]
    assert re.search(r">\w{3} \d+ \w{3} \d\d:\d\d (CET|CEST)<", dues[0])


def page_at(key: str, now: datetime) -> SchedulePage:
    return schedule_page(Schedule.objects.select_related("source", "team").get(key=key), now=now)


def test_a_day_on_which_the_clock_changes_is_explained_in_the_dialect_of_the_source(night: Night):
    night.plan(BILLING, "fold", rule="30 2 * * *", tz=BERLIN)
    autumn = page_at("fold", datetime(2027, 10, 29, tzinfo=UTC)).coming
    assert "happens twice" in autumn[2].note
    assert [each.note for each in autumn if each.note] == [autumn[2].note]
    spring = page_at("fold", datetime(2027, 3, 26, tzinfo=UTC)).coming
    assert "02:30 does not exist on this day" in spring[2].note
    assert "dialect celery-beat such a time keeps the old offset" in spring[2].note


def test_a_time_that_a_dialect_leaves_out_has_a_row_of_its_own_between_the_others(night: Night):
    night.plan(BILLING, "gap", rule="30 2 * * *", tz=BERLIN, dialect="kubernetes")
    spring = page_at("gap", datetime(2027, 3, 26, tzinfo=UTC)).coming
    assert [each.due is None for each in spring[:4]] == [False, False, True, False]
    assert len(spring) == 11
    assert spring[2].note.endswith("Nothing is due.")


def test_a_dense_rule_tells_of_the_day_once(night: Night):
    night.plan(BILLING, "dense", rule="*/30 * * * *", tz=BERLIN)
    evening = page_at("dense", datetime(2027, 10, 31, 12, tzinfo=UTC)).coming
    assert [bool(each.note) for each in evening] == [True] + 9 * [False]
    assert "goes back on this day" in evening[0].note


def test_where_dialects_would_disagree_within_a_year_it_says_that_and_when(in_browser: Client, night: Night):
    night.plan(BILLING, "gap", rule="30 2 * * *", tz=BERLIN)
    page = flat(f"<main {part(in_browser, 'dialects', address_of_schedule(BILLING, 'gap'))}")
    found = page_at("gap", night.now).compared
    assert found is not None
    first = found.differences[0]
    assert f"first on {first.at.astimezone(ZoneInfo(BERLIN)):%a} {first.at.day} " in page
    assert "What counts here is celery-beat, the dialect of the source." in page
    assert "kubernetes" in page
    # In spring the clock jumps over 02:30: beat keeps the old offset, kubernetes leaves the time out.
    spring = page_at("gap", datetime(2027, 1, 1, tzinfo=UTC)).compared
    assert spring is not None
    (skips,) = [each for each in spring.differences if "kubernetes" in each.dialects]
    assert [due.due_at for due in skips.ours.shown] == [datetime(2027, 3, 28, 1, 30, tzinfo=UTC)]
    assert (skips.at, list(skips.theirs.shown)) == (datetime(2027, 3, 28, 1, 30, tzinfo=UTC), [])


def test_where_none_disagrees_it_says_so_and_an_interval_is_not_compared(in_browser: Client, night: Night):
    night.plan(BILLING, "noon", rule="0 12 * * *", tz="UTC")
    address = address_of_schedule(BILLING, "noon")
    assert "Every dialect that can read this rule makes the same due times" in part(in_browser, "dialects", address)
    assert page_at("every-minute-or-so", night.now).compared is None
    assert page_at("sun-rise", night.now).compared is None


def test_the_rules_and_pauses_on_record_are_listed_with_their_place_in_time(in_browser: Client, night: Night):
    source = Source.objects.get(name=BILLING)
    for start, end, reason in (
        (-3 * DAY, -2 * DAY, "moved house"), (DAY, 3 * DAY, "stock-taking"), (-DAY, None, "<b>holiday</b>"),
    ):  # fmt: skip
        ends = None if end is None else night.now + end
        Pause.objects.create(source=source, start=night.now + start, end=ends, reason=reason, by="ada")
    changed = {"rule": "0 5 * * *", "dialect": "celery-beat", "tz": BERLIN, "anchor": None}
    night.record(BILLING, [wire.schedule("healthy", at=night.now, **changed)], at=night.now)
    page = part(in_browser, "rules")
    text = flat(f"<main {page}")
    assert re.search(r"In force At 05:00 every day|In force .*0 5 \* \* \*", text)
    assert re.search(r"Over .* until ", text)
    assert re.search(r"Ahead stock-taking from .* until .*, the end not included, by ada", text)
    assert re.search(r"In force &lt;b&gt;holiday&lt;/b&gt; from .* with no end yet", text)
    assert "Over moved house" in text
    assert part(in_browser, "coming").count("Paused") == 10


def test_the_contract_names_each_handoff_with_its_allowance_in_force(in_browser: Client, night: Night):
    page = flat(in_browser.get(HEALTHY).content)
    assert "Scheduler tick within 60 s of the due time. Ask: scheduler process. If not: “Tick missing”." in page
    assert "Ready seen with enqueue." in page
    assert "Worker claim within 10 min of ready." in page
    assert "“Claim delayed” or “Claim missing”" in page
    assert "Allowances: All schedules, version 1" in page
    expires = flat(in_browser.get(address_of_schedule(SEARCH, "search/re-index ü")).content)
    assert "7200 s after the enqueue, by the schedule itself" in expires


def test_it_is_linked_from_the_list_and_the_occurrence_and_links_to_what_came(in_browser: Client, night: Night):
    assert f'href="{HEALTHY}"' in in_browser.get("/schedules/").content.decode()
    here = address_of(night.identity("healthy"))
    assert f'href="{HEALTHY}"' in in_browser.get(here).content.decode()
    assert f'href="{here}"' in in_browser.get(HEALTHY).content.decode()


@pytest.mark.parametrize("key", ["switched-off", "sun-rise", "every-minute-or-so"])
def test_one_without_due_times_ahead_says_why(in_browser: Client, night: Night, key: str):
    assert "None is known ahead:" in flat(in_browser.get(address_of_schedule(BILLING, key)).content)


def test_an_unknown_one_is_not_found(in_browser: Client, night: Night):
    for key in ("nothing", quote("a/b"), "%00"):
        assert in_browser.get(f"/schedules/{BILLING}/{key}/").status_code == 404
    assert in_browser.get(HEALTHY.replace("healthy", quote("healthy/team", safe=""))).status_code == 404


def test_an_admin_gives_it_to_a_team(admin: User, night: Night):
    Team.objects.create(name="Billing")
    client = client_of(admin)
    assert client.post(HEALTHY, {"do": "team", "team": "Billing"})["Location"] == HEALTHY
    assert "Owned by team Billing" in flat(client.get(HEALTHY).content)
    assert client.post(HEALTHY, {"do": "team", "team": "Nobody knows"}).status_code == 422
    assert client.post(HEALTHY, {"do": "team", "team": ""}).status_code == 303
    assert Schedule.objects.get(key="healthy").team is None


def test_an_owner_says_what_a_second_run_does(owner: User, night: Night):
    owned("Billing", owner)
    client = client_of(owner)
    assert client.post(HEALTHY, {"do": "recovery", "effect_class": "keyed"}).status_code == 303
    row = Schedule.objects.get(key="healthy")
    assert (row.effect_class, row.operators_may_decide) == ("keyed", False)
    assert client.post(HEALTHY, {"do": "recovery", "effect_class": "x"}).status_code == 422


def test_who_may_not_sees_the_controls_disabled_and_is_refused_with_the_same_words(operator: User, night: Night):
    owned("Billing")
    client = client_of(operator)
    page = client.get(HEALTHY).content.decode().partition('id="owner"')[2].partition("</section>")[0]
    controls = re.findall(r"<(?:button|select|input(?! type=.hidden))[^>]*>", page)
    assert len(controls) == 5
    assert all("disabled" in control for control in controls)
    for do, sentence in (("team", "Needs an admin."), ("recovery", "Needs the owner, team Billing.")):
        assert sentence in page
        refused = client.post(HEALTHY, {"do": do})
        assert (refused.status_code, sentence in flat(refused.content)) == (403, True)
