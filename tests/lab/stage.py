"""The practice application as `up --lab` runs it: its real processes, and a control socket to end and start them."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from occurrences.lab import commands
from tests.tap.applications import FOREIGN
from tests.tap.receiver import Receiver

ROOT = Path(__file__).resolve().parents[2]


class Stage:
    """Children by name, answering the requests of the control socket as `up` does."""

    def __init__(self, data_dir: Path, receiver: Receiver) -> None:
        self.data_dir, self.receiver = data_dir, receiver
        self.broker = Path(unquote(urlsplit(os.environ["REDIS_URL"]).path))
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        (data_dir / "run").mkdir()
        servers = {"sockets": str(data_dir / "run"), "redis_url": os.environ["REDIS_URL"]}
        (data_dir / "run" / "servers.json").write_text(json.dumps(servers))
        self.door = socketserver.ThreadingUnixStreamServer(str(data_dir / "run" / "control.sock"), self._handler())
        self.door.daemon_threads = True
        threading.Thread(target=self.door.serve_forever, args=(0.02,), daemon=True).start()
        commands.acl_setup(self.broker, data_dir / commands.PASSWORD_FILE)
        tap = {"URL": receiver.url, "SOURCE": "celery:lab", "KEY": "k", "SPOOL": str(data_dir / "spool")}
        tap_env = {f"AGLET_TAP_{name}": value for name, value in tap.items()}
        made = commands.commands(sys.executable, data_dir, self.broker, tap_env)
        self.programs = {child.name: child for child in made}

    def _handler(self) -> type[socketserver.StreamRequestHandler]:
        stage = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                answer = stage.carry_out(json.loads(self.rfile.readline()))
                self.wfile.write(json.dumps(answer).encode() + b"\n")

        return Handler

    def carry_out(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("name", "")
        if request["do"] == "start":
            self.start(name)
        elif request["do"] == "stop":
            child = self.children[name]
            child.kill() if request["signal"] == "KILL" else child.terminate()
        rows = [
            {"name": name, "pid": child.pid, "state": "running" if child.poll() is None else "ended"}
            for name, child in self.children.items()
        ]
        return {"children": rows}

    def start(self, name: str) -> None:
        program = self.programs[name]
        plain = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
        with (self.data_dir / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                program.argv,
                env={**plain, "PYTHONPATH": str(ROOT), **program.env},
                cwd=program.cwd,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def close(self) -> None:
        for child in self.children.values():
            child.terminate()
        for child in self.children.values():
            child.wait(20)
        self.door.shutdown()
        self.door.server_close()
