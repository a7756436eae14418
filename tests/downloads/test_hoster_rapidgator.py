"""Rapidgator, tested with an imitation of both versions of its API."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.sdk import (
    Account,
    AccountProblem,
    Checked,
    Hash,
    HosterLimit,
    Offline,
    Temporary,
)
from tests.downloads.imitations.rapidgator import RapidgatorSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
)

pytestmark = pytest.mark.anyio

MD5 = Hash("md5", hashlib.md5(DATA).hexdigest())


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[RapidgatorSite]]:
    async with plugin_trial(tmp_path, RapidgatorSite()) as trial:
        yield trial


async def test_files_are_checked_on_their_page(trial: PluginTrial[RapidgatorSite]) -> None:
    assert await trial.check() == Checked(online=True, name="film&1.bin", size=1_572_864)
    assert isinstance(await refusal(trial.check("https://rg.to/file/99")), Offline)


@pytest.mark.parametrize("old_names", [False, True])
async def test_file_is_resolved(trial: PluginTrial[RapidgatorSite], old_names: bool) -> None:
    trial.site.old_names = old_names
    file = await trial.with_account()
    assert (file.name, file.size, file.hash) == ("film.bin", len(DATA), MD5)
    assert await bytes_of(file) == DATA
    await trial.with_account()
    assert trial.site.logins == 1
    # The session has expired.
    trial.site.ended = 1
    await trial.with_account()
    assert trial.site.logins == 2


@pytest.mark.parametrize("old_names", [False, True])
async def test_accounts(trial: PluginTrial[RapidgatorSite], old_names: bool) -> None:
    trial.site.old_names = old_names
    state = await trial.check_account()
    assert (state.premium, state.traffic_left, state.valid_until) == (True, 1000, 1_893_456_000)
    error = await refusal(trial.check_account(Account(2, "ada@host.invalid", "mistyped")))
    assert (type(error), text_of(error)) == (AccountProblem, "User name or password is wrong.")


async def test_errors_of_hoster(trial: PluginTrial[RapidgatorSite]) -> None:
    expected = {404: Offline, 423: HosterLimit, 503: Temporary, 777: Temporary}
    found = {}
    for status in expected:
        trial.site.refusal = status
        found[status] = type(await refusal(trial.with_account()))
    assert found == expected


async def test_folder_with_several_pages_is_crawled(trial: PluginTrial[RapidgatorSite]) -> None:
    found = await trial.crawl()
    assert found.name == "Holiday"
    assert [(each.name, each.size) for each in found.files] == [
        ("part11.rar", 1_048_576),
        ("part12.rar", 2_097_152),
        ("part21.rar", 1_048_576),
        ("part22.rar", 2_097_152),
    ]
    # For folders of other users, the page is used even with an account.
    assert await trial.crawl(account=trial.site.account) == found
    trial.site.endless = True
    assert len((await trial.crawl()).files) == 200


async def test_own_folders_are_crawled_with_the_api(trial: PluginTrial[RapidgatorSite]) -> None:
    trial.site.own_folders = True
    found = await trial.crawl(account=trial.site.account)
    assert (found.name, len(found.files)) == ("Mine", 503)
    trial.site.endless = True
    assert len((await trial.crawl(account=trial.site.account)).files) == 500
