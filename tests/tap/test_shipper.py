"""Shipping: what is sent, in which order, and what is made of every answer."""

from datetime import timedelta
from typing import Any

import pytest

from occurrences.tap.neighbours import Neighbours
from occurrences.tap.shipper import MARGIN
from tests.tap.host import BEGIN, NOW, Host, claim, fill, ids, spans, text
from tests.tap.receiver import Receiver


def test_lines_go_first_and_their_coverage_in_the_next_request(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 3)
    assert host.shipper("one").flush(NOW)
    assert receiver.requests == [(200, 4), (200, 1)]
    assert receiver.of("coverage")[0] == {
        "v": 1,
        "kind": "coverage",
        "source": "celery:demo",
        "role": "workers",
        "spool": "one",
        "seq_first": 1,
        "seq_last": 4,
        "up_to": text(NOW - MARGIN),
    }
    assert receiver.keys == {"Bearer secret"}


def test_a_flush_with_nothing_to_tell_still_proves_that(host: Host, receiver: Receiver) -> None:
    host.spool("one")
    shipper = host.shipper("one")
    shipper.flush(NOW)
    shipper.flush(NOW + timedelta(seconds=1))
    last = receiver.of("coverage")[-1]
    assert (last["seq_first"], last["seq_last"]) == (None, None)
    assert last["up_to"] == text(NOW + timedelta(seconds=1) - MARGIN)


def test_while_lines_still_wait_coverage_goes_no_further_than_the_last_one_sent(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 700)
    shipper = host.shipper("one")
    shipper.flush(NOW + timedelta(hours=1))
    shipper.flush(NOW + timedelta(hours=1))
    first, second = receiver.of("coverage")
    assert (first["seq_last"], first["up_to"]) == (500, text(BEGIN + timedelta(seconds=499)))
    assert (second["seq_first"], second["seq_last"]) == (501, 701)
    assert second["up_to"] == text(NOW + timedelta(hours=1) - MARGIN)


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_these_answers_are_only_a_delay(host: Host, receiver: Receiver, status: int) -> None:
    fill(host.spool("one"), 3)
    shipper = host.shipper("one")
    receiver.status = status
    assert not shipper.flush(NOW)
    assert receiver.records == []
    receiver.status = None
    assert shipper.flush(NOW)
    assert ids(receiver) == ["run-1/claim/1", "run-2/claim/1", "run-3/claim/1"]


def test_a_console_that_is_down_is_only_a_delay(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 3)
    shipper = host.shipper("one")
    receiver.down()
    assert not shipper.flush(NOW)
    receiver.up()
    assert shipper.flush(NOW)
    assert len(ids(receiver)) == 3


def test_a_refused_record_is_set_aside_counted_and_left_out_of_the_coverage(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 4)
    receiver.refuse = lambda record: record.get("record_id") == "run-2/claim/1"
    neighbours = Neighbours(host.configuration.folder, "one")
    assert host.shipper("one", neighbours).flush(NOW)
    assert ids(receiver) == ["run-1/claim/1", "run-3/claim/1", "run-4/claim/1"]
    assert spans(receiver, "one") == [(1, 2), (4, 5)]
    assert neighbours.refused() == 1
    aside = (host.spools["one"].folder / "refused.jsonl").read_text()
    assert "run-2/claim/1" in aside
    assert "no such handoff" in aside


def test_a_refused_newest_line_keeps_coverage_back_until_the_next_one(host: Host, receiver: Receiver) -> None:
    spool = host.spool("one")
    fill(spool, 2)
    receiver.refuse = lambda record: record.get("record_id") == "run-2/claim/1"
    shipper = host.shipper("one")
    shipper.flush(NOW)
    shipper.flush(NOW)
    assert spans(receiver, "one") == [(1, 2)]
    assert receiver.of("coverage")[0]["up_to"] == text(BEGIN + timedelta(seconds=1))
    spool.append(claim(3), at=NOW)
    shipper.flush(NOW + timedelta(seconds=2))
    assert spans(receiver, "one") == [(1, 2), (4, 4)]


def test_everything_refused_is_an_answer_like_any_other(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 2)
    receiver.refuse = lambda record: record["kind"] != "coverage"
    shipper = host.shipper("one")
    assert shipper.flush(NOW)
    assert shipper.flush(NOW)
    assert receiver.requests == [(422, 3)]


def test_a_batch_that_is_too_large_is_halved(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 9)
    receiver.largest_batch = 3
    assert host.shipper("one").flush(NOW)
    assert len(ids(receiver)) == 9
    assert spans(receiver, "one") == [(1, 10)]


def test_a_single_record_that_is_too_large_is_set_aside_alone(host: Host, receiver: Receiver) -> None:
    fill(host.spool("one"), 3)
    judge = receiver._judge

    def too_large(records: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
        if any(record.get("record_id") == "run-2/claim/1" for record in records):
            return 413, {"error": "too large", "reason": "a record of more than 64 KiB"}
        return judge(records)

    receiver._judge = too_large  # type: ignore[method-assign]
    assert host.shipper("one").flush(NOW)
    assert ids(receiver) == ["run-1/claim/1", "run-3/claim/1"]
    assert spans(receiver, "one") == [(1, 2), (4, 4)]


def test_a_shipper_that_dies_after_sending_repeats_no_more_than_its_last_batch(host: Host, receiver: Receiver) -> None:
    spool = host.spool("one")
    fill(spool, 3)
    host.shipper("one").flush(NOW)
    spool.append(claim(4), at=NOW)
    host.shipper("one").flush(NOW + timedelta(seconds=1))
    assert ids(receiver) == [f"run-{n}/claim/1" for n in (1, 2, 3, 4)]
    assert spans(receiver, "one") == [(1, 4), (5, 5)]
