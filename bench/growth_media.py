"""Media: previews of up to half a million files, each scanned, parsed and matched."""

import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bench.api import cpu_seconds
from bench.growth_curves import CONSTANT, LINEARITHMIC, Curve, Curves, settle
from bench.media_job import EACH, create_releases, run_service
from bench.start import resident_megabytes


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("files")
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            base = Path(name)
            (base / "library").mkdir()
            create_releases(base / "downloads", range(size // EACH))
            measure(found, base, size)
        # Printed at once, because the next size takes several times as long.
        print("; ".join(curve.newest() for curve in found.all()), flush=True)
    return found.all()


def measure(found: Curves, base: Path, size: int) -> None:
    with run_service(base) as service:
        service.request("POST", "/api/folders", {"path": f"{base}/downloads"})
        library = {"path": f"{base}/library", "kind": "series"}
        service.request("POST", "/api/folders", library)
        settle(service.pid)
        before = cpu_seconds(service.pid)
        job = service.preview_job(base, size)
        spent = cpu_seconds(service.pid) - before
        found.add("scan and match", size, 1000 * spent, "CPU-ms", LINEARITHMIC)
        found.add("memory of media", size, resident_megabytes(service.pid), "MB", LINEARITHMIC)
        items = f"/api/jobs/{job}/items?limit=200"

        def read(task: str, path: str) -> None:
            work = partial(service.request, "GET", path)
            found.add_request(task, size, service.pid, work, CONSTANT)

        read("first page of the preview", items)
        read("page in the middle of the preview", f"{items}&cursor={size // 2}")
        read("list of jobs", "/api/jobs")
        read("dashboard", "/api/dashboard")
