"""The service and the torrent process are killed again and again; the files are correct."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.downloads.archives.make_archives import tree
from tests.downloads.killed import Servers
from tests.downloads.torrents import make_torrent, seeder, torrent_processes, tracker
from tests.rounds import NIGHTLY

KILLS = 10 if NIGHTLY else 3
# Large enough that it is not complete before the last kills.
SIZES = {"a.bin": 6_000_000 if NIGHTLY else 1_500_000, "sub/b.bin": 400_000, "c.txt": 10}
SECONDS = 60.0


@pytest.mark.parametrize("by", ["file", pytest.param("magnet", marks=pytest.mark.nightly)])
def test_torrent_is_complete_after_many_kills(tmp_path: Path, by: str) -> None:
    servers = Servers(tmp_path)
    with tracker() as (url, peers):
        torrent = make_torrent(tmp_path / "seed", SIZES, tracker=url)
        with seeder(torrent, tmp_path / "seed", limit="300K") as port:
            peers.append(port)
            with servers.start() as process, servers.client(process) as ada:
                assert ada.put("/api/settings", json={"torrentDht": False}).status_code == 200
                add(ada, torrent.metainfo if by == "file" else torrent.magnet(port))
                process.kill()
                process.join()
            seen = [0]
            for kill in range(KILLS):
                with servers.start() as process, servers.client(process) as ada:
                    seen.append(progress(ada, after=seen[-1]))
                    assert process.pid
                    if kill % 2:
                        kill_torrent_process(process.pid)
                        seen.append(progress(ada, after=seen[-1]))
                    process.kill()
                    process.join()
            with servers.start() as process, servers.client(process) as ada:
                finished(ada)
                empty(tmp_path / "data" / "downloads" / "tmp")
    interrupted = [done for done in seen if 0 < done < sum(SIZES.values())]
    assert len(interrupted) >= (KILLS // 2 if NIGHTLY else 1), "it was complete before most kills"
    data = tmp_path / "data" / "downloads"
    assert tree(data / "done" / "example") == torrent.files

    # A process can end after the torrent has finished, but before its working folder is removed.
    (data / "tmp" / "torrent-1").mkdir()
    (data / "tmp" / "torrent-1" / "resume").touch()
    with servers.start() as process, servers.client(process):
        empty(data / "tmp")


def add(ada: httpx.Client, given: bytes | str) -> None:
    if isinstance(given, str):
        answer = ada.post("/api/links", json={"links": given, "start": True})
        assert answer.status_code == 200, answer.text
        return
    answer = ada.post("/api/containers", files={"files": ("x.torrent", given)})
    assert answer.status_code == 200, answer.text
    id = answer.json()["packages"][0]["packageId"]
    assert ada.post(f"/api/packages/{id}/start").status_code == 204


def kill_torrent_process(parent: int) -> None:
    for pid in torrent_processes(parent):
        os.kill(pid, signal.SIGKILL)


def files(ada: httpx.Client) -> list[dict[str, Any]]:
    [package] = ada.get("/api/packages").json()["packages"]
    found: list[dict[str, Any]] = package["downloads"]
    return found


def progress(ada: httpx.Client, after: int) -> int:
    """Wait until there are more bytes than before, or everything is finished."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        shown = files(ada)
        done: int = sum(each["bytesDone"] for each in shown)
        if done > after or {each["status"] for each in shown} == {"finished"}:
            return done
        time.sleep(0.05)
    raise AssertionError(shown)


def finished(ada: httpx.Client) -> None:
    end = time.monotonic() + SECONDS
    while {each["status"] for each in files(ada)} != {"finished"}:
        assert time.monotonic() < end, files(ada)
        time.sleep(0.1)


def empty(folder: Path) -> None:
    end = time.monotonic() + SECONDS
    while found := list(folder.iterdir()):
        assert time.monotonic() < end, found
        time.sleep(0.1)
