import logging
import re
from pathlib import Path

import pytest

from quartet.kernel.fast_paths import FastPaths
from quartet.media.app import SERVICE
from quartet.wind.app import SERVICE as WIND
from tests.client import quiet_client_of

pytestmark = pytest.mark.anyio


async def test_request_log_has_method_path_status_duration_and_id(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.requests")
    async with quiet_client_of(SERVICE, tmp_path, log_requests=True) as client:
        await client.get("/api/health?token=secret")
        await client.post("/api/nothing", json={})
    lines = [record.getMessage() for record in caplog.records if record.name == "quartet.requests"]
    assert re.fullmatch(r"GET /api/health status=200 ms=\d+\.\d", lines[0])
    assert re.fullmatch(r"POST /api/nothing status=404 ms=\d+\.\d", lines[1])


async def test_request_log_does_not_contain_the_address_of_a_calendar(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.requests")
    async with quiet_client_of(WIND, tmp_path, log_requests=True) as client:
        await client.get("/api/calendar/the-secret-of-a-user.ics")
    # The client of the test may log its own requests.
    own = [each.getMessage() for each in caplog.records if each.name.startswith("quartet")]
    assert any("GET /api/calendar/{file} status=404" in line for line in own)
    assert not any("the-secret" in line for line in own)


async def test_request_log_includes_fast_paths(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quartet.requests")
    async with quiet_client_of(WIND, tmp_path, log_requests=True) as client:
        app = client.started.app

        async def immediate(_query: bytes) -> bytes:
            return b"{}"

        app._fast_paths = FastPaths({"/api/point": immediate}, lambda _: None, None, ())
        scope = {"method": "GET", "path": "/api/point", "query_string": b"", "headers": []}
        assert app.immediate_response(scope) is not None
    assert "GET /api/point status=200" in caplog.text


async def test_requests_are_not_logged_by_default(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with quiet_client_of(SERVICE, tmp_path) as client:
        await client.get("/api/health")
    assert "quartet.requests" not in [record.name for record in caplog.records]
