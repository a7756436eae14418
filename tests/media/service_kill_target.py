"""The whole service in a process that starts quickly, because it is killed often.

Run as a program, it forks one service for each input line, with everything already imported.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from quartet.media.app import SERVICE
from tests.client import NO_AUTHORITIES
from tests.fork_setup import preload_service
from tests.process import ROOT
from tests.real_servers import free_port

IDLE_STATUSES = ("ready", "done", "failed", "cancelled", "undone")


class KillableService:
    def __init__(self, pid: int, port: int) -> None:
        self._port = port
        address = f"http://127.0.0.1:{port}"
        self._web = httpx.Client(base_url=address, timeout=60, verify=NO_AUTHORITIES)
        self._asking: list[threading.Thread] = []
        while not self._answers():
            os.kill(pid, 0)
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            return self._web.get("/api/health").status_code == 200
        except httpx.TransportError:
            return False

    def ask(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        answer = self._web.request(method, path, json=body, params=params)
        assert answer.is_success, answer.text
        return answer.json()

    def send_without_reply(self, path: str, body: Any) -> None:
        """Send a request whose response is lost, because the service is killed first."""

        def ask() -> None:
            line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
            head = {"Content-Type": "application/json"}
            with closing(line), suppress(OSError, http.client.HTTPException):
                line.request("POST", path, json.dumps(body), head)
                line.getresponse().read()

        self._asking.append(threading.Thread(target=ask))
        self._asking[-1].start()

    def forget(self) -> None:
        for thread in self._asking:
            thread.join()
        self._web.close()

    def wait_until_idle(self) -> list[Any]:
        """Return all jobs once none of them is running."""
        while True:
            jobs: list[Any] = self.ask("GET", "/api/jobs")["jobs"]
            if all(job["status"] in IDLE_STATUSES for job in jobs):
                return jobs
            time.sleep(0.01)


class ServiceForker:
    def __init__(self, config: Path, process: "subprocess.Popen[str]") -> None:
        self._config = config
        self._process = process

    @contextmanager
    def service(self) -> Iterator[KillableService]:
        port = free_port()
        pid = int(self._say(f"{port} {self._config}"))
        service = KillableService(pid, port)
        try:
            yield service
        finally:
            os.kill(pid, signal.SIGKILL)
            assert self._say("buried?") == str(pid)
            service.forget()

    def _say(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()


@contextmanager
def service_forker(config: Path) -> Iterator[ServiceForker]:
    command = [sys.executable, "-m", "tests.media.service_kill_target"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield ServiceForker(config, process)


def serve(port: int, config: str) -> None:
    from quartet.serve import serve_all

    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.environ |= {"APP_CONFIG_DIR": config, "APP_DEMO": "1"}
    serve_all(("media",), {"port": port}, None, None, demo=False)


def main() -> None:
    preload_service(SERVICE, "quartet.media.catalog.demo.provider")
    for line in sys.stdin:
        port, _, config = line.strip().partition(" ")
        if config:
            pid = os.fork()
            if pid == 0:
                serve(int(port), config)
                os._exit(0)
        else:
            os.waitpid(pid, 0)
        print(pid, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
