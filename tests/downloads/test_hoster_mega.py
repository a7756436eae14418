"""MEGA, tested with an imitation of its API."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from quartet.downloads.hosters.sdk import (
    Account,
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    Temporary,
)
from quartet.downloads.transfer import CounterMode
from tests.downloads.api_calls import add, until, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.imitations.mega import MegaSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
    write_settings,
)
from tests.downloads.plugins import imitation

pytestmark = pytest.mark.anyio


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[MegaSite]]:
    async with plugin_trial(tmp_path, MegaSite()) as trial:
        yield trial


async def read(trial: PluginTrial[MegaSite], link: str, account: Account | None = None) -> bytes:
    file = await trial.resolve(link, account)
    assert file.decrypt and file.hash and file.hash.kind == "mega"
    return CounterMode(file.decrypt.key, file.decrypt.nonce).apply(await bytes_of(file), 0)


async def test_old_and_new_file_links(trial: PluginTrial[MegaSite]) -> None:
    new = MegaSite.file_link
    old = new.replace("/file/", "/#!").replace("12#", "12!")
    for link in (new, old, old.replace("mega.nz", "mega.co.nz")):
        checked = await trial.check(link)
        assert (checked.online, checked.name, checked.size) == (True, "Ferien ü.bin", len(DATA))
        assert await read(trial, link) == DATA


async def test_folder_is_crawled(trial: PluginTrial[MegaSite]) -> None:
    new = MegaSite.folder_link
    old = new.replace("/folder/", "/#F!").replace("12#", "12!")
    for link in (new, old):
        found = await trial.crawl(link)
        assert found.name == "Holiday"
        assert [each.name for each in found.files] == ["file0001.bin", "file0002.bin"]
        assert await read(trial, found.files[0].url) == DATA
    inner = await trial.crawl(f"{new}/folder/inner001")
    assert (inner.name, len(inner.files)) == ("Inner", 1)
    assert isinstance(await refusal(trial.crawl(new.replace("FoLdEr12", "gone0000"))), Offline)


async def test_file_in_folder(trial: PluginTrial[MegaSite]) -> None:
    for link in (
        f"{MegaSite.folder_link}/file/file0001",
        MegaSite.folder_link.replace("/folder/", "/#F!").replace("12#", "12!") + "?file0001",
    ):
        assert not trial.plugin.is_folder(link)
        assert await read(trial, link) == DATA
    gone = f"{MegaSite.folder_link}/file/gone0001"
    assert isinstance(await refusal(trial.resolve(gone)), Offline)


@pytest.mark.parametrize("key", ["", "#", "#x", "#" + "A" * 43, "#" + "A" * 42])
async def test_invalid_keys_are_rejected(trial: PluginTrial[MegaSite], key: str) -> None:
    link = MegaSite.file_link.partition("#")[0] + key
    for call in (trial.resolve(link), trial.check(link)):
        error = await refusal(call)
        assert isinstance(error, Fatal)
        assert text_of(error) == "The link lacks its key, or the key does not fit."


@pytest.mark.parametrize("version", [1, 2])
async def test_accounts(trial: PluginTrial[MegaSite], version: int) -> None:
    trial.site.version = version
    state = await trial.check_account()
    assert (state.premium, state.traffic_left, state.valid_until) == (True, 600, 2**32)
    assert await read(trial, MegaSite.file_link, MegaSite.account) == DATA
    assert (trial.site.logins, trial.site.served[-1] == "guest") == (1, False)
    trial.site.answers["uq"] = -15
    error = await refusal(trial.check_account())
    assert (type(error), trial.site.logins) == (AccountProblem, 2)
    wrong = await refusal(trial.check_account(Account(2, "ada@example.invalid", "nonsense")))
    assert text_of(wrong) == "User name or password is wrong."


async def test_errors_of_hoster(trial: PluginTrial[MegaSite]) -> None:
    quota: dict[str, object] = {"e": -17, "tl": 1234}
    late = web.Response(status=509, headers={"X-MEGA-Time-Left": "77"})
    expected: list[tuple[object, type, float | None]] = [
        (-9, Offline, None),
        (-16, Offline, None),
        (-3, Temporary, None),
        (-4, HosterLimit, 60),
        (-17, HosterLimit, 1800),
        (quota, HosterLimit, 1234),
        (late, HosterLimit, 77),
        (-999, Temporary, None),
        ("nonsense", Temporary, None),
    ]
    for answer, kind, seconds in expected:
        trial.site.answers["g"] = answer
        error = await refusal(trial.resolve())
        assert (type(error), error.seconds) == (kind, seconds), answer
    trial.site.answers = {"us0": web.Response(status=402)}
    assert (await refusal(trial.check_account())).seconds == 600


async def test_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    site = MegaSite()
    site.damaged = 1
    async with imitation(site.routes()) as site.base:
        write_settings(tmp_path, site)
        async with logged_in(tmp_path) as ada:
            await add(ada, site.file_link, start=True)
            (shown,) = await until_all(ada, "finished", "failed")
            assert (shown["status"], shown["hashType"], shown["hashOk"]) == (
                "finished",
                "mega",
                True,
            )
            assert (tmp_path / "done" / shown["file"]).read_bytes() == DATA
            site.damaged = 2
            await add(ada, site.file_link + "?again", start=True)
            shown = (await until_all(ada, "finished", "failed"))[-1]
            assert shown["error"] == {"code": "hash_wrong", "inputs": {"kind": "mega"}}


async def test_used_up_traffic_is_waited_for(tmp_path: Path) -> None:
    site = MegaSite()
    site.over_quota = 1
    async with imitation(site.routes()) as site.base:
        write_settings(tmp_path, site)
        async with logged_in(tmp_path) as ada:
            await add(ada, site.file_link, start=True)
            (shown,) = await until(ada, lambda all: bool(all[0]["retryAt"]))
            assert (shown["status"], shown["attempts"]) == ("queued", 0)
            assert shown["error"]["code"] == "bandwidth_used_up"
            assert abs(shown["retryAt"] / 1000 - time.time() - 3000) < 60
