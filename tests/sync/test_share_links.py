"""Links by which people without an account download files."""

import io
import logging
import time
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from quartet.sync.hubfiles.links.tables import share_links
from tests.client import NO_AUTHORITIES
from tests.sync.running_app import RunningApp

pytestmark = pytest.mark.anyio


async def hub_folder(app: RunningApp, data: Path) -> str:
    folder = await app.folder("Photos")
    place = data / "folders" / folder["engineFolderId"]
    (place / "Trip").mkdir(parents=True)
    (place / "Trip/map.png").write_bytes(b"map")
    (place / "plan.txt").write_text("plan")
    (place / "link").symlink_to("/etc/passwd")
    return f"/api/folders/{folder['id']}/links"


async def ask(app: RunningApp, what: str, **fields: str) -> httpx.Response:
    """Send a request without a session."""
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as stranger:
        if what == "look":
            return await stranger.post("/api/links/look", json=fields)
        return await stranger.post("/api/links/download", data=fields)


async def code(app: RunningApp, what: str, **fields: str) -> tuple[int, str]:
    answer = await ask(app, what, **fields)
    return answer.status_code, answer.json()["code"]


async def test_share_link_downloads_and_expires(
    app: RunningApp, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="quartet")
    api = await hub_folder(app, data)
    made = await app.post(api, {"path": "plan.txt", "hours": 1})
    token = made["token"]
    seen = (await ask(app, "look", token=token)).json()
    assert (seen["name"], seen["size"], seen["needsPassword"]) == ("plan.txt", 4, False)
    answer = await ask(app, "download", token=token)
    assert (answer.status_code, answer.content) == (200, b"plan")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''plan.txt"
    [link] = await app.get("/api/links")
    assert (link["downloads"], link["hasPassword"], link["mostDownloads"]) == (1, False, None)
    now = int(time.time())

    def expire(tx: Any) -> None:
        tx.conn.execute(update(share_links).values(expires_at=now))

    app.started.kernel.db.write_sync(expire)
    assert await code(app, "look", token=token) == (410, "link_expired")
    assert await code(app, "download", token=token) == (410, "link_expired")
    audited = (await app.get("/api/system/audit"))["entries"]
    events = [each["event"] for each in audited if each["event"].startswith("link")]
    assert events == ["link_used", "link_created"]
    # Neither the log nor the database knows the token.
    assert token not in caplog.text
    assert token not in str(audited)


async def test_folder_link_with_password_and_limit(
    app: RunningApp, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="quartet")
    api = await hub_folder(app, data)
    given = {"path": "Trip", "hours": 1, "password": "open sesame", "mostDownloads": 1}
    made = await app.post(api, given)
    token = made["token"]
    assert made["link"]["hasPassword"]
    # The name is a secret too.
    seen = (await ask(app, "look", token=token)).json()
    assert (seen["name"], seen["needsPassword"]) == ("", True)
    wrong = (401, "link_password_wrong")
    assert await code(app, "look", token=token, password="open") == wrong
    assert await code(app, "download", token=token) == wrong
    seen = (await ask(app, "look", token=token, password="open sesame")).json()
    assert (seen["name"], seen["isFolder"], seen["size"]) == ("Trip", True, None)
    answer = await ask(app, "download", token=token, password="open sesame")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.read("map.png") == b"map"
    used_up = (410, "link_used_up")
    assert await code(app, "download", token=token, password="open sesame") == used_up
    assert "open sesame" not in caplog.text


async def test_revoked_and_guessed_links_are_refused(app: RunningApp, data: Path) -> None:
    api = await hub_folder(app, data)
    made = await app.post(api, {"path": "", "hours": 1})
    answer = await app.admin.delete(f"/api/links/{made['link']['id']}")
    assert answer.status_code == 204
    assert await app.refused("DELETE", f"/api/links/{made['link']['id']}") == (
        404,
        "link_not_found",
    )
    assert await code(app, "download", token=made["token"]) == (404, "link_not_found")
    # Guesses are slowed down.
    codes = [(await code(app, "look", token=f"guess {number}"))[1] for number in range(12)]
    assert codes[0] == "link_not_found"
    assert codes[-1] == "too_many_attempts"
    for path in ("no", "../x", "link", ".stversions"):
        answer = await app.admin.post(api, json={"path": path, "hours": 1})
        assert 400 <= answer.status_code < 500, path
    for hours in (0, 100_000):
        answer = await app.admin.post(api, json={"path": "", "hours": hours})
        assert answer.status_code == 400
    misspelled = await app.admin.post(api, json={"path": "", "hours": 1, "pasword": "secret"})
    assert misspelled.json()["code"] == "invalid_request"
    async with httpx.AsyncClient(base_url=app.url, verify=NO_AUTHORITIES) as stranger:
        assert (await stranger.get("/api/links")).status_code == 401
