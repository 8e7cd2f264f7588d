"""PostgreSQL and Valkey for the test run, in a scratch folder; loaded with `-p tests.servers`.

Settings read the addresses when Django loads them, which pytest-django does before any conftest is read:
so the servers start when this module is imported.
"""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from aglet_recovery.launcher import accounts, binaries, places, postgres, valkey
from aglet_recovery.launcher.spawning import Program, spawn

# Nothing here has to survive a power cut.
FAST = (
    "-c",
    "fsync=off",
    "-c",
    "synchronous_commit=off",
    "-c",
    "full_page_writes=off",
    "-c",
    "log_statement=none",
)


class Servers:
    """The two servers of one test run, and the folder that goes with them."""

    def __init__(self, data_dir: Path) -> None:
        places.make_data_dir(data_dir)
        bin_dir = binaries.postgres_bin()
        account = accounts.choose(bin_dir=bin_dir, data_dir=data_dir)
        self.places = places.settle(data_dir, pg_bin=bin_dir, account=account)
        self.running: list[tuple[subprocess.Popen[bytes], int]] = []

    def start(self) -> None:
        where, env = self.places, dict(os.environ)
        postgres.make_cluster(where, options=("--no-sync",))
        database = self._run(postgres.program(where, env=env, options=FAST), postgres.STOP_SIGNAL)
        broker = self._run(valkey.program(where, server=binaries.valkey_server(), env=env), signal.SIGTERM)
        postgres.wait_until_ready(where, alive=lambda: database.poll() is None, pause=time.sleep)
        valkey.wait_until_ready(where, alive=lambda: broker.poll() is None, pause=time.sleep)

    def stop(self) -> None:
        for process, number in reversed(self.running):
            process.send_signal(number)
        for process, _ in self.running:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()
        places.clear(self.places)

    def _run(self, program: Program, stop_signal: int) -> subprocess.Popen[bytes]:
        with (self.places.data_dir / f"{program.name}.log").open("wb") as log:
            process = spawn(program, output=log)
        self.running.append((process, stop_signal))
        return process


def start_for_this_run() -> None:
    folder = Path(tempfile.mkdtemp(prefix="aglet-tests-"))
    servers = Servers(folder)

    def end() -> None:
        servers.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    servers.start()
    for name in [name for name in os.environ if name.startswith("AGLET_TAP_")]:
        del os.environ[name]
    os.environ["DATABASE_URL"] = postgres.database_url(servers.places)
    os.environ["REDIS_URL"] = valkey.redis_url(servers.places)
    os.environ["AGLET_DATA_DIR"] = str(folder)
    os.environ.pop("AGLET_BASE_URL", None)


# A worker of pytest-xdist inherits the addresses of the process that started it.
if "PYTEST_XDIST_WORKER" not in os.environ:
    start_for_this_run()
