"""Plugins in the queue: resolving links, and errors of hosters."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, until, until_all
from tests.downloads.plugins import LINK, add_account, plugin_text, put_plugin, until_checked
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

DATA = b"the real thing" * 1000
SHA = hashlib.sha256(DATA).hexdigest()
FORM = "account = AccountForm(secret_label=Text(de='Wort', en='Word'))"


def saying(body: str, *more: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return plugin_text(*more, f"async def resolve(self, link, ctx):\n{lines}")


async def one(ada: Client, *states: str) -> dict[str, Any]:
    [only] = await until_all(ada, *states)
    return only


async def test_name_size_headers_and_hash_come_from_plugin(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    address = server.put("x9f", DATA)
    body = (
        f"return File({address!r}, name='a/b.bin', size={len(DATA)}, hash=Hash('sha256', {SHA!r}))"
    )
    put_plugin(tmp_path, saying(body))
    await add(ada, LINK, start=True)
    done = await one(ada, "finished")
    assert (done["name"], done["hashType"], done["hashOk"]) == ("a/b.bin", "sha256", True)
    assert done["file"].endswith("/a_b.bin")
    assert (tmp_path / "done" / done["file"]).read_bytes() == DATA


async def test_wrong_hash_from_plugin_fails_download(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    address = server.put("x", DATA)
    put_plugin(tmp_path, saying(f"return File({address!r}, hash=Hash('sha256', {'0' * 64!r}))"))
    await add(ada, LINK, start=True)
    failed = await one(ada, "failed")
    assert (failed["error"]["code"], failed["hashOk"]) == ("hash_wrong", False)


async def test_online_check_uses_plugin(ada: Client, tmp_path: Path) -> None:
    check = """
        async def check(self, link, ctx):
            if link.parts["id"] == "gone":
                raise Offline
            if link.parts["id"] == "odd":
                return 5
            if link.parts["id"] == "refused":
                raise Fatal(Text(de="Nein.", en="No."))
            return Checked(True, name="nice.bin", size=77)
    """
    put_plugin(tmp_path, saying("raise Fatal", check))
    names = ("gone", "odd", "refused")
    await add(ada, LINK, *[f"https://demo.invalid/f/{name}" for name in names])
    # Several links are checked at the same time, and the last result may be shown first.
    shown = await until(
        ada, lambda links: all(each["online"] != "unknown" or each["error"] for each in links)
    )
    assert [each["online"] for each in shown] == ["online", "offline", "unknown", "unknown"]
    assert (shown[0]["name"], shown[0]["size"]) == ("nice.bin", 77)
    assert shown[2]["error"]["code"] == "plugin_broken"
    assert shown[3]["error"]["inputs"]["en"] == "No."


async def test_final_errors(ada: Client, tmp_path: Path) -> None:
    body = """
match link.parts["id"]:
    case "a": raise Offline
    case "b": raise Fatal(Text(de="Nein", en="No"))
return 5
"""
    put_plugin(tmp_path, saying(body))
    await add(ada, *(f"https://demo.invalid/f/{id}" for id in "abc"), start=True)
    failed = await until_all(ada, "failed")
    codes = [each["error"]["code"] for each in failed]
    assert codes == ["file_offline", "plugin_says", "plugin_broken"]
    assert [each["online"] for each in failed] == ["offline", "unknown", "unknown"]


async def test_temporary_error_with_time_is_not_counted(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, saying("raise Temporary(Text(de='Gleich', en='Soon'), seconds=5000)"))
    await add(ada, LINK, start=True)
    [waiting] = await until(ada, lambda all: all[0]["retryAt"] is not None)
    assert (waiting["status"], waiting["attempts"]) == ("queued", 0)
    assert waiting["error"]["inputs"] == {"plugin": "Demo", "de": "Gleich", "en": "Soon"}
    ahead = waiting["retryAt"] - waiting["createdAt"]
    assert 5_000_000 <= ahead < 5_030_000


async def test_temporary_error_without_time_is_counted(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, saying("raise ValueError('new page')"))
    await add(ada, LINK, start=True)
    [waiting] = await until(ada, lambda all: all[0]["retryAt"] is not None)
    assert (waiting["status"], waiting["attempts"]) == ("queued", 1)
    assert waiting["error"]["code"] == "plugin_broken"


async def test_hoster_limit_postpones_all_its_downloads(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    asks = f"await ctx.http.get({server.put('page', b'x')!r})"
    put_plugin(tmp_path, saying(f"{asks}\nraise HosterLimit(seconds=900)"))
    links = [f"https://demo.invalid/f/{number}" for number in range(8)]
    await add(ada, *links, server.put("plain.bin", b"x"), start=True)
    held = [("queued", True)] * 8 + [("finished", False)]
    shown = await until(
        ada, lambda all: [(each["status"], each["retryAt"] is not None) for each in all] == held
    )
    assert {each["error"]["code"] for each in shown[:8]} == {"plugin_limit"}
    assert {each["attempts"] for each in shown[:8]} == {0}
    # A download added later waits as well.
    await add(ada, "https://demo.invalid/f/late", start=True)
    [*_, late] = await until(ada, lambda all: all[-1]["retryAt"] is not None)
    # So does one that is started now, and the hoster is not asked again before the time is over.
    asked = len(server.requests)
    await act(ada, f"/api/downloads/{late['id']}/start-now")
    [*_, late] = await until(
        ada, lambda all: all[-1]["startedNow"] and all[-1]["retryAt"] is not None
    )
    assert (late["status"], late["error"]["code"]) == ("queued", "plugin_limit")
    assert len(server.requests) == asked


async def test_download_without_its_plugin_fails(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, saying("raise Fatal"))
    package = await add(ada, LINK)
    (tmp_path / "plugins" / "demo.py").unlink()
    await ada.post("/api/plugins/reload")
    await act(ada, f"/api/packages/{package}/start")
    assert (await one(ada, "failed"))["error"]["code"] == "plugin_gone"


async def test_pausing_while_plugin_waits(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, saying("await ctx.wait(500)"))
    await add(ada, LINK, start=True)
    [running] = await until(ada, lambda all: all[0]["status"] == "resolving")
    await act(ada, f"/api/downloads/{running['id']}/pause")
    assert (await one(ada, "paused"))["error"] is None


async def test_password_of_link_reaches_plugin(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    address = server.put("x", DATA)
    put_plugin(tmp_path, saying(f"return File({address!r}, name=await ctx.password() + '.bin')"))
    await add(ada, LINK, start=True, downloadPassword="sesame")
    assert (await one(ada, "finished"))["name"] == "sesame.bin"


async def test_account_is_required_used_and_rejected(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    address = server.put("x", DATA)
    body = f"""
if ctx.account.secret == "bad": raise AccountProblem
return File({address!r}, name=ctx.account.user + ".bin")
"""
    check = """
        async def check_account(self, ctx):
            left = 10 if ctx.account.secret == "good" else 99
            return AccountState(True, premium=True, traffic_left=left)
    """
    put_plugin(tmp_path, saying(body, FORM, "account_required = True", check))
    await add(ada, LINK, start=True)
    assert (await one(ada, "failed"))["error"]["code"] == "account_needed"
    # The account with more traffic is tried first and rejected, so the other one is used.
    await add_account(ada, "demo", "good", user="good")
    await add_account(ada, "demo", "bad", user="bad")
    await until_checked(ada)
    [download] = await downloads(ada)
    await act(ada, f"/api/downloads/{download['id']}/resume")
    assert (await one(ada, "finished"))["name"] == "good.bin"
    states = {each["user"]: each["status"] for each in await until_checked(ada)}
    assert states == {"good": "valid", "bad": "invalid"}


async def test_guests_are_served_one_at_a_time(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    address = server.put("x", DATA)
    body = f"""
self.busy = getattr(self, "busy", 0) + 1
most = self.busy
await asyncio.sleep(0.05)
self.busy -= 1
return File({address!r}, name=f"{{most}}-{{link.parts['id']}}.bin")
"""
    put_plugin(tmp_path, saying(body, "serial = True"))
    await add(ada, *(f"https://demo.invalid/f/{number}" for number in range(3)), start=True)
    done = await until_all(ada, "finished")
    assert {each["name"][0] for each in done} == {"1"}


async def test_postponed_download_starts_in_time(
    ada: Client, tmp_path: Path, server: FileServer
) -> None:
    good = """
        async def check_account(self, ctx):
            return AccountState(True, premium=True)
    """
    limited = f"await ctx.http.get({server.put('page', b'x')!r})\nraise HosterLimit(seconds=1)"
    put_plugin(tmp_path, saying(limited, FORM, good))
    multi = f"""
        domains, matches, multi = ["multi.invalid"], ["https://multi.invalid/f"], True

        async def supported(self, ctx):
            return ["demo.invalid"]

        async def resolve(self, link, ctx):
            return File({server.put("x", DATA)!r})
    """
    put_plugin(tmp_path, plugin_text(FORM, good, multi, id="multi"), "multi.py")
    for plugin in ("demo", "multi"):
        await add_account(ada, plugin, "word")
    await until_checked(ada)
    await ada.put("/api/settings", json={"perHost": 1})
    server.answering.clear()
    await add(ada, LINK, start=True)
    await server.waiting.wait()
    server.waiting.clear()
    # The second link of the hoster waits for its slot; the one of the other host starts.
    await add(ada, "https://demo.invalid/f/two", server.put("plain.bin", b"x"), start=True)
    await server.waiting.wait()
    server.answering.set()
    await until_all(ada, "finished")
