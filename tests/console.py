"""A running console with its lab, asked the way an operator and a machine would ask it."""

import http.cookiejar
import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from aglet_recovery.launcher.found import found
from occurrences.contract.occurrences import Identity
from occurrences.lab.control import Control
from occurrences.lab.plan import Job
from tests.launcher.ups import ROOT, Up, environment

SWEEP = 2  # seconds between sweeps, set short so that a test takes seconds
PATIENCE = 30


class Console:
    """`up --lab` on a folder of its own; `db` reads what the screens read."""

    def __init__(self, data_dir: Path, *, port: int = 0) -> None:
        self.up = Up(data_dir, "--lab", port=port, AGLET_SWEEP_SECONDS=str(SWEEP))
        self.up.wait_until_started()
        running = found(data_dir)
        assert running is not None
        address = urllib.parse.urlsplit(str(running.database_url))
        host = urllib.parse.parse_qs(address.query)["host"][0]
        self.db = psycopg.connect(host=host, user=address.username, dbname=address.path[1:], autocommit=True)
        self.control = Control(data_dir)

    def stop(self) -> None:
        self.db.close()
        self.up.stop()

    def all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.db.execute(sql, values).fetchall()

    def set(self, sql: str, *values: object) -> None:
        self.db.execute(sql, values)

    def state(self, job: Job, due: datetime) -> tuple[str, int | None] | None:
        """Verdict and first absent handoff as stored, None while there is no such occurrence."""
        key = Identity.parse(job.identity(due)).key
        rows = self.all("SELECT verdict, first_absent FROM occurrences_occurrence WHERE key = %s", key)
        return rows[0] if rows else None

    def wait_for_verdict(
        self, job: Job, due: datetime, verdict: str, *, by: datetime | None = None, never: Collection[str] = ()
    ) -> datetime:
        """Wait until the occurrence has the verdict; return when it was seen. None of `never` may be seen before."""
        limit = by or datetime.now(UTC) + timedelta(seconds=PATIENCE)
        seen: list[str] = []
        while datetime.now(UTC) <= limit:
            state = self.state(job, due)
            if state is not None and (not seen or seen[-1] != state[0]):
                seen.append(state[0])
            if seen and seen[-1] == verdict:
                assert not set(seen) & set(never), seen
                return datetime.now(UTC)
            time.sleep(0.1)
        raise AssertionError(f"{job.identity(due)} became {seen}, not {verdict}, by {limit:%H:%M:%S.%f}")

    def show_path(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """`manage.py show_path --format json` as a person would run it."""
        done = subprocess.run(
            [sys.executable, "manage.py", "show_path", *arguments, "--format", "json"],
            cwd=ROOT,
            env=environment(AGLET_DATA_DIR=str(self.up.data_dir)),
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, json.loads(done.stdout) if done.returncode == 0 else {}

    def ready(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.up.address}/readyz", timeout=10) as reply:
            return dict(json.load(reply))

    def browser(self, said: str = "The first admin") -> "Browser":
        """Sign in with the link that `up` printed in the line that begins with `said`."""
        line = next(line for line in self.up.text().splitlines() if said in line)
        link = re.search(r"http://\S+/sign-in/\S+/", line)
        assert link is not None
        return Browser(self.up.address, link.group(0))


class Browser:
    """A browser without scripts: it keeps cookies, reads pages and sends their forms."""

    def __init__(self, address: str, link: str) -> None:
        self.address = address
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        path = link.removeprefix(address)
        self.get(path)
        self.send(path, {})

    def get(self, path: str) -> str:
        return self._open(urllib.request.Request(f"{self.address}{path}"))[1]

    def send(self, path: str, form: dict[str, str]) -> tuple[int, str]:
        """Post a form; return the status and the page that is shown then."""
        token = next(c.value for c in self.jar if c.name == "csrftoken")
        body = urllib.parse.urlencode(form | {"csrfmiddlewaretoken": token}).encode()
        return self._open(urllib.request.Request(f"{self.address}{path}", body, {"Referer": self.address}))

    def _open(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self.opener.open(request, timeout=10) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the form that decides."""
    form = page[page.index('id="decide"') :]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))


def page_of(job: Job, due: datetime) -> str:
    """The address of an occurrence's page."""
    return f"/o/celery:lab/{job.key}/{due:%Y%m%dT%H%M%SZ}/"


def wait_until(true: Callable[[], bool], what: str, *, seconds: float = PATIENCE) -> float:
    """Wait until it is true; return how many seconds that took."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(0.1)
    return time.monotonic() - began
