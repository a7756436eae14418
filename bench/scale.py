"""Run the wind site with one and with two processes, on PostgreSQL, Redis and an S3 server.

The load generator shares the machine's two cores with the servers, so the result is CPU time: the
requests per CPU second of a process with and without a second one, and how the CPU time of a model
run is distributed over the workers. Wall-clock times and the cost of a visit are printed too.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
from tests.real_servers import accepts, free_port, postgres_server, redis_server, running

from bench.api import cpu_seconds
from bench.report import Result, show
from bench.wind_read import points
from bench.wind_runs import fill
from bench.wind_serving import load, settle
from quartet.wind.demo.jobs import write_steps
from quartet.wind.grid.layout import VALUES_NAME, read_header
from quartet.wind.ingest.workers import Workers
from quartet.wind.models.icon.models import ICON_D2
from quartet.wind.scale.bucket import S3Bucket

SCALE_BAR = 1.7
SECONDS = 4.0
# API requests per visit; the proxy serves the page and its files.
REQUESTS_PER_VISIT = 12
BUCKET = "weather"


def run() -> list[Result]:
    with servers() as (variables, folder):
        fill(folder / "runs")
        asyncio.run(upload(folder / "runs", variables["S3_URL"]))
        one, two = (web_rate(folder, variables, count) for count in (1, 2))
    cost = 1000 * REQUESTS_PER_VISIT / one
    print(f"a visit of {REQUESTS_PER_VISIT} requests costs {cost:.1f} ms of CPU time:")
    print(f"{86400 * one / REQUESTS_PER_VISIT:,.0f} visits a day use one core")
    with tempfile.TemporaryDirectory() as name:
        run_time = ICON_D2.run_at_or_before(time.time() - ICON_D2.delay - ICON_D2.span)
        asyncio.run(publish(Path(name), run_time))
        one_worker, two_workers = (ingest_spread(Path(name), count) for count in (1, 2))
    return [
        Result("wind web, 2 processes vs. 1", two, SCALE_BAR, "req/s of CPU", one, True),
        Result("wind ingest, 2 workers vs. 1", one_worker, SCALE_BAR, "CPU-s", two_workers, True),
    ]


def web_rate(folder: Path, variables: dict[str, str], count: int) -> float:
    """Return the requests per second of `count` processes if each has its own core."""
    with ExitStack() as stack:
        webs = [
            stack.enter_context(process(folder / f"web{count}{number}", variables, "web", number))
            for number in range(count)
        ]
        for port, pid in webs:
            wait_for_models(port, 7)
            settle(pid)
        before = [cpu_seconds(pid) for _, pid in webs]
        start = time.perf_counter()
        answered = asyncio.run(load_all([port for port, _ in webs]))
        wall = time.perf_counter() - start
        spent = [cpu_seconds(pid) - old for (_, pid), old in zip(webs, before, strict=True)]
    print(
        f"{count} web: {sum(answered) / wall:,.0f} requests/s wall clock, load generator included"
    )
    return sum(number / seconds for number, seconds in zip(answered, spent, strict=True))


async def load_all(ports: list[int]) -> list[int]:
    return list(await asyncio.gather(*(load(port, points, SECONDS) for port in ports)))


async def publish(mirror: Path, run: int) -> None:
    """Write a run of real size: 1215 x 746 points, three variables, 49 steps."""
    workers = Workers()
    steps = ICON_D2.steps_of(run)
    await asyncio.gather(
        *(workers.run(write_steps, ICON_D2.id, run, (step,), mirror, "full") for step in steps)
    )
    workers.close()
    for path in mirror.rglob("*"):
        os.utime(path, (run, run))


def ingest_spread(mirror: Path, count: int) -> float:
    """Return the CPU seconds of the busiest worker: the duration of a run if each worker has its
    own core.
    """
    with servers() as (variables, folder), upstream(folder / "upstream") as address:
        variables |= {"WIND_DWD_ADDRESS": f"{address}/dwd", "WIND_MODELS": ICON_D2.id}
        with ExitStack() as stack:
            workers = [
                stack.enter_context(
                    process(folder / f"worker{number}", variables, "worker", number)
                )
                for number in range(count)
            ]
            # Publish only when all workers are running; the leader checks once a minute.
            (folder / "upstream" / "dwd").symlink_to(mirror / "dwd")
            wall = time.perf_counter()
            wait_for_models(workers[0][0], 1)
            print(f"{count} workers: {time.perf_counter() - wall:.1f} s wall clock")
            spent = [decoding_seconds(pid) for _, pid in workers]
    print("  CPU seconds for decoding: " + " and ".join(f"{each:.1f}" for each in spent))
    return max(spent)


def decoding_seconds(pid: int) -> float:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(cpu_seconds(int(child)) for child in children)


def wait_for_models(port: int, models: int) -> None:
    while True:
        with_runs = httpx.get(f"http://127.0.0.1:{port}/api/map").json()["models"]
        if len(with_runs) >= models:
            return
        time.sleep(0.1)


async def upload(runs: Path, url: str) -> None:
    """Upload the runs in the way workers do."""
    bucket = S3Bucket(url)
    for folder in runs.glob("*/*/"):
        header = read_header(folder)
        size = header.size // header.shape[0]
        with (folder / VALUES_NAME).open("rb") as values:
            for block in range(header.shape[0]):
                part = folder / "part"
                part.write_bytes(values.read(size))
                await bucket.put_block(header, block, part)
        await bucket.publish(header)


@contextmanager
def process(
    folder: Path, variables: dict[str, str], role: str, core: int
) -> Iterator[tuple[int, int]]:
    cores, port = sorted(os.sched_getaffinity(0)), free_port()
    command = [sys.executable, "-m", "quartet", "serve", "wind", "--role", role]
    server = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(folder)],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, [cores[core % len(cores)]]),
    )
    try:
        while not accepts(port):
            time.sleep(0.05)
        yield port, server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)


@contextmanager
def servers() -> Iterator[tuple[dict[str, str], Path]]:
    port = free_port()
    moto = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server() as postgres,
        redis_server() as redis,
        running(moto, lambda: accepts(port)),
    ):
        httpx.put(f"http://127.0.0.1:{port}/{BUCKET}").raise_for_status()
        keys = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}
        os.environ |= keys
        yield (
            {
                "DATABASE_URL": postgres,
                "REDIS_URL": redis,
                "S3_URL": f"s3://{BUCKET}?endpoint=http://127.0.0.1:{port}&region=us-east-1",
                "WIND_ALLOW_PRIVATE_ADDRESSES": "true",
                **keys,
            },
            Path(folder),
        )


@contextmanager
def upstream(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    show(run())
