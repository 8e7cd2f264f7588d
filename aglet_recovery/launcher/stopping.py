"""The order in which everything ends, so that nothing is lost and nothing looks lost."""

import signal
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from aglet_recovery.launcher import first_rows, living
from aglet_recovery.launcher.processes import Children
from aglet_recovery.launcher.programs import QUEUE

# The web process outlives beat and worker: through it their taps say that they went offline.
BEATS, WORKERS = ("lab-beat", "beat"), ("lab-worker", "worker")
QUEUES = {"lab-worker": ("lab", "lab:"), "worker": (QUEUE, "aglet:")}
PATIENCE = {"worker": 20, "lab-worker": 20, "web": 10, "valkey": 5, "postgres": 30}
# A message that beat has just sent is on its way to the queue.
SETTLE_SECONDS = 1
TICK_SECONDS = 4
QUEUE_SECONDS = 10


def stop(children: Children, *, paused: Sequence[str]) -> None:
    """Stop everything in order. `paused` are the sources to pause first; what hangs is killed in its turn."""
    if paused:
        _settle(children, _pause(children, paused))
    _end(children, BEATS)
    for worker, (queue, prefix) in QUEUES.items():
        if children.is_alive(worker):
            children.wait_until(partial(_is_drained, children, worker, queue, prefix), seconds=QUEUE_SECONDS)
    for names in (WORKERS, ("web",), ("valkey",), ("postgres",)):
        _end(children, names)
    _end(children, tuple(children.by_name))
    _sweep(children)


def _pause(children: Children, sources: Sequence[str]) -> dict[str, datetime]:
    paused = {}
    for source in sources:
        try:
            paused[source] = first_rows.pause(source)
        except Exception as error:
            # The database may be gone: then the next start reports the gap, which is the truth.
            children.printer.line("up", f"{source} could not be marked as paused: {str(error).strip()}")
    return paused


def _settle(children: Children, paused: Mapping[str, datetime]) -> None:
    """Let beat act on what was due before the pause, and its records arrive, so that none looks missed."""
    children.rest(SETTLE_SECONDS)
    for source, moment in paused.items():
        try:
            children.wait_until(partial(_is_settled, children, source, moment), seconds=TICK_SECONDS)
        except Exception as error:
            children.printer.line("up", f"{source} could not be asked for its last ticks: {str(error).strip()}")
    first_rows.let_go()


def _is_settled(children: Children, source: str, moment: datetime) -> bool:
    # after a second signal nobody is left who could act
    return not any(map(children.is_alive, BEATS)) or first_rows.has_ticked(source, before=moment)


def _is_drained(children: Children, worker: str, queue: str, prefix: str) -> bool:
    return not children.is_alive(worker) or first_rows.queue_is_empty(queue, prefix=prefix)


def _end(children: Children, names: tuple[str, ...]) -> None:
    alive = [name for name in names if children.is_alive(name)]
    for name in alive:
        children.send(name, signal.SIGINT if name == "postgres" else signal.SIGTERM)
    for name in alive:
        if not _ends(children, name, seconds=PATIENCE.get(name, 10)):
            children.printer.line("up", f"{name} did not end and is killed.")
            children.send(name, signal.SIGKILL)
            _ends(children, name, seconds=5)


def _ends(children: Children, name: str, *, seconds: float) -> bool:
    return children.wait_until(lambda: not children.is_alive(name), seconds=seconds)


def _sweep(children: Children) -> None:
    """End what is left of the children's sessions, such as pool processes of a worker that was killed."""
    for child in children.by_name.values():
        for pid in living.session_members(child.mark):
            living.kill(pid)
