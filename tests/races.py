"""Run the same thing at once in several threads, and prove that they really met on a lock."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection, connections


@contextmanager
def held(sql: str, *values: object) -> Iterator[None]:
    """Hold the locks that a statement takes, on a connection of its own, for the length of the block."""
    settings = connection.get_connection_params()
    plain = {k: settings[k] for k in ("dbname", "user", "host", "port", "password") if settings.get(k)}
    with psycopg.connect(**plain) as holder:
        holder.execute(sql, values)
        yield
        # A lock of the session would last until the server has noticed that it ended.
        holder.execute("SELECT pg_advisory_unlock_all()")
        holder.rollback()


def waiting() -> int:
    """How many connections wait for a lock right now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'")
        return int(cursor.fetchone()[0])


def start(work: Callable[[], object], times: int) -> Callable[[], list[object]]:
    """Start `work` in so many threads; the answer waits for them, and returns their results."""
    results: list[object] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()

    def finish() -> list[object]:
        for thread in threads:
            thread.join(30)
        if errors:
            raise errors[0]
        return results

    return finish


def meet(
    *, lock: tuple[object, ...], work: Callable[[], object], times: int = 2, met: int | None = None
) -> list[object]:
    """Run `work` at once while `lock` is held; go on only when `met` of them (default all) are seen waiting for it."""
    with held(str(lock[0]), *lock[1:]):
        finish = start(work, times)
        deadline = time.monotonic() + 1.8  # lock_timeout is two seconds
        while waiting() < (times if met is None else met):
            assert time.monotonic() < deadline, f"only {waiting()} of {times} met on the lock"
            time.sleep(0.01)
    return finish()
