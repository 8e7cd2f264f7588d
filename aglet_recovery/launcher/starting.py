"""`up`: servers, rows, web, worker, beat, in this order, until it is asked to stop."""

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aglet_recovery.launcher import (
    first_rows,
    health,
    leftovers,
    lock,
    places,
    programs,
    registry,
    servers,
    stopping,
)
from aglet_recovery.launcher.control import Door
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.interrupts import Interrupts
from aglet_recovery.launcher.output import Printer
from aglet_recovery.launcher.processes import Children
from aglet_recovery.launcher.servers import Servers
from aglet_recovery.launcher.spawning import Program
from aglet_recovery.launcher.up_options import Options

OWN_SOURCE, LAB_SOURCE = "celery:aglet", "celery:lab"
BEAT_SECONDS = 10
WORKER_SECONDS = 20  # then beat starts all the same, and the console shows what that leads to


class Asked(Exception):
    """A signal came while we were still starting."""


def up(options: Options) -> int:
    """Run until a signal asks to stop; return the exit code. Raises LaunchError with a sentence."""
    places.make_data_dir(options.data_dir)
    with lock.hold(options.data_dir):
        printer = Printer()
        leftovers.stop(options.data_dir, say=lambda text: printer.line("up", text))
        health.check_port(options)
        children = Children(data_dir=options.data_dir, printer=printer)
        interrupts = Interrupts(children)
        interrupts.install()
        return _Start(options=options, children=children, interrupts=interrupts).run()


@dataclass(slots=True)
class _Start:
    options: Options
    children: Children
    interrupts: Interrupts
    sources: list[str] = field(default_factory=list)

    def run(self) -> int:
        chosen = servers.choose(self.options.data_dir)
        door = Door(chosen.places.control_socket, self.children)
        try:
            self._start_all(chosen)
            while not self.interrupts.asked:
                self.children.pump(60)
        except Asked:
            pass
        finally:
            self._say("stopping")
            stopping.stop(self.children, paused=self.sources)
            door.close()
            places.clear(chosen.places)
            registry.forget(self.options.data_dir)
        self._say("stopped")
        return 0

    def _start_all(self, chosen: Servers) -> None:
        self._prepare(chosen)
        first_rows.bring_up_to_date(lab=self.options.lab)
        self._step()
        self.children.start(programs.web(self.options))
        self._wait_for_web()
        self._start_console()
        if self.options.lab:
            self._start_lab(chosen)
        self._announce()

    def _prepare(self, chosen: Servers) -> None:
        for text in servers.in_words(chosen):
            self._say(text)
        if self.options.lab and chosen.own_redis_url is None:
            raise LaunchError("The lab brings a broker user of its own: unset REDIS_URL to run it.")
        first_rows.make_secret_key(self.options.data_dir)
        os.environ.update(chosen.environment())
        os.environ["AGLET_DATA_DIR"] = str(self.options.data_dir)
        os.environ.setdefault("AGLET_BASE_URL", self.options.address)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aglet_recovery.settings")
        if self.options.lab:
            os.environ.setdefault("AGLET_TARGETS", programs.lab_target(chosen.places.valkey_socket))
        servers.start(chosen, self.children, stopped=lambda: self.interrupts.asked)
        self._step()
        registry.write_servers(
            self.options.data_dir,
            database_url=chosen.own_database_url,
            redis_url=chosen.own_redis_url,
            base_url=os.environ["AGLET_BASE_URL"],
            sockets=chosen.places.sockets,
        )

    def _wait_for_web(self) -> None:
        deadline = time.monotonic() + health.READY_SECONDS
        while True:
            ready, said = health.answers(self.options.address)
            if ready:
                return
            if not self.children.is_alive("web"):
                raise LaunchError("The web process ended while it started; its own lines above say why.")
            if time.monotonic() > deadline:
                raise LaunchError(f"The web process was not ready in {health.READY_SECONDS} s: {said}")
            self._step()
            self.children.wait_until(lambda: self.interrupts.asked, seconds=health.PAUSE_SECONDS)

    def _start_console(self) -> None:
        tap = programs.tap_environment(self.options, source=OWN_SOURCE, key=first_rows.fresh_key(OWN_SOURCE))
        self.sources.append(OWN_SOURCE)
        self._start_pair(OWN_SOURCE, programs.worker(tap), programs.beat(tap))

    def _start_lab(self, chosen: Servers) -> None:
        tap = programs.tap_environment(self.options, source=LAB_SOURCE, key=first_rows.fresh_key(LAB_SOURCE))
        tap["AGLET_TAP_SEND_ARGUMENTS"] = "1"
        self.sources.append(LAB_SOURCE)
        both = programs.lab(self.options, redis_socket=chosen.places.valkey_socket, tap=tap)
        worker, beat = sorted(both, key=lambda program: program.name, reverse=True)
        self._start_pair(LAB_SOURCE, worker, beat)

    def _start_pair(self, source: str, worker: Program, beat: Program) -> None:
        """The worker first: what beat sends to nobody would look like a delayed claim, or expire."""
        began = datetime.now(UTC)
        self.children.start(worker)
        self.children.wait_until(
            lambda: self.interrupts.asked or first_rows.is_online(source, "workers", since=began),
            seconds=WORKER_SECONDS,
        )
        self._step()
        self.children.start(beat)
        # what `up` has to say comes last, below the banners of the others
        self.children.wait_until(
            lambda: self.interrupts.asked or first_rows.is_online(source, "scheduler", since=began),
            seconds=BEAT_SECONDS,
        )

    def _announce(self) -> None:
        base = os.environ["AGLET_BASE_URL"].rstrip("/")
        self._say(f"Aglet Recovery runs at {base}/")
        path = first_rows.first_sign_in()
        if path:
            self._say(f"The first admin signs in here, once, within a day: {base}{path}")
        path = first_rows.first_sign_in_of_lab_owner() if self.options.lab else None
        if path:
            self._say(f"The lab's owner, who may decide, signs in here, once: {base}{path}")
        self._say("Ctrl-C stops it.")
        first_rows.let_go()

    def _step(self) -> None:
        if self.interrupts.asked:
            raise Asked

    def _say(self, text: str) -> None:
        self.children.printer.line("up", text)
