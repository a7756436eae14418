import asyncio
from collections.abc import Sequence
from pathlib import Path

from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY, Mode, NewJob

_LOOK_SECONDS = 0.05


async def run_job(jobs: Jobs, paths: Sequence[Path], mode: Mode = "media") -> int:
    """Move files as a user would, and return the job."""
    job = await jobs.create(NewJob(paths=[str(path) for path in paths], action="move", mode=mode))
    await _wait_until_idle(jobs, job.job_id)
    await jobs.execute(job.job_id, None)
    await _wait_until_idle(jobs, job.job_id)
    return job.job_id


async def _wait_until_idle(jobs: Jobs, job_id: int) -> None:
    while (await jobs.find(job_id)).status in BUSY:  # noqa: ASYNC110 - only the job knows
        await asyncio.sleep(_LOOK_SECONDS)
