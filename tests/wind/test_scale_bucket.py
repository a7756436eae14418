"""Runs in a bucket, and their copies on the disk of a process."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web
from redis.asyncio import Redis

from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Grid
from quartet.wind.grid.layout import NO_DATA, Header
from quartet.wind.ingest.run_files import STALL_SECONDS
from quartet.wind.models.types import Model
from quartet.wind.scale.blocks import BlockWork
from quartet.wind.scale.bucket import S3Bucket
from quartet.wind.scale.mirror import Mirror
from quartet.wind.scale.planning import Planner, forget_when_done
from tests.wind.conftest import Station
from tests.wind.fleet import s3_server
from tests.wind.test_completion import add, hold_back, values
from tests.wind.upstream import RUN as RUN_OF_DAY
from tests.wind.upstream import Provider, publish, short

pytestmark = pytest.mark.anyio

RUN = 1_794_700_800
STEPS = tuple(range(11))
GRID = Grid(0.0, 50.0, 1.0, 1.0, 10, 5)


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with s3_server() as url:
        yield url


@pytest.fixture
def bucket(s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> S3Bucket:
    """A separate prefix for each test."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return S3Bucket(s3.replace("/site?", f"/{tmp_path.name}?"))


def header_of(run: int, model: str = "icon-d2") -> Header:
    return Header(model, run, STEPS, GRID, run + 5)


async def put(bucket: S3Bucket, header: Header, folder: Path) -> None:
    """Every number is the number of its block."""
    await bucket.plan(header)
    service_of = folder / "part"
    for block in range(header.shape[0]):
        service_of.write_bytes(np.full(header.shape[1:], block + 1, "<i2").tobytes())
        await bucket.put_block(header, block, service_of)


def mirror_of(bucket: S3Bucket, folder: Path, most: int = 10**9) -> tuple[Mirror, Catalogue]:
    catalogue = Catalogue(folder / "grids")
    return Mirror(bucket, catalogue, ("icon-d2", "gfs"), most, lambda _model: None), catalogue


async def test_only_one_of_several_processes_publishes(bucket: S3Bucket, tmp_path: Path) -> None:
    header = header_of(RUN)
    await put(bucket, header, tmp_path)
    assert not (await bucket.list_runs("icon-d2"))[RUN].published
    assert sum(await asyncio.gather(*(bucket.publish(header) for _ in range(8)))) == 1
    assert (await bucket.list_runs("icon-d2"))[RUN].published
    assert await bucket.published("icon-d2", RUN) == header


async def test_first_plan_wins(bucket: S3Bucket) -> None:
    first = header_of(RUN)
    await bucket.plan(first)
    await bucket.plan(Header("icon-d2", RUN, STEPS, GRID, RUN + 999))
    assert await bucket.planned("icon-d2", RUN) == first


async def test_published_run_is_served_from_the_disk(bucket: S3Bucket, tmp_path: Path) -> None:
    mirror, catalogue = mirror_of(bucket, tmp_path)
    header = header_of(RUN)
    await put(bucket, header, tmp_path)
    await mirror.look()
    assert catalogue.newest("icon-d2") is None
    await bucket.publish(header)
    await mirror.look()
    run = catalogue.newest("icon-d2")
    assert run is not None
    assert run.header == header
    assert [int(run.field(step)[0, 0, 0]) for step in (0, 7, 8, 10)] == [1, 1, 2, 2]
    # It is still there after a restart.
    assert Catalogue(tmp_path / "grids").run("icon-d2", RUN) is not None


async def test_disk_usage_is_bounded(bucket: S3Bucket, tmp_path: Path) -> None:
    runs = [RUN + hours * 3600 for hours in (0, 3, 6, 9)]
    for run in runs:
        await put(bucket, header_of(run), tmp_path)
        await bucket.publish(header_of(run))
    size = header_of(RUN).size
    roomy, narrow = mirror_of(bucket, tmp_path / "a"), mirror_of(bucket, tmp_path / "b", size)
    for mirror, _ in (roomy, narrow):
        await mirror.look()
    assert [run.run for run in roomy[1].runs("icon-d2")] == [runs[3], runs[2]]
    assert [run.run for run in narrow[1].runs("icon-d2")] == [runs[3]]
    # The newest run of another model is always fetched.
    await put(bucket, header_of(RUN, "gfs"), tmp_path)
    await bucket.publish(header_of(RUN, "gfs"))
    for mirror, _ in (roomy, narrow):
        await mirror.look()
    assert narrow[1].newest("gfs") is not None


async def test_run_served_by_another_process_is_fetched_at_once(
    bucket: S3Bucket, tmp_path: Path
) -> None:
    mirror, catalogue = mirror_of(bucket, tmp_path)
    await put(bucket, header_of(RUN), tmp_path)
    await bucket.publish(header_of(RUN))
    asked = [mirror.catch_up("icon-d2", str(RUN)) for _ in range(5)]
    assert await asyncio.gather(*asked) == [True] * 5
    assert catalogue.newest("icon-d2") is not None
    for model, run in (("icon-d2", str(RUN - 1)), ("../x", str(RUN)), ("gfs", "²"), ("gfs", "9")):
        assert not await mirror.catch_up(model, run)


async def test_removed_run_is_gone(bucket: S3Bucket, tmp_path: Path) -> None:
    await put(bucket, header_of(RUN), tmp_path)
    await bucket.publish(header_of(RUN))
    await bucket.remove("icon-d2", RUN)
    assert await bucket.list_runs("icon-d2") == {}


async def test_error_is_cleared_by_the_next_success(
    bucket: S3Bucket, tmp_path: Path, station: Station, served: Provider, redis_url: str
) -> None:
    async def bad_gateway(_request: web.Request) -> web.StreamResponse:
        raise web.HTTPBadGateway

    model = short("icon-d2")
    publish(served.folder, model)
    ingest = station.ingest_of(model)
    work = BlockWork(bucket, ingest, tmp_path / "blocks", lambda _model: None)
    mirror = Mirror(bucket, station.catalogue, (model.id,), 10**9, ingest.succeeded)
    async with Redis.from_url(redis_url) as redis:
        planner = Planner(bucket, ingest, work, redis, work.run)
        served.faults[""] = bad_gateway
        await planner.look(model)
        assert ingest.state(model.id).error is not None
        served.faults.clear()
        await planner.look(model)
    assert ingest.state(model.id).error is None
    await mirror.look()
    assert ingest.state(model.id).last_success == station.clock.now


@pytest.mark.parametrize("model_id", ["icon-eu", "gfs"])
async def test_partial_run_is_completed_in_the_bucket(
    model_id: str,
    bucket: S3Bucket,
    tmp_path: Path,
    station: Station,
    served: Provider,
    redis_url: str,
) -> None:
    """Two blocks lack steps: the first one in the middle, the second one all that it has."""
    model = short(model_id, tuple(range(10)))
    publish(served.folder, model)
    late = hold_back(served, ("PT003H", "f003", "PT008H", "f008", "PT009H", "f009"))
    station.clock.now = RUN_OF_DAY + model.delay + model.span + STALL_SECONDS + 60
    ingest = station.ingest_of(model)
    work = BlockWork(bucket, ingest, tmp_path / "blocks", lambda _model: None)
    mirror = Mirror(bucket, station.catalogue, (model.id,), 10**9, ingest.succeeded)
    async with Redis.from_url(redis_url) as redis:
        planner = Planner(bucket, ingest, work, redis, forget_when_done(redis, work.run))
        await planner.look(model)
        await mirror.look()
        assert lacking(station, model) == {3, 8, 9}
        served.asked.clear()
        await planner.look(model)
        assert served.asked == []
        # To plan the run the leader has fetched its first step as well.
        fetched = {*served.files}
        served.files.clear()
        add(late)
        # The last step of the second block comes with the next look.
        files = [path for path in late if "PT009H" in path.name or "f009" in path.name]
        held = {path: path.read_bytes() for path in files}
        for path in files:
            path.unlink()
        await station.clock.sleep(11 * 60)
        await planner.look(model)
        await mirror.look()
        assert lacking(station, model) == {9}
        add(held)
        await station.clock.sleep(16 * 60)
        await planner.look(model)
        await mirror.look()
    newest = station.catalogue.newest(model.id)
    assert newest is not None and not newest.header.partial
    fields = [file for file in served.files if not file.endswith(".idx ")]
    assert len(fields) == len({*fields} - fetched) > 0
    # The same numbers as those of a run that has arrived at once.
    shared = values(station, model)
    station.catalogue.remove(model.id, newest.run)
    await station.ingest_of(model).ingest_run(model, newest.run)
    assert values(station, model) == shared


def lacking(station: Station, model: Model) -> set[int]:
    """Return the steps without wind of a run that is served as partial."""
    newest = station.catalogue.newest(model.id)
    assert newest is not None and newest.header.partial
    return {
        step for step in newest.header.steps if bool((newest.channel(step, "u") == NO_DATA).all())
    }


PLAIN = """
import sys
from pathlib import Path
from quartet.kernel.startup import start
from quartet.wind.app import SERVICE

start(SERVICE, SERVICE.settings(data=Path(sys.argv[1])))
print(sorted({"taskiq", "taskiq_redis", "obstore", "redis", "psycopg"} & set(sys.modules)))
"""


def test_single_process_does_not_load_the_bucket_client(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PLAIN, str(tmp_path)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "[]"
