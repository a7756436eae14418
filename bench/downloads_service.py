"""A running download manager, controlled through its API."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tests.real_servers import accepts, free_port

from bench.api import cpu_seconds

_LOGIN = {"user": "bench", "password": "a password for the benchmark"}


@dataclass
class DownloadsService:
    port: int
    pid: int
    folder: Path
    _cookie: str = ""

    @property
    def done(self) -> Path:
        return self.folder / "downloads" / "done"

    @property
    def setup_code_file(self) -> Path:
        return self.folder / "downloads" / "setup-code"

    def request(self, method: str, path: str, body: object = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        content = body if isinstance(body, bytes) else msgspec.json.encode(body) if body else None
        connection.request(method, path, content, self._headers())
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (path, answer.status, text)
        self._cookie = (answer.getheader("Set-Cookie") or self._cookie).partition(";")[0]
        connection.close()
        return msgspec.json.decode(text) if text else None

    @property
    def cookie_header(self) -> str:
        return f"Cookie: {self._cookie}"

    def _headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json", "Cookie": self._cookie}

    def set_up(self) -> None:
        code = self.setup_code_file.read_text()
        self.request("POST", "/api/auth/setup", {**_LOGIN, "code": code})

    def fetch(self, urls: list[str], connections: int, parallel: int) -> float:
        """Return the seconds between adding the links and the arrival of the last file."""
        self._set(maxParallel=parallel, connectionsPerFile=connections)
        body = {"links": "\n".join(urls), "start": True}
        return self._measured(lambda: self.request("POST", "/api/links", body), len(urls))

    def fetch_torrent(self, content: bytes) -> float:
        """Return the seconds between adding a torrent of one file and its arrival."""
        self._set(torrentDht=False)

        def add() -> None:
            added = self.request("POST", "/api/containers?name=one.torrent", content)
            [package] = added["packages"]
            self.request("POST", f"/api/packages/{package['packageId']}/start")

        return self._measured(add, 1)

    def _set(self, **options: object) -> None:
        self.request("PUT", "/api/settings", {**self.request("GET", "/api/settings"), **options})

    def _measured(self, add: Callable[[], object], count: int) -> float:
        began = time.time()
        add()
        # The service is only asked at the end, because answers about many files cost it time.
        while self._arrived() < count or not (finished := self._finish_time(count)):
            time.sleep(0.02)
        return finished - began

    def _arrived(self) -> int:
        # Unlike `rglob`, it does not fail when a folder is removed meanwhile.
        return sum(len(files) for _, _, files in os.walk(self.done))

    def _finish_time(self, count: int) -> float | None:
        packages = self.request("GET", "/api/packages?view=queue")["packages"]
        rows = [row for package in packages for row in package["downloads"]]
        assert not any(row["status"] == "failed" for row in rows), rows
        if len(rows) < count or any(row["status"] != "finished" for row in rows):
            return None
        seconds: float = max(row["finishedAt"] for row in rows) / 1000
        return seconds

    def clear(self) -> None:
        """Delete all packages; returns when their files are gone, so that no peer is slowed."""
        packages = self.request("GET", "/api/packages?view=queue")["packages"]
        for package in packages:
            self.request("DELETE", f"/api/packages/{package['id']}?files=true")
        while self._arrived():
            time.sleep(0.02)

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.pid)


@contextmanager
def running_service(folder: Path, ca_file: str) -> Iterator[DownloadsService]:
    port = free_port()
    command = [sys.executable, "-m", "quartet", "serve", "downloads"]
    service = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={
            **os.environ,
            "SSL_CERT_FILE": ca_file,
            "DOWNLOADS_ALLOW_PRIVATE_ADDRESSES": "true",
            "DOWNLOADS_CNL_PORT": "0",
            "DOWNLOADS_TORRENT_PORT": "0",
        },
    )
    try:
        running = DownloadsService(port, service.pid, folder)
        # The port answers the health check before the service has written the code.
        while not (accepts(port) and running.setup_code_file.exists()):
            time.sleep(0.02)
        while not running.setup_code_file.read_text().strip():
            time.sleep(0.02)
        running.set_up()
        yield running
    finally:
        service.terminate()
        service.wait(timeout=10)
