"""Builds the queue and the mirror that let several processes share model runs."""

from contextlib import suppress
from functools import partial

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.alerts.tasks import EVALUATE
from quartet.wind.grid.catalogue import Catalogue, CatchUp
from quartet.wind.ingest.service import Ingest, loop_name
from quartet.wind.leadership import WORK
from quartet.wind.scale.blocks import BlockWork
from quartet.wind.scale.bucket import S3Bucket
from quartet.wind.scale.mirror import Mirror
from quartet.wind.scale.planning import Planner, forget_when_done
from quartet.wind.scale.queue import Queue
from quartet.wind.settings import WindSettings

MIRROR = "mirror"
# Publishing processes send a signal; this interval covers a missed one.
_MIRROR_SECONDS = 60.0
_GIGABYTE = 1_000_000_000


def build_shared_runs(
    kernel: Kernel[WindSettings], catalogue: Catalogue, ingest: Ingest, pause: float
) -> tuple[list[BackgroundTask], CatchUp]:
    settings, redis = kernel.settings, kernel.redis
    assert settings.s3_url and settings.redis_url and redis is not None  # noqa: S101
    bucket = S3Bucket(settings.s3_url)
    models = tuple(model.id for model in ingest.known)

    def added(model: str) -> None:
        ingest.succeeded(model)
        # EVALUATE only runs in the leading process, so `run_now` fails in all others.
        with suppress(AppError):
            kernel.supervisor.run_now(EVALUATE)

    mirror = Mirror(bucket, catalogue, models, settings.mirror_gb * _GIGABYTE, added)

    async def follow() -> None:
        await ingest.select()
        await mirror.look()

    work = BlockWork(
        bucket, ingest, settings.data / "blocks", lambda _model: kernel.wake_task(MIRROR)
    )
    queue = Queue(settings.redis_url)
    task = queue.register_task(forget_when_done(redis, work.run), task_name="block")
    planner = Planner(bucket, ingest, work, redis, task.kiq)
    loops = [
        every(_MIRROR_SECONDS, follow, name=MIRROR, everywhere=True),
        BackgroundTask("blocks", partial(queue.work, ingest.tools.workers.count)),
        *(
            every(pause, partial(planner.look, model), name=loop_name(model), exclusive=WORK)
            for model in ingest.known
        ),
    ]
    return loops, mirror.catch_up
