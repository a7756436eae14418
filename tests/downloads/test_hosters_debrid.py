"""AllDebrid, Premiumize, TorBox and Debrid-Link, tested with imitations of their APIs."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.builtin import alldebrid, torbox
from quartet.downloads.hosters.sdk import (
    Account,
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
    Unsupported,
)
from tests.downloads.imitations.alldebrid import AllDebridSite
from tests.downloads.imitations.debridlink import DebridLinkSite
from tests.downloads.imitations.premiumize import PremiumizeSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    Site,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
)
from tests.downloads.imitations.torbox import TorBoxSite

pytestmark = pytest.mark.anyio

SITES = (AllDebridSite, PremiumizeSite, TorBoxSite, DebridLinkSite)


@pytest.fixture(autouse=True)
def quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (alldebrid, torbox):
        monkeypatch.setattr(module, "POLL_SECONDS", 0.01)


@pytest.fixture
async def all_debrid(tmp_path: Path) -> AsyncIterator[PluginTrial[AllDebridSite]]:
    async with plugin_trial(tmp_path, AllDebridSite()) as trial:
        yield trial


@pytest.fixture
async def tor_box(tmp_path: Path) -> AsyncIterator[PluginTrial[TorBoxSite]]:
    async with plugin_trial(tmp_path, TorBoxSite()) as trial:
        yield trial


@pytest.mark.parametrize("kind", SITES)
async def test_links_of_other_hosters_are_fetched(tmp_path: Path, kind: type[Site]) -> None:
    async with plugin_trial(tmp_path, kind()) as trial:
        host = trial.site.file_link.split("/")[2]
        hosts = await trial.supported()
        assert host in hosts
        assert "down.invalid" not in hosts
        file = await trial.with_account()
        assert (file.name, file.size) == ("film.bin", len(DATA))
        assert await bytes_of(file) == DATA
        state = await trial.check_account()
        assert state.premium is True
        assert state.valid_until is not None
        wrong = Account(2, "", "wrong")
        error = await refusal(trial.check_account(wrong))
        assert isinstance(error, AccountProblem)
        assert text_of(error) == "The API key is not valid."
        assert isinstance(await refusal(trial.resolve(account=wrong)), AccountProblem)


REFUSALS: list[tuple[type[Site], dict[str, type[PluginError]]]] = [
    (
        AllDebridSite,
        {
            "LINK_DOWN": Offline,
            "LINK_HOST_NOT_SUPPORTED": Unsupported,
            "LINK_HOST_UNAVAILABLE": Temporary,
            "LINK_TOO_MANY_DOWNLOADS": HosterLimit,
            "LINK_HOST_LIMIT_REACHED": HosterLimit,
            "AUTH_USER_BANNED": AccountProblem,
            "MUST_BE_PREMIUM": AccountProblem,
            "NO_SERVER": Fatal,
            "SOMETHING_NEW": Temporary,
        },
    ),
    (
        PremiumizeSite,
        {
            "slow_down": HosterLimit,
            "account_limit_reached": HosterLimit,
            "service_down": Temporary,
            "Link is unsupported": Unsupported,
            "File not found": Offline,
            "You need to be premium.": AccountProblem,
            "Premiumize has something new.": Temporary,
        },
    ),
    (
        TorBoxSite,
        {
            "LINK_OFFLINE": Offline,
            "UNSUPPORTED_SITE": Unsupported,
            "DOWNLOAD_SERVER_ERROR": Temporary,
            "DOWNLOAD_LIMIT_REACHED": HosterLimit,
            "slow_down": HosterLimit,
            "PLAN_RESTRICTED_FEATURE": AccountProblem,
            "DOWNLOAD_TOO_LARGE": Fatal,
            "SOMETHING_NEW": Temporary,
        },
    ),
    (
        DebridLinkSite,
        {
            "fileNotFound": Offline,
            "notDebrid": Unsupported,
            "hostNotValid": Unsupported,
            "maintenanceHost": Temporary,
            "maxLink": HosterLimit,
            "floodDetected": HosterLimit,
            "notFreeHost": AccountProblem,
            "somethingNew": Temporary,
        },
    ),
]


@pytest.mark.parametrize(("kind", "expected"), REFUSALS)
async def test_errors_of_multi_hosters(
    tmp_path: Path, kind: type[Site], expected: dict[str, type[PluginError]]
) -> None:
    async with plugin_trial(tmp_path, kind()) as trial:
        found = {}
        for code in expected:
            trial.site.refusal = code  # type: ignore[attr-defined]
            found[code] = type(await refusal(trial.with_account()))
        assert found == expected


@pytest.mark.parametrize("kind", [AllDebridSite, DebridLinkSite])
async def test_user_is_asked_until_password_is_correct(
    tmp_path: Path, kind: type[AllDebridSite | DebridLinkSite]
) -> None:
    async with plugin_trial(tmp_path, kind()) as trial:
        trial.site.password = "sesame"
        trial.user.answers = ["open", "sesame"]
        assert (await trial.with_account()).size == len(DATA)
        assert trial.user.asked == ["password", "wrong password"]
        await trial.resolve(account=trial.site.account, password="sesame")
        assert len(trial.user.asked) == 2


async def test_alldebrid_uses_best_stream(all_debrid: PluginTrial[AllDebridSite]) -> None:
    all_debrid.site.streams = True
    file = await all_debrid.with_account()
    assert all_debrid.site.asked[-1] == {"id": "id1", "stream": "high"}
    assert file.size == len(DATA)
    assert await bytes_of(file) == DATA


@pytest.mark.parametrize("streams", [False, True])
async def test_alldebrid_waits_for_delayed_links(
    all_debrid: PluginTrial[AllDebridSite], streams: bool
) -> None:
    all_debrid.site.streams, all_debrid.site.delays = streams, 3
    assert await bytes_of(await all_debrid.with_account()) == DATA
    assert all_debrid.site.delays == 0


async def test_torbox_waits_until_file_is_ready(tor_box: PluginTrial[TorBoxSite]) -> None:
    tor_box.site.states = ["downloading", "uploading", "cached"]
    file = await tor_box.resolve(account=tor_box.site.account, password="sesame")
    assert await bytes_of(file) == DATA
    assert tor_box.site.created == [{"link": tor_box.site.file_link, "password": "sesame"}]


async def test_torbox_does_not_request_same_link_twice(
    tor_box: PluginTrial[TorBoxSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    tor_box.site.states = ["downloading"]
    monkeypatch.setattr(torbox, "POLL_SECONDS", 1000.0)
    waiting = await refusal(tor_box.with_account())
    assert (type(waiting), waiting.seconds) == (Temporary, 1000.0)
    tor_box.site.states = ["completed"]
    assert await bytes_of(await tor_box.with_account()) == DATA
    assert len(tor_box.site.created) == 1


async def test_torbox_failure_is_reported(tor_box: PluginTrial[TorBoxSite]) -> None:
    tor_box.site.states = ["downloading", "failed (the server is gone)"]
    error = await refusal(tor_box.with_account())
    assert (type(error), text_of(error)) == (Temporary, "TorBox could not fetch the file.")


async def test_premiumize_files_of_own_cloud(tmp_path: Path) -> None:
    async with plugin_trial(tmp_path, PremiumizeSite()) as trial:
        link = "https://www.premiumize.me/file?id=abc-1"
        file = await trial.resolve(link, trial.site.account)
        assert (file.name, await bytes_of(file)) == ("own.bin", DATA)


async def test_free_accounts(tmp_path: Path) -> None:
    async with plugin_trial(tmp_path, PremiumizeSite()) as trial:
        trial.site.premium_until = False
        state = await trial.check_account()
        assert (state.premium, state.valid_until) == (False, None)
        assert state.text
        assert state.text.en == "42 % of fair use spent"
    async with plugin_trial(tmp_path, DebridLinkSite()) as other:
        other.site.premium_left = 0
        assert (await other.check_account()).premium is False
        other.site.premium_left = 1000
        until = (await other.check_account()).valid_until
        assert until
        assert 900 < until - time.time() < 1100
