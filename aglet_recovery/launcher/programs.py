"""The programs of the console itself, and the environment each of them gets."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from aglet_recovery.launcher.spawning import Program
from aglet_recovery.launcher.up_options import Options

ROOT = Path(__file__).resolve().parents[2]
APPLICATION = "aglet_recovery"
QUEUE = "aglet.console"
# Known and accepted: as root everything here runs as root but PostgreSQL, and the broker takes JSON only.
AS_ROOT = "ignore:You're running the worker with superuser privileges:UserWarning"


def tap_environment(options: Options, *, source: str, key: str) -> dict[str, str]:
    """Return what a tap of `source` needs. The key is in no file and on no command line."""
    spool = options.data_dir / "spool" / source.partition(":")[2]
    spool.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "AGLET_TAP_URL": options.address,
        "AGLET_TAP_SOURCE": source,
        "AGLET_TAP_KEY": key,
        "AGLET_TAP_SPOOL": str(spool),
    }


def web(options: Options) -> Program:
    """Gunicorn with threads: a page that waits for the database does not hold up the others."""
    argv = ["gunicorn", f"{APPLICATION}.wsgi", "-b", options.bind, "--workers", "2", "--threads", "4"]
    # The control socket would be made in the home folder.
    return _python("web", [*argv, "--graceful-timeout", "5", "--no-control-socket"], env={})


def worker(tap: Mapping[str, str]) -> Program:
    argv = ["celery", "-A", APPLICATION, "worker", "-Q", QUEUE, "-c", "2", "-I", "occurrences.tap.worker"]
    return _python("worker", [*argv, "--without-gossip", "--without-mingle", "-l", "INFO"], env=tap)


def beat(tap: Mapping[str, str]) -> Program:
    argv = ["celery", "-A", APPLICATION, "beat", "-S", "occurrences.tap.scheduler:TapScheduler"]
    return _python("beat", [*argv, "-l", "INFO"], env=tap)


def lab_target(redis_socket: Path) -> str:
    """Return where replays of the lab are sent: its own queue, with the rights of the console."""
    return f"celery:lab=redis+socket://{redis_socket}?virtual_host=0&global_keyprefix=lab:"


def lab(options: Options, *, redis_socket: Path, tap: Mapping[str, str]) -> list[Program]:
    """Return the practice application's own processes; they get nothing of the console's environment."""
    from occurrences.lab import commands

    commands.acl_setup(redis_socket, options.data_dir / commands.PASSWORD_FILE)
    children = commands.commands(sys.executable, options.data_dir, redis_socket, dict(tap))
    plain = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TZ", "TMPDIR") if key in os.environ}
    return [
        Program(name=child.name, argv=child.argv, env=_python_settings() | plain | child.env, cwd=child.cwd)
        for child in children
    ]


def _python(name: str, argv: list[str], *, env: Mapping[str, str]) -> Program:
    settings = {"DJANGO_SETTINGS_MODULE": f"{APPLICATION}.settings"} | dict(os.environ)
    return Program(
        name=name,
        argv=[sys.executable, "-m", *argv],
        env=settings | _python_settings() | dict(env),
        cwd=ROOT,
    )


def _python_settings() -> dict[str, str]:
    ignored = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), AS_ROOT if os.geteuid() == 0 else ""]))
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {"PYTHONUNBUFFERED": "1", "PYTHONPATH": path} | ({"PYTHONWARNINGS": ignored} if ignored else {})
