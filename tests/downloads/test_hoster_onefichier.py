"""1fichier, tested with an imitation of its API and pages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.sdk import (
    Account,
    AccountProblem,
    Checked,
    Fatal,
    HosterLimit,
    Offline,
    Temporary,
)
from tests.downloads.imitations.onefichier import OneFichierSite
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
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[OneFichierSite]]:
    async with plugin_trial(tmp_path, OneFichierSite()) as trial:
        yield trial


async def test_links_are_checked_without_account(trial: PluginTrial[OneFichierSite]) -> None:
    assert await trial.check() == Checked(online=True, name="film;1.bin", size=len(DATA))
    assert await trial.check("https://abcdefghij.dl4free.com/") == await trial.check()
    assert await trial.check("https://1fichier.com/?privatefil") == Checked(online=True)
    assert isinstance(await refusal(trial.check("https://1fichier.com/?gonegonego")), Offline)


async def test_folder_is_crawled(trial: PluginTrial[OneFichierSite]) -> None:
    found = await trial.crawl()
    assert [(each.name, each.size) for each in found.files] == [
        ("film.bin", len(DATA)),
        ("b.bin", 7),
    ]
    trial.site.password = "sesame"
    trial.user.answers = ["sesame"]
    assert await trial.crawl() == found
    assert isinstance(await refusal(trial.crawl("https://1fichier.com/dir/gone")), Offline)


@pytest.mark.parametrize("account", [None, OneFichierSite.account])
async def test_file_is_resolved(
    trial: PluginTrial[OneFichierSite], account: Account | None
) -> None:
    assert await bytes_of(await trial.resolve(account=account)) == DATA
    trial.site.password = "sesame"
    trial.user.answers = ["open", "sesame"]
    assert await bytes_of(await trial.resolve(account=account)) == DATA
    assert trial.user.asked == ["password", "wrong password"]


async def test_accounts(trial: PluginTrial[OneFichierSite]) -> None:
    state = await trial.check_account()
    assert (state.premium, state.valid_until) == (True, 1_893_456_000)
    error = await refusal(trial.check_account(Account(2, "", "wrong")))
    assert (type(error), text_of(error)) == (AccountProblem, "The API key is not valid.")


async def test_errors_of_api(trial: PluginTrial[OneFichierSite]) -> None:
    expected = {
        "Resource not found #12": Offline,
        "Must be a customer (Premium, Access) #191": AccountProblem,
        "Resource not allowed #631": Fatal,
        "Flood detected: IP Locked #38": HosterLimit,
        "Something new": Temporary,
    }
    found = {}
    for message in expected:
        trial.site.refusal = message
        found[message] = type(await refusal(trial.with_account()))
    assert found == expected


async def test_errors_shown_to_guests(trial: PluginTrial[OneFichierSite]) -> None:
    trial.site.page_says = "Without subscription, you must wait 13 minutes between downloads"
    limit = await refusal(trial.resolve())
    assert (type(limit), limit.seconds) == (HosterLimit, 780)
    trial.site.page_says = "You can only download one file at a time"
    assert isinstance(await refusal(trial.resolve()), HosterLimit)
    trial.site.page_says = "The requested file has been deleted"
    assert isinstance(await refusal(trial.resolve()), Offline)
    trial.site.page_says = "Access to this file is reserved to premium"
    assert isinstance(await refusal(trial.resolve()), Fatal)
