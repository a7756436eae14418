"""Real-Debrid, tested with an imitation of its API."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.client import Client
from tests.downloads.api_calls import act, add, until, until_all
from tests.downloads.plugins import (
    accounts,
    add_account,
    imitation,
    plugin_text,
    put_plugin,
    put_settings,
    until_checked,
)

pytestmark = pytest.mark.anyio

DATA = b"debrid" * 5000
TOKEN = "RD-TOKEN-52"
LINK = "https://bighost.invalid/file/77"


@dataclass
class RealDebrid:
    base: str = ""
    kind: str = "premium"
    # The error code returned for links.
    refusal: int | None = None
    links: list[dict[str, Any]] = field(default_factory=list)
    lists: int = 0

    def refused(self, request: web.Request) -> web.Response | None:
        if request.headers.get("Authorization") == f"Bearer {TOKEN}":
            return None
        return web.json_response({"error": "bad_token", "error_code": 8}, status=401)

    async def user(self, request: web.Request) -> web.Response:
        user = {"type": self.kind, "premium": 900, "expiration": "2030-01-01T00:00:00.000Z"}
        return self.refused(request) or web.json_response(user)

    async def hosts(self, request: web.Request) -> web.Response:
        self.lists += 1
        return web.json_response(
            {"bighost.invalid": {"supported": 1}, "deadhost.invalid": {"supported": 0}}
        )

    async def unrestrict(self, request: web.Request) -> web.Response:
        self.links.append(dict(await request.post()))
        if self.refusal is not None:
            return web.json_response({"error": "no", "error_code": self.refusal}, status=503)
        return self.refused(request) or web.json_response(
            {
                "id": "X",
                "filename": "film.bin",
                "filesize": len(DATA),
                "host": "bighost.invalid",
                "chunks": 2,
                "download": f"{self.base}/d/film",
            }
        )

    async def file(self, request: web.Request) -> web.Response:
        return web.Response(body=DATA, content_type="application/octet-stream")


@pytest.fixture
async def debrid(tmp_path: Path) -> AsyncIterator[RealDebrid]:
    debrid = RealDebrid()
    routes = {
        "GET /user": debrid.user,
        "GET /hosts/status": debrid.hosts,
        "POST /unrestrict/link": debrid.unrestrict,
        "GET /d/film": debrid.file,
    }
    async with imitation(routes) as debrid.base:
        put_settings(tmp_path, realdebrid=debrid.base)
        yield debrid


async def test_links_of_supported_hosts_are_fetched(
    ada: Client, tmp_path: Path, debrid: RealDebrid
) -> None:
    await add_account(ada, "realdebrid", TOKEN)
    [account] = await until_checked(ada)
    assert (account["premium"], account["validUntil"]) == (True, 1_893_456_000_000)
    await add(ada, LINK, "https://www.bighost.invalid/file/78", start=True, downloadPassword="pw")
    shown = await until_all(ada, "finished")
    assert {(tmp_path / "done" / each["file"]).read_bytes() for each in shown} == {DATA}
    assert {"link": LINK, "password": "pw"} in debrid.links
    # The list of hosts is requested once, not for each link.
    assert debrid.lists == 1


async def test_links_of_other_hosts_are_not_sent(ada: Client, debrid: RealDebrid) -> None:
    await add_account(ada, "realdebrid", TOKEN)
    await until_checked(ada)
    await add(ada, "http://deadhost.invalid/x", start=True)
    await until(ada, lambda all: all[0]["error"] is not None)
    assert debrid.links == []


async def test_free_accounts_are_not_used(ada: Client, debrid: RealDebrid) -> None:
    debrid.kind = "free"
    await add_account(ada, "realdebrid", TOKEN)
    await until_checked(ada)
    await add(ada, LINK, start=True)
    await until(ada, lambda all: all[0]["error"] is not None)
    assert debrid.links == []


OWN = """
    account = AccountForm(secret_label=Text(de="Wort", en="Word"))

    async def resolve(self, link, ctx):
        raise Fatal(Text(de="Konto" if ctx.account else "Gast", en="own plugin"))
"""


async def test_account_at_own_hoster_is_preferred(
    ada: Client, tmp_path: Path, debrid: RealDebrid
) -> None:
    put_plugin(
        tmp_path,
        plugin_text(OWN)
        .replace("demo.invalid", "bighost.invalid")
        .replace("/f/", "/file/")
        .replace("demo\\", "bighost\\"),
    )
    await add_account(ada, "realdebrid", TOKEN)
    await until_checked(ada)
    await add(ada, LINK, start=True)
    await until_all(ada, "finished")
    await act(ada, "/api/downloads/clear-finished")
    own = await add_account(ada, "demo", "word")
    await add(ada, LINK, start=True)
    [failed] = await until_all(ada, "failed")
    assert failed["pluginId"] == "demo"
    assert failed["error"]["inputs"]["de"] == "Konto"
    # Links the multi-hoster rejects are left to the hoster itself.
    await act(ada, f"/api/accounts/{own}", "DELETE")
    debrid.refusal = 16
    await act(ada, f"/api/downloads/{failed['id']}/resume")
    [failed] = await until(
        ada, lambda all: (all[0]["error"] or {}).get("inputs", {}).get("de") == "Gast"
    )


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        (24, "failed", "file_offline"),
        (34, "queued", "plugin_says"),
        (19, "queued", "plugin_says"),
        (30, "failed", "plugin_failed"),
    ],
)
async def test_error_codes(
    ada: Client, debrid: RealDebrid, code: int, status: str, error: str
) -> None:
    debrid.refusal = code
    await add_account(ada, "realdebrid", TOKEN)
    await until_checked(ada)
    await add(ada, LINK, start=True)
    [shown] = await until(ada, lambda all: all[0]["error"] is not None)
    assert (shown["status"], shown["error"]["code"]) == (status, error)


async def test_rejected_account_becomes_invalid(ada: Client, debrid: RealDebrid) -> None:
    await add_account(ada, "realdebrid", TOKEN)
    await until_checked(ada)
    debrid.refusal = 14
    await add(ada, LINK, start=True)
    await until(ada, lambda all: all[0]["error"] is not None)
    [account] = await accounts(ada)
    assert (account["status"], account["error"]["inputs"]["en"]) == (
        "invalid",
        "The account is locked.",
    )


async def test_wrong_token_is_reported(ada: Client, debrid: RealDebrid) -> None:
    await add_account(ada, "realdebrid", "wrong")
    assert [each["status"] for each in await until_checked(ada)] == ["invalid"]
