"""The log of a job from its creation to its undo."""

import logging
import re
from pathlib import Path

import pytest

from tests.log_lines import assert_in_order, assert_no_secrets, lines
from tests.media.job_harness import INCEPTION, job_harness_at

pytestmark = pytest.mark.anyio

KEY = "k3y-of-the-catalog"


async def test_log_follows_item_through_preview_execution_and_undo(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with job_harness_at(tmp_path) as harness:
        await harness.ask("PUT", "/api/settings", json={"keys": {"tmdb": KEY}})
        source = harness.file(f"{INCEPTION}.mkv")
        job = (await harness.start(action="move"))["jobId"]
        [item] = await harness.items(job)
        await harness.execute(job)
        await harness.ask("POST", f"/api/jobs/{job}/undo")

    id = item["id"]
    assert_in_order(
        lines(caplog, "media", logging.INFO),
        f"^job {job} created: manual, 1 paths, move$",
        f"^job {job} previewed: 1 files, ready$",
        f"^job {job} item {id}: move of {source} to {re.escape(item['target'])} done$",
        f"^job {job} executed: 1 files done, 0 failed, done$",
        f"^job {job} item {id}: move of {source} undone$",
        "^undo finished: 1 files undone, 0 not$",
    )
    assert_in_order(
        lines(caplog, "media", logging.DEBUG),
        f"^job {job}: scanning$",
        f"^job {job}: matching$",
        f"^job {job} item {id} parsed: {INCEPTION}.mkv is movie Inception$",
        f"^job {job} item {id} matched: .* with confidence 0[.]9",
        f"^job {job} item {id}: target .*, ready$",
        f"^job {job}: execution requested$",
        rf"^job {job}: executing 1 items \(move\)$",
        f"^job {job} item {id}: move of {source} to .* planned$",
    )
    assert_no_secrets(caplog, KEY)


async def test_log_has_reason_of_file_that_was_not_moved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with job_harness_at(tmp_path) as harness:
        harness.file(f"{INCEPTION}.mkv")
        job = (await harness.start(action="move"))["jobId"]
        [item] = await harness.items(job)
        target = Path(item["target"])
        target.parent.mkdir(parents=True)
        target.write_text("another file")
        await harness.execute(job)
    assert_in_order(
        lines(caplog, "media", logging.INFO),
        f"^job {job} item {item['id']}: move of .* skipped: [a-z_]+",
    )
