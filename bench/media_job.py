"""One job over 20,000 files in 2,000 release folders, beside a shell loop that only moves them.

The job scans, reads every name, asks the catalog, makes every target and moves, with a journal
that survives a crash; the loop is given the targets. Both work on the same disk.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from tests.real_servers import free_port

from bench.report import Result, show
from bench.start import answers, resident_megabytes
from quartet.media.catalog.demo.data import series

FOLDERS, EACH = 2_000, 10
RATIO_BAR = 3.0
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
        fill(base / "loop")
        (base / "looped").mkdir()
        begun = time.perf_counter()
        subprocess.run(["sh", "-c", LOOP, "sh", base / "loop", base / "looped"], check=True)
        loop = time.perf_counter() - begun
        fill(base / "downloads")
        (base / "library").mkdir()
        with served(base) as service:
            return measured(service, base, loop)


def measured(service: "Service", base: Path, loop: float) -> list[Result]:
    before = tree(base)
    with service.watched() as seen:
        begun = time.perf_counter()
        job = service.job(base)
        previewed = time.perf_counter() - begun
        service.ask("POST", f"/api/jobs/{job}/execute", {})
        done = service.rested(job)
        moved = time.perf_counter() - begun
        assert done["items"]["done"] == FOLDERS * EACH, done
        service.ask("POST", f"/api/jobs/{job}/undo")
        undone = time.perf_counter() - begun - moved
    assert tree(base) == before, "undo did not bring everything back"
    print(f"preview after {previewed:.1f} s, moved after {moved:.1f} s, undone in {undone:.1f} s")
    return [
        Result("20,000 files matched and moved, beside a mv loop", moved, RATIO_BAR, "s", loop),
        Result("memory at most, meanwhile", max(seen.megabytes), MEGABYTES_BAR, "MB"),
        Result("slowest answer of the API, meanwhile", max(seen.seconds), ANSWER_BAR, "s"),
    ]


def fill(top: Path) -> None:
    """Releases of seasons that the demo catalog knows, each of another group."""
    shows = [
        (show.candidate.title, season)
        for show in series().values()
        for season in sorted({one.season for one in show.episodes})
        if len([one for one in show.episodes if one.season == season]) >= EACH
    ]
    for number in range(FOLDERS):
        title, season = shows[number % len(shows)]
        name = title.replace(" ", ".").replace("/", "-")
        folder = top / f"{name}.S{season:02}.1080p.WEB-DL.x264-GRP{number:04}"
        folder.mkdir(parents=True)
        for episode in range(1, EACH + 1):
            file = f"{name}.S{season:02}E{episode:02}.1080p.WEB-DL.x264-GRP{number:04}.mkv"
            (folder / file).write_bytes(b"x" * (number % 100))


def tree(base: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for top in ("downloads", "library"):
        for folder, _, names in os.walk(base / top):
            for name in names:
                path = Path(folder, name)
                found[str(path)] = path.stat().st_size, path.stat().st_mtime_ns
    return found


class Seen:
    def __init__(self) -> None:
        self.megabytes = [0.0]
        self.seconds = [0.0]


class Service:
    def __init__(self, port: int, pid: int) -> None:
        self._port = port
        self._pid = pid
        self._web = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._web.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json()

    def job(self, base: Path) -> int:
        self.ask("POST", "/api/folders", {"path": f"{base}/downloads"})
        self.ask("POST", "/api/folders", {"path": f"{base}/library", "kind": "series"})
        body = {
            "paths": [f"{base}/downloads"],
            "action": "move",
            "threshold": 0,
            "templates": {"series": TEMPLATE},
        }
        id: int = self.ask("POST", "/api/jobs/manual", body)["jobId"]
        found = self.rested(id)
        assert found["items"]["ready"] == FOLDERS * EACH, found
        return id

    def rested(self, id: int) -> Any:
        while True:
            job = self.ask("GET", f"/api/jobs/{id}")
            if job["status"] in ("ready", "done", "failed"):
                return job
            time.sleep(0.1)

    @contextlib.contextmanager
    def watched(self) -> Iterator[Seen]:
        """Asks something every tenth of a second, as open browsers do."""
        seen, ended = Seen(), threading.Event()

        def look() -> None:
            while not ended.wait(0.1):
                begun = time.perf_counter()
                answers(self._port, "/api/jobs")
                seen.seconds.append(time.perf_counter() - begun)
                seen.megabytes.append(resident_megabytes(self._pid))

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield seen
        finally:
            ended.set()
            thread.join()


@contextlib.contextmanager
def served(base: Path) -> Iterator[Service]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "quartet", "serve", "media", "--port", str(port)],
        env={**os.environ, "APP_DEMO": "1", "APP_CONFIG_DIR": str(base / "config")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not answers(port):
            time.sleep(0.05)
        yield Service(port, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    show(run())
