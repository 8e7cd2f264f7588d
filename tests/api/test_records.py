"""POST /api/v1/records: typed answers, the good part kept, never a 5xx."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from occurrences.models import HandoffRecord, SourceKey
from occurrences.services import sources
from tests import wire

pytestmark = pytest.mark.django_db
URL = "/api/v1/records"
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def key() -> str:
    wire.source(now=NOW)
    return sources.fresh_key(source=wire.SOURCE, by="tests", now=NOW)


def good(number: int = 1) -> dict[str, object]:
    return wire.handoff("tick", NOW, due=NOW - number * timedelta(minutes=1))


def post(body: object, key: str, *, content_type: str = "application/json"):
    raw = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return Client(raise_request_exception=True).post(
        URL, raw, content_type=content_type, headers={"Authorization": f"Bearer {key}"}
    )


def stored() -> int:
    return HandoffRecord.objects.count()


def test_a_list_is_recorded_and_counted(key):
    reply = post([good(1), good(2)], key)
    assert reply.status_code == 200
    assert reply.json() == {
        "accepted": 2, "duplicate": 0, "discrepancy": 0, "unlinked": 0, "quarantined": 0, "refused": [],
    }  # fmt: skip


def test_lines_are_recorded_as_well(key):
    lines = "\n".join(json.dumps(good(n)) for n in range(3)) + "\n"
    assert post(lines, key, content_type="application/x-ndjson").json()["accepted"] == 3


@pytest.mark.parametrize("wrong", ["", "nonsense", "aglet_wrong"])
def test_a_wrong_key_is_401(key, wrong):
    assert post([good()], wrong).status_code == 401
    assert stored() == 0


def test_a_key_past_its_end_is_401_and_an_old_one_lives_ten_minutes(key):
    fresh = sources.fresh_key(source=wire.SOURCE, by="tests", now=NOW, keep_old_for=timedelta(minutes=10))
    assert post([good(1)], key).status_code == post([good(2)], fresh).status_code == 200
    SourceKey.objects.filter(digest=sources.digest_of(key)).update(expires_at=NOW - timedelta(seconds=1))
    assert post([good(3)], key).status_code == 401


def test_a_record_of_another_source_is_refused_and_the_rest_is_kept(key):
    reply = post([good() | {"source": "celery:other"}, good(2)], key)
    assert reply.status_code == 200
    assert reply.json()["refused"][0] | {"reason": ""} == {"index": 0, "field": "source", "reason": ""}
    assert stored() == 1


@pytest.mark.parametrize("body", [b"{", b"[1,", b"\xff\xfe", b"nonsense", b""])
def test_what_is_no_json_is_422(key, body):
    reply = post(body, key)
    assert reply.status_code == 422
    assert set(reply.json()) == {"error", "reason"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("observed_at", "Infinity"),
        ("observed_at", 1_790_000_000),
        ("observed_at", "2026-11-29T12:00:00"),
        ("due_at", 12),
        ("due_at", None),
        ("record_id", ""),
        ("record_id", "a\x00b"),
        ("record_id", "\ud800"),
        ("record_id", 7),
        ("handoff", "due"),
        ("handoff", []),
        ("outcome", {}),
        ("delivery", 2**70),
        ("delivery", -1),
        ("delivery", True),
        ("detail", {"args": "secret"}),
        ("detail", {"x": "y" * 5000}),
        ("v", 2),
        ("v", "1"),
        ("kind", "other"),
        ("surprise", 1),
        ("owner", {"role": "boss"}),
        ("clock", "host"),
    ],
)
def test_one_bad_record_of_two_is_refused_by_field_and_the_good_one_is_kept(key, field, value):
    reply = post([good(1) | {field: value}, good(2)], key)
    assert reply.status_code == 200, reply.content
    refused = reply.json()["refused"]
    assert [r["index"] for r in refused] == [0]
    assert refused[0]["field"].split(".")[0] in (field, "schedule_key", "record")
    assert stored() == 1


def test_numbers_that_are_no_json_spoil_only_their_own_record(key):
    bad = json.dumps(good(1)).replace('"delivery": 1', '"delivery": Infinity')
    reply = post(f"[{bad}, {json.dumps(good(2))}]", key)
    assert (reply.status_code, reply.json()["accepted"], len(reply.json()["refused"])) == (200, 1, 1)


def test_a_year_no_calendar_holds_is_kept_in_quarantine(key):
    reply = post([good() | {"due_at": "30000-01-01T00:00:00Z"}], key)
    assert (reply.status_code, reply.json()["quarantined"]) == (200, 1)


def test_a_batch_in_which_everything_is_refused_is_422_with_the_same_counts(key):
    reply = post([{}, 3, None], key)
    assert reply.status_code == 422
    assert [r["index"] for r in reply.json()["refused"]] == [0, 1, 2]


def test_a_record_of_100_kb_alone_is_413_and_among_others_is_refused_by_itself(key):
    huge = good(1) | {"detail": {"x": "y" * 100_000}}
    assert post([huge], key).status_code == 413
    reply = post([huge, good(2)], key)
    assert (reply.status_code, reply.json()["accepted"]) == (200, 1)
    assert reply.json()["refused"][0]["field"] == "record"


def test_more_than_a_thousand_records_or_eight_mebibytes_are_413(key):
    assert post([good()] * 1001, key).status_code == 413
    assert post(b"[" + b" " * (8 * 1024 * 1024) + b"]", key).status_code == 413
    assert post("\n".join([json.dumps(good())] * 1001), key, content_type="application/x-ndjson").status_code == 413
    assert stored() == 0


def test_deep_nesting_is_413_and_does_not_reach_the_parser(key):
    assert post(b"[" * 100_000, key).status_code == 413


def test_the_same_key_with_another_body_is_a_discrepancy(key):
    post([good()], key)
    reply = post([good() | {"observed_at": wire.text(NOW + timedelta(seconds=1))}], key)
    assert (reply.status_code, reply.json()["discrepancy"]) == (200, 1)


def test_an_empty_list_is_422(key):
    assert post([], key).status_code == 422


def test_a_disabled_source_is_403(key):
    source = wire.source(now=NOW)
    source.enabled = False
    source.save()
    assert post([good()], key).status_code == 403


def test_the_document_of_the_interface_names_the_four_kinds():
    document = Client().get("/api/openapi.json").json()
    body = document["paths"]["/api/v1/records"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    kinds = [k["properties"]["kind"]["const"] for k in body["items"]["oneOf"]]
    assert kinds == ["handoff", "schedule", "process", "coverage"]


def test_the_path_of_an_occurrence_is_read_with_the_key_of_its_source(key):
    post([good()], key)
    due = wire.text(NOW - timedelta(minutes=1))
    identity = f"{wire.SOURCE}/nightly@{due}"
    headers = {"Authorization": f"Bearer {key}"}
    found = Client().get("/api/v1/path", {"identity": identity}, headers=headers)
    assert (found.status_code, found.json()["identity"], len(found.json()["handoffs"])) == (200, identity, 8)
    assert Client().get("/api/v1/path", {"identity": identity}).status_code == 401
    assert Client().get("/api/v1/path", {"identity": "x"}, headers=headers).status_code == 422
    missing = f"{wire.SOURCE}/other@{due}"
    assert Client().get("/api/v1/path", {"identity": missing}, headers=headers).status_code == 404
