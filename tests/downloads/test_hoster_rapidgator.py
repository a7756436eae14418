"""Rapidgator, against an imitation of its API, with the field names of both versions."""

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
from tests.downloads.imitations.site import DATA, Trial, bytes_of, on_trial, refusal, text_of

pytestmark = pytest.mark.anyio

MD5 = Hash("md5", hashlib.md5(DATA).hexdigest())


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[Trial[RapidgatorSite]]:
    async with on_trial(tmp_path, RapidgatorSite()) as trial:
        yield trial


async def test_files_are_checked_on_their_page(trial: Trial[RapidgatorSite]) -> None:
    assert await trial.check() == Checked(online=True, name="film&1.bin", size=1_572_864)
    assert isinstance(await refusal(trial.check("https://rg.to/file/99")), Offline)


@pytest.mark.parametrize("old_names", [False, True])
async def test_a_file_is_handed_out(trial: Trial[RapidgatorSite], old_names: bool) -> None:
    trial.site.old_names = old_names
    file = await trial.with_account()
    assert (file.name, file.size, file.hash) == ("film.bin", len(DATA), MD5)
    assert await bytes_of(file) == DATA
    await trial.with_account()
    assert trial.site.logins == 1
    # The session has ended meanwhile.
    trial.site.ended = 1
    await trial.with_account()
    assert trial.site.logins == 2


@pytest.mark.parametrize("old_names", [False, True])
async def test_accounts(trial: Trial[RapidgatorSite], old_names: bool) -> None:
    trial.site.old_names = old_names
    state = await trial.check_account()
    assert (state.premium, state.traffic_left, state.valid_until) == (True, 1000, 1_893_456_000)
    error = await refusal(trial.check_account(Account(2, "ada@host.invalid", "mistyped")))
    assert (type(error), text_of(error)) == (AccountProblem, "User name or password is wrong.")


async def test_what_it_refuses(trial: Trial[RapidgatorSite]) -> None:
    expected = {404: Offline, 423: HosterLimit, 503: Temporary, 777: Temporary}
    found = {}
    for status in expected:
        trial.site.refusal = status
        found[status] = type(await refusal(trial.with_account()))
    assert found == expected


async def test_folders_have_pages(trial: Trial[RapidgatorSite]) -> None:
    found = await trial.crawl()
    assert found.name == "Holiday"
    assert [(each.name, each.size) for each in found.files] == [
        ("part11.rar", 1_048_576),
        ("part12.rar", 2_097_152),
        ("part21.rar", 1_048_576),
        ("part22.rar", 2_097_152),
    ]
    # Somebody else's folder, with an account: the page as well.
    assert await trial.crawl(account=trial.site.account) == found
    trial.site.endless = True
    assert len((await trial.crawl()).files) == 200


async def test_own_folders_come_from_the_api(trial: Trial[RapidgatorSite]) -> None:
    trial.site.own_folders = True
    found = await trial.crawl(account=trial.site.account)
    assert (found.name, len(found.files)) == ("Mine", 503)
    trial.site.endless = True
    assert len((await trial.crawl(account=trial.site.account)).files) == 500
