"""The zone of a page, whatever name was stored."""

import pytest

from occurrences.queries.pages.clock_notes import zone_named


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "../../etc/passwd", "\0"])
def test_a_zone_that_is_none_is_utc(name: str):
    assert zone_named(name).key == "UTC"
