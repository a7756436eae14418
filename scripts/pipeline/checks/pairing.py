"""Two devices join a sync server and share a file through its hub.

Usage: pairing QUARTET [AGENT]. AGENT is another program that contains the agent.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.checks.installed import Client, free_port, quartet, run, serving, until

PASSWORD = "a long enough password"
TEXT = "moved from one device to the other"


def main() -> None:
    agent = sys.argv[2] if len(sys.argv) > 2 else quartet()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        data = ("--data", str(place / "data"))
        run("sync", "set-password", *data, cwd=place, stdin=f"{PASSWORD}\n")
        hub = {"SYNC_HUB_LISTEN": f"127.0.0.1:{free_port()}", "SYNC_LAN_PAIRING": "false"}
        with serving(place, "sync", "--port", str(free_port()), *data, variables=hub) as addresses:
            share_file(addresses["sync"], place, agent)
    print("paired two devices and moved a file")


def share_file(url: str, place: Path, agent: str) -> None:
    server = Client(url)
    server.sign_in(PASSWORD)
    with (
        device(server, place, "laptop", agent) as laptop,
        device(server, place, "tower", agent) as tower,
    ):
        move_file(server, laptop, tower)


@contextmanager
def device(server: Client, place: Path, name: str, agent: str) -> Iterator[Path]:
    home = place / name
    home.mkdir()
    code = server.post("/api/enrollments", {"name": name})["code"]
    where = ("--dir", str(home / ".agent"))
    join = ("agent", "join", "--server", server.url, *where, code)
    run(*join, cwd=home, program=agent, HOME=str(home))
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [agent, "agent", "run", *where],
            cwd=home,
            stderr=log,
            env={**os.environ, "HOME": str(home)},
        )
    try:
        until(lambda: found(server, name).get("online"))
        yield home
    finally:
        process.terminate()
        process.wait(60)
        sys.stderr.write((home / "log").read_text()[-1000:])


def found(server: Client, name: str) -> dict[str, Any]:
    devices = server.get("/api/overview")["devices"]
    return next((each for each in devices if each["name"] == name), {})


def move_file(server: Client, laptop: Path, tower: Path) -> None:
    folder = server.post("/api/folders", {"label": "Notes"})["id"]
    rows = [
        {
            "folderId": folder,
            "deviceId": found(server, home.name)["id"],
            "mode": "both",
            "path": str(home / "notes"),
        }
        for home in (laptop, tower)
    ]
    revision = server.post("/api/shares", {"changes": rows})["revision"]
    homes = (laptop, tower)
    until(lambda: all(found(server, home.name)["appliedRev"] >= revision for home in homes))
    (laptop / "notes" / "plan.txt").write_text(TEXT)
    arrived = tower / "notes" / "plan.txt"
    until(lambda: arrived.exists() and arrived.read_text() == TEXT)


if __name__ == "__main__":
    main()
