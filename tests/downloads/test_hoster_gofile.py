"""Gofile, tested with an imitation of its API."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.sdk import (
    Account,
    AccountProblem,
    Checked,
    HosterLimit,
    Offline,
    Temporary,
)
from tests.downloads.imitations.gofile import GofileSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[GofileSite]]:
    async with plugin_trial(tmp_path, GofileSite()) as trial:
        yield trial


async def test_folder_is_crawled(trial: PluginTrial[GofileSite]) -> None:
    found = await trial.crawl()
    assert found.name == "Holiday"
    assert [(each.url, each.size) for each in found.files] == [
        ("https://gofile.io/d/AbCdEf#file=file-1", len(DATA)),
        ("https://gofile.io/d/inner#file=file-2", len(DATA)),
    ]
    for each in found.files:
        assert await bytes_of(await trial.resolve(each.url)) == DATA
    assert isinstance(await refusal(trial.crawl("https://gofile.io/d/Gone")), Offline)


async def test_guest_token_is_created_and_reused(trial: PluginTrial[GofileSite]) -> None:
    checked = await trial.check()
    assert (checked.online, checked.name, checked.size) == (True, "file-1.bin", len(DATA))
    file = await trial.resolve()
    assert file.cookies == {"accountToken": "guest1"}
    assert await bytes_of(file) == DATA
    assert trial.site.guests == 1
    trial.site.expired = 1
    assert await bytes_of(await trial.resolve()) == DATA
    assert trial.site.guests == 2


async def test_accounts(trial: PluginTrial[GofileSite]) -> None:
    assert (await trial.check_account()).premium is True
    file = await trial.with_account()
    assert await bytes_of(file) == DATA
    assert trial.site.guests == 0
    error = await refusal(trial.check_account(Account(2, "", "wrong")))
    assert (type(error), text_of(error)) == (AccountProblem, "The API key is not valid.")


async def test_password_protected_folder(trial: PluginTrial[GofileSite]) -> None:
    trial.site.password = "sesame"
    assert await trial.check() == Checked(online=True)
    trial.user.answers = ["open", "sesame"]
    assert len((await trial.crawl()).files) == 2
    assert trial.user.asked == ["password", "wrong password"]
    assert await bytes_of(await trial.resolve(password="sesame")) == DATA


async def test_endless_pages_are_limited(trial: PluginTrial[GofileSite]) -> None:
    trial.site.endless = True
    assert len((await trial.crawl()).files) == 51


async def test_errors_of_hoster(trial: PluginTrial[GofileSite]) -> None:
    expected = {"error-notFound": Offline, "error-rateLimit": HosterLimit, "error-new": Temporary}
    found = {}
    for status in expected:
        trial.site.refusal = status
        found[status] = type(await refusal(trial.resolve()))
    assert found == expected
    gone = "https://gofile.io/d/AbCdEf#file=gone"
    trial.site.refusal = ""
    assert isinstance(await refusal(trial.resolve(gone)), Offline)


async def test_changed_salt_is_reported(trial: PluginTrial[GofileSite]) -> None:
    trial.site.salt = "new-salt"
    error = await refusal(trial.resolve())
    assert text_of(error) == "Gofile has changed; settings.toml lacks its new salt."
