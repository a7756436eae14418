"""A service with a history of moved files."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.media.app import SERVICE
from quartet.media.moves.service import Moves
from quartet.media.moves.types import MoveReport, OnConflict, Plan, Step
from tests.client import Client, client_of


class HistoryHarness:
    """A service with a download folder and a library."""

    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.downloads, self.library = base / "downloads", base / "library"

    def given(self, name: str) -> Any:
        return self.client.started.built.dependencies[name]

    async def move(
        self, *names: str, job_id: int | None = None, on_conflict: OnConflict = "skip"
    ) -> MoveReport:
        steps = []
        for number, name in enumerate(names):
            (self.downloads / name).write_bytes(b"new " + os.fsencode(name))
            source, target = str(self.downloads / name), str(self.library / "new" / name)
            steps.append(Step(source, target, number + 1, on_conflict=on_conflict))
        moves: Moves = self.given("moves")
        report = await moves.execute(Plan(tuple(steps), job_id))
        assert report.count("failed") == 0
        return report

    async def move_with_backups(self) -> None:
        """Replace a file, and remove a folder with junk."""
        (self.library / "new").mkdir()
        (self.library / "new" / "a.mkv").write_text("old")
        (self.downloads / "pack").mkdir()
        (self.downloads / "pack" / "Thumbs.db").write_text("junk")
        await self.move("a.mkv", "pack/b.mkv", job_id=1, on_conflict="overwrite")

    async def history(self, **params: Any) -> list[dict[str, Any]]:
        answer = await self.client.get("/api/history", params=params)
        entries: list[dict[str, Any]] = answer.json()["entries"]
        return entries

    async def undo(self, **selector: Any) -> tuple[int, list[str]]:
        answer = await self.client.post("/api/history/undo", json=selector)
        assert answer.status_code == 200, answer.text
        result = answer.json()
        return result["undone"], [one["code"] for one in result["failed"]]


@asynccontextmanager
async def history_harness_at(base: Path, **settings: Any) -> AsyncIterator[HistoryHarness]:
    async with client_of(SERVICE, base / "config", **settings) as client:
        harness = HistoryHarness(client, base)
        for path in (harness.downloads, harness.library):
            path.mkdir(exist_ok=True)
            await client.post("/api/folders", json={"path": str(path)})
        yield harness
