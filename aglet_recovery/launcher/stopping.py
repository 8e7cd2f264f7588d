"""The order in which everything ends, so that nothing is lost and nothing looks lost."""

import signal
from collections.abc import Sequence

from aglet_recovery.launcher import first_rows, living
from aglet_recovery.launcher.processes import Children
from aglet_recovery.launcher.programs import QUEUE

# The web process outlives beat and worker: through it their taps say that they went offline.
BEATS, WORKERS = ("lab-beat", "beat"), ("lab-worker", "worker")
PATIENCE = {"worker": 20, "lab-worker": 20, "web": 10, "valkey": 5, "postgres": 30}
# A message that beat has just sent is on its way to the queue.
SETTLE_SECONDS = 1
QUEUE_SECONDS = 10


def stop(children: Children, *, paused: Sequence[str]) -> None:
    """Stop everything in order. `paused` are the sources to pause first; what hangs is killed in its turn."""
    if paused:
        _pause(children, paused)
        children.rest(SETTLE_SECONDS)
    _end(children, BEATS)
    if children.is_alive("worker"):
        children.wait_until(lambda: first_rows.queue_is_empty(QUEUE), seconds=QUEUE_SECONDS)
    for names in (WORKERS, ("web",), ("valkey",), ("postgres",)):
        _end(children, names)
    _end(children, tuple(children.by_name))
    _sweep(children)


def _pause(children: Children, sources: Sequence[str]) -> None:
    for source in sources:
        try:
            first_rows.pause(source)
        except Exception as error:
            # The database may be gone: then the next start reports the gap, which is the truth.
            children.printer.line("up", f"{source} could not be marked as paused: {str(error).strip()}")
    first_rows.let_go()


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
