"""Logins for servers are sent with the links of their server only, and are never shown."""

import logging
from base64 import b64encode
from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.server_logins.service import server_address
from quartet.downloads.transfer import ServerCredentials, login_for
from quartet.kernel.errors import AppError
from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.plugins import imitation

pytestmark = pytest.mark.anyio

PASSWORD = "very secret: ü"
BASIC = "Basic " + b64encode(f"ada:{PASSWORD}".encode()).decode()


async def test_login_is_used_for_links_of_its_server_only(
    ada: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stolen: list[str | None] = []

    async def other(request: web.Request) -> web.StreamResponse:
        stolen.append(request.headers.get("Authorization"))
        return web.Response(body=b"public", content_type="application/octet-stream")

    async with imitation({"GET /other.bin": other}) as elsewhere:

        async def private(request: web.Request) -> web.StreamResponse:
            if request.headers.get("Authorization") != BASIC:
                return web.Response(status=401)
            if request.path == "/moved.bin":
                raise web.HTTPFound(f"{elsewhere}/other.bin")
            if request.path == "/folder/":
                page = "<title>Index of /folder/</title><a href='file.bin'>file.bin</a>"
                return web.Response(text=page, content_type="text/html")
            return web.Response(body=b"private", content_type="application/octet-stream")

        async with imitation({"GET /{path:.*}": private}) as base:
            new = {"address": f"{base}/any/path?x=1", "user": "ada", "password": PASSWORD}
            await act(ada, "/api/server-logins", json=new)
            again = await ada.post("/api/server-logins", json={**new, "user": "x"})
            assert (again.status_code, again.json()["code"]) == (409, "server_login_exists")
            listed = await ada.get("/api/server-logins")
            assert listed.json() == [{"id": 1, "address": base, "user": "ada"}]
            links = [f"{base}/file.bin", f"{base}/folder/", f"{base}/moved.bin"]
            package = await add(ada, *links)
            await until(
                ada, lambda all: len(all) == 3 and {each["online"] for each in all} == {"online"}
            )
            await act(ada, f"/api/packages/{package}/start")
            await until_all(ada, "finished")
            # The stored password must not reach another server by a change of the address.
            moved = await ada.patch("/api/server-logins/1", json={"address": elsewhere})
            assert moved.json()["code"] == "server_password_needed"
            # A login that was changed or deleted is not used any more.
            await act(ada, "/api/server-logins/1", "PATCH", json={"password": "wrong"})
            await add(ada, f"{base}/later.bin", start=True)
            await until_all(ada, "finished", "failed")
            await act(ada, "/api/server-logins/1", "DELETE")
    assert [each["error"]["inputs"] for each in await downloads(ada) if each["error"]] == [
        {"status": 401}
    ]
    assert len(stolen) >= 2
    assert set(stolen) == {None}
    assert PASSWORD not in caplog.text + listed.text
    database = [path.read_bytes() for path in tmp_path.glob("downloads.sqlite3*")]
    assert not any(b"very secret" in each for each in database)


def test_addresses_of_servers_are_reduced_to_scheme_host_and_port() -> None:
    given = ["HTTPS://Files.Example.org:443/x", "ftp://u:p@nas.lan:2121/", " sftp://[::1]/~/a "]
    expected = ["https://files.example.org", "ftp://nas.lan:2121", "sftp://[::1]"]
    assert [server_address(each) for each in given] == expected
    for wrong in ("nas.lan", "file:///etc", "http://", "http://a b/", "http://x:99999"):
        with pytest.raises(AppError):
            server_address(wrong)


def test_login_is_not_sent_without_encryption_unless_it_was_entered_so() -> None:
    secure, plain = (
        ServerCredentials("https://a.example", "u", "p"),
        ServerCredentials("http://b.example", "u", "p"),
    )
    assert login_for([secure], "http://a.example/x") is None
    assert login_for([secure], "https://a.example:8443/x") is None
    assert login_for([plain], "https://b.example/x") == plain
    assert login_for([plain], "http://u:p@b.example/x") is None
