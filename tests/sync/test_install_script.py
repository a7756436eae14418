"""The script that installs the agent, on devices and in networks where something is wrong."""

import asyncio
import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from quartet.sync.distribution import service
from quartet.sync.distribution.service import AgentDistribution
from quartet.sync.distribution.types import AgentFile, AgentProgram
from quartet.sync.engine.download import this_platform

HERE = this_platform()
# A stand-in for the agent, as a program and as a file for Python.
PROGRAM = b'#!/bin/sh\necho "$*" >> "$HOME/calls"\n'
FILE = b"""\
import os, sys
with open(os.environ["HOME"] + "/calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
"""
CALLS = ["--version", "agent join --server SERVER CODE", "agent service install"]
TOOLS = ("chmod", "getconf", "mkdir", "mktemp", "mv", "rm", "sed", "sha256sum", "tar", "uname")
SHELLS = [
    each for each in ("dash", "bash", "busybox", "zsh", "ksh", "mksh", "yash") if shutil.which(each)
]


@dataclass
class Server:
    """Offers an agent; a path without content is answered slowly, until the test ends."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    slow: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            if self.path.startswith("/old/"):
                self.send_response(301)
                self.send_header("Location", self.path.removeprefix("/old"))
                self.end_headers()
                return
            content = found.files.get(self.path.removeprefix("/api/agent/"))
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"") or 100))
            self.end_headers()
            if content == b"":
                found.slow.set()
                found.ended.wait(60)
            with suppress(ConnectionError):
                self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{http.server_port}"
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    yield found
    found.ended.set()
    http.shutdown()
    http.server_close()


def script(server: Server, *, python: bool = False, address: str = "") -> str:
    """Return the script for a device that gets the program, or the file for Python."""
    server.files |= {"file": FILE, f"program/{HERE}": PROGRAM}
    digest = hashlib.sha256(FILE).hexdigest()
    file = AgentFile(HERE if python else "plan9-pdp11", service.PYTHON, digest, len(FILE))
    program = AgentProgram(HERE, hashlib.sha256(PROGRAM).hexdigest(), cached=True)
    offered = AgentDistribution(Path())
    offered._agent = file
    offered.__dict__["_programs"] = SimpleNamespace(offered=lambda: [program])
    return asyncio.run(offered.shell_script(address or server.url))


@dataclass
class Device:
    home: Path
    commands: Path

    def environment(self) -> dict[str, str]:
        # Nothing may be asked through a proxy that the machine of the test uses.
        return {"HOME": str(self.home), "PATH": str(self.commands), "no_proxy": "127.0.0.1"}

    def run(self, text: str, *shell: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*(shell or ("/bin/sh",)), "-s", "--", "CODE"],
            input=text,
            env={**self.environment(), **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def fails(self, text: str, message: str, **variables: str) -> None:
        done = self.run(text, **variables)
        assert done.returncode != 0
        assert message in done.stderr
        assert self.left_over() == []

    def calls(self) -> list[str]:
        return (self.home / "calls").read_text().splitlines()

    def left_over(self) -> list[Path]:
        return [*self.home.glob(".local/share/quartet-agent/install.*")]

    def answer(self, command: str, text: str) -> None:
        (self.commands / command).unlink(missing_ok=True)
        (self.commands / command).write_text(f"#!/bin/sh\n{text}\n")
        (self.commands / command).chmod(0o755)


@pytest.fixture
def device(tmp_path: Path) -> Device:
    # What users name their folders.
    found = Device(tmp_path / 'it\'s a "home" $(touch hacked)', tmp_path / "bin")
    found.home.mkdir()
    found.commands.mkdir()
    for name in (*TOOLS, "curl", "sh"):
        (found.commands / name).symlink_to(str(shutil.which(name)))
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_installs_in_any_folder(server: Server, device: Device, shell: str) -> None:
    program = str(shutil.which(shell))
    words = (program, "sh") if shell == "busybox" else (program,)
    done = device.run(script(server), *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert device.calls() == [each.replace("SERVER", server.url) for each in CALLS]
    assert device.left_over() == []
    assert not Path("hacked").exists()


def test_python_of_device_runs_the_file(server: Server, device: Device) -> None:
    device.answer("python3", f'exec {shlex.quote(sys.executable)} "$@"')
    done = device.run(script(server, python=True))
    assert (done.returncode, done.stderr) == (0, "")
    assert device.calls() == [each.replace("SERVER", server.url) for each in CALLS]


def test_script_that_arrives_incomplete_does_nothing(server: Server, device: Device) -> None:
    text = script(server)
    complete = text.rindex("main")
    for end in (*range(0, complete, 97), complete, complete + 3):
        device.run(text[:end])
    assert [*device.home.iterdir()] == []
    assert server.asked == []


def test_address_of_server_is_no_code(server: Server, device: Device) -> None:
    address = f"{server.url}/';touch hacked;'$(touch hacked)@PROGRAMS@"
    device.fails(script(server, address=address), "cannot download")
    assert not Path("hacked").exists()


def test_redirect_of_server_is_followed(server: Server, device: Device) -> None:
    address = f"{server.url}/old"
    assert device.run(script(server, address=address)).returncode == 0
    assert device.calls()[1] == f"agent join --server {address} CODE"


def _wget_without_curl(device: Device) -> None:
    (device.commands / "curl").unlink()
    (device.commands / "wget").symlink_to(str(shutil.which("wget")))


@pytest.mark.skipif(not shutil.which("wget"), reason="wget is not installed")
def test_device_without_curl_uses_wget(server: Server, device: Device) -> None:
    _wget_without_curl(device)
    text = script(server)
    assert device.run(text).returncode == 0
    server.files.clear()
    device.fails(text, f"cannot download {server.url}/api/agent/program/{HERE}")


@pytest.mark.parametrize(
    ("missing", "message"),
    [("curl", "install curl or wget first"), ("sha256sum", "install sha256sum or openssl first")],
)
def test_missing_tool_is_named(server: Server, device: Device, missing: str, message: str) -> None:
    (device.commands / missing).unlink()
    device.fails(script(server), message)


def _changed(server: Server) -> None:
    server.files[f"program/{HERE}"] = b"#!/bin/sh\ntouch hacked\n"


def _refused(server: Server) -> None:
    del server.files[f"program/{HERE}"]


@pytest.mark.parametrize(
    ("change", "message"), [(_changed, "wrong checksum"), (_refused, "cannot download")]
)
def test_failed_download_keeps_installed_agent(
    server: Server, device: Device, change: Callable[[Server], None], message: str
) -> None:
    text = script(server)
    assert device.run(text).returncode == 0
    change(server)
    device.fails(text, message)
    installed = device.home / ".local/share/quartet-agent/quartet-agent"
    assert installed.read_bytes() == PROGRAM


def test_agent_that_does_not_run_on_device_is_an_error(server: Server, device: Device) -> None:
    text = script(server).replace(
        hashlib.sha256(PROGRAM).hexdigest(), hashlib.sha256(b"\x7fELF").hexdigest()
    )
    server.files[f"program/{HERE}"] = b"\x7fELF"
    device.fails(text, "does not run on this device")


def test_folder_that_cannot_be_written_is_an_error(server: Server, device: Device) -> None:
    device.fails(script(server), "cannot write to /proc/none", XDG_DATA_HOME="/proc/none")
    assert "HOME" in device.run(script(server), "/usr/bin/env", "-u", "HOME", "/bin/sh").stderr


def test_programs_with_32_bits_get_no_agent_for_64_bits(server: Server, device: Device) -> None:
    device.answer("getconf", "echo 32")
    device.fails(script(server), f"no agent for {HERE}-32bit")


@pytest.mark.parametrize("shell", SHELLS)
def test_interrupted_download_leaves_nothing(server: Server, device: Device, shell: str) -> None:
    text = script(server)
    server.files[f"program/{HERE}"] = b""
    program = str(shutil.which(shell))
    words = [program, "sh"] if shell == "busybox" else [program]
    process = subprocess.Popen(
        [*words, "-s", "--", "CODE"],
        stdin=subprocess.PIPE,
        env=device.environment(),
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(text.encode())
    process.stdin.close()
    assert server.slow.wait(30)
    # The terminal sends Ctrl-C to the whole group.
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) != 0
    assert device.left_over() == []
