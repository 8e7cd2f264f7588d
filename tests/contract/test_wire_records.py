"""The typed values of the wire."""

from dataclasses import FrozenInstanceError

import pytest

from occurrences.contract.wire import parse_record
from tests.contract.wire_bodies import COVERAGE


def test_a_typed_record_cannot_be_changed_afterwards():
    record = parse_record(COVERAGE, source="celery:billing")
    with pytest.raises(FrozenInstanceError):
        record.spool = "another"
