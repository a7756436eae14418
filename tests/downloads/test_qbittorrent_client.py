"""The client library qbittorrent-api drives a real server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import qbittorrentapi

from tests.downloads.conftest import USER
from tests.downloads.killed import Servers
from tests.downloads.transfer.servers import Nginx, nginx

DATA = bytes(range(256)) * 4000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with nginx(tmp_path_factory.mktemp("nginx")) as server:
        # Large enough that it does not finish on a stalled machine.
        server.add("a.bin", bytes(64 << 20))
        for name in ("b.bin", "c.bin"):
            server.add(name, DATA)
        yield server


@contextmanager
def connected(servers: Servers, **given: Any) -> Iterator[qbittorrentapi.Client]:
    with servers.start() as process, servers.client(process):
        login = {"username": USER["user"], "password": USER["password"], **given}
        yield qbittorrentapi.Client("127.0.0.1", servers.port, **login)


def hash_of(client: qbittorrentapi.Client, name: str) -> str:
    found = {each["name"]: each["hash"] for each in client.torrents_info()}
    return str(found[name])


def until(client: qbittorrentapi.Client, hash: str, right: Callable[[Any], bool]) -> Any:
    shown: Any = None
    for _ in range(2000):
        [shown] = client.torrents_info(torrent_hashes=hash)
        if right(shown):
            return shown
    raise AssertionError(shown)


def order(client: qbittorrentapi.Client) -> list[str]:
    return [str(each["name"]) for each in client.torrents_info(sort="priority")]


def test_qbittorrent_api_controls_downloads(files: Nginx, tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    with connected(servers) as client:
        client.auth_log_in()
        assert client.app.version == "v5.1.0"
        client.app.set_preferences({"max_active_downloads": 1})
        assert client.app.preferences["max_active_downloads"] == 1
        done = Path(client.app.default_save_path)
        client.torrents_create_category("films", save_path=str(done / "Films"))
        assert client.torrents_add(urls=files.url("slow/a.bin"), tags=["x"]) == "Ok."
        added = client.torrents_add(urls=[files.url("b.bin"), files.url("c.bin")], category="films")
        assert added == "Ok."
        a, b, c = (hash_of(client, name) for name in "abc")
        until(client, a, lambda each: each["state"] == "downloading" and each["completed"] > 0)
        client.torrents_stop([b, c])
        until(client, b, lambda each: each["state"] == "stoppedDL")
        client.torrents_top_priority(c)
        assert order(client) == ["c", "a", "b"]
        client.torrents_decrease_priority(c)
        assert order(client) == ["a", "c", "b"]
        client.torrents_bottom_priority(a)
        assert order(client) == ["c", "b", "a"]
        client.torrents_set_download_limit(900 * 1024, c)
        assert client.torrents_download_limit(c) == {c: 900 * 1024}
        client.transfer_set_download_limit(2**20)
        assert client.transfer_download_limit() == 2**20
    with connected(servers) as client:
        assert client.torrents_count() == 3
        follow_main_data(client, b)
        assert client.transfer_info()["dl_rate_limit"] == 2**20
        client.torrents_delete(delete_files=True, torrent_hashes=a)
        client.torrents_start(c)
        shown = until(client, c, lambda each: each["state"] == "stoppedUP")
        assert (shown["progress"], shown["category"]) == (1, "films")
        assert (Path(shown["content_path"]) / "c.bin").read_bytes() == DATA
        assert Path(shown["save_path"]) == done / "Films"
        [file] = client.torrents_files(c)
        assert (file["name"], file["progress"]) == ("c/c.bin", 1)
        client.torrents_start("all")
        until(client, b, lambda each: each["state"] == "stoppedUP")
        client.torrents_delete(torrent_hashes=[b, c])
        assert client.torrents_info() == []
        last: Any = client.sync.maindata.delta()
        assert set(last["torrents_removed"]) == {a, b, c}
        client.auth_log_out()
        assert (done / "Films" / "c" / "c.bin").exists()


def follow_main_data(client: qbittorrentapi.Client, stopped: str) -> None:
    """Ask for everything once, and then only for what has changed."""
    whole: Any = client.sync.maindata.delta()
    assert (whole["full_update"], len(whole["torrents"])) == (True, 3)
    client.torrents_create_tags(["new"])
    client.torrents_create_category("other")
    delta: Any = client.sync.maindata.delta()
    assert (delta["tags"], list(delta["categories"])) == (["new"], ["other"])
    assert stopped not in delta.get("torrents", {})
    client.torrents_delete_tags(["new"])
    client.torrents_remove_categories(["other"])
    delta = client.sync.maindata.delta()
    assert (delta["tags_removed"], delta["categories_removed"]) == (["new"], ["other"])


def test_qbittorrent_api_signs_in_with_the_api_token(tmp_path: Path) -> None:
    servers = Servers(tmp_path)
    with servers.start() as process, servers.client(process) as user:
        token = user.post("/api/settings/api-token").json()["token"]
        address = "127.0.0.1", servers.port
        assert qbittorrentapi.Client(*address, username="x", password=token).app.version
        assert qbittorrentapi.Client(*address, api_key=token).app.web_api_version == "2.11.4"
        wrong = qbittorrentapi.Client(*address, username="x", password="wrong-password")
        with pytest.raises(qbittorrentapi.LoginFailed):
            wrong.auth_log_in()
