from quartet.kernel.supervisor import BackgroundTask, every
from quartet.media.jobs.catalog_retries import CatalogRetries
from quartet.media.jobs.service import Jobs

# Two, because a preview may wait for growing files or a slow catalog.
_PREVIEW_LOOPS = 2
_HOUR = 3600.0
_RETRY_CHECK = 15.0


def job_tasks(jobs: Jobs, retries: CatalogRetries) -> list[BackgroundTask]:
    preview_queue = [
        BackgroundTask(f"jobs looking {n}", jobs.preview_queue.run)
        for n in range(1, _PREVIEW_LOOPS + 1)
    ]
    tidying = every(_HOUR, jobs.forget_missing_files, name="jobs tidying", jitter=60)
    asking = every(_RETRY_CHECK, retries.run_due, name="jobs asking catalogs again")
    moving = BackgroundTask("jobs moving", jobs.execute_queue.run)
    return [*preview_queue, moving, tidying, asking]
