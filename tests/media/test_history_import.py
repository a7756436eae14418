"""FileBot's `history.xml` in the history of the service."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.kernel.errors import AppError
from quartet.media.history.filebot import FileBotMove, filebot_moves
from tests.media.history_harness import HistoryHarness, history_harness_at

pytestmark = pytest.mark.anyio

HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


def history_xml(*sequences: tuple[str, list[tuple[str, str, str]]]) -> str:
    """Return a file as FileBot writes it: sequences with a date and renamed files."""
    parts = [
        f'<sequence date="{date}">'
        + "".join(f'<rename dir="{folder}" from="{old}" to="{new}"/>' for folder, old, new in names)
        + "</sequence>"
        for date, names in sequences
    ]
    return f"{HEADER}\n<history>{''.join(parts)}</history>"


async def imported(harness: HistoryHarness, xml: str) -> dict[str, Any]:
    answer = await harness.client.post("/api/history/import", json={"xml": xml})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_preview_lists_files_and_changes_nothing(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        downloads, library = str(harness.downloads), harness.library
        (library / "Film.mkv").write_text("film")
        names = [(downloads, "f.mkv", str(library / "Film.mkv")), (downloads, "g", "gone")]
        body = {"xml": history_xml(("2021-01-01T00:00:00Z", [*names, ("/elsewhere", "a", "b")]))}
        answer = await harness.client.post("/api/history/import/preview", json=body)
        found = answer.json()
        (file,) = found.pop("files")
        assert found == {"added": 1, "known": 0, "missing": 1, "outside": 1}
        assert (file["action"], file["source"]) == ("move", f"{downloads}/f.mkv")
        assert (await harness.client.get("/api/history")).json()["entries"] == []
        await imported(harness, body["xml"])
        again = await harness.client.post("/api/history/import/preview", json=body)
        assert (again.json()["added"], again.json()["known"], again.json()["files"]) == (0, 1, [])


def test_names_are_relative_to_the_folder_or_whole_paths() -> None:
    xml = history_xml(
        ("2024-05-01T10:00:00.250+02:00", [("/tv", "b.mkv", "../films/B.mkv")]),
        ("2023-01-02T03:04:05Z", [("/tv", "a &amp; b.mkv", "/films/A.mkv"), ("/tv", "x", "x")]),
    )
    assert filebot_moves(xml) == [
        FileBotMove("/tv/a & b.mkv", "/films/A.mkv", 1672628645000),
        FileBotMove("/tv/b.mkv", "/films/B.mkv", 1714550400250),
    ]


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "<library/>",
        "<history><sequence/></history>",
        '<!DOCTYPE h [<!ENTITY a "b">]><history>&a;</history>',
    ],
)
def test_other_files_are_refused(xml: str) -> None:
    with pytest.raises(AppError) as caught:
        filebot_moves(xml)
    assert caught.value.code == "import_not_filebot"


async def test_imported_moves_are_listed_and_undone(tmp_path: Path) -> None:
    async with history_harness_at(tmp_path) as harness:
        downloads, library = harness.downloads, harness.library
        await harness.move("own.mkv", job_id=1)
        (library / "Film (2001).mkv").write_text("film")
        (library / "Gone.mkv").write_text("gone")
        xml = history_xml(
            ("2021-01-01T00:00:00Z", [(str(downloads), "f.mkv", str(library / "f.mkv"))]),
            (
                "2022-01-01T00:00:00Z",
                [
                    (str(library), "f.mkv", "Film (2001).mkv"),
                    (str(library), "deleted.mkv", "Deleted.mkv"),
                    ("/elsewhere", "a.mkv", "A.mkv"),
                ],
            ),
        )
        first = await imported(harness, xml)
        assert first == {"added": 2, "known": 0, "missing": 1, "outside": 1}
        assert await imported(harness, xml) == {**first, "added": 0, "known": 2}
        names = [Path(one["target"]).name for one in await harness.history()]
        assert names == ["Film (2001).mkv", "f.mkv", "own.mkv"]
        assert [one["id"] for one in await harness.history(q="film (2001)")] != []
        # It was renamed twice, so both are undone, the later one first.
        ids = [one["id"] for one in await harness.history() if one["jobId"] is None]
        assert await harness.undo(operationIds=ids) == (2, [])
        assert (downloads / "f.mkv").read_text() == "film"


async def test_imported_copies_and_links_are_removed_only_while_the_original_exists(
    tmp_path: Path,
) -> None:
    async with history_harness_at(tmp_path) as harness:
        downloads, library = harness.downloads, harness.library
        for name in ("copy.mkv", "link.mkv"):
            (downloads / name).write_text(name)
        (library / "copy.mkv").write_text("copy.mkv")
        os.link(downloads / "link.mkv", library / "link.mkv")
        names = [(str(downloads), name, str(library / name)) for name in ("copy.mkv", "link.mkv")]
        xml = history_xml(("2022-01-01T00:00:00Z", names))
        assert (await imported(harness, xml))["added"] == 2
        assert [one["action"] for one in await harness.history()] == ["hardlink", "copy"]
        (downloads / "copy.mkv").unlink()
        assert await harness.undo(since=0) == (1, ["last_copy"])
        assert [path.name for path in library.iterdir()] == ["copy.mkv"]


async def test_import_works_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    async with history_harness_at(tmp_path, database_url=postgres_url) as harness:
        (harness.library / "a.mkv").write_text("a")
        names = [(str(harness.downloads), "old.mkv", str(harness.library / "a.mkv"))]
        xml = history_xml(("2022-01-01T00:00:00Z", names))
        assert (await imported(harness, xml))["added"] == 1
        page = (await harness.client.get("/api/history", params={"limit": 1})).json()
        assert len(page["entries"]) == 1 and page["cursor"] is None


def test_command_imports_history(tmp_path: Path) -> None:
    async def configure() -> None:
        async with history_harness_at(tmp_path) as harness:
            (harness.library / "a.mkv").write_text("a")

    anyio.run(configure)
    file = tmp_path / "history.xml"
    names = [(str(tmp_path / "downloads"), "old.mkv", str(tmp_path / "library/a.mkv"))]
    file.write_text(history_xml(("2022-01-01T00:00:00Z", names)))
    env = {"APP_CONFIG_DIR": str(tmp_path / "config")}
    for expected in ("1 files added, 0 were", "0 files added, 1 were"):
        done = CliRunner().invoke(main, ["media", "import-history", str(file)], env=env)
        assert (done.exit_code, expected in done.stdout) == (0, True), done.output
    shown = CliRunner().invoke(main, ["media", "import-history", str(file), "--json"], env=env)
    assert json.loads(shown.stdout) == {"added": 0, "known": 1, "missing": 0, "outside": 0}
