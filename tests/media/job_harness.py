"""A client of a service with the demo catalog, a download folder and two libraries."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quartet.media.app import SERVICE
from tests.client import Client, client_of

OLD_TIME_NS = 1_600_000_000_123_456_789
IDLE_STATUSES = ("ready", "done", "failed", "cancelled", "undone")
SECONDS = 60

INCEPTION = "Inception.2010.1080p.BluRay.x264-GRP"
FIREFLY = "Firefly.S01.720p.WEB-DL"


class JobHarness:
    def __init__(self, client: Client, base: Path) -> None:
        self.client = client
        self.downloads = base / "downloads"
        self.films, self.shows = base / "films", base / "shows"

    def file(self, path: str, content: str = "", *, fresh: bool = False) -> Path:
        """Create a file in the download folder with its own modification time."""
        file = self.downloads / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content or path)
        if not fresh:
            os.utime(file, ns=(OLD_TIME_NS, OLD_TIME_NS + len(path)))
        return file

    def release(self) -> None:
        """Create a movie with subtitles, junk and a sample, and two episodes."""
        self.file(f"{INCEPTION}/{INCEPTION}.mkv")
        self.file(f"{INCEPTION}/{INCEPTION}.en.forced.srt")
        self.file(f"{INCEPTION}/Subs/2_German.srt")
        self.file(f"{INCEPTION}/Sample/sample.mkv")
        self.file(f"{INCEPTION}/info.url")
        self.file(f"{FIREFLY}/Firefly.S01E05.720p.mkv")
        self.file(f"{FIREFLY}/Firefly.S01E05.720p.srt")
        self.file(f"{FIREFLY}/Firefly.S01E06.720p.mkv")

    def tree(self) -> dict[str, tuple[int, int]]:
        """Return every path with its size and time."""
        found = {}
        for top in (self.downloads, self.films, self.shows):
            for folder, _, names in os.walk(top):
                for name in names:
                    path = Path(folder, name)
                    found[str(path)] = path.stat().st_size, path.stat().st_mtime_ns
        return found

    async def ask(self, method: str, path: str, status: int = 200, **options: Any) -> Any:
        answer = await self.client.request(method, path, **options)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def start(self, *paths: Path, **config: Any) -> Any:
        """Create a manual job and return it once its preview is ready."""
        body = {"paths": [str(path) for path in paths or (self.downloads,)], **config}
        job = await self.ask("POST", "/api/jobs/manual", 202, json=body)
        return await self.wait_until_idle(job["jobId"])

    async def execute(self, job_id: int, *item_ids: int) -> Any:
        body = {"itemIds": list(item_ids)} if item_ids else {}
        await self.ask("POST", f"/api/jobs/{job_id}/execute", 202, json=body)
        return await self.wait_until_idle(job_id)

    async def preview(self, job_id: int, **config: Any) -> Any:
        await self.ask("POST", f"/api/jobs/{job_id}/preview", 202, json=config)
        return await self.wait_until_idle(job_id)

    async def change(self, job_id: int, *item_ids: int, **change: Any) -> Any:
        body = {"itemIds": list(item_ids), **change}
        return await self.ask("PATCH", f"/api/jobs/{job_id}/items", json=body)

    async def items(self, job_id: int, **params: Any) -> list[Any]:
        found = await self.ask("GET", f"/api/jobs/{job_id}/items", params=params)
        items: list[Any] = found["items"]
        return items

    async def wait_until_idle(self, job_id: int) -> Any:
        return await self.until(
            f"/api/jobs/{job_id}", lambda job: bool(job["status"] in IDLE_STATUSES)
        )

    async def until(self, path: str, good: Callable[[Any], bool]) -> Any:
        """Repeat the request after each event until the response is good."""
        events = self.client.started.kernel.events
        async with asyncio.timeout(SECONDS), events.subscribe() as news:
            while not good(answer := await self.ask("GET", path)):
                await news.batch(0.5)
            return answer


@asynccontextmanager
async def job_harness_at(
    base: Path, *, new: bool = True, demo: bool = True, **settings: Any
) -> AsyncIterator[JobHarness]:
    async with client_of(SERVICE, base / "config", demo=demo, **settings) as client:
        harness = JobHarness(client, base)
        kinds = {harness.downloads: "folder", harness.films: "movies", harness.shows: "series"}
        for path, kind in kinds.items():
            path.mkdir(exist_ok=True)
            if new:
                await harness.ask(
                    "POST", "/api/folders", 201, json={"path": str(path), "kind": kind}
                )
        yield harness
