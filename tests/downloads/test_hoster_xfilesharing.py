"""XFileSharing sites: DDownload, and a user's plugin for a site with the API."""

import re
import time
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
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
)
from tests.downloads.imitations.xfilesharing import IMAGE, XFileSharingSite
from tests.downloads.plugins import put_plugin

pytestmark = pytest.mark.anyio

# The plugin shown in the documentation.
PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"
[OWN] = re.findall(r"```python\n(from \S+xfilesharing .*?)```", PAGE.read_text(), re.DOTALL)


class OwnSite(XFileSharingSite):
    plugin = "crate"
    file_link = "https://crate.example/abcdef123456"
    account = Account(1, "", "XFS-KEY")


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[PluginTrial[XFileSharingSite]]:
    async with plugin_trial(tmp_path, XFileSharingSite()) as trial:
        yield trial


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[PluginTrial[OwnSite]]:
    put_plugin(tmp_path, OWN, "crate.py")
    async with plugin_trial(tmp_path, OwnSite()) as trial:
        yield trial


async def test_files_are_checked_on_their_page(
    trial: PluginTrial[XFileSharingSite], own: PluginTrial[OwnSite]
) -> None:
    there = Checked(online=True, name="film&1.bin", size=1_572_864)
    assert await trial.check() == there
    assert await own.check() == there
    assert isinstance(await refusal(trial.check("https://ddl.to/gonegonegone")), Offline)


async def test_guests_submit_both_forms(trial: PluginTrial[XFileSharingSite]) -> None:
    trial.site.seconds = 1
    began = time.monotonic()
    assert await bytes_of(await trial.resolve()) == DATA
    assert time.monotonic() - began > 0.9
    first, second = trial.site.forms
    assert first == {
        "op": "download1",
        "id": "abcdef123456",
        "fname": "film&1.bin",
        "method_free": "Free Download",
    }
    assert (second["op"], second["rand"]) == ("download2", "r4nd")


@pytest.mark.parametrize("kind", ["recaptcha", "hcaptcha", "turnstile"])
async def test_captchas_are_shown_to_the_user(
    trial: PluginTrial[XFileSharingSite], kind: str
) -> None:
    trial.site.captcha, trial.site.answer = kind, "token"
    trial.user.answers = ["old token", "token"]
    assert await bytes_of(await trial.resolve()) == DATA
    assert trial.user.asked == [f"{kind} site-key", f"wrong {kind} site-key"]
    assert trial.user.refused == 1


async def test_image_captchas(trial: PluginTrial[XFileSharingSite]) -> None:
    trial.site.captcha, trial.site.answer = "image", "x7k"
    trial.user.answers = ["x7k"]
    assert await bytes_of(await trial.resolve()) == DATA
    assert trial.user.images == [IMAGE]


async def test_digit_captchas_are_solved_without_the_user(
    trial: PluginTrial[XFileSharingSite],
) -> None:
    trial.site.captcha, trial.site.answer = "digits", "1234"
    assert await bytes_of(await trial.resolve()) == DATA
    assert trial.user.asked == []


async def test_captcha_attempts_are_limited(trial: PluginTrial[XFileSharingSite]) -> None:
    trial.site.captcha, trial.site.answer = "digits", "never"
    assert isinstance(await refusal(trial.resolve()), Temporary)
    assert len(trial.site.forms) == 6


async def test_password_protected_file(trial: PluginTrial[XFileSharingSite]) -> None:
    trial.site.password = "sesame"
    trial.user.answers = ["open", "sesame"]
    assert await bytes_of(await trial.resolve()) == DATA
    assert trial.user.asked == ["password", "wrong password"]


async def test_errors_on_pages(trial: PluginTrial[XFileSharingSite]) -> None:
    expected = {
        "You have to wait 1 hour, 2 minutes, 3 seconds till next download": (HosterLimit, 3723),
        "You have reached the download-limit: 100 Mb": (HosterLimit, 1800),
        "This file is available for Premium Users only": (Fatal, None),
        "File was removed by administrator": (Offline, None),
        "This server is in maintenance mode": (Temporary, None),
        "<p>Something new": (Temporary, None),
    }
    found = {}
    for text in expected:
        trial.site.says = text
        error = await refusal(trial.resolve())
        found[text] = (type(error), error.seconds)
    assert found == expected


async def test_login_with_password(trial: PluginTrial[XFileSharingSite]) -> None:
    state = await trial.check_account()
    assert state.premium is True
    assert (state.traffic_left, state.valid_until) == (2000 * 1024**2, 1_893_456_000)
    assert await bytes_of(await trial.with_account()) == DATA
    assert trial.site.sessions == 1
    # The session has expired.
    trial.site.ended = 1
    assert await bytes_of(await trial.with_account()) == DATA
    assert trial.site.sessions == 2
    for known in (Account(1, "ada", "mistyped"), Account(2, "ada", "mistyped")):
        error = await refusal(trial.check_account(known))
        assert (type(error), text_of(error)) == (AccountProblem, "User name or password is wrong.")


async def test_api_key(own: PluginTrial[OwnSite]) -> None:
    file = await own.with_account()
    assert (file.name, file.size, await bytes_of(file)) == ("film.bin", len(DATA), DATA)
    state = await own.check_account()
    assert (state.premium, state.valid_until) == (True, 1_893_456_000)
    wrong = Account(2, "", "wrong")
    assert isinstance(await refusal(own.check_account(wrong)), AccountProblem)
    gone = "https://crate.example/gonegonegone"
    assert isinstance(await refusal(own.resolve(gone, own.site.account)), Offline)


async def test_folder_is_crawled(trial: PluginTrial[XFileSharingSite]) -> None:
    found = await trial.crawl("https://ddownload.com/users/ada/77")
    assert [each.url for each in found.files] == [
        "https://ddownload.com/aaaaaaaaaaa1/a.rar",
        "https://ddownload.com/aaaaaaaaaaa2",
    ]
    assert isinstance(await refusal(trial.crawl("https://ddownload.com/folder/gone")), Offline)
