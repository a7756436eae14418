"""A script of the operator runs for each finished package."""

import asyncio
import json
from pathlib import Path

import pytest

from quartet.downloads.scripts import tasks
from quartet.downloads.settings import DownloadsSettings, prepare
from quartet.kernel.settings import SettingsError
from tests.client import Client
from tests.downloads.api_calls import act, add
from tests.downloads.archives.make_archives import seven_zip
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import offer
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


def make_script(folder: Path, last: str = "true") -> Path:
    """Write a script that stores its arguments and its input in a file for each run."""
    script = folder / "scripts" / "finished.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\n{{ echo "$1|$2"; cat; }} > "$0.$$"\n{last}\n')
    script.chmod(0o755)
    return script


async def runs(script: Path, count: int) -> list[tuple[str, dict[str, object]]]:
    """Wait for this many runs; return the arguments and the input of each."""

    def found() -> list[str]:
        return [each.read_text() for each in script.parent.glob("finished.sh.*")]

    async with asyncio.timeout(60):
        while sum("}" in text for text in await asyncio.to_thread(found)) < count:
            await asyncio.sleep(0.02)
    texts = [text.partition("\n") for text in found()]
    return [(first, json.loads(message)) for first, _, message in texts]


async def error_of(ada: Client) -> str | None:
    shown = (await ada.get("/api/script")).json()["error"]
    return str(shown["code"]) if shown else None


async def test_script_runs_after_the_extraction(
    tmp_path: Path, server: FileServer, making: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "GATHER_SECONDS", 0)
    monkeypatch.setenv("DOWNLOADS_SECRET", "hidden")
    seven_zip(making, "set.zip")
    script = make_script(tmp_path, "env; exit 3")
    async with logged_in(tmp_path, script=script) as ada:
        await add(ada, *offer(server, making), packageName="Pack", start=True)
        [(arguments, message)] = await runs(script, 1)
        folder = tmp_path / "done" / "Pack"
        assert arguments == f"{folder}|Pack"
        assert message == {
            "packageId": 1,
            "name": "Pack",
            "folder": str(folder),
            "files": [str(folder / "set.zip")],
            "extract": "done",
            "error": None,
            "source": "quartet",
            "event": "finished",
        }
        async with asyncio.timeout(60):
            while await error_of(ada) != "script_failed":
                await asyncio.sleep(0.02)
        make_script(tmp_path)
        await act(ada, "/api/script/test")
        assert {sent["event"] for _, sent in await runs(script, 2)} == {"finished", "test"}
        assert await error_of(ada) is None


async def test_package_that_is_removed_at_once_is_not_forgotten(
    tmp_path: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a crash before the script has run."""
    script = make_script(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("quartet.downloads.scripts.service.Scripts.run_due", lambda _self: _nothing())
        async with logged_in(tmp_path, script=script) as ada:
            await add(ada, server.put("a.bin", b"a"), packageName="Pack", start=True)
            query = "SELECT count(*) FROM due_scripts"
            db = ada.started.kernel.db
            async with asyncio.timeout(60):
                while not await db.read(lambda conn: conn.exec_driver_sql(query).scalar()):
                    await asyncio.sleep(0.02)
            await act(ada, "/api/downloads/clear-finished")
    async with logged_in(tmp_path, script=script):
        [(_, message)] = await runs(script, 1)
    assert (message["name"], message["files"]) == ("Pack", [])


async def _nothing() -> None:
    pass


async def test_without_a_script_none_is_shown(ada: Client) -> None:
    assert (await ada.get("/api/script")).json() == {"path": None, "error": None}
    assert await ada.code("POST", "/api/script/test") == (404, "no_script")


def test_script_must_be_executable(tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o644)
    with pytest.raises(SettingsError, match="DOWNLOADS_SCRIPT"):
        prepare(DownloadsSettings(script=script))
