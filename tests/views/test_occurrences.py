"""The occurrence page: verdict before data, eight stations, UTC beside the zone, and no arguments."""

import json
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from occurrences.contract.occurrences import Identity
from occurrences.models import HandoffRecord, Occurrence, Source
from occurrences.queries.pages.addresses import address_of
from tests.builders import MAIL, PARTNER, SEARCH, Night
from tests.wire import handoff

DUE = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
HTMX = {"HX-Request": "true"}
KEYS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(key=KEYS.filter(lambda key: key not in (".", "..")))
def test_an_address_leads_back_to_its_identity_whatever_the_key(key: str):
    identity = Identity(source="celery:billing", schedule_key=key, due_at=DUE)
    address = address_of(identity)
    assert address.isascii()
    assert re.fullmatch(r"/o/celery:billing/[^/?#\\]+/20261025T013000Z/", address)
    found = resolve(unquote(address)).kwargs
    assert (
        Identity.from_address(source=found["source"], schedule_key=found["schedule_key"], compact=found["due"])
        == identity
    )


def test_a_key_that_ends_like_the_address_of_a_part_is_still_a_key():
    identity = Identity(source="s", schedule_key="a/20260101T000000Z/poll", due_at=DUE)
    found = resolve(unquote(address_of(identity)))
    assert (found.url_name, found.kwargs["schedule_key"]) == ("occurrence", identity.schedule_key)


def get(client: Client, night: Night, key: str = "invoice-rollup", **where: str) -> str:
    answer = client.get(address_of(night.identity(key, **where)))
    assert answer.status_code == 200
    return answer.content.decode()


def flat(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def stations(page: str) -> list[str]:
    rail = page.partition('<ol class="rail"')[2].partition("</ol>")[0]
    return rail.split("<li ")[1:]


@pytest.mark.django_db
class TestPage:
    def test_the_verdict_comes_first_and_says_what_it_is_not(self, in_browser: Client, night: Night):
        page = flat(get(in_browser, night).partition("<main")[2])
        assert page.index("Enqueue missing: invoice-rollup") < page.index("Handoffs, due to terminal")
        assert "This is not a delayed claim: there is no task to claim." in page
        assert "Yes, the evidence has no gap up to the deadline" in page
        assert "Only this one" in page

    def test_the_rail_has_eight_stations_in_order_and_one_first_absent(self, in_browser: Client, night: Night):
        found = stations(get(in_browser, night))
        names = [re.search(r'class="name">([^<]+)', li)[1] for li in found]  # type: ignore[index]
        assert names == [
            "Due", "Scheduler tick", "Enqueue", "Ready", "Worker claim", "Start", "Expiration", "Terminal",
        ]  # fmt: skip
        current = [names[n] for n, li in enumerate(found) if 'aria-current="step"' in li]
        assert current == ["Enqueue"]
        assert "First absent handoff" in found[2]
        assert all("owner:" in li or "by " in li for li in found)

    def test_whether_a_replay_could_run_the_work_twice_stands_beside_the_trust(self, in_browser: Client, night: Night):
        safe = "A replay cannot run the work twice: no task was made, a worker is up, another due time succeeded"
        assert safe in flat(get(in_browser, night))
        no_worker = "Needs evidence: no worker that serves it is up now"
        night.plan(SEARCH, "nobody-there", tz="UTC")
        night.path(SEARCH, "nobody-there", "tick")
        assert no_worker in flat(get(in_browser, night, "nobody-there", source=SEARCH))
        assert "Needs evidence: the work was begun and part of it may be done." in flat(
            get(in_browser, night, "broken")
        )
        for key in ("healthy", "nightly-backup"):
            page = flat(get(in_browser, night, key))
            assert "Needs evidence" not in page
            assert "run the work twice" not in page

    def test_a_run_beside_the_schedule_in_its_period_makes_a_replay_need_evidence(
        self, in_browser: Client, night: Night
    ):
        beside = night.due + timedelta(minutes=5)
        stray = [
            handoff(word, beside, key="invoice-rollup", due=beside, run="by-hand") for word in ("enqueue", "terminal")
        ]
        night.record("celery:billing", stray, at=night.now)
        assert "a run beside the schedule has a record in this period" in flat(get(in_browser, night))

    def test_a_station_without_a_record_of_its_own_says_with_which_it_stands(self, in_browser: Client, night: Night):
        page = get(in_browser, night, "healthy")
        ready = stations(page)[3]
        assert 'data-i="merged"' in ready
        assert "With enqueue" in ready
        assert "With another. The source writes one record for both" in flat(page.partition('class="hints"')[2])

    def test_not_reported_implied_and_not_observed_are_told_apart(self, in_browser: Client, night: Night):
        silent = {"claim": "none", "ready": "none"}
        Source.objects.filter(name="celery:billing").update(capabilities=silent)
        night.path("celery:billing", "invoice-rollup", "tick", "enqueue", "terminal")
        page = get(in_browser, night)
        found = stations(page)
        assert [re.search(r'data-i="(\w+)"', found[n])[1] for n in (3, 4, 5)] == ["unreported", "unreported", "implied"]  # type: ignore[index]
        assert [re.search(r'data-s="(\w+)"', found[n])[1] for n in (4, 5)] == ["off", "implied"]  # type: ignore[index]
        assert "Not reported" in found[4]
        assert "Implied" in found[5]
        hints = flat(page.partition('class="hints"')[2].partition("</ul>")[0])
        assert "Not reported. The source has no signal for it" in hints
        assert "Implied. No record of it came, but a later one did" in hints
        assert "Not observed." not in hints
        blind = get(in_browser, night, "partner-sync", source=PARTNER)
        assert 'data-s="blind" data-i="blind"' in blind
        assert "Not observed. Our view ended before its limit" in flat(blind)

    def test_a_claim_delayed_looks_late_and_an_enqueue_missing_looks_absent(self, in_browser: Client, night: Night):
        delayed = get(in_browser, night, "search/re-index ü", source=SEARCH)
        assert "Claim delayed: search/re-index ü" in flat(delayed)
        assert 'data-s="late"' in stations(delayed)[4]
        assert "Late, not seen yet" in stations(delayed)[4]
        assert 'data-s="absent"' in stations(get(in_browser, night))[2]

    def test_a_run_that_failed_ends_in_its_own_word(self, in_browser: Client, night: Night):
        last = stations(get(in_browser, night, "broken"))[7]
        assert 'data-s="absent"' in last
        assert "Ended: failed" in last

    def test_a_run_that_went_well_has_no_absent_station(self, in_browser: Client, night: Night):
        page = get(in_browser, night, "healthy")
        assert "On time: healthy" in flat(page)
        assert 'aria-current="step"' not in page
        assert "Nobody is needed" in page

    def test_the_neighbours_are_there_and_this_one_is_marked(self, in_browser: Client, night: Night):
        strip = get(in_browser, night).partition('<nav class="strip"')[2].partition("</nav>")[0]
        assert strip.count("<a ") == 3
        assert strip.count('aria-current="true"') == 1
        assert flat(strip).count("On time") == 2

    def test_the_deadline_that_named_the_verdict_is_summed_up_and_marked_among_the_lines(
        self, in_browser: Client, night: Night
    ):
        page = get(in_browser, night)
        words = flat(page.partition('class="counted"')[2].partition("</p>")[0])
        assert re.search(
            r"Enqueue limit: Scheduler tick .*:01Z \+ 30 s enqueue allowance \(policy: All schedules, version 1\) = "
            r".*:31Z ?; now .*Z ?, 4[12] min .* past",
            words,
        )
        (marked,) = re.findall(r'<tr class="counts"[^>]*>(.*?)</tr>', page, re.S)
        assert "Enqueue limit" in marked
        assert "the one that counts" in marked

    def test_a_deadline_ahead_counts_down_and_a_run_that_went_well_has_none(self, in_browser: Client, night: Night):
        words = flat(get(in_browser, night, "nightly-backup").partition('class="counted"')[2].partition("</p>")[0])
        assert "Terminal limit: Start" in words
        assert "run time allowance" in words
        assert "still 17 min" in words
        well = get(in_browser, night, "healthy")
        assert 'class="counted"' not in well
        assert "the one that counts" not in well

    def test_policy_and_reckoning_are_on_the_page(self, in_browser: Client, night: Night):
        page = flat(get(in_browser, night))
        assert "All schedules, version 1" in page
        assert re.search(r"Enqueue limit .* \+ 30 s allowance", page)

    def test_the_processes_of_the_window_are_listed(self, in_browser: Client, night: Night):
        page = flat(get(in_browser, night, "search/re-index ü", source=SEARCH))
        assert "beat-1" in page
        assert "Ended (offline)" in page

    def test_the_work_item_is_linked_with_its_lines(self, in_browser: Client, night: Night):
        page = flat(get(in_browser, night, "late-arrival", source=MAIL))
        assert "flagged: Tick missing" in page
        assert "arrived: Enqueued late" in page
        assert "Work item closed by itself" in page

    def test_arguments_never_reach_the_page(self, in_browser: Client, night: Night):
        row = HandoffRecord.objects.filter(occurrence_id=night.identity("healthy").key, handoff=2).get()
        body = row.body | {"detail": {"argsrepr": "('s3cret',)", "kept": {"kwargs": {"card": "s3cret"}, "eta": None}}}
        HandoffRecord.objects.bulk_create([_copy(row, body)])
        page = get(in_browser, night, "healthy")
        assert "s3cret" not in page
        assert "(not shown)" in page

    def test_as_json_it_is_the_path_of_the_api(self, in_browser: Client, night: Night):
        answer = in_browser.get(address_of(night.identity("healthy")) + "?format=json")
        path = json.loads(answer.content)
        assert path["identity"] == str(night.identity("healthy"))
        assert (path["verdict"], path["first_absent"], len(path["handoffs"])) == ("on-time", None, 8)

    def test_an_unknown_due_time_names_the_nearest_ones(self, in_browser: Client, night: Night):
        identity = night.identity("healthy")
        wrong = Identity(source=identity.source, schedule_key="healthy", due_at=identity.due_at + timedelta(hours=1))
        answer = in_browser.get(address_of(wrong))
        assert answer.status_code == 404
        page = answer.content.decode()
        assert "No such due time" in page
        assert address_of(identity) in page

    @pytest.mark.parametrize(
        "address", ["/o/a/b/20261325T013000Z/", "/o/a/b/19991025T013000Z/", "/o/a/%00/20261025T013000Z/"]
    )
    def test_an_address_that_is_no_identity_is_not_found(self, in_browser: Client, address: str):
        assert in_browser.get(address).status_code == 404

    def test_nothing_new_is_204_and_new_evidence_sends_the_part(self, in_browser: Client, night: Night):
        poll = re.search(r'hx-get="([^"]+)"', get(in_browser, night))[1]  # type: ignore[index]
        assert in_browser.get(poll, headers=HTMX).status_code == 204
        night.path("celery:billing", "invoice-rollup", "tick", "enqueue")
        changed = in_browser.get(poll, headers=HTMX)
        assert changed.status_code == 200
        assert 'id="path"' in changed.content.decode()
        assert in_browser.get(poll)["Location"] == address_of(night.identity("invoice-rollup"))

    def test_the_number_of_statements_does_not_grow_with_the_evidence(self, in_browser: Client, night: Night):
        def statements(key: str) -> int:
            with CaptureQueriesContext(connection) as context:
                get(in_browser, night, key)
            return len(context)

        statements("broken")
        row = HandoffRecord.objects.filter(occurrence_id=night.identity("broken").key, handoff=2).get()
        before = statements("broken")
        HandoffRecord.objects.bulk_create([_copy(row, row.body, n) for n in range(20)])
        assert statements("broken") == before


def _copy(row: HandoffRecord, body: dict, n: int = 0) -> HandoffRecord:
    return HandoffRecord(
        occurrence_id=row.occurrence_id, handoff=row.handoff, record_key=n.to_bytes(16, "big"),
        source_id=row.source_id, record_id=f"copy-{n}", body_digest=bytes(32), run_ref=row.run_ref,
        observed_at=row.observed_at, received_at=row.received_at, body=body,
    )  # fmt: skip


@pytest.mark.django_db
def test_a_clock_change_is_explained_on_the_days_it_applies(in_browser: Client, night: Night):
    row = Occurrence.objects.get(key=night.identity("healthy").key)
    second = Identity(source="celery:billing", schedule_key="healthy", due_at=DUE)
    Occurrence.objects.create(
        key=second.key,
        source_id=row.source_id,
        schedule_id=row.schedule_id,
        due_at=DUE,
        due_local="2026-10-25T02:30:00",
        zone="Europe/Berlin",
        utc_offset_seconds=3600,
        fold=1,
        dialect="celery-beat",
        planned=True,
        changed_at=DUE,
    )
    page = flat(in_browser.get(address_of(second)).content.decode())
    assert (
        "Clock change. 02:30 happens twice on 25 Oct 2026 in Europe/Berlin. This is the second one (CET, UTC+1); "
        "the first is 00:30Z (CEST, UTC+2)."
    ) in page
    assert "happens twice" not in flat(get(in_browser, night, "healthy"))


@pytest.mark.django_db
def test_one_that_cannot_be_told_lies_in_the_work_item_of_its_gap_and_its_processes_are_silent(
    in_browser: Client, night: Night
):
    page = flat(get(in_browser, night, "partner-sync", source=PARTNER))
    assert "Cannot tell: partner-sync" in page
    assert "This is not a proven absence: the observer was blind." in page
    assert "Only this one" in page
    assert "Nothing was heard of celery:partner" in page
    assert page.count("Silent since") == 2
    assert " Up " not in page
