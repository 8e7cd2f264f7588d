"""Shipping: what is sent, in which order, and what is made of every answer."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from occurrences.tap.configuration import Configuration
from occurrences.tap.locks import close_held
from occurrences.tap.neighbours import Neighbours
from occurrences.tap.sending import Sender
from occurrences.tap.shipper import MARGIN, Shipper
from occurrences.tap.spool import Spool
from tests.tap.receiver import Receiver

BEGIN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW = BEGIN + timedelta(minutes=1)


class Host:
    """Spools of one host and a shipper for one of them, driven by hand."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.spools: dict[str, Spool] = {}
        self.senders: list[Sender] = []

    def spool(self, name: str, *, role: str = "workers", parent: str | None = None, ships: bool = True) -> Spool:
        head = {
            "spool": name,
            "source": self.configuration.source,
            "role": role,
            "name": f"{role}@host",
            "host": "host",
            "pid": 1,
            "started_at": text(BEGIN),
            "parent": parent,
            "ships_itself": ships,
        }
        spool = self.spools[name] = Spool(self.configuration.folder, head)
        spool.append(process(name, "online"), at=BEGIN)
        return spool

    def shipper(self, name: str, neighbours: Neighbours | None = None) -> Shipper:
        self.senders.append(Sender(self.configuration.url, "secret"))
        neighbours = neighbours or Neighbours(self.configuration.folder, name)
        return Shipper(self.senders[-1], neighbours, beat=lambda now: None, interval=0.05)

    def close(self) -> None:
        for part in (*self.spools.values(), *self.senders):
            part.close()

    def names(self) -> list[str]:
        return sorted(path.parent.name for path in self.configuration.folder.glob("*/header.json"))


def text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def process(name: str, state: str) -> dict[str, Any]:
    return {"kind": "process", "spool": name, "state": state}


def claim(number: int) -> dict[str, Any]:
    return {"kind": "handoff", "record_id": f"run-{number}/claim/1"}


def fill(spool: Spool, count: int) -> None:
    for number in range(1, count + 1):
        spool.append(claim(number), at=BEGIN + timedelta(seconds=number))


def ids(receiver: Receiver) -> list[str]:
    return [record["record_id"] for record in receiver.of("handoff")]


def spans(receiver: Receiver, name: str) -> list[tuple[int | None, int | None]]:
    return [(r["seq_first"], r["seq_last"]) for r in receiver.of("coverage", spool=name)]


@pytest.fixture
def host(configuration: Configuration) -> Iterator[Host]:
    host = Host(configuration)
    yield host
    host.close()


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


def test_children_are_shipped_by_their_parent_and_left_alone_by_others(host: Host, receiver: Receiver) -> None:
    host.spool("main")
    fill(host.spool("child", parent="main", ships=False), 2)
    host.spool("beat", role="scheduler")
    host.shipper("beat").flush(NOW)
    assert {record["spool"] for record in receiver.of("process")} == {"beat"}
    host.shipper("main").flush(NOW)
    assert len(ids(receiver)) == 2
    assert spans(receiver, "child") == [(1, 3)]


def test_a_dead_neighbour_is_shipped_reported_lost_and_its_spool_closed(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    dead = host.spool("main")
    fill(dead, 2)
    dead.close()
    shipper = host.shipper("beat")
    shipper.flush(NOW)
    lost = receiver.of("process", state="lost")
    assert [(r["spool"], r["role"], r["last_seen"]) for r in lost] == [
        ("main", "workers", text(BEGIN + timedelta(seconds=2)))
    ]
    assert len(ids(receiver)) == 2
    assert spans(receiver, "main") == [(1, 4)]
    assert receiver.of("coverage", spool="main")[-1]["up_to"] == text(NOW)
    assert host.names() == ["beat"]


def test_the_children_of_a_dead_parent_are_taken_over_with_it(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    for spool in (host.spool("main"), host.spool("child", parent="main", ships=False)):
        spool.close()
    shipper = host.shipper("beat")
    shipper.flush(NOW)
    shipper.flush(NOW)
    assert {r["spool"] for r in receiver.of("process", state="lost")} == {"main", "child"}
    assert host.names() == ["beat"]


def test_a_neighbour_that_said_offline_itself_is_not_called_lost(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    gone = host.spool("main")
    gone.append(process("main", "offline"), at=NOW)
    gone.close()
    host.shipper("beat").flush(NOW)
    assert receiver.of("process", state="lost") == []
    assert receiver.of("process", spool="main", state="offline")
    assert host.names() == ["beat"]


def test_an_heir_that_dies_halfway_leaves_the_rest_to_the_next_one(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    dead = host.spool("main")
    fill(dead, 2)
    dead.close()
    receiver.status = 503
    first = host.shipper("beat")
    first.flush(NOW)
    for descriptor in first._neighbours._locks.values():
        close_held(descriptor)
    receiver.status = None
    host.shipper("beat").flush(NOW)
    assert len(receiver.of("process", spool="main", state="lost")) == 1
    assert len(ids(receiver)) == 2


def test_two_living_processes_ship_a_dead_neighbour_once(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    host.spool("other")
    dead = host.spool("main")
    fill(dead, 50)
    dead.close()
    shippers = [host.shipper("beat"), host.shipper("other")]
    for shipper in shippers:
        shipper.start()
    receiver.wait_for("process", spool="main", state="lost")
    time.sleep(0.3)
    for shipper in shippers:
        shipper.stop()
        shipper.join()
    assert len(ids(receiver)) == len(set(ids(receiver))) == 50
    assert len(receiver.of("process", spool="main", state="lost")) == 1


def test_what_was_set_aside_outlives_the_spool(host: Host, receiver: Receiver) -> None:
    host.spool("beat", role="scheduler")
    dead = host.spool("main")
    fill(dead, 1)
    dead.close()
    receiver.refuse = lambda record: record["kind"] == "handoff"
    host.shipper("beat").flush(NOW)
    assert "run-1/claim/1" in (host.configuration.folder / "refused" / "main.jsonl").read_text()
    assert host.names() == ["beat"]


def test_a_spool_of_nonsense_in_the_folder_stops_nobody(host: Host, receiver: Receiver) -> None:
    host.spool("one")
    strange: Path = host.configuration.folder / "strange"
    strange.mkdir()
    (strange / "header.json").write_text("no json")
    assert host.shipper("one").flush(NOW)
    assert spans(receiver, "one") == [(1, 1)]
