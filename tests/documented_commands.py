"""Runs the lines of shell blocks in the documentation, in a folder that takes the place of `/`.

`quartet` is forked from the server of the tests. A program that prints "Press Ctrl-C", or that
connects to its server, is interrupted then.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from tests.deploy.reference import ROOT
from tests.fork_client import ForkedProcess, fork_server
from tests.process import environment

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "deploy").rglob("*.md")),
]
BLOCK = re.compile(r"^( *)```(?:sh|bash|shell|console|powershell)\n(.*?)^ *```", re.M | re.S)
PASSWORD = "a long enough password"
# Folders of the documentation outside of the home.
ABSOLUTE = re.compile(r"(?<![\w./~])/(?=(?:media|srv|home|data|var/lib/quartet)(?:[/\s]|$))")
PORT = re.compile(r"--port \d+")
FORWARD = f"""#!{sys.executable} -IS
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
line.connect(os.environ["FORWARD_TO"])
request = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
socket.send_fds(line, [json.dumps(request).encode()], [0, 1, 2])
sys.exit(int(line.recv(16)))
"""
# Ends the programs that run until Ctrl-C.
STARTED = re.compile(r"Press Ctrl-C|connected to ")
PORTS = {f"{prefix}_PORT": "0" for prefix in ("DOWNLOADS", "DOWNLOADS_CNL", "SYNC", "APP", "WIND")}
NO_NETWORK = {"SYNC_HUB": "false", "SYNC_LAN_PAIRING": "false", "DOWNLOADS_TORRENT_PORT": "0"}


class Block(NamedTuple):
    page: str
    # Joined if they continue, without comments.
    lines: tuple[str, ...]


def documented_blocks() -> list[Block]:
    """Return every shell block of the documentation, each line in the first one that has it."""
    found: list[Block] = []
    known: set[str] = set()
    for page in PAGES:
        for indent, text in BLOCK.findall(page.read_text()):
            plain = re.sub(rf"^{indent}", "", text, flags=re.M).replace("\\\n", " ")
            bare = (re.sub(r"(^|\s)#.*$", "", each) for each in plain.splitlines())
            lines = [re.sub(r"\s+", " ", each).strip() for each in bare if each.strip()]
            new = [each for each in lines if each.removeprefix(".venv/bin/") not in known]
            known |= {each.removeprefix(".venv/bin/") for each in new}
            if new:
                found.append(Block(str(page.relative_to(ROOT)), tuple(new)))
    return found


@dataclass
class World:
    """A home, a checkout and the folders that the documentation names."""

    folder: Path
    address: str
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def home(self) -> Path:
        return self.folder / "home/visitor"

    def run(self, line: str, stdin: str = f"{PASSWORD}\n") -> "subprocess.CompletedProcess[str]":
        text = PORT.sub("--port 0", ABSOLUTE.sub(f"{self.folder}/", line))
        return subprocess.run(
            ["sh", "-euc", text],
            cwd=self.checkout,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def succeeds(self, line: str) -> str:
        done = self.run(line)
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"{line}: {said}"
        assert "Traceback" not in said
        return done.stdout

    def prepare(self, *lines: str) -> None:
        for line in lines:
            self.succeeds(line)

    def environment(self) -> dict[str, str]:
        own = environment(**PORTS, **NO_NETWORK, **self.variables)
        own |= {"HOME": str(self.home), "FORWARD_TO": self.address}
        return own | {"PATH": f"{self.folder / 'bin'}{os.pathsep}{own['PATH']}"}


@contextmanager
def world(folder: Path) -> Iterator[World]:
    # A path of a Unix socket must be short.
    address = f"/tmp/quartet-{os.getpid()}"
    Path(address).unlink(missing_ok=True)
    made = World(folder, address)
    for each in (made.home, made.checkout / ".venv/bin", folder / "bin"):
        each.mkdir(parents=True)
    (made.checkout / "deploy").symlink_to(ROOT / "deploy")
    for place in (folder / "bin/quartet", made.checkout / ".venv/bin/quartet"):
        place.write_text(FORWARD)
        place.chmod(0o755)
    # There is no service manager for a test.
    (folder / "bin/systemctl").write_text("#!/bin/sh\n")
    (folder / "bin/systemctl").chmod(0o755)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        threading.Thread(target=_forward, args=(listener,), daemon=True).start()
        yield made
    Path(address).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _forward(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_run, args=(connection,), daemon=True).start()


def _run(connection: socket.socket) -> None:
    message, streams, _, _ = socket.recv_fds(connection, 65536, 3)
    with (
        connection,
        os.fdopen(streams[0]) as stdin,
        os.fdopen(streams[1], "w") as stdout,
        os.fdopen(streams[2], "w") as stderr,
    ):
        request = json.loads(message)
        words: list[str] = request.pop("arguments")
        request["folder"] = Path(request["folder"])
        if words[0] != "serve" and words[:2] != ["agent", "run"]:
            process = fork_server.fork(*words, stdin=stdin, stdout=stdout, stderr=stderr, **request)
        else:
            reader, writer = os.pipe()
            with os.fdopen(reader) as output, os.fdopen(writer, "w") as both:
                process = fork_server.fork(*words, stdin=stdin, stdout=both, stderr=both, **request)
                both.close()
                _interrupt(process, output, stdout)
        connection.send(str(process.wait(60)).encode())


def _interrupt(process: ForkedProcess, output: IO[str], shown: IO[str]) -> None:
    """Send Ctrl-C as soon as the program has started, and show what it prints."""
    for line in output:
        shown.write(line)
        if STARTED.search(line):
            process.send_signal(signal.SIGINT)
