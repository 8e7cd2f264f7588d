"""From when to when a source could not be seen: until each role that fell silent is heard again."""

from datetime import timedelta

import pytest

from occurrences.models import CoverageStretch, Source
from occurrences.queries.pages.gaps import Gap, gaps_at
from tests import wire
from tests.wire import T0

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def covered(source: Source, role: str, *stretches: tuple[int, int]) -> None:
    for start, end in stretches:
        CoverageStretch.objects.create(
            source=source, role=role, start=T0 + start * MINUTE, end=T0 + end * MINUTE, known_at=T0
        )


@pytest.mark.parametrize(
    ("scheduler", "workers", "end"),
    [
        ([(-60, 0), (20, 40)], [(-60, 0), (25, 40)], 25),  # both fell silent: until the later one is back
        ([(-60, 40)], [(-60, 0), (20, 40)], 20),  # one went on all the time
        ([(-60, 0), (20, 40)], [(-60, 0)], None),  # one is silent still
        ([(-60, 0)], [(-60, 0)], None),
    ],
)
def test_a_gap_lasts_until_every_role_that_fell_silent_is_heard_again(scheduler: list, workers: list, end: int | None):
    source = wire.source(now=T0 - 60 * MINUTE)
    covered(source, "scheduler", *scheduler)
    covered(source, "workers", *workers)
    expected = Gap(start=T0, end=None if end is None else T0 + end * MINUTE)
    assert gaps_at([(source.pk, T0)]) == {(source.pk, T0): expected}


def test_one_that_was_never_heard_of_before_is_seen_from_its_first_stretch_on():
    source = wire.source(now=T0)
    assert gaps_at([(source.pk, T0)])[source.pk, T0].end is None
    covered(source, "scheduler", (5, 30))
    covered(source, "workers", (7, 30))
    assert gaps_at([(source.pk, T0)])[source.pk, T0].end == T0 + 7 * MINUTE


def test_without_gaps_nothing_is_asked(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert gaps_at([]) == {}
