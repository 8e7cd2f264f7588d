"""The inbox: what needs a person, worst first, in exact words, and nothing sent when nothing changed."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import Absence, CoverageStretch, Occurrence, Source, Sweep, WorkItem
from occurrences.queries.clock import database_now
from tests.builders import BILLING, PARTNER, Night

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def text(client: Client, address: str = "/inbox/") -> str:
    page = client.get(address).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition("<main")[2]))


def poll_address(client: Client, address: str = "/inbox/") -> str:
    found = re.search(r'hx-get="([^"]+)"', client.get(address).content.decode())
    assert found is not None
    return found[1].replace("&amp;", "&")


def rows(client: Client, address: str = "/inbox/") -> list[str]:
    page = client.get(address).content.decode()
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip() for row in body.split("</tr>") if "<tr" in row]


def test_home_is_the_inbox(client: Client):
    assert client.get("/")["Location"] == "/inbox/"


def test_the_worst_comes_first_and_each_row_has_its_exact_words(in_browser: Client, night: Night):
    found = rows(in_browser)
    assert found[0].startswith("Enqueue missing invoice-rollup")
    assert "P1" in found[0]
    words = sorted(" ".join(row.split()[:2]) for row in found)
    assert words == ["Cannot tell", "Claim delayed", "Enqueue missing", "Failed broken", "Tick missing"]


def test_a_row_shows_local_time_and_utc_and_whom_to_ask(in_browser: Client, night: Night):
    row = next(row for row in rows(in_browser) if "invoice-rollup" in row)
    assert f"{night.due:%H:%M}Z" in row
    assert " CET " in row
    assert "Nobody ask: scheduler process" in row
    assert "The scheduler ticked at" in row
    assert "This is not" not in row


def test_several_occurrences_are_one_row(in_browser: Client, night: Night):
    row = next(row for row in rows(in_browser) if "Tick missing" in row)
    assert "ledger-" in row
    assert "and 3 more" in row
    assert "5 open for 8 occurrences, 5 without an owner" in text(in_browser)


def test_what_cannot_be_told_is_one_row_with_its_count_and_the_gap_from_and_to(in_browser: Client, night: Night):
    source = Source.objects.get(name=PARTNER)
    blind = Occurrence.objects.filter(source=source, verdict="unknown")
    blind_from = blind.get().blind_from
    assert blind_from is not None
    (row,) = [row for row in rows(in_browser) if "Cannot tell" in row]
    assert re.search(
        rf"The observer was blind from .*{blind_from:%H:%M:%S}Z on, and still is ?\. 1 occurrence cannot be told", row
    )
    for n in range(3):
        night.plan(PARTNER, f"partner-{n}")
        night.path(PARTNER, f"partner-{n}", "tick")
    night.sweep()
    back = blind_from + timedelta(minutes=20)
    for role in ("scheduler", "workers"):
        CoverageStretch.objects.create(source=source, role=role, start=back, end=night.now, known_at=night.now)
    (row,) = [row for row in rows(in_browser) if "Cannot tell" in row]
    assert re.search(
        rf"from .*{blind_from:%H:%M:%S}Z to .*{back:%H:%M:%S}Z ?\. {blind.count()} occurrences? cannot be told", row
    )


def test_the_mini_rail_has_one_text_for_all_eight(in_browser: Client, night: Night):
    page = in_browser.get("/inbox/?verdict=missing-enqueue").content.decode()
    label = re.search(r'class="mini" role="img" aria-label="([^"]+)"', page)
    assert label is not None
    assert label[1].startswith("Due: on time, Scheduler tick: on time, +1.0 s, Enqueue: absent")
    assert label[1].count(": ") == 8


def test_what_closed_by_itself_stays_for_a_day(in_browser: Client, night: Night):
    assert "Closed by itself in the last 24 h Tick missing late-arrival" in text(in_browser)
    long_ago = database_now() - timedelta(hours=25)
    WorkItem.objects.filter(closed_at__isnull=False).update(opened_at=long_ago, closed_at=long_ago)
    assert "Closed by itself" not in text(in_browser)


def test_a_filter_narrows_the_list_and_an_empty_one_names_itself(in_browser: Client, night: Night):
    assert len(rows(in_browser, "/inbox/?verdict=delayed-claim")) == 1
    assert len(rows(in_browser, f"/inbox/?source={BILLING}")) == 3
    assert "Nothing matches Ran twice, celery:billing" in text(
        in_browser, f"/inbox/?verdict=duplicate&source={BILLING}"
    )
    assert "Nothing matches &lt;b&gt;" in text(in_browser, "/inbox/?verdict=%3Cb%3E")


def test_an_empty_inbox_is_calm_only_while_the_detector_runs(in_browser: Client, night: Night):
    WorkItem.objects.update(closed_at=database_now(), closed_as="by hand")
    calm = text(in_browser)
    due = Occurrence.objects.filter(due_at__gt=database_now() - timedelta(hours=24), due_at__lte=database_now()).count()
    assert f"Nothing is flagged {due} occurrences came due in the last 24 h" in calm
    Sweep.objects.update(as_of=night.due, ended_at=night.due)
    uneasy = text(in_browser)
    assert "Nothing flagged, but the detector is late." in uneasy
    assert "Nothing is flagged" not in uneasy


def test_nothing_new_is_204_and_a_change_among_the_rows_sends_them(in_browser: Client, night: Night):
    address = poll_address(in_browser)
    assert [in_browser.get(address, headers=HTMX).status_code for _ in range(3)] == [204, 204, 204]
    WorkItem.objects.filter(verdict="failed").update(changed_at=database_now(), priority=1)
    changed = in_browser.get(address, headers=HTMX)
    assert changed.status_code == 200
    assert "<html" not in changed.content.decode()
    assert 'id="inbox"' in changed.content.decode()


def test_a_change_outside_the_rows_listed_is_still_204(in_browser: Client, night: Night):
    address = poll_address(in_browser, "/inbox/?verdict=delayed-claim")
    WorkItem.objects.filter(verdict="failed").update(changed_at=database_now())
    assert in_browser.get(address, headers=HTMX).status_code == 204


def test_a_row_that_left_is_a_change(in_browser: Client, night: Night):
    address = poll_address(in_browser)
    WorkItem.objects.filter(verdict="delayed-claim").update(closed_at=database_now(), closed_as="by hand")
    assert in_browser.get(address, headers=HTMX).status_code == 200


def test_new_evidence_of_an_occurrence_listed_is_a_change(in_browser: Client, night: Night):
    address = poll_address(in_browser)
    Occurrence.objects.filter(key=night.identity("invoice-rollup").key).update(changed_at=database_now())
    assert in_browser.get(address, headers=HTMX).status_code == 200


def test_a_detector_that_falls_late_is_a_change_and_brings_the_banner(in_browser: Client, night: Night):
    address = poll_address(in_browser)
    Sweep.objects.update(as_of=night.due, ended_at=night.due)
    page = in_browser.get(address, headers=HTMX).content.decode()
    assert 'id="late" hx-swap-oob="true"' in page
    assert "New misses are not being found." in page


def test_a_poll_after_the_session_ended_is_401_with_an_event_and_no_page(client: Client):
    answer = client.get("/inbox/poll/", headers=HTMX)
    assert (answer.status_code, answer["HX-Trigger"], answer.content) == (401, "aglet:signed-out", b"")


def test_the_address_of_the_part_shows_the_whole_page_without_htmx(in_browser: Client):
    assert in_browser.get("/inbox/poll/")["Location"] == "/inbox/"


def test_the_number_of_statements_does_not_grow_with_the_rows(in_browser: Client, night: Night):
    def statements() -> int:
        with CaptureQueriesContext(connection) as context:
            in_browser.get("/inbox/")
        return len(context)

    statements()
    before = statements()
    source = WorkItem.objects.get(verdict="missing-enqueue").source
    absence = Absence.objects.get(work_item__verdict="missing-enqueue")
    others = Occurrence.objects.filter(source=source, absences__isnull=True)[:20]
    for occurrence in others:
        item = WorkItem.objects.create(
            source=source, verdict="missing-enqueue", first_absent=2, last_due_at=night.due,
            opened_at=night.now, changed_at=night.now,
        )  # fmt: skip
        absence.pk, absence.work_item, absence.occurrence = None, item, occurrence
        absence.save(force_insert=True)
    assert len(rows(in_browser)) >= 15
    assert statements() == before
