import asyncio
import logging
import time
from contextlib import suppress

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.supervisor import BackgroundTask
from quartet.media.roots.mounts import needs_polling
from quartet.media.roots.path_encoding import decode_path
from quartet.media.watch.types import WatchFolder
from quartet.media.watch.watcher import Watcher, WatchServices

log = logging.getLogger("quartet.media.watch")

_POLL_SECONDS = 10.0
# While a release is incomplete.
_SOON_SECONDS = 1.0
# The pause after a check, as a multiple of its duration: large folders are checked less often.
_PAUSE_FACTOR = 10.0
# Events may get lost, so check everything from time to time.
_FULL_CHECK_SECONDS = 300.0


def watch_task(services: WatchServices) -> BackgroundTask:
    changed = asyncio.Event()
    services.watch_folders.listeners.append(changed.set)

    async def run() -> None:
        while True:
            changed.clear()
            folders = [one for one in await services.watch_folders.all() if one.enabled]
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_watch(services, folder)) for folder in folders]
                await changed.wait()
                for task in tasks:
                    task.cancel()

    return BackgroundTask("watch", run)


async def _watch(services: WatchServices, folder: WatchFolder) -> None:
    path = decode_path(folder.path)
    polls = folder.watch_by == "polling" or (
        folder.watch_by == "auto" and await asyncio.to_thread(needs_polling, path)
    )
    changed = asyncio.Event()
    watcher = Watcher(services, folder)
    listener = None if polls else asyncio.create_task(_listen(path, changed))
    try:
        while True:
            changed.clear()
            began = time.monotonic()
            waits = await _check(services, folder, watcher)
            soon = max(_SOON_SECONDS, _PAUSE_FACTOR * (time.monotonic() - began))
            # Without events, fall back to polling.
            without_events = listener is None or listener.done()
            pause = soon if waits else _POLL_SECONDS if without_events else _FULL_CHECK_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await changed.wait()
                    # Files that are being written change constantly.
                    await asyncio.sleep(soon)
    finally:
        if listener:
            listener.cancel()


async def _check(services: WatchServices, folder: WatchFolder, watcher: Watcher) -> bool:
    problems = services.watch_folders.problems
    try:
        waits = await watcher.check()
    except (AppError, OSError) as error:
        if folder.id not in problems:
            log.warning("watch folder %d cannot be read: %s", folder.id, error)
        problems[folder.id] = problem_of(error)
        return False
    problems.pop(folder.id, None)
    return waits


async def _listen(path: str, changed: asyncio.Event) -> None:
    """Ends if the system provides no events; then the folder is polled."""
    # Imported here because few installations use watch folders.
    from watchfiles import awatch

    try:
        async for _ in awatch(path, watch_filter=None, ignore_permission_denied=True):
            changed.set()
    except (OSError, RuntimeError, ValueError) as error:
        log.warning(
            "no file events for %s, polling every %g s instead: %s", path, _POLL_SECONDS, error
        )
        changed.set()
