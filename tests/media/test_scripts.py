"""Scripts of the operator that run after jobs."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.media.job_harness import SECONDS, JobHarness, job_harness_at

pytestmark = pytest.mark.anyio

PATH = "/api/notifications"


def script(folder: Path, name: str, text: str, mode: int = 0o700) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(mode)
    return file


async def run_test(harness: JobHarness) -> Any:
    return await harness.ask("POST", f"{PATH}/test", json={"list": "scripts", "index": 0})


async def test_script_receives_job_result(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, seen = tmp_path / "scripts", tmp_path / "seen"
    caplog.set_level(logging.INFO, "quartet.media.scripts")
    monkeypatch.setenv("APP_TOKEN_OF_TEST", "secret")
    script(folder, "note", f"cat > {seen}.part; env > {seen}.env; echo hi; mv {seen}.part {seen}")
    async with job_harness_at(tmp_path, scripts=folder) as harness:
        assert await harness.ask("GET", f"{PATH}/scripts") == {"names": ["note"]}
        await harness.ask("PUT", PATH, json={"scripts": [{"name": "note"}]})
        source = harness.file("Heat.1995.mkv")
        job = await harness.start(action="move")
        await harness.execute(job["jobId"])
        async with asyncio.timeout(SECONDS):
            while not (seen.exists() and "script note: hi" in caplog.text):
                await asyncio.sleep(0.02)
        told = json.loads(seen.read_text())
        assert (told["event"], told["jobId"], told["state"]) == ("done", job["jobId"], "done")
        assert told["items"][0]["source"] == str(source)
        assert Path(told["items"][0]["target"]).is_file()
        assert "secret" not in Path(f"{seen}.env").read_text()


async def test_only_executable_files_of_the_folder_are_run(tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    outside = script(tmp_path / "outside", "evil", "true")
    script(folder, "plain.txt", "true", 0o600)
    (folder / "link").symlink_to(outside)
    (folder / "folder").mkdir()
    async with job_harness_at(tmp_path, scripts=folder) as harness:
        assert await harness.ask("GET", f"{PATH}/scripts") == {"names": []}
        for name in ("plain.txt", "link", "folder", "missing", "..", "."):
            given = {"scripts": [{"name": name}]}
            refused = await harness.client.code("PUT", PATH, json=given)
            assert refused == (400, "script_not_found"), name
        given = {"scripts": [{"name": "../outside/evil"}]}
        assert (await harness.client.code("PUT", PATH, json=given))[0] == 400


async def test_no_script_runs_without_a_folder(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        assert await harness.ask("GET", f"{PATH}/scripts") == {"names": []}
        given = {"scripts": [{"name": "sh"}]}
        assert await harness.client.code("PUT", PATH, json=given) == (400, "script_not_found")


async def test_failed_and_endless_scripts_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    script(folder, "fails", "exit 3")
    script(folder, "hangs", "sleep 600 & sleep 600")
    async with job_harness_at(tmp_path, scripts=folder) as harness:
        await harness.ask("PUT", PATH, json={"scripts": [{"name": "fails"}]})
        failed = await run_test(harness)
        assert failed["error"] == {"code": "script_failed", "inputs": {"name": "fails", "code": 3}}
        await harness.ask("PUT", PATH, json={"scripts": [{"name": "hangs", "seconds": 1}]})
        assert (await run_test(harness))["error"]["code"] == "script_timeout"
