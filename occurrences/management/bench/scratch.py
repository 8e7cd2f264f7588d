"""A database of the bench's own in the configured server, made by the migrations and dropped afterwards."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def scratch_database() -> Iterator[str]:
    """Point the default connection at a new, empty database for as long as the block lasts; yield its name.

    Raises OperationalError or ProgrammingError where no database may be made. The live tables are never touched.
    """
    live = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"aglet_bench_{os.getpid()}"
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
        yield name
    finally:
        connection.creation.destroy_test_db(live, verbosity=0)
