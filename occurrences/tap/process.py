"""The tap of this process: what it is, its spool, and its life from `online` to `offline`."""

import atexit
import os
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from .clock import instant_text, utc_now
from .configuration import Configuration, missing, read_configuration
from .identity import Tagged
from .neighbours import Neighbours
from .quiet import quietly, say_once
from .sending import Sender
from .shipper import Shipper
from .spool import Spool
from .wire import Owner, Record, handoff_record, process_record

PARENT = "AGLET_TAP_PARENT"  # in the environment of a worker's children: "<pid>:<spool of the main process>"
HEARTBEAT = timedelta(seconds=10)
ANNOUNCE_WITHIN = 1.0  # seconds a start waits for the console to know of it
DRAIN_WITHIN = 2.0  # seconds an orderly stop spends on sending the rest

State = Callable[[], Mapping[str, Any]]


class Tap:
    """One process of a source in one role. Every public method is safe to call from application code."""

    def __init__(
        self,
        configuration: Configuration,
        role: str,
        name: str,
        *,
        state: State = dict,
        parent: str | None = None,
        ships: bool = True,
    ) -> None:
        host, pid, now = socket.gethostname(), os.getpid(), utc_now()
        self.configuration, self.pid, self._state = configuration, pid, state
        self.ships = ships
        self.owner = Owner(source=configuration.source, role=role, name=name, host=host, pid=pid)
        self.started_at = instant_text(now)
        spool = f"{host}-{role}-{pid}-{secrets.token_hex(4)}"
        header = {
            "v": 1,
            "spool": spool,
            "source": configuration.source,
            "role": role,
            "name": name,
            "host": host,
            "pid": pid,
            "started_at": self.started_at,
            "parent": parent,
            "ships_itself": ships,
            **{key: value for key, value in state().items() if key in ("queues", "capacity")},
        }
        self.spool = Spool(configuration.folder, header)
        self._neighbours = Neighbours(configuration.folder, spool)
        self._shipper: Shipper | None = None
        self._last_beat, self._last_refused = now, 0
        self._stopped = False
        self._write(self._process_record("online", now), now)

    @property
    def spool_name(self) -> str:
        """The name of the spool on the wire."""
        return str(self.spool.header["spool"])

    @quietly
    def start_shipping(self) -> None:
        """Start the thread and give the console up to a second to learn of this process before it works."""
        sender = Sender(self.configuration.url, self.configuration.key)
        self._shipper = Shipper(sender, self._neighbours, beat=self._heartbeat)
        self._shipper.start()
        self._shipper.first_done.wait(ANNOUNCE_WITHIN)

    @quietly
    def record_handoff(self, handoff: str, tags: Tagged, *, at: datetime | None = None, **fields: Any) -> None:
        """Write one handoff of an occurrence of this source; returns at once."""
        moment = at or utc_now()
        self._write(handoff_record(self.owner, handoff, tags, at=moment, **fields), moment)

    @quietly
    def record(self, record: Record, at: datetime) -> None:
        """Write any other record."""
        self._write(record, at)

    @quietly
    def stop(self) -> None:
        """Say `offline`, send the rest for at most two seconds, close the spool. Only the first call acts."""
        if self._stopped or os.getpid() != self.pid:
            return
        self._stopped = True
        now = utc_now()
        self._write(self._process_record("offline", now), now)
        if self._shipper is not None:
            self._drain(self._shipper)
        self.spool.close()

    def _drain(self, shipper: Shipper) -> None:
        shipper.stop()
        last = threading.Thread(target=self._ship_rest, args=(shipper,), name="aglet-tap-last", daemon=True)
        last.start()
        last.join(DRAIN_WITHIN)

    def _ship_rest(self, shipper: Shipper) -> None:
        """In a thread of its own: a console that accepts and never answers must not hold up an exit."""
        shipper.join(DRAIN_WITHIN)
        if not shipper.is_alive() and shipper.drain(DRAIN_WITHIN):
            self._neighbours.finish_own()

    def _write(self, record: Record, at: datetime) -> None:
        self.spool.append(record, at=at)

    @quietly
    def _heartbeat(self, now: datetime) -> None:
        """A process record every ten seconds, and at once when the number of refused records changed."""
        refused = self._neighbours.refused()
        if now - self._last_beat < HEARTBEAT and refused == self._last_refused:
            return
        self._last_beat, self._last_refused = now, refused
        self._write(self._process_record("online", now), now)

    def _process_record(self, state: str, now: datetime) -> Record:
        more = {"refused": self._neighbours.refused(), **self._state()}
        return process_record(self.owner, state, spool=self.spool_name, started_at=self.started_at, at=now, **more)


_taps: dict[str, Tap] = {}


def current(role: str) -> Tap | None:
    """The tap of this process in `role`, if it has one."""
    return _taps.get(role)


@quietly
def start(role: str, name: str, *, state: State = dict) -> Tap | None:
    """Start the tap of a main process: spool, shipper, announcement. None when it is not configured."""
    configuration = read_configuration()
    if configuration is None:
        say_once("not-configured", f"not configured, records nothing ({', '.join(missing())} not set)")
        return None
    tap = Tap(configuration, role, name, state=state, parent=_parent_spool())
    _taps[role] = tap
    atexit.register(tap.stop)
    if role == "workers":
        os.environ[PARENT] = f"{tap.pid}:{tap.spool_name}"
    tap.start_shipping()
    return tap


@quietly
def start_child(role: str, name: str) -> Tap | None:
    """Start the tap of a pool child: a spool of its own, shipped by the main process it belongs to."""
    configuration, parent = read_configuration(), _parent_spool()
    if configuration is None or parent is None:
        return None
    _taps[role] = Tap(configuration, role, name, parent=parent, ships=False)
    return _taps[role]


def _parent_spool() -> str | None:
    pid, _, spool = os.environ.get(PARENT, "").partition(":")
    return spool if spool and pid == str(os.getppid()) else None


def forget() -> None:
    """Know of no tap any more. A forked child begins so; its descriptors are closed by `locks`."""
    _taps.clear()


os.register_at_fork(after_in_child=forget)
