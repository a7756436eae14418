"""The containers of the compose file answer on their published ports, and sync moves a file.

Usage: image VALUES AGENT. VALUES is a JSON file. Its `root` is a folder with the files of the
image, in which the services are started as the compose file describes. Otherwise Docker runs
them.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.checks.installed import Client, status, until
from pipeline.checks.pairing import PASSWORD, share_file

# What the user sets: an owner other than that of the first start, and the token of media.
GIVEN = {"PUID": "1234", "PGID": "1234", "APP_TOKEN": "a-token-for-the-pipeline"}
VARIABLE = re.compile(r"\$\{(\w+)(?::?[-?]([^}]*))?\}")
COMMANDS = [
    ["quartet", "sync", "set-password"],
    ["quartet", "downloads", "set-password"],
    ["quartet", "backup", "downloads", "/data/downloads/backup.tar.gz"],
]
# Nobody has this torrent.
MAGNET = f"magnet:?xt=urn:btih:{'ab' * 20}"
# In the networks from which an engine forwards requests.
ENGINE_ADDRESS = "172.16.0.1"


def main() -> None:
    values = json.loads(Path(sys.argv[1]).read_text())
    agent = str(Path(sys.argv[2]).resolve())
    with ExitStack() as stack:
        if "root" in values:
            address = own_address()
            containers = Chroot(Path(values["root"]), values["image"])
            with containers.started(values["image"]["Cmd"], {}):
                until(lambda: is_healthy(8080) and is_healthy(8090) and is_healthy(8450))
            for service in values["services"].values():
                stack.enter_context(containers.started(service["command"], service["environment"]))
        else:
            address, containers = "127.0.0.1", None
        for numbers in values["ports"].values():
            until(partial(is_healthy, numbers[0]))
        for command in COMMANDS:
            run_in_container(containers, command, values)
        add_torrent("http://127.0.0.1:8080")
        with tempfile.TemporaryDirectory() as folder:
            share_file("http://127.0.0.1:8090", Path(folder), agent)
        # Only now the hub of sync has a reason to run.
        answer(address, values["ports"])
    print("four services answer on their published ports, and two devices moved a file")


def own_address() -> str:
    """Return an address other than the loopback, which the network of this process may lack."""
    if subprocess.run(["ip", "link", "set", "lo", "up"]).returncode:
        return "127.0.0.1"
    subprocess.run(["ip", "address", "add", f"{ENGINE_ADDRESS}/32", "dev", "lo"])
    return ENGINE_ADDRESS


def is_healthy(port: int) -> bool:
    return status(f"http://127.0.0.1:{port}/api/health") == 200


def answer(address: str, ports: Mapping[str, Sequence[int]]) -> None:
    for service, numbers in ports.items():
        for port in numbers:
            # A service that listens on the loopback of its container only cannot be reached.
            until(partial(accepts, address, port))
            print(f"{service}: {address}:{port} accepts connections")
    # A browser on this machine asks 127.0.0.1; the engine forwards it from its own network.
    page = urllib.request.Request(f"http://{address}:9666/jdcheck.js")
    page.add_header("Host", "127.0.0.1:9666")
    with urllib.request.urlopen(page, timeout=20) as found:
        if b"jdownloader=true" not in found.read():
            sys.exit("Click'n'Load does not answer")


def accepts(address: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((address, port), timeout=20):
        return True
    return False


def run_in_container(
    containers: "Chroot | None", command: Sequence[str], values: Mapping[str, Any]
) -> None:
    """Run a command of the documentation in the container of its service."""
    service = next(each for each in command if each in values["ports"])
    if containers:
        words = containers.command(command, values["services"][service]["environment"])
    else:
        compose = ("docker", "compose", "--file", "deploy/compose.yaml")
        words = [*compose, "exec", "-T", service, *command]
    if subprocess.run(words, input=f"{PASSWORD}\n", text=True).returncode:
        sys.exit(f"{' '.join(command)} failed in its container")


def add_torrent(url: str) -> None:
    """Give downloads a reason to listen for peers."""
    client = Client(url)
    client.post("/api/auth/login", {"user": "admin", "password": PASSWORD})
    client.post("/api/links", {"links": MAGNET, "start": True})


class Chroot:
    """Containers without an engine: a folder, variables and rights, but no separate network."""

    def __init__(self, root: Path, image: Mapping[str, Any]) -> None:
        self._root = root
        self._image = image
        # The agents use the same Syncthing.
        os.environ["QUARTET_SYNCTHING"] = str(root / "usr/local/bin/syncthing")

    def command(self, words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """Return the words that run a command in a container, with the rights that it has."""
        rights = ["setpriv", "--no-new-privs"]
        rights += ["--bounding-set=-all,+chown,+dac_override,+setgid,+setuid"]
        place = ["sh", "-c", f'cd {self._image["WorkingDir"]} && exec "$@"', "sh"]
        chroot = ["chroot", str(self._root), "env", "-i", *self._variables(environment)]
        return [*chroot, *rights, *place, *words]

    @contextmanager
    def started(self, command: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
        words = self.command([*self._image["Entrypoint"], *command], environment)
        with tempfile.TemporaryFile("w+") as log:
            process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
            try:
                yield
            except SystemExit:
                log.seek(0)
                print(f"{command}: {log.read()[-2000:]}")
                raise
            finally:
                process.send_signal(signal.SIGTERM)
                code = process.wait(60)
            log.seek(0)
            if code or "Traceback" in (text := log.read()):
                sys.exit(f"{' '.join(command)} ended with {code}: {text[-2000:]}")

    def _variables(self, environment: Mapping[str, str]) -> list[str]:
        given = (f"{name}={interpolated(value)}" for name, value in environment.items())
        # An engine sets HOME of the user with which it starts a container.
        return ["HOME=/root", *self._image["Env"], *given]


def interpolated(value: str) -> str:
    return VARIABLE.sub(lambda match: GIVEN.get(match[1], match[2] or ""), value)


if __name__ == "__main__":
    main()
