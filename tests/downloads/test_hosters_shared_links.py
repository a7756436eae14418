"""MediaFire, Google Drive and Dropbox, tested with imitations."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quartet.downloads.hosters.sdk import (
    Checked,
    Fatal,
    Hash,
    HosterLimit,
    Offline,
    Temporary,
)
from tests.downloads.imitations.dropbox import DropboxSite
from tests.downloads.imitations.googledrive import GoogleDriveSite
from tests.downloads.imitations.mediafire import MediaFireSite
from tests.downloads.imitations.site import (
    DATA,
    PluginTrial,
    bytes_of,
    plugin_trial,
    refusal,
    text_of,
)

pytestmark = pytest.mark.anyio

SHA256 = Hash("sha256", hashlib.sha256(DATA).hexdigest())


@pytest.fixture
async def mediafire(tmp_path: Path) -> AsyncIterator[PluginTrial[MediaFireSite]]:
    async with plugin_trial(tmp_path, MediaFireSite()) as trial:
        yield trial


@pytest.fixture
async def drive(tmp_path: Path) -> AsyncIterator[PluginTrial[GoogleDriveSite]]:
    async with plugin_trial(tmp_path, GoogleDriveSite()) as trial:
        yield trial


@pytest.fixture
async def dropbox(tmp_path: Path) -> AsyncIterator[PluginTrial[DropboxSite]]:
    async with plugin_trial(tmp_path, DropboxSite()) as trial:
        yield trial


async def test_mediafire_files(mediafire: PluginTrial[MediaFireSite]) -> None:
    there = Checked(online=True, name="abc.bin", size=len(DATA), hash=SHA256)
    assert await mediafire.check() == there
    assert await mediafire.check("https://www.mediafire.com/?abcdefghijk1234") == there
    for scrambled in (True, False):
        mediafire.site.scrambled = scrambled
        file = await mediafire.resolve()
        assert (file.name, file.hash, await bytes_of(file)) == ("abc.bin", SHA256, DATA)
    gone = "https://www.mediafire.com/file/gonegonegone123"
    assert isinstance(await refusal(mediafire.check(gone)), Offline)
    mediafire.site.taken_down = True
    assert isinstance(await refusal(mediafire.resolve()), Offline)


async def test_mediafire_folders(mediafire: PluginTrial[MediaFireSite]) -> None:
    found = await mediafire.crawl()
    assert found.name == "Holiday"
    assert [each.name for each in found.files] == ["abc.bin", "bbb.bin", "ccc.bin"]
    assert await mediafire.crawl("https://www.mediafire.com/?f0lderf0lder1") == found
    mediafire.site.endless = True
    assert await mediafire.crawl() == found
    gone = "https://www.mediafire.com/folder/gonegonegone1"
    assert isinstance(await refusal(mediafire.crawl(gone)), Offline)


async def test_mediafire_passwords(mediafire: PluginTrial[MediaFireSite]) -> None:
    mediafire.site.password = "sesame"
    mediafire.user.answers = ["open", "sesame"]
    assert await bytes_of(await mediafire.resolve()) == DATA
    assert mediafire.user.asked == ["password", "wrong password"]


@pytest.mark.parametrize("large", [False, True])
async def test_google_drive_files(drive: PluginTrial[GoogleDriveSite], large: bool) -> None:
    drive.site.large = large
    assert await drive.check() == Checked(online=True, name="film.bin", size=len(DATA))
    file = await drive.resolve()
    assert (file.name, file.size, await bytes_of(file)) == ("film.bin", len(DATA), DATA)
    gone = "https://drive.google.com/open?id=gonegonegone"
    assert isinstance(await refusal(drive.check(gone)), Offline)


async def test_google_drive_folders(drive: PluginTrial[GoogleDriveSite]) -> None:
    found = await drive.crawl()
    assert found.name == "Holiday"
    assert [(each.name, each.url) for each in found.files] == [
        ("film & one.bin", "https://drive.google.com/file/d/1AbCdEfGhIjKlMnOp/view"),
        ("two.bin", "https://drive.google.com/file/d/2AbCdEfGhIjKlMnOp/view"),
    ]
    gone = "https://drive.google.com/drive/folders/gonegonegone"
    assert isinstance(await refusal(drive.crawl(gone)), Offline)


async def test_google_drive_errors(drive: PluginTrial[GoogleDriveSite]) -> None:
    expected = {
        "QUOTA_EXCEEDED": (Temporary, 3600),
        "FILE_INFECTED_NOT_OWNER": (Fatal, None),
        "DOWNLOAD_RESTRICTED": (Fatal, None),
    }
    found = {}
    for disposition in expected:
        drive.site.disposition = disposition
        error = await refusal(drive.resolve())
        found[disposition] = (type(error), error.seconds)
    assert found == expected
    drive.site.disposition, drive.site.quota_page = "SCAN_CLEAN", True
    error = await refusal(drive.resolve())
    assert (type(error), error.seconds) == (Temporary, 3600)
    drive.site.status = 429
    error = await refusal(drive.resolve())
    assert (type(error), error.seconds) == (HosterLimit, 300)


async def test_dropbox_files(dropbox: PluginTrial[DropboxSite]) -> None:
    assert await dropbox.check() == Checked(online=True, name="film ä.bin", size=len(DATA))
    file = await dropbox.resolve()
    assert (file.name, await bytes_of(file)) == ("film ä.bin", DATA)


async def test_dropbox_errors(dropbox: PluginTrial[DropboxSite]) -> None:
    dropbox.site.status = 404
    assert isinstance(await refusal(dropbox.check()), Offline)
    dropbox.site.status = 429
    assert isinstance(await refusal(dropbox.resolve()), HosterLimit)
    dropbox.site.status, dropbox.site.page = 200, "This link is temporarily disabled"
    assert isinstance(await refusal(dropbox.resolve()), HosterLimit)
    dropbox.site.page = "<p>Something new"
    assert isinstance(await refusal(dropbox.resolve()), Temporary)
    dropbox.site.protected = True
    error = await refusal(dropbox.resolve())
    assert (type(error), "password" in text_of(error)) == (Fatal, True)
