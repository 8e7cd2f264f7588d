"""Who ships whose spool, and how the dead are found."""

import time
from datetime import timedelta
from pathlib import Path

from occurrences.tap.locks import close_held
from tests.tap.host import BEGIN, NOW, Host, fill, ids, process, spans, text
from tests.tap.receiver import Receiver


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
