import asyncio
from pathlib import Path

from quartet.kernel.demo import demo_data_task, demo_loop
from quartet.kernel.service import Kernel
from quartet.kernel.supervisor import BackgroundTask
from quartet.media.demo import sample_names
from quartet.media.demo.arrivals import DOWNLOADS, INCOMING, Arrivals
from quartet.media.demo.past_weeks import fill_past_weeks
from quartet.media.demo.sample_jobs import run_job
from quartet.media.inbox.service import Inbox
from quartet.media.jobs.service import Jobs
from quartet.media.roots.service import Folders
from quartet.media.roots.types import FolderKind, NewFolder
from quartet.media.settings import MediaSettings
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import NewWatchFolder

# How often a release arrives.
_ARRIVAL_SECONDS = 240.0
# Content of every sample file; not empty, so that none looks broken.
_CONTENT = b"A sample of the demo.\n" * 500
_FOLDERS: tuple[tuple[str, FolderKind], ...] = (
    ("arrived", "folder"),
    (DOWNLOADS, "folder"),
    (INCOMING, "folder"),
    ("movies", "movies"),
    ("series", "series"),
    ("music", "music"),
    ("photos", "photos"),
)
# Folders in which music and photos arrive.
_MUSIC, _CAMERA = "Music", "Camera"


def demo_tasks(
    kernel: Kernel[MediaSettings],
    folders: Folders,
    jobs: Jobs,
    inbox: Inbox,
    watch_folders: WatchFolders,
) -> list[BackgroundTask]:
    data = kernel.settings.data.absolute()
    # Next to the data folder, which must not be configured.
    files = data.with_name(f"{data.name}-files")

    async def fill() -> None:
        if await folders.all():
            return
        await asyncio.to_thread(_make_folders, files)
        for name, kind in _FOLDERS:
            new = NewFolder(str(files / name), kind, name.capitalize(), nfo=kind == "music")
            await folders.add(new)
        await fill_past_weeks(kernel.db, jobs, folders, files / "arrived")
        await _file_music_and_photos(jobs, files / "arrived")
        await asyncio.to_thread(_write_samples, files / "arrived", sample_names.EARLIER)
        await run_job(jobs, [files / "arrived"])
        await asyncio.to_thread(_write_samples, files / "arrived", sample_names.ARRIVED)
        for watched in _watched(files):
            await watch_folders.add(watched)
        # After adding the watch folder, because existing files are ignored.
        await asyncio.to_thread(_write_samples, files / INCOMING, sample_names.INCOMING)

    arrivals = Arrivals(data, files, inbox, watch_folders)
    return [
        demo_data_task(data, fill),
        demo_loop(_ARRIVAL_SECONDS, arrivals.arrive, "demo arrivals"),
    ]


async def _file_music_and_photos(jobs: Jobs, arrived: Path) -> None:
    """File an album and some photos, and leave others for the user."""
    # Imported here because a demo writes them only once.
    from quartet.media.demo import music_and_photos as samples

    music, camera = arrived / _MUSIC, arrived / _CAMERA
    await asyncio.to_thread(samples.write_album, music / "album", samples.FILED)
    await run_job(jobs, [music], "music")
    await asyncio.to_thread(samples.write_photos, camera, samples.FILED_PHOTOS, 1)
    await run_job(jobs, [camera], "photos")
    await asyncio.to_thread(samples.write_album, music / "seasons", samples.UNFILED)
    await asyncio.to_thread(samples.write_photos, camera, samples.UNFILED_PHOTOS, 10)


def _watched(files: Path) -> list[NewWatchFolder]:
    incoming = NewWatchFolder(
        name="Incoming", path=str(files / INCOMING), auto_threshold=None, stable_seconds=1
    )
    downloads = NewWatchFolder(name="Downloads", path=str(files / DOWNLOADS), stable_seconds=1)
    return [incoming, downloads]


def _make_folders(files: Path) -> None:
    for name, _ in _FOLDERS:
        (files / name).mkdir(parents=True, exist_ok=True)


def _write_samples(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_CONTENT)
