import asyncio
from pathlib import Path

from quartet.kernel.demo import demo_data_task
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.media.demo.sample_names import ARRIVED, EARLIER, INCOMING
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import BUSY, NewJob
from quartet.media.roots.service import Folders
from quartet.media.roots.types import FolderKind, NewFolder
from quartet.media.settings import MediaSettings
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import NewWatchFolder

_LOOK_SECONDS = 0.1
# Content of every sample file; not empty, so that none looks broken.
_CONTENT = b"A sample of the demo.\n" * 500
_FOLDERS: tuple[tuple[str, FolderKind], ...] = (
    ("arrived", "folder"),
    ("incoming", "folder"),
    ("movies", "movies"),
    ("series", "series"),
)


def demo_tasks(
    kernel: Kernel[MediaSettings], folders: Folders, jobs: Jobs, watch_folders: WatchFolders
) -> list[BackgroundTask]:
    data = kernel.settings.data.absolute()
    # Next to the data folder, which must not be configured.
    files = data.with_name(f"{data.name}-files")

    async def fill() -> None:
        if await folders.all():
            return
        await asyncio.to_thread(_make_folders, files)
        for name, kind in _FOLDERS:
            await folders.add(NewFolder(str(files / name), kind, name.capitalize()))
        await _run_sample_job(jobs, files / "arrived")
        await asyncio.to_thread(_write_samples, files / "arrived", ARRIVED)
        await watch_folders.add(
            NewWatchFolder(
                name="Incoming",
                path=str(files / "incoming"),
                auto_threshold=None,
                stable_seconds=1,
            )
        )
        # After adding the watch folder, because existing files are ignored.
        await asyncio.to_thread(_write_samples, files / "incoming", INCOMING)

    return [demo_data_task(data, fill)]


def _make_folders(files: Path) -> None:
    for name, _ in _FOLDERS:
        (files / name).mkdir(parents=True, exist_ok=True)
    _write_samples(files / "arrived", EARLIER)


def _write_samples(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_CONTENT)


async def _run_sample_job(jobs: Jobs, folder: Path) -> None:
    job = await jobs.create(NewJob(paths=[str(folder)], action="move"))
    await _wait_until_idle(jobs, job.job_id)
    await jobs.execute(job.job_id, None)
    await _wait_until_idle(jobs, job.job_id)


async def _wait_until_idle(jobs: Jobs, job_id: int) -> None:
    while (await jobs.find(job_id)).status in BUSY:  # noqa: ASYNC110 - only the job knows
        await asyncio.sleep(_LOOK_SECONDS)
