"""The sources, and what was kept aside of their records: complete, linked, and never taken for markup."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import (
    ClockSkew,
    CoverageStretch,
    Discrepancy,
    Quarantine,
    Source,
    SourceKey,
    SweepGap,
    Unlinked,
)
from occurrences.queries.pages.addresses import address_of
from tests.builders import BILLING, MINUTE, PARTNER, SEARCH, SECOND, Night
from tests.views.clients import flat
from tests.wire import handoff

pytestmark = pytest.mark.django_db
EVIDENCE = f"/sources/{BILLING}/evidence/"
HOSTILE = "<script>alert(1)</script>"


def read(client: Client, address: str = EVIDENCE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return flat(answer.content)


def another_body(night: Night, **more: object) -> None:
    """The enqueue of `healthy` again, under its record id and with another body."""
    values = {"key": "healthy", "due": night.due, "run": "healthy-0"} | more
    night.record(BILLING, [handoff("enqueue", night.due + 9 * SECOND, **values)], at=night.now)


def homeless(night: Night, run: str = "nobody-knows", **more: object) -> None:
    night.record(BILLING, [handoff("claim", night.due, key=None, due=None, run=run, **more)], at=night.now)


def too_old(night: Night, key: str = "healthy") -> None:
    long_ago = night.due - timedelta(days=500)
    night.record(BILLING, [handoff("enqueue", night.due, key=key, due=long_ago, run=f"old-{key}")], at=night.now)


def test_the_list_says_how_far_each_role_is_proven_and_who_is_there(in_browser: Client, night: Night):
    page = in_browser.get("/sources/").content.decode()
    rows = {
        name: flat(f"<main {row}") for row in page.split("<tr>") for name in (BILLING, SEARCH, PARTNER) if name in row
    }
    assert re.search(r"Scheduler Complete to .*Z Workers Complete to .*Z", rows[BILLING])
    assert "2 online Nothing" in re.sub(r" Processes: ", " ", rows[BILLING])
    assert "Workers Closed in order, complete" in rows[SEARCH]
    assert re.search(r"Scheduler Blind since .*Z Workers Blind since", rows[PARTNER])
    assert 'href="/sources/"' in in_browser.get("/inbox/").content.decode()


def test_a_source_shows_its_signals_its_processes_and_its_holes(in_browser: Client, night: Night):
    source = Source.objects.get(name=BILLING)
    capabilities = source.capabilities | {"claim": "none", "start": "inferred"}
    Source.objects.filter(pk=source.pk).update(capabilities=capabilities)
    SourceKey.objects.create(source=source, digest="0" * 64, prefix="abc", made_by="ada", created_at=night.now)
    start = night.now - 30 * MINUTE
    CoverageStretch.objects.filter(source=source, role="workers").update(end=start)
    CoverageStretch.objects.create(
        source=source, role="workers", start=start + 7 * MINUTE, end=night.now, known_at=night.now
    )
    page = read(in_browser, f"/sources/{BILLING}/")
    assert "Ready With another stands with enqueue" in page
    assert "Worker claim Not reported never called absent; its allowance is added" in page
    assert "Start Inferred judged like observed" in page
    assert re.search(rf"Blind Workers, from .*{start:%H:%M:%S}Z to .*{start + 7 * MINUTE:%H:%M:%S}Z", page)
    assert "w1 workers, pid 10 on app-1, 2 slots" in page
    assert "5 min after the deadline the answer is “Cannot tell”" in page
    assert "1 key in use" in page
    Source.objects.update(coverage_provable=False)
    assert "cannot prove that its evidence is complete" in read(in_browser, f"/sources/{BILLING}/")


def test_the_same_record_id_with_another_body_shows_both_bodies_and_its_occurrence(in_browser: Client, night: Night):
    another_body(night)
    page = in_browser.get(EVIDENCE).content.decode()
    text = flat(page)
    assert "The same record id came with another body" in text
    assert "Record id healthy-0/ enqueue/ 1" in text
    assert f'href="{address_of(night.identity("healthy"))}"' in page
    bodies = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)
    assert len(bodies) == 2
    times = [re.search(r"observed_at&quot;: &quot;([^&]+)", body)[1] for body in bodies]  # type: ignore[index]
    assert times[0] < times[1]
    assert "Stored first" in text


def test_a_run_that_names_two_occurrences_links_both_and_shows_what_lies_at_home(in_browser: Client, night: Night):
    night.record(
        BILLING, [handoff("terminal", night.now, key="nightly-backup", due=night.due, run="healthy-0")], at=night.now
    )
    page = in_browser.get(EVIDENCE).content.decode()
    for key in ("healthy", "nightly-backup"):
        assert f'href="{address_of(night.identity(key))}"' in page
    assert "At home of its run" in page
    first, aside = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)
    assert ("healthy-0/enqueue/1" in first, "nightly-backup" in aside) == (True, True)


def test_one_that_waits_for_its_run_is_compared_with_the_other_that_waits(in_browser: Client, night: Night):
    homeless(night)
    homeless(night, pid=99)
    assert "nobody-knows" in read(in_browser, f"{EVIDENCE}?kind=unlinked")
    page = in_browser.get(EVIDENCE).content.decode()
    assert [("pid&quot;: 10" in b, "pid&quot;: 99" in b) for b in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)] == [
        (True, False), (False, True),
    ]  # fmt: skip


def test_quarantine_names_its_reason_and_the_due_time_that_is_not_known(in_browser: Client, night: Night):
    too_old(night)
    page = read(in_browser, f"{EVIDENCE}?kind=quarantine")
    assert "Due more than 400 days ago" in page
    assert "(not known here)" in page
    assert "Quarantine 1" in page


def test_what_a_source_sends_is_text_and_its_arguments_are_not_shown(in_browser: Client, night: Night):
    detail = {"argsrepr": "s3cret", "note": HOSTILE}
    another_body(night, detail=detail, owner=HOSTILE)
    homeless(night, run=HOSTILE)
    too_old(night, key=HOSTILE)
    for kind in ("discrepancies", "unlinked", "quarantine"):
        page = in_browser.get(f"{EVIDENCE}?kind={kind}").content.decode()
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page
        assert "s3cret" not in page
    Discrepancy.objects.update(reason=HOSTILE)
    assert HOSTILE not in in_browser.get(EVIDENCE).content.decode()


def test_a_clock_that_runs_ahead_is_listed_with_how_far_and_since_when(in_browser: Client, night: Night):
    soon = night.now + 17 * MINUTE
    night.record(BILLING, [handoff("claim", soon, key="healthy", due=night.due, run="healthy-9")], at=night.now)
    assert re.search(r"Ahead app-1, up to 17 min ahead since .* last seen ", read(in_browser, f"{EVIDENCE}?kind=skew"))
    ClockSkew.objects.update(ended_at=night.now + MINUTE, host=HOSTILE)
    page = in_browser.get(f"{EVIDENCE}?kind=skew").content.decode()
    assert HOSTILE not in page
    assert re.search(r"Over &lt;script&gt;.* right again ", flat(page))


def test_when_the_console_itself_did_not_look_is_told_here_and_in_the_inbox(in_browser: Client, night: Night):
    assert "No sweep was missed." in read(in_browser, "/sources/")
    assert "did not look" not in read(in_browser, "/inbox/")
    SweepGap.objects.create(start=night.now - 20 * MINUTE, end=night.now - 8 * MINUTE)
    SweepGap.objects.create(start=night.now - timedelta(days=9), end=night.now - timedelta(days=8))
    for address in ("/sources/", "/inbox/"):
        page = read(in_browser, address)
        assert page.count("12 min. What came due in it was judged afterwards.") == 1
        assert "24 h" not in page.partition("did not look")[2].partition("judged afterwards")[0]


def test_nothing_kept_aside_says_so_and_an_unknown_kind_is_the_first(in_browser: Client, night: Night):
    for kind in ("", "discrepancies", "quarantine", "unlinked", "skew", HOSTILE):
        page = in_browser.get(EVIDENCE, {"kind": kind}).content.decode()
        assert "has sent nothing of this kind" in page
        assert page.count('aria-current="page"') == 1


def test_pages_are_cut_and_keep_their_kind(in_browser: Client, night: Night):
    for n in range(51):
        homeless(night, run=f"run-{n}")
    first = in_browser.get(f"{EVIDENCE}?kind=unlinked").content.decode()
    assert "Page 1 of 2" in flat(first)
    assert "?kind=unlinked&amp;page=2" in first
    assert read(in_browser, f"{EVIDENCE}?kind=unlinked&page=2").count("Its run has no home yet") == 1
    for odd in ("0", "99", "x", "-1"):
        assert in_browser.get(f"{EVIDENCE}?kind=unlinked&page={odd}").status_code == 200


@pytest.mark.parametrize("address", ["/sources/nobody/", "/sources/nobody/evidence/"])
def test_an_unknown_source_is_not_found(in_browser: Client, address: str):
    assert in_browser.get(address).status_code == 404


def statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as context:
        assert client.get(address).status_code == 200
    return len(context)


def test_the_number_of_statements_does_not_grow_with_the_rows(in_browser: Client, night: Night):
    another_body(night)
    homeless(night)
    too_old(night)
    addresses = [
        "/sources/",
        f"/sources/{BILLING}/",
        *(f"{EVIDENCE}?kind={k}" for k in ("discrepancies", "unlinked", "quarantine")),
    ]
    before = [statements(in_browser, address) for address in addresses]
    source = Source.objects.get(name=BILLING)
    for model in (Discrepancy, Unlinked, Quarantine):
        row = model.objects.get()
        for n in range(50):
            row.pk = None
            if hasattr(row, "body_digest"):
                row.body_digest = n.to_bytes(32, "big")
            if hasattr(row, "record_id"):
                row.record_id = f"copy-{n}"
            row.save(force_insert=True)
    for n in range(50):
        start = night.now + n * SECOND
        CoverageStretch.objects.create(source=source, role="workers", start=start, end=start, known_at=start)
    assert [statements(in_browser, address) for address in addresses] == before
