"""Writing and reading one spool."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from occurrences.tap.locks import is_locked
from occurrences.tap.reading import CHUNK, Reader
from occurrences.tap.spool import LOCK, Spool, segment_path

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def header(name: str = "one", **more: Any) -> dict[str, Any]:
    return {"spool": name, "source": "celery:demo", "role": "workers", "started_at": "x", **more}


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    spool = Spool(tmp_path, header(), limit=4000, segment=1000)
    yield spool
    spool.close()


def numbers(reader: Reader) -> list[int]:
    lines, _ = reader.waiting(1000, CHUNK)
    for line in lines:
        reader.settle(line, None)
    return [line.number for line in lines]


def test_lines_are_numbered_from_one_and_come_back_in_order(spool: Spool) -> None:
    assert [spool.append({"kind": "handoff", "n": n}, at=NOW) for n in range(5)] == [1, 2, 3, 4, 5]
    lines, to_end = Reader(spool.folder).waiting(1000, CHUNK)
    assert [line.record["n"] for line in lines] == [0, 1, 2, 3, 4]
    assert to_end


def test_a_reader_says_that_more_waits_than_it_was_asked_for(spool: Spool) -> None:
    for _ in range(5):
        spool.append({"kind": "handoff"}, at=NOW)
    lines, to_end = Reader(spool.folder).waiting(3, CHUNK)
    assert (len(lines), to_end) == (3, False)


def test_the_position_survives_the_process_that_read(spool: Spool) -> None:
    spool.append({"kind": "handoff"}, at=NOW)
    first = Reader(spool.folder)
    numbers(first)
    first.save()
    spool.append({"kind": "handoff"}, at=NOW)
    assert numbers(Reader(spool.folder)) == [2]


def test_a_full_spool_drops_the_newest_record_and_the_hole_shows(spool: Spool) -> None:
    kept = [spool.append({"kind": "handoff", "text": "x" * 200}, at=NOW) for _ in range(30)]
    whole = [number for number in kept if number]
    assert whole == list(range(1, len(whole) + 1))
    assert 5 < len(whole) < 30
    assert sum(path.stat().st_size for path in spool.folder.glob("*.jsonl")) <= 4000
    reader = Reader(spool.folder)
    assert numbers(reader) == whole
    assert reader.has_hole_at_end()


def test_a_spool_that_was_full_takes_records_again_once_it_is_shipped(spool: Spool) -> None:
    for _ in range(30):
        spool.append({"kind": "handoff", "text": "x" * 200}, at=NOW)
    reader = Reader(spool.folder)
    numbers(reader)
    reader.drop_shipped_segments()
    assert spool.append({"kind": "handoff"}, at=NOW) == 31
    assert numbers(reader) == [31]
    assert reader.ranges[-1][:2] == [31, 31]
    assert reader.ranges[0][0] == 1
    assert reader.ranges[0][1] < 30
    assert not reader.has_hole_at_end()


def test_shipped_segments_are_removed_and_the_current_one_stays(spool: Spool) -> None:
    for _ in range(12):
        spool.append({"kind": "handoff", "text": "x" * 200}, at=NOW)
    reader = Reader(spool.folder)
    numbers(reader)
    reader.drop_shipped_segments()
    assert [path.name for path in spool.folder.glob("*.jsonl")] == [segment_path(spool.folder, 4).name]


def test_half_a_line_is_skipped_and_leaves_its_number_out(spool: Spool) -> None:
    spool.append({"kind": "handoff"}, at=NOW)
    with segment_path(spool.folder, 1).open("ab") as file:
        file.write(b'{"n": 2, "at"\n')
        file.write(b'{"n": 3, "at": "t", "record": {"kind": "handoff"}}\n')
    reader = Reader(spool.folder)
    assert numbers(reader) == [1, 3]
    assert [found[:2] for found in reader.ranges] == [[1, 1], [3, 3]]


def test_a_line_cut_off_by_a_crash_ends_the_spool_with_a_hole(spool: Spool) -> None:
    spool.append({"kind": "handoff"}, at=NOW)
    with segment_path(spool.folder, 1).open("ab") as file:
        file.write(b'{"n": 2, "at"')
    end = Reader(spool.folder).ending()
    assert (end.number, end.closed) == (2, False)


def test_the_lock_is_held_while_the_process_lives_and_not_by_a_forked_child(spool: Spool) -> None:
    lock = spool.folder / LOCK
    assert is_locked(lock)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    spool.close()
    assert not is_locked(lock), "the child would make its dead parent look alive"
    os.write(go[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    for descriptor in (*ready, *go):
        os.close(descriptor)


def test_a_closed_spool_takes_nothing_more(spool: Spool) -> None:
    spool.close()
    assert spool.append({"kind": "handoff"}, at=NOW) is None


def test_a_line_that_no_reader_could_hold_is_dropped(tmp_path: Path) -> None:
    spool = Spool(tmp_path, header("big"))
    assert spool.append({"text": "x" * 600_000}, at=NOW) is None
    assert spool.append({"text": "x"}, at=NOW) == 2
    spool.close()


def test_a_full_disk_leaves_a_hole_and_no_error(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    spool.append({"kind": "handoff"}, at=NOW)
    with monkeypatch.context() as patched:
        patched.setattr("occurrences.tap.spool.os.write", full)
        assert spool.append({"kind": "handoff"}, at=NOW) is None
    assert spool.append({"kind": "handoff"}, at=NOW) == 3
    assert numbers(Reader(spool.folder)) == [1, 3]


def test_the_header_is_readable_json(spool: Spool) -> None:
    assert json.loads((spool.folder / "header.json").read_text())["spool"] == "one"
