"""Only the normal spelling of a path reaches a route."""

import stat
from pathlib import Path

import pytest

from quartet.services import NAMES, service
from tests.client import BASE, quiet_client_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", NAMES)
async def test_other_spellings_do_not_reach_routes(tmp_path: Path, name: str) -> None:
    async with quiet_client_of(service(name), tmp_path, base_path="/base") as client:
        for path in ("/api/system", "/api/health", "/base/api/health"):
            assert (await client.get(path)).status_code in (200, 401)
        for path in (
            "/api//system",
            "//api/system",
            "/api/system/",
            "/api/system//",
            "/api/%73ystem",
            "/%61pi/system",
            "/api%2Fsystem",
            "/api%2fhealth",
            "/api/health/",
            "/base//api/health",
            "/metrics/",
            "//metrics",
            "/%6Detrics",
        ):
            assert await client.code("GET", f"{BASE}{path}") == (404, "not_found"), path


async def test_pages_docs_and_encoded_names_are_served(tmp_path: Path) -> None:
    async with quiet_client_of(service("wind"), tmp_path) as client:
        for path in ("/", "/settings/", "/api/docs", "/api/docs/"):
            assert (await client.get(path)).status_code == 200, path
        assert await client.code("GET", "/api/stations/Kap%20Arkona") == (404, "not_found")


@pytest.mark.parametrize("name", NAMES)
async def test_database_files_are_private(tmp_path: Path, name: str) -> None:
    # A folder that exists already keeps its mode, here readable by all users.
    tmp_path.chmod(0o755)
    leftover = tmp_path / f"{name}.sqlite3"
    leftover.touch(0o644)
    async with quiet_client_of(service(name), tmp_path) as client:
        await client.get("/api/health")
        files = list(tmp_path.glob(f"{name}.sqlite3*"))
        assert len(files) == 3
        for file in files:
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
