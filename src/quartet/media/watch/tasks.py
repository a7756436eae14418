import asyncio
import logging
from contextlib import suppress

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.supervisor import BackgroundTask
from quartet.media.roots.texts import path_of
from quartet.media.watch.mounts import is_silent
from quartet.media.watch.types import WatchFolder
from quartet.media.watch.watcher import Rooms, Watcher

log = logging.getLogger("quartet.media.watch")

_POLL = 10.0
# While something is not whole yet.
_SOON = 1.0
# An event may get lost, so now and then everything is looked at.
_SELDOM = 300.0


def watch_loop(rooms: Rooms) -> BackgroundTask:
    changed = asyncio.Event()
    rooms.watch_folders.listeners.append(changed.set)

    async def run() -> None:
        while True:
            changed.clear()
            folders = [one for one in await rooms.watch_folders.all() if one.enabled]
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_watch(rooms, folder)) for folder in folders]
                await changed.wait()
                for task in tasks:
                    task.cancel()

    return BackgroundTask("watch", run)


async def _watch(rooms: Rooms, folder: WatchFolder) -> None:
    path = path_of(folder.path)
    polls = folder.watch_by == "polling" or (
        folder.watch_by == "auto" and await asyncio.to_thread(is_silent, path)
    )
    changed = asyncio.Event()
    watcher = Watcher(rooms, folder)
    listener = None if polls else asyncio.create_task(_listen(path, changed))
    try:
        while True:
            changed.clear()
            waits = await _look(rooms, folder, watcher)
            # Whoever cannot listen has to look.
            deaf = listener is None or listener.done()
            pause = _SOON if waits else _POLL if deaf else _SELDOM
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await changed.wait()
                    # What is being written changes all the time.
                    await asyncio.sleep(_SOON)
    finally:
        if listener:
            listener.cancel()


async def _look(rooms: Rooms, folder: WatchFolder, watcher: Watcher) -> bool:
    problems = rooms.watch_folders.problems
    try:
        waits = await watcher.look()
    except (AppError, OSError) as error:
        if folder.id not in problems:
            log.warning("watch folder %s: %s", folder.name, error)
        problems[folder.id] = problem_of(error)
        return False
    problems.pop(folder.id, None)
    return waits


async def _listen(path: str, changed: asyncio.Event) -> None:
    """Ends when the system does not tell; then there is polling."""
    # Few installations watch folders, and all of them start.
    from watchfiles import awatch

    try:
        async for _ in awatch(path, watch_filter=None, ignore_permission_denied=True):
            changed.set()
    except (OSError, RuntimeError, ValueError) as error:
        log.warning("no events for %s, looking every %g s instead: %s", path, _POLL, error)
        changed.set()
