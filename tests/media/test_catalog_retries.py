"""A catalog that did not answer is asked again automatically."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.kernel.clock import now_ms
from quartet.media.jobs import store
from quartet.media.jobs.catalog_retries import CatalogRetries
from tests.media.fake_provider import FakeProvider, fake_provider
from tests.media.job_harness import JobHarness, job_harness_at
from tests.media.test_match_failures import ANSWERS

pytestmark = pytest.mark.anyio

MINUTE = 60_000


async def failed_job(harness: JobHarness, server: FakeProvider) -> Any:
    """Return a job of a download client whose catalog did not answer."""
    options = await harness.ask("GET", "/api/settings")
    options |= {"addresses": {"tvmaze": server.address}, "seriesProvider": "tvmaze"}
    await harness.ask("PUT", "/api/settings", json=options)
    server.failures = [web.Response(status=500) for _ in range(20)]
    path = str(harness.file("Firefly.S01E01.mkv").parent)
    job = await harness.ask("POST", "/api/jobs", 202, json={"path": path})
    return await harness.wait_until_idle(job["jobId"])


async def wait_for_retry(harness: JobHarness, job_id: int) -> Any:
    """Let the pause pass and return the job after its retry."""
    db = harness.client.started.kernel.db
    await db.write(lambda tx: store.change(tx.conn, job_id, retry_at=now_ms()))
    retries = harness.client.started.built.dependencies["retries"]
    assert isinstance(retries, CatalogRetries)
    await retries.run_due()
    return await harness.wait_until_idle(job_id)


async def test_catalog_is_asked_again_until_it_answers(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        job = await failed_job(harness, server)
        assert (job["status"], job["retries"]) == ("ready", 1)
        assert job["retryAt"] > now_ms()
        job = await wait_for_retry(harness, job["jobId"])
        # The next pause is longer.
        assert job["retries"] == 2 and job["retryAt"] > now_ms() + 4 * MINUTE
        server.failures = []
        await wait_for_retry(harness, job["jobId"])
        job = await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
        assert (job["items"]["done"], job["retries"], job["retryAt"]) == (1, 0, None)
        assert list(harness.shows.rglob("*.mkv"))


async def test_changed_settings_ask_at_once(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        job = await failed_job(harness, server)
        server.failures = []
        options = await harness.ask("GET", "/api/settings")
        await harness.ask("PUT", "/api/settings", json=options)
        await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
        refused = await harness.client.code("POST", f"/api/jobs/{job['jobId']}/retry")
        assert refused == (409, "nothing_to_retry")


async def test_user_asks_at_once(tmp_path: Path) -> None:
    async with (
        fake_provider(ANSWERS) as server,
        job_harness_at(tmp_path, demo=False, allow_private_addresses=True) as harness,
    ):
        job = await failed_job(harness, server)
        server.failures = []
        await harness.ask("POST", f"/api/jobs/{job['jobId']}/retry", 202)
        await harness.until(f"/api/jobs/{job['jobId']}", lambda one: one["status"] == "done")
