"""Settings that are changed in the UI."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from quartet import __version__
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.settings import load
from tests.client import Client

pytestmark = pytest.mark.anyio

DEFAULTS = {
    "maxParallel": 3,
    "perHost": 0,
    "connectionsPerFile": 4,
    "speedLimitKib": 0,
    "schedule": [],
    "maxRetries": 5,
    "historyDays": 730,
    "proxy": None,
    "autoExtract": True,
    "extractNested": False,
    "deleteArchives": False,
    "removeArchiveDownloads": False,
    "askArchivePassword": True,
    "verifyChecksums": True,
    "uploadLimitKib": 0,
    "torrentDht": True,
    "hostIcons": True,
    "seedRatioPercent": 0,
    "seedMinutes": 0,
}


async def test_default_settings(ada: Client, tmp_path: Path) -> None:
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    assert (await ada.get("/api/settings")).json() == DEFAULTS | {
        "tmpDir": str(tmp_path / "tmp"),
        "doneDir": str(tmp_path / "done"),
        "cnlPort": 0,
        "apiTokenSet": False,
        "utcOffsetMinutes": offset.total_seconds() / 60,
        "dlc": False,
        "version": __version__,
    }
    await ada.post("/api/settings/api-token")
    assert (await ada.get("/api/settings")).json()["apiTokenSet"] is True


async def test_values_out_of_range_are_clamped(ada: Client) -> None:
    body = {
        "maxParallel": 99,
        "perHost": -1,
        "connectionsPerFile": 0,
        "speedLimitKib": -5,
        "maxRetries": 51,
    }
    answer = await ada.put("/api/settings", json=body)
    clamped = {
        "maxParallel": 20,
        "perHost": 0,
        "connectionsPerFile": 1,
        "speedLimitKib": 0,
        "maxRetries": 50,
    }
    assert answer.status_code == 200
    assert answer.json().items() >= (DEFAULTS | clamped).items()
    assert (await ada.get("/api/settings")).json() == answer.json()


async def test_omitted_settings_get_defaults(ada: Client) -> None:
    await ada.put("/api/settings", json={"maxParallel": 7, "proxy": " socks5://host.invalid:1 "})
    answer = await ada.put("/api/settings", json={"autoExtract": False})
    assert answer.json().items() >= (DEFAULTS | {"autoExtract": False}).items()


async def test_schedule_is_stored(ada: Client) -> None:
    window = {"from": "22:00", "to": "06:30", "days": [6, 7], "limitKib": 100, "pause": True}
    answer = await ada.put("/api/settings", json={"schedule": [window]})
    assert answer.json()["schedule"] == [window]
    assert (await ada.get("/api/settings")).json()["schedule"] == [window]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"proxy": "nonsense"}, "proxy_invalid"),
        ({"proxy": "file:///etc/passwd"}, "proxy_invalid"),
        ({"proxy": "http://"}, "proxy_invalid"),
        ({"proxy": "http://a:99999999"}, "proxy_invalid"),
        ({"proxy": "http://a\nb"}, "proxy_invalid"),
        ({"maxParallel": "many"}, "invalid_request"),
        ({"maxParallel": None}, "invalid_request"),
        ({"schedule": [{"from": "25:00", "to": "06:00"}]}, "invalid_request"),
        ({"schedule": [{"from": "05:00"}]}, "invalid_request"),
        ({"schedule": [{"from": "05:00", "to": "06:00", "days": [8]}]}, "invalid_request"),
        ([], "invalid_request"),
    ],
)
async def test_invalid_settings_are_rejected(ada: Client, body: Any, code: str) -> None:
    assert await ada.code("PUT", "/api/settings", json=body) == (400, code)
    assert (await ada.get("/api/settings")).json().items() >= DEFAULTS.items()


async def test_archive_passwords(ada: Client) -> None:
    path = "/api/settings/archive-passwords"
    assert (await ada.get(path)).json() == {"passwords": []}
    given = ["b", "", " a ", "b", "-x", "ü\"'"]
    answer = await ada.put(path, json={"passwords": given})
    assert answer.json() == {"passwords": ["b", " a ", "-x", "ü\"'"]}
    assert (await ada.get(path)).json() == answer.json()
    # Saving the settings does not change them.
    await ada.put("/api/settings", json={})
    assert (await ada.get(path)).json() == answer.json()
    assert (await ada.put(path, json={"passwords": []})).json() == {"passwords": []}


def test_folders_come_from_the_environment() -> None:
    environ = {"DOWNLOADS_TMP_DIR": "/fast/tmp", "DOWNLOADS_DONE_DIR": "/big/done"}
    settings = load(DownloadsSettings, "DOWNLOADS_", environ=environ).values
    assert (settings.tmp_folder, settings.done_folder) == (Path("/fast/tmp"), Path("/big/done"))
    settings = DownloadsSettings(data=Path("/data"))
    assert (settings.tmp_folder, settings.done_folder) == (Path("/data/tmp"), Path("/data/done"))
