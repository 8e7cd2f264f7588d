"""How a window names its occurrences and its local times."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from occurrences.contract.windows import WallTime, named
from tests.contract.window_documents import MIDNIGHT, name, window

BERLIN = ZoneInfo("Europe/Berlin")


def test_an_identity_is_written_without_a_source():
    assert named(window().identity(MIDNIGHT)) == name(0) == "hourly@2025-03-03T00:00:00Z"


def test_a_local_time_that_comes_twice_can_mean_both_and_one_with_an_offset_only_itself():
    local = datetime(2025, 10, 26, 2, 30)  # noqa: DTZ001  a wall time
    hours = [reading.hour for reading in WallTime(local=local, zone=BERLIN).readings]
    assert hours == [0, 1]
    exact = WallTime(local=local.replace(tzinfo=UTC), zone=BERLIN)
    assert {reading.hour for reading in exact.readings} == {2}
    assert str(WallTime(local=local, zone=BERLIN)) == "2025-10-26T02:30:00 Europe/Berlin"
