"""Time 20,000 small files from one device to a second one, through the hub.

The peer is two Syncthing programs that are connected directly and configured by direct calls. Both
begin with the same files on the first device, not scanned yet, and end when the second device has
all of them. The time of a third device, which receives the files after the hub has them, is
printed too.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.real_servers import free_port
from tests.sync.engines import engine
from tests.sync.processes import Server, agent, joined, server

from bench.report import Result, show
from bench.sync_apply import ManualPair

FILES = 20_000
PER_FOLDER = 200
CONTENT = b"a small file\n" * 20
RATIO_BAR = 1.3
POLL_SECONDS = 0.1
MOST_SECONDS = 1200


def run(files: int = FILES) -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = asyncio.run(measure_bare(folder / "bare", files))
        with devices(folder / "ours", "first", "second", "third") as app:
            ours, later = measure_ours(app, folder / "ours", files)
    print(f"bare {bare:.1f} s; ours {ours:.1f} s, a third device later {later:.1f} s", flush=True)
    claim = f"sync: {files:,} files to a second device vs. two Syncthings"
    return [Result(claim, ours, RATIO_BAR, "s", bare)]


async def measure_bare(folder: Path, files: int) -> float:
    folder.mkdir()
    create_files(folder / "folder-0", files)
    async with (
        engine(folder / "second", port=free_port()) as second,
        engine(folder / "first") as first,
    ):
        pair = ManualPair(second, first, folder)
        await pair.connect()
        started = time.monotonic()
        await pair.share(0)
        await asyncio.to_thread(wait_for_files, pair.hub_folder("folder-0"), files)
        return time.monotonic() - started


@contextmanager
def devices(folder: Path, *names: str) -> Iterator[Server]:
    folder.mkdir()
    with server(folder) as app, ExitStack() as stack:
        for name in names:
            stack.enter_context(agent(joined(app, folder, name)))
        wait(lambda: all(app.device(name).get("online") for name in names))
        wait(lambda: app.get("/api/overview")["hub"]["state"] == "running")
        yield app


def measure_ours(app: Server, folder: Path, files: int) -> tuple[float, float]:
    made = app.post("/api/folders", {"label": "Files"})
    places = {name: folder / name / "files" for name in ("first", "second", "third")}
    create_files(places["first"], files)
    started = time.monotonic()
    app.share(made["id"], ("first", places["first"]), ("second", places["second"]))
    wait_for_files(places["second"], files)
    through_hub = time.monotonic() - started
    started = time.monotonic()
    app.share(made["id"], ("third", places["third"]))
    wait_for_files(places["third"], files)
    return through_hub, time.monotonic() - started


def create_files(place: Path, files: int) -> None:
    for number in range(files):
        path = place / str(number // PER_FOLDER) / f"{number}.txt"
        if number % PER_FOLDER == 0:
            path.parent.mkdir(parents=True)
        path.write_bytes(CONTENT)


def wait_for_files(place: Path, files: int) -> None:
    wait(lambda: count(place) == files)


def count(place: Path) -> int:
    return sum(
        name.endswith(".txt") and not name.startswith((".", "~"))
        for _, _, names in os.walk(place)
        for name in names
    )


def wait(check: Callable[[], object]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not check():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    show(run())
