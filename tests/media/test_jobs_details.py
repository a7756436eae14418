"""A job fetches the details of a title once, and does without them if the catalog fails."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.media.fake_provider import FakeProvider, ReceivedRequest, fake_provider
from tests.media.firefly import MAZE, read
from tests.media.job_harness import JobHarness, job_harness_at


async def use_tvmaze(harness: JobHarness, server: FakeProvider) -> None:
    options = await harness.ask("GET", "/api/settings")
    options |= {"addresses": {"tvmaze": server.address}, "seriesProvider": "tvmaze"}
    await harness.ask("PUT", "/api/settings", json=options)
    for folder in await harness.ask("GET", "/api/folders"):
        if folder["kind"] != "folder":
            await harness.ask("PATCH", f"/api/folders/{folder['id']}", json={"nfo": True})


def maze_with_two_episodes() -> dict[str, Any]:
    (first,) = MAZE["/shows/180/episodes"]
    second = {**first, "id": 2, "number": 2, "summary": "<p>Two.</p>", "image": None}
    return {**MAZE, "/shows/180/episodes": [{**first, "image": None}, second]}


@pytest.mark.anyio
async def test_details_are_fetched_once_for_a_series(tmp_path: Path) -> None:
    async with (
        fake_provider(maze_with_two_episodes()) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        await use_tvmaze(harness, server)
        for number in (1, 2):
            harness.file(f"Firefly.S01E0{number}.mkv")
            job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
            await harness.execute(job["jobId"])
        assert read((harness.shows / "Firefly/tvshow.nfo").read_bytes()).findtext("genre")
        for number, plot in ((1, "Mal takes passengers."), (2, "Two.")):
            nfo = read((harness.shows / f"Firefly/S01E0{number}.nfo").read_bytes())
            assert nfo.findtext("plot") == plot
        asked = Counter(one.path for one in server.requests)
        assert "/shows/180" in asked
        assert set(asked.values()) == {1}, asked


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [web.json_response({"summary": 5}), web.Response(text="oops", status=500), web.Response()],
    ids=["wrong types", "broken", "empty"],
)
async def test_nfo_without_details_if_the_catalog_fails(
    tmp_path: Path, answer: web.Response
) -> None:
    async with (
        fake_provider(maze_with_two_episodes()) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        await use_tvmaze(harness, server)
        harness.file("Firefly.S01E01.mkv")
        job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
        body = answer.body if isinstance(answer.body, bytes) else b""
        server.failures = [web.Response(body=body, status=answer.status) for _ in range(20)]
        done = await harness.execute(job["jobId"])
        assert done["items"]["done"] == 1
        nfo = read((harness.shows / "Firefly/S01E01.nfo").read_bytes())
        assert (nfo.findtext("title"), nfo.findtext("plot")) == ("Serenity", None)


@pytest.mark.anyio
async def test_pictures_of_a_host_that_fails_are_left_out(tmp_path: Path) -> None:
    async with (
        fake_provider(MAZE) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        (first,) = MAZE["/shows/180/episodes"]
        server.answers["/shows/180/episodes"] = [
            {**first, "number": number, "image": {"original": f"{server.address}/{number}.jpg"}}
            for number in range(1, 31)
        ]
        for number in range(1, 31):
            server.answers[f"/{number}.jpg"] = broken_connection
            harness.file(f"Firefly.S01E{number:02}.mkv")
        await use_tvmaze(harness, server)
        job = await harness.start(action="move", templates={"series": "{n}/{s00e00}"})
        done = await harness.execute(job["jobId"])
        assert done["items"]["done"] == 30
        assert len(list(harness.shows.rglob("*.nfo"))) == 31
        asked = {one.path for one in server.requests if one.path.endswith(".jpg")}
        assert len(asked) < 15


def broken_connection(asked: ReceivedRequest) -> None:
    raise ConnectionResetError(asked.path)
