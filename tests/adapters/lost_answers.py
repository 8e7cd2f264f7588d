"""A broker behind a relay that passes everything on, and on one command keeps the answer and hangs up."""

import socket
import threading
from contextlib import suppress
from pathlib import Path


class Relay:
    """Listens on `front`, passes on to `back`; hangs up after `command` was answered by the broker."""

    def __init__(self, front: Path, back: str, command: bytes) -> None:
        self.front, self.back, self.command = front, back, command
        self.kept = 0
        self.listener = socket.socket(socket.AF_UNIX)

    def __enter__(self) -> "Relay":
        self.listener.bind(str(self.front))
        self.listener.listen(8)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as broker, suppress(OSError):
            broker.connect(self.back)
            while asked := client.recv(65_536):
                broker.sendall(asked)
                answered = broker.recv(65_536)
                if self.command in asked:
                    self.kept += 1
                    return
                client.sendall(answered)
