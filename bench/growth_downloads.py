"""Downloads: the queue and the history with a thousand to a million rows."""

import ssl
import tempfile
from collections.abc import Iterable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Table, insert

from bench.downloads_service import DownloadsService, running_service
from bench.growth_curves import CONSTANT, LINEARITHMIC, Curve, Curves, settle
from bench.start import resident_megabytes
from quartet.downloads.app import SERVICE
from quartet.downloads.history.tables import history
from quartet.downloads.packages.tables import downloads, packages
from quartet.kernel.db import Tx
from quartet.kernel.startup import open_kernel

PACKAGE = 20
BATCH = 10_000
# As the page of the queue requests them.
PAGE = 200


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("downloads")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            populate(Path(name) / "downloads", size)
            certificates = ssl.get_default_verify_paths().cafile or ""
            with running_service(Path(name), certificates) as service:
                measure(found, service, size)
    return found.all()


def populate(data: Path, size: int) -> None:
    """Fill the queue with paused downloads, so that nothing is fetched, and the history."""
    kernel = open_kernel(SERVICE, SERVICE.settings(data=data))
    for first in range(0, size, BATCH):
        numbers = range(first, min(first + BATCH, size))
        kernel.db.write_sync(partial(_insert, packages, map(_package, numbers[::PACKAGE])))
        kernel.db.write_sync(partial(_insert, downloads, map(_download, numbers)))
        kernel.db.write_sync(partial(_insert, history, map(_history, numbers)))
    kernel.db.close()


def _insert(table: Table, rows: Iterable[dict[str, Any]], tx: Tx) -> None:
    tx.conn.execute(insert(table), list(rows))


def _package(number: int) -> dict[str, Any]:
    return {
        "id": number // PACKAGE + 1,
        "name": f"Package {number}",
        "target_dir": f"Package {number}",
        "source": "paste",
        "collector": False,
        "passwords": [],
        "priority": 0,
        "speed_limit_kib": 0,
        "position": number // PACKAGE + 1,
        "created_at": number,
    }


def _download(number: int) -> dict[str, Any]:
    return {
        "id": number + 1,
        "package_id": number // PACKAGE + 1,
        "url": f"https://files.example/{number}/file-{number}.bin",
        "host": "files.example",
        "status": "paused",
        "online": "online",
        "check_wanted": False,
        "name": f"file-{number}.bin",
        "size": 1_000_000 + number,
        "bytes_done": 0,
        "attempts": 0,
        "created_at": number,
        "priority": 0,
        "speed_limit_kib": 0,
        "position": number % PACKAGE + 1,
    }


def _history(number: int) -> dict[str, Any]:
    return {
        "finished_at": number,
        "name": f"file-{number}.bin",
        "host": "files.example",
        "url": f"https://files.example/{number}/file-{number}.bin",
        "size": 1_000_000 + number,
        "package_name": f"Package {number}",
        "file": f"Package {number}/file-{number}.bin",
    }


def measure(found: Curves, service: DownloadsService, size: int) -> None:
    def read(task: str, path: str, bar: float) -> None:
        found.add_request(task, size, service.pid, partial(service.request, "GET", path), bar)

    settle(service.pid)
    found.add("memory of downloads", size, resident_megabytes(service.pid), "MB", LINEARITHMIC)
    queue = f"/api/packages?view=queue&limit={PAGE}"
    read("first page of the queue", queue, CONSTANT)
    read("page in the middle of the queue", f"{queue}&cursor={_middle(size)}", CONSTANT)
    read("search in the queue", f"{queue}&q=file-{size - 1}.bin", LINEARITHMIC)
    read("first page of the history", "/api/history", CONSTANT)
    read("search in the history", "/api/history?q=file-0.bin", LINEARITHMIC)
    read("statistics of the history", "/api/history/stats", CONSTANT)
    numbers = count()

    def add_links() -> None:
        # Known links would not be added again.
        links = "\n".join(f"https://new.example/{next(numbers)}.bin" for _ in range(20))
        service.request("POST", "/api/links", {"links": links, "start": False})

    found.add_request("adding 20 links", size, service.pid, add_links, CONSTANT)


def _middle(size: int) -> str:
    """Return the cursor of a page that begins with a package in the middle."""
    package = size // 2 // PACKAGE
    return f"{package}.{package}.{PACKAGE}"
