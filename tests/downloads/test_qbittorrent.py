"""The interface for qBittorrent clients."""

from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.qbittorrent.hashes import hash_of, id_in
from quartet.downloads.qbittorrent.sync import MOST_RESPONSES, MainData, SyncHistory
from quartet.downloads.qbittorrent.torrent import state_of
from quartet.downloads.qbittorrent.types import TorrentPackage
from tests.client import Client
from tests.downloads.api_calls import add, packages, until_all
from tests.downloads.conftest import USER
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

LOGIN = {"username": USER["user"], "password": USER["password"]}


async def post(client: Client, method: str, **fields: Any) -> Any:
    answer = await client.post(f"/api/v2/{method}", data=fields)
    assert answer.status_code == 200, answer.text
    return answer


async def read(client: Client, method: str, **query: Any) -> Any:
    answer = await client.get(f"/api/v2/{method}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_login_gives_a_cookie_that_only_this_interface_accepts(ada: Client) -> None:
    ada.cookies.clear()
    assert (await ada.get("/api/v2/app/version")).status_code == 403
    assert (await post(ada, "auth/login", **LOGIN)).text == "Ok."
    assert list(ada.cookies) == ["SID"]
    assert (await ada.get("/api/v2/app/version")).text.startswith("v5")
    assert (await ada.get("/api/packages")).status_code == 401
    await post(ada, "auth/logout")
    assert (await ada.get("/api/v2/app/version")).status_code == 403


async def test_failed_logins_are_logged_and_locked_out(ada: Client) -> None:
    ada.cookies.clear()
    assert (await post(ada, "auth/login", username="x", password="wrong-one")).text == "Fails."
    for _ in range(30):
        answer = await ada.post("/api/v2/auth/login", data={"username": "x", "password": "wrong"})
    assert answer.status_code == 403
    assert "retry-after" in answer.headers
    await ada.started.kernel.audit_log.flush()
    query = "SELECT DISTINCT event FROM audit_log WHERE path = '/api/v2/auth/login'"
    events = await ada.started.kernel.db.read(lambda conn: conn.exec_driver_sql(query).all())
    assert {event for (event,) in events} == {"login_failed", "locked_out"}


@pytest.mark.parametrize("header", ["Origin", "Referer"])
async def test_requests_of_other_pages_are_rejected(ada: Client, header: str) -> None:
    page = {header: "https://evil.example/page"}
    answer = await ada.get("/api/v2/torrents/info", headers=page)
    assert answer.status_code == 403
    own = {header: f"{ada.base_url}/"}
    assert (await ada.get("/api/v2/torrents/info", headers=own)).status_code == 200


async def test_changes_need_post(ada: Client) -> None:
    assert (await ada.get("/api/v2/torrents/stop?hashes=all")).status_code == 405
    assert (await ada.get("/api/v2/torrents/delete?hashes=all")).status_code == 405
    assert (await ada.get("/api/v2/torrents/unknown")).status_code == 404
    assert (await ada.post("/api/v2/torrents/stop")).status_code == 400
    nested = {"json": '{"dl_limit":' + "[" * 5000}
    assert (await ada.post("/api/v2/app/setPreferences", data=nested)).status_code == 400


async def test_unusable_torrents_fail_visibly(ada: Client) -> None:
    for url in ("magnet:?dn=nothing", "gopher://host.invalid/x", ""):
        assert (await post(ada, "torrents/add", urls=url)).text == "Fails."
    files = {"torrents": ("x.torrent", b"d4:infod4:name1:xee")}
    answer = await ada.post("/api/v2/torrents/add", files=files)
    assert (answer.status_code, answer.text) == (200, "Fails.")
    assert await packages(ada) == []


async def test_packages_of_the_queue_are_listed_with_stable_hashes(
    ada: Client, server: FileServer
) -> None:
    package = await add(ada, server.put("x.bin", b"x" * 10), start=True, packageName="Own name")
    await add(ada, server.put("y.bin", b"y"))
    await until_all(ada, "finished", "collected")
    while not (completed := await read(ada, "torrents/info", filter="completed")):
        pass
    [shown] = await read(ada, "torrents/info")
    assert completed == [shown]
    assert (shown["hash"], id_in(shown["hash"])) == (hash_of(package), package)
    assert (shown["state"], shown["size"], shown["amount_left"]) == ("stoppedUP", 10, 0)
    assert await read(ada, "torrents/info", filter="downloading") == []
    assert await read(ada, "torrents/info", hashes="f" * 40) == []
    properties = await read(ada, "torrents/properties", hash=shown["hash"].upper())
    assert properties["save_path"] == shown["save_path"]
    unknown = await ada.get("/api/v2/torrents/properties", params={"hash": "f" * 40})
    assert unknown.status_code == 404


async def test_categories_and_tags_are_stored(ada: Client, tmp_path: Path) -> None:
    await post(ada, "torrents/createCategory", category="tv", savePath=str(tmp_path / "done/TV"))
    duplicate = await ada.post("/api/v2/torrents/createCategory", data={"category": "tv"})
    assert duplicate.status_code == 409
    await post(ada, "torrents/add", urls="http://host.invalid/a.bin", category="tv", tags="x, y")
    outside = {"urls": "http://host.invalid/b.bin", "savepath": "/etc"}
    assert (await ada.post("/api/v2/torrents/add", data=outside)).status_code == 409
    [shown] = await read(ada, "torrents/info", category="tv", tag="y")
    assert shown["save_path"] == str(tmp_path / "done" / "TV")
    await post(ada, "torrents/removeTags", hashes=shown["hash"], tags="x")
    await post(ada, "torrents/removeCategories", categories="tv")
    [shown] = await read(ada, "torrents/info", hashes=shown["hash"])
    assert (shown["category"], shown["tags"]) == ("", "y")
    assert await read(ada, "torrents/tags") == ["x", "y"]


async def test_cookie_of_a_new_download_is_not_shown_and_it_can_be_forced(ada: Client) -> None:
    given = {"urls": "http://host.invalid/a.bin", "cookie": "session=very-secret", "paused": "true"}
    await post(ada, "torrents/add", **given)
    [shown] = await read(ada, "torrents/info")
    assert (shown["state"], shown["force_start"]) == ("stoppedDL", False)
    assert "very-secret" not in str(shown)
    await post(ada, "torrents/setForceStart", hashes=shown["hash"], value="true")
    assert (await read(ada, "torrents/info"))[0]["force_start"]
    await post(ada, "torrents/setForceStart", hashes=shown["hash"], value="false")
    assert not (await read(ada, "torrents/info"))[0]["force_start"]


async def test_main_data_contains_only_changes(ada: Client) -> None:
    await post(ada, "torrents/add", urls="http://host.invalid/a.bin", stopped="true")
    first = await read(ada, "sync/maindata")
    [hash] = first["torrents"]
    assert first["full_update"]
    await post(ada, "torrents/rename", hash=hash, name="Other")
    second = await read(ada, "sync/maindata", rid=first["rid"])
    assert second["torrents"][hash]["name"] == "Other"
    assert "category" not in second["torrents"][hash]
    assert "full_update" not in second
    await post(ada, "torrents/delete", hashes=hash, deleteFiles="false")
    third = await read(ada, "sync/maindata", rid=second["rid"])
    assert third["torrents_removed"] == [hash]
    assert (await read(ada, "sync/maindata", rid=12345))["full_update"]


def test_sync_history_is_bounded() -> None:
    history, data = SyncHistory(), MainData({"a": {"x": 1}}, {}, [], {})
    rid = history.response(0, data)["rid"]
    assert set(history.response(rid, data)) == {"rid"}
    for _ in range(MOST_RESPONSES):
        last = history.response(0, data)["rid"]
    assert history.response(rid, data)["full_update"]
    assert "full_update" not in history.response(last, data)


@pytest.mark.parametrize(
    ("states", "extract", "expected"),
    [
        ({"downloading": 1, "finished": 3}, None, "downloading"),
        ({"queued": 1, "failed": 1}, None, "queuedDL"),
        ({"paused": 1, "finished": 1}, None, "stoppedDL"),
        ({"failed": 1, "finished": 1}, None, "error"),
        ({"finished": 1}, "running", "moving"),
        ({"finished": 1}, "failed", "error"),
        ({"finished": 1}, "done", "stoppedUP"),
    ],
)
def test_state_of_a_package_says_what_is_left(
    states: dict[str, int], extract: Any, expected: str
) -> None:
    package = TorrentPackage(
        1, "x", "x", extract, False, 0, 0, hash_of(1), "", [], states, 1, 1, 0, None, 1
    )
    assert state_of(package) == expected
    forced = {"downloading": "forcedDL"}.get(expected, expected)
    assert state_of(package._replace(started_now=True)) == forced
