"""Start services of the installed program and talk to them."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

START_SECONDS = 180
WAIT_SECONDS = 120
# What a log line with a traceback is about.
TASK = r'"logger":"([^"]+)","message":"([^"]{,80})[^"]*","trace"'
ROW = re.compile(r"^  (\w+) +(http\S+?)/? ", re.MULTILINE)


def quartet() -> str:
    """The path of the program, the first argument of every check."""
    return str(Path(sys.argv[1]).resolve())


def run(
    *arguments: str, cwd: Path, stdin: str = "", program: str | None = None, **variables: str
) -> str:
    done = subprocess.run(
        [program or quartet(), *arguments],
        cwd=cwd,
        input=stdin,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )
    if done.returncode:
        sys.exit(f"quartet {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def serving(
    folder: Path, *arguments: str, variables: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Run `quartet serve`, yield the address of each service, and stop it as Ctrl-C does.

    A traceback in the log is an error.
    """
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [quartet(), "serve", *arguments],
            cwd=folder,
            env={**os.environ, **variables},
            stdout=log,
            stderr=subprocess.STDOUT,
        )

        def text() -> str:
            log.seek(0)
            return log.read()

        try:
            until(lambda: process.poll() is not None or "Press Ctrl-C" in text(), START_SECONDS)
            if process.poll() is not None:
                sys.exit(f"serve {' '.join(arguments)} ended: {text()[-2000:]}")
            yield dict(ROW.findall(text()))
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait(60)
        if code or "Traceback" in text():
            found = re.findall(TASK, text())
            sys.exit(f"serve {' '.join(arguments)} ended with {code}: {text()[-2000:]}\n{found}")


def until(condition: Callable[[], Any], seconds: float = WAIT_SECONDS) -> Any:
    end = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            sys.exit("a condition was not met in time")
        time.sleep(0.2)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Client:
    """A signed-in client of one service."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._headers = {"Origin": url, "Content-Type": "application/json"}
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )

    def get(self, path: str) -> Any:
        return self._call(path, None)

    def post(self, path: str, body: object) -> Any:
        return self._call(path, json.dumps(body).encode())

    def sign_in(self, password: str) -> None:
        token = self.post("/api/login", {"password": password})["csrfToken"]
        self._headers["X-CSRF-Token"] = token

    def _call(self, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(self.url + path, data=body, headers=self._headers)
        with self._opener.open(request, timeout=60) as answer:
            content = answer.read()
        return json.loads(content) if content else None


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            code: int = answer.status
            return code
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
