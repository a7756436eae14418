from quartet.kernel.supervisor import BackgroundTask, every
from quartet.media.jobs.service import Jobs

# One may wait for files that still grow, or for a slow catalog.
_LOOKING = 2
_HOUR = 3600.0


def job_loops(jobs: Jobs) -> list[BackgroundTask]:
    looking = [
        BackgroundTask(f"jobs looking {n}", jobs.looking.run) for n in range(1, _LOOKING + 1)
    ]
    tidying = every(_HOUR, jobs.forget_gone, name="jobs tidying", jitter=60)
    return [*looking, BackgroundTask("jobs moving", jobs.moving.run), tidying]
