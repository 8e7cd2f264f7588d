"""Waiting for the web process, from outside, as a browser would."""

import http.client
import socket
from urllib.parse import urlsplit

from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.up_options import Options

READY_SECONDS = 60
PAUSE_SECONDS = 0.1


def check_port(options: Options) -> None:
    """Raise LaunchError when the port cannot be listened on."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    with socket.socket(family) as probe:
        # As gunicorn does: connections of an earlier run that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port))
        except OSError as error:
            raise LaunchError(
                f"Port {options.port} on {options.host} cannot be used ({error.strerror}): name another with --port."
            ) from error


def answers(address: str) -> tuple[bool, str]:
    """Ask `/readyz`; return whether all is ready, and what was said."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=10)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        return response.status == 200, response.read(2000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        return False, str(error)
    finally:
        connection.close()
