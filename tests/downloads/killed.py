"""A real server process that can be killed and restarted quickly.

The servers are forked from a process that has imported everything, so that fifty starts take
seconds.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

import httpx

from quartet.cli import main
from quartet.downloads.queue import failures
from quartet.downloads.transfer import Engine
from quartet.kernel.db import Database
from tests.client import NO_AUTHORITIES
from tests.downloads.conftest import USER
from tests.downloads.first_user import first_user
from tests.real_servers import free_port

SAVE_SECONDS = 0.15


@dataclass(frozen=True)
class Moment:
    """Right before or after this number of database changes since the start."""

    changes: int
    when: Literal["before", "after"]


class Servers:
    """Server processes that use the same data folder one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tests.downloads.killed_forker"])
        self.port = free_port()

    @contextmanager
    def start(self, moment: Moment | None = None) -> Iterator[BaseProcess]:
        """Start a server that ends by SIGTERM, or kills itself at the given moment."""
        arguments = (self._folder, self.port, moment)
        process = self._context.Process(target=serve, args=arguments)
        process.start()
        try:
            yield process
        finally:
            process.terminate()
            process.join(60)
            assert process.exitcode is not None
            process.close()

    @contextmanager
    def client(self, process: BaseProcess) -> Iterator[httpx.Client]:
        """Return a signed-in client as soon as the server responds."""
        transport = httpx.HTTPTransport(verify=NO_AUTHORITIES)
        address = f"http://127.0.0.1:{self.port}"
        with httpx.Client(base_url=address, transport=transport, timeout=60) as client:
            while not answers(client):
                assert process.is_alive()
            data = self._folder / "data" / "downloads"
            answer = client.post("/api/auth/setup", json=first_user(data))
            if answer.status_code != 204:
                assert client.post("/api/auth/login", json=USER).status_code == 204
            yield client


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/api/auth/state").status_code == 200
    except httpx.TransportError:
        return False


def serve(folder: Path, port: int, moment: Moment | None) -> None:
    """Serve like the command, but with shorter delays."""
    os.environ |= {"DOWNLOADS_ALLOW_PRIVATE_ADDRESSES": "true", "DOWNLOADS_CNL_PORT": "0"}
    os.environ["DOWNLOADS_TORRENT_PORT"] = "0"
    log = os.open(folder / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    failures.FIRST_RETRY_SECONDS = 0.5
    vars(Engine)["__init__"].__kwdefaults__["save_every"] = SAVE_SECONDS
    if moment:
        die_at(moment)
    main(["serve", "downloads", "--port", str(port), "--data", str(folder / "data")])


def die_at(moment: Moment) -> None:
    before, lock, count = Database.write_sync, threading.Lock(), 0

    def write_sync(self: Database, *given: Any, **more: Any) -> Any:
        nonlocal count
        with lock:
            count += 1
            due = count == moment.changes
        if due and moment.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = before(self, *given, **more)
        if due:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    Database.write_sync = write_sync  # type: ignore[method-assign]
