"""Real clients of qBittorrent and aria2 add torrents and see them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aria2p
import pytest
import qbittorrentapi

from tests.downloads.archives.make_archives import tree
from tests.downloads.conftest import USER
from tests.downloads.killed import Servers
from tests.downloads.torrents import Torrent, make_torrent, seeder, tracker

SIZES = {"a.bin": 200_000, "sub/b.bin": 100_000}


@pytest.fixture
def torrent(tmp_path: Path) -> Iterator[Torrent]:
    """A torrent with a seeder that its tracker names."""
    with tracker() as (url, peers):
        torrent = make_torrent(tmp_path / "seed", SIZES, tracker=url)
        with seeder(torrent, tmp_path / "seed") as port:
            peers.append(port)
            yield torrent


@contextmanager
def started(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """Start the server; yields its port and an API token."""
    servers = Servers(tmp_path)
    with servers.start() as process, servers.client(process) as client:
        assert client.put("/api/settings", json={"torrentDht": False}).status_code == 200
        yield servers.port, str(client.post("/api/settings/api-token").json()["token"])


def wait_for(read: Callable[[], Any], right: Callable[[Any], bool]) -> Any:
    end = time.monotonic() + 60
    while not right(found := read()):
        assert time.monotonic() < end, found
        time.sleep(0.05)
    return found


def test_qbittorrent_api_sees_real_torrent(torrent: Torrent, tmp_path: Path) -> None:
    hash = torrent.info_hash
    with started(tmp_path) as (port, _token):
        login: dict[str, Any] = {"username": USER["user"], "password": USER["password"]}
        client = qbittorrentapi.Client("127.0.0.1", port, **login)
        added = client.torrents_add(torrent_files=torrent.metainfo, is_stopped=True, category="tv")
        assert added == "Ok."
        [shown] = client.torrents_info(torrent_hashes=hash)
        assert (shown["state"], shown["name"], shown["category"]) == ("stoppedDL", "example", "tv")
        files = client.torrents_files(hash)
        assert [each["name"] for each in files] == ["example/a.bin", "example/sub/b.bin"]
        client.torrents_add_trackers(hash, urls="udp://tracker.example:80/announce")
        assert client.torrents_trackers(hash)[-1]["url"] == "udp://tracker.example:80/announce"
        client.torrents_file_priority(hash, file_ids=0, priority=0)
        client.torrents_start(hash)

        def read() -> Any:
            return client.torrents_info(torrent_hashes=hash)[0]

        shown = wait_for(read, lambda each: each["state"] == "stoppedUP")
        assert (shown["progress"], shown["size"], shown["hash"]) == (1, SIZES["sub/b.bin"], hash)
        assert client.torrents_files(hash)[0]["priority"] == 0
        assert client.torrents_properties(hash)["total_size"] == SIZES["sub/b.bin"]
        done = tmp_path / "data" / "downloads" / "done" / "example"
        assert tree(done) == {"sub/b.bin": torrent.files["sub/b.bin"]}
        client.torrents_delete(delete_files=True, torrent_hashes=hash)
        assert client.torrents_info() == []


def test_aria2p_sees_real_torrent(torrent: Torrent, tmp_path: Path) -> None:
    file = tmp_path / "example.torrent"
    file.write_bytes(torrent.metainfo)
    with started(tmp_path) as (port, token):
        api = aria2p.API(aria2p.Client("http://127.0.0.1", port, token))
        added = api.add_torrent(str(file), options={"select-file": "2"})
        assert added.info_hash == torrent.info_hash

        def read() -> Any:
            added.update()
            return added

        shown = wait_for(read, lambda each: each.is_complete)
        assert shown.total_length == SIZES["sub/b.bin"]
        assert [each.selected for each in shown.files] == [False, True]
        assert [each.gid for each in api.get_downloads()] == [added.gid]
        assert api.client.change_option(added.gid, {"select-file": "1,2"}) == "OK"
        wait_for(read, lambda each: each.completed_length == sum(SIZES.values()))
        wait_for(read, lambda each: each.is_complete)
        assert tree(tmp_path / "data" / "downloads" / "done" / "example") == torrent.files
