"""`quartet media preview`, `rename` and `undo`, with and without a running service."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result

from quartet.cli import main
from tests.media.job_harness import job_harness_at
from tests.process import quartet_serve

TOKEN = "token-of-the-media-service"


def run(base: Path, *arguments: object) -> tuple[int, Any]:
    """Return the exit code and the JSON output."""
    result = invoke(base, *arguments, "--json")
    return result.exit_code, json.loads(result.stdout) if result.stdout else result.stderr


def invoke(base: Path, *arguments: object) -> Result:
    env = {"APP_CONFIG_DIR": str(base / "config"), "APP_DEMO": "1"}
    result = CliRunner().invoke(main, ["media", *map(str, arguments)], env=env)
    assert not result.exception or isinstance(result.exception, SystemExit), result.exception
    return result


def configure(base: Path) -> None:
    """Configure a download folder and two libraries, with files to rename."""

    async def work() -> None:
        async with job_harness_at(base) as harness:
            harness.file("Heat.1995.mkv")
            harness.file("unknown/zzz.mkv")
            for folder in await harness.ask("GET", "/api/folders"):
                if folder["kind"] == "movies":
                    await harness.ask("PATCH", f"/api/folders/{folder['id']}", json={"nfo": True})

    anyio.run(work)


def test_files_are_renamed_without_a_running_service(tmp_path: Path) -> None:
    configure(tmp_path)
    source = tmp_path / "downloads" / "Heat.1995.mkv"
    code, found = run(tmp_path, "preview", source)
    (item,) = found["items"]
    assert (code, item["state"], item["title"]) == (0, "ready", "Heat")
    assert source.exists()
    code, found = run(tmp_path, "rename", tmp_path / "downloads")
    assert (code, sorted(one["state"] for one in found["items"])) == (1, ["done", "needs_review"])
    target = Path(item["target"])
    assert target.is_file() and not source.exists()
    undone = invoke(tmp_path, "undo", tmp_path / "films")
    assert undone.exit_code == 0
    nfo = target.with_suffix(".nfo")
    lines = undone.stdout.splitlines()
    assert {f"{target} -> {source}", f"{nfo} -> removed"} <= set(lines)
    assert source.is_file() and not target.exists()
    # There is nothing left to undo.
    assert run(tmp_path, "undo", tmp_path / "films")[0] == 1


def test_path_outside_the_folders_is_refused(tmp_path: Path) -> None:
    configure(tmp_path)
    code, found = run(tmp_path, "rename", "/etc")
    assert code == 2
    assert found["error"] == {"code": "outside_folders", "inputs": {"path": "/etc"}}


def test_running_service_renames_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads, films = tmp_path / "downloads", tmp_path / "films"
    for folder in (downloads, films):
        folder.mkdir()
    (downloads / "Heat.1995.mkv").write_text("film")
    variables = {"APP_DEMO": "1", "APP_TOKEN": TOKEN, "APP_ROOTS": f"{downloads},{films}"}
    with quartet_serve(tmp_path, services=("media",), **variables) as running:
        port = running.addresses["media"].rpartition(":")[2]
        monkeypatch.setenv("APP_PORT", port)
        monkeypatch.setenv("APP_TOKEN", TOKEN)
        data = ["--data", str(tmp_path / "data")]
        command = ["media", "rename", str(downloads), "--target", str(films), "--json", *data]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        (item,) = json.loads(result.stdout)["items"]
        assert item["state"] == "done" and Path(item["target"]).is_file()
        undone = CliRunner().invoke(main, ["media", "undo", item["target"], *data])
        assert undone.exit_code == 0 and (downloads / "Heat.1995.mkv").is_file()
