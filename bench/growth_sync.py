"""Sync: up to 20,000 devices on one server, without their engines."""

import tempfile
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import httpx
from tests.real_servers import free_port

from bench.growth_curves import LINEARITHMIC, Curve, Curves, settle
from bench.start import resident_megabytes
from bench.sync_fleet import FOLDERS, PASSWORD, populate, start


def curves(sizes: Iterable[int]) -> list[Curve]:
    return measure_server("devices", ((size, size, FOLDERS) for size in sizes))


def measure_server(amount: str, servers: Iterable[tuple[int, int, int]]) -> list[Curve]:
    """Measure servers, given by their size on the curve, their devices and their folders."""
    found = Curves(amount)
    for size, devices, folders in servers:
        with tempfile.TemporaryDirectory() as folder:
            populate(Path(folder) / "sync", devices, folder_count=folders)
            port = free_port()
            server = start(Path(folder), port)
            try:
                measure(found, size, port, server.pid)
            finally:
                server.terminate()
                server.wait(timeout=60)
    return found.all()


def measure(found: Curves, size: int, port: int, pid: int) -> None:
    settle(pid)
    found.add("memory of sync", size, resident_megabytes(pid), "MB", LINEARITHMIC)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as web:
        answer = web.post("/api/login", json={"password": PASSWORD})
        web.headers["X-CSRF-Token"] = answer.json()["csrfToken"]

        def read_overview() -> None:
            web.get("/api/overview").raise_for_status()

        patterns = count()

        def revise() -> None:
            body = {"ignorePatterns": [f"*.{next(patterns)}"]}
            web.patch("/api/folders/1", json=body).raise_for_status()

        # The overview lists all devices.
        found.add_request("overview", size, pid, read_overview, LINEARITHMIC)
        found.add_request("new revision", size, pid, revise, LINEARITHMIC)
