"""Compare one job over 20,000 files in 2,000 folders with a shell loop that only moves them.

The job scans, parses every name, queries the catalog, computes every target and moves the files,
with a crash-safe journal. The loop knows its targets in advance. Both use the same disk. The limit
of the machine is one system call for each file: renaming them in one process.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
from tests.real_servers import free_port

from bench.report import Result, show
from bench.start import resident_megabytes, responds
from quartet.media.catalog.demo.data import series

FOLDERS, EACH = 2_000, 10
RATIO_BAR = 0.35
ARTWORK_BAR = 2.0
MEGABYTES_BAR = 300.0
ANSWER_BAR = 0.5
TEMPLATE = "{n}/Season {s00}/{n} {s00e00} {group}"
LOOP = """
for folder in "$1"/*/; do
    mkdir -p "$2/$(basename "$folder")"
    for file in "$folder"*; do
        mv "$file" "$2/$(basename "$folder")/"
    done
    rmdir "$folder"
done
"""


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        create_releases(base / "loop")
        (base / "looped").mkdir()
        start = time.perf_counter()
        subprocess.run(["sh", "-c", LOOP, "sh", base / "loop", base / "looped"], check=True)
        loop = time.perf_counter() - start
        renames = rename_all(base / "looped", base / "renamed")
        create_releases(base / "downloads")
        (base / "library").mkdir()
        with run_service(base) as service:
            results = measure(service, base, loop, renames)
        return [*results, Result("files lost or changed by kill -9", kill_job(base), 0, "files")]


def rename_all(source: Path, target: Path) -> float:
    """Return the seconds for creating the folders and renaming every file."""
    start = time.perf_counter()
    for folder in list(source.iterdir()):
        (target / folder.name).mkdir(parents=True)
        for file in list(folder.iterdir()):
            file.rename(target / folder.name / file.name)
    return time.perf_counter() - start


def measure(service: "Service", base: Path, loop: float, renames: float) -> list[Result]:
    service.request("POST", "/api/folders", {"path": f"{base}/downloads"})
    library = {"path": f"{base}/library", "kind": "series"}
    folder = service.request("POST", "/api/folders", library)["id"]
    with service.sampled() as samples:
        moved = run_job(service, base)
    service.request("PATCH", f"/api/folders/{folder}", {"nfo": True})
    with_artwork = run_job(service, base)
    return [
        Result(
            "20,000 files matched and moved vs. a mv loop",
            moved,
            RATIO_BAR,
            "s",
            loop,
            best_possible=renames,
        ),
        Result("the same with NFO files and artwork", with_artwork, ARTWORK_BAR, "s", moved),
        Result("peak memory during the job", max(samples.megabytes), MEGABYTES_BAR, "MB"),
        Result("slowest API response during the job", max(samples.seconds), ANSWER_BAR, "s"),
    ]


def run_job(service: "Service", base: Path) -> float:
    """Return the seconds until all files were moved. The job is undone afterwards."""
    before = list_files(base)
    start = time.perf_counter()
    job = service.preview_job(base)
    previewed = time.perf_counter() - start
    service.request("POST", f"/api/jobs/{job}/execute", {})
    done = service.wait_for_job(job)
    moved = time.perf_counter() - start
    assert done["items"]["done"] == FOLDERS * EACH, done
    count = len(list_files(base))
    service.request("POST", f"/api/jobs/{job}/undo")
    undone = time.perf_counter() - start - moved
    assert list_files(base) == before, "undo did not bring everything back"
    print(
        f"preview after {previewed:.1f} s, {count:,} files moved or written after {moved:.1f} s, "
        f"undone in {undone:.1f} s"
    )
    return moved


def kill_job(base: Path) -> float:
    """Kill the service four times during one job with NFO files and artwork, then undo everything.

    Return how many files differ from those before.
    """
    before = read_files(base)
    with run_service(base) as service:
        job = service.preview_job(base)
    for part in range(1, 5):
        with run_service(base) as service:
            service.wait_for_job(job)
            service.request("POST", f"/api/jobs/{job}/execute", {})
            service.kill_after(job, part * FOLDERS * EACH // 5)
    written = [one for one in read_files(base) if one.endswith((".nfo", ".svg"))]
    with run_service(base) as service:
        service.wait_for_job(job)
        service.request("POST", "/api/history/undo", {"since": 0})
    after = read_files(base)
    different = {*before.items()} ^ {*after.items()}
    print(f"killed with {len(written):,} NFO files and pictures; {len(different)} files differ")
    return len(different)


def create_releases(top: Path, folders: Iterable[int] = range(FOLDERS)) -> None:
    """Create release folders of seasons in the demo catalog, each with its own release group."""
    shows = [
        (show.candidate.title, season)
        for show in series().values()
        for season in sorted({one.season for one in show.episodes})
        if len([one for one in show.episodes if one.season == season]) >= EACH
    ]
    for number in folders:
        title, season = shows[number % len(shows)]
        name = title.replace(" ", ".").replace("/", "-")
        folder = top / f"{name}.S{season:02}.1080p.WEB-DL.x264-GRP{number:04}"
        folder.mkdir(parents=True)
        for episode in range(1, EACH + 1):
            file = f"{name}.S{season:02}E{episode:02}.1080p.WEB-DL.x264-GRP{number:04}.mkv"
            (folder / file).write_bytes(b"x" * (number % 100))


def list_files(base: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for top in ("downloads", "library"):
        for folder, _, names in os.walk(base / top):
            for name in names:
                path = Path(folder, name)
                found[str(path)] = path.stat().st_size, path.stat().st_mtime_ns
    return found


def read_files(base: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file, also hidden ones, with its content and time."""
    return {path: (Path(path).read_bytes(), seen[1]) for path, seen in list_files(base).items()}


class Samples:
    def __init__(self) -> None:
        self.megabytes = [0.0]
        self.seconds = [0.0]


class Service:
    def __init__(self, port: int, pid: int) -> None:
        self._port = port
        self.pid = pid
        self._web = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._web.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json()

    def preview_job(self, base: Path, files: int = FOLDERS * EACH) -> int:
        body = {
            "paths": [f"{base}/downloads"],
            "action": "move",
            "threshold": 0,
            "templates": {"series": TEMPLATE},
        }
        id: int = self.request("POST", "/api/jobs/manual", body)["jobId"]
        found = self.wait_for_job(id)
        assert found["items"]["ready"] == files, found
        return id

    def wait_for_job(self, id: int) -> Any:
        while True:
            job = self.request("GET", f"/api/jobs/{id}")
            if job["status"] in ("ready", "done", "failed"):
                return job
            time.sleep(0.1)

    def kill_after(self, id: int, files: int) -> None:
        """Kill the process once this many files of the job are done."""
        while self.request("GET", f"/api/jobs/{id}")["items"]["done"] < files:
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)

    @contextlib.contextmanager
    def sampled(self) -> Iterator[Samples]:
        """Query the API every tenth of a second, as open browsers do."""
        samples, stop = Samples(), threading.Event()

        def sample() -> None:
            while not stop.wait(0.1):
                start = time.perf_counter()
                responds(self._port, "/api/jobs")
                samples.seconds.append(time.perf_counter() - start)
                samples.megabytes.append(resident_megabytes(self.pid))

        thread = threading.Thread(target=sample)
        thread.start()
        try:
            yield samples
        finally:
            stop.set()
            thread.join()


@contextlib.contextmanager
def run_service(base: Path) -> Iterator[Service]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "quartet", "serve", "media", "--port", str(port)],
        env={**os.environ, "APP_DEMO": "1", "APP_CONFIG_DIR": str(base / "config")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not responds(port):
            time.sleep(0.05)
        yield Service(port, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    show(run())
