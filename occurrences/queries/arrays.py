"""Whole arrays in one statement, bound by the server in binary form.

Django's own cursor writes each value into the text of the statement, which for thousands of them costs more than the
statement itself. Here a placeholder is `%b`, and rows come back in binary form with times in UTC.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor
from psycopg.pq import Format


@contextmanager
def array_cursor() -> Iterator[CursorWrapper]:
    """A cursor of Django's present connection, in its transaction and its log of statements."""
    connection.ensure_connection()
    wrap: Callable[[Any], CursorWrapper] = (
        connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    )
    with Cursor(connection.connection) as bound:
        bound.format = Format.BINARY
        yield wrap(bound)
