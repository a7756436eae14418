import asyncio
from collections.abc import Awaitable, Callable

from quartet.kernel import events
from quartet.kernel.supervisor import BackgroundTask
from quartet.sync.conflicts import service as conflicts_service
from quartet.sync.conflicts.service import Conflicts
from quartet.sync.conflicts.tasks import conflict_loops
from quartet.sync.desired.states import MAIN
from quartet.sync.desired.types import NoHub
from quartet.sync.guard.service import Guard
from quartet.sync.guard.tasks import guard_loop
from quartet.sync.hub.service import Hub
from quartet.sync.hubs.service import Hubs
from quartet.sync.hubs.tasks import hub_loops
from quartet.sync.notices import service as notices_service
from quartet.sync.notices.service import Notices
from quartet.sync.revisions.service import Revisions
from quartet.sync.revisions.tasks import revisions_loop
from quartet.sync.servers.board import Board, board_loop
from quartet.sync.servers.hub import SharedHub
from quartet.sync.versions.service import Versions
from quartet.sync.versions.tasks import versions_loop


def owner_loops(
    engine: Hub | NoHub,
    hubs: Hubs,
    conflicts: Conflicts,
    versions: Versions,
    guard: Guard,
    revisions: Revisions,
) -> list[BackgroundTask]:
    """In the one server that has the main hub."""
    return [
        *hub_loops(engine, hubs.every[MAIN], hubs, revisions, conflicts.reload),
        *conflict_loops(conflicts),
        versions_loop(versions),
        guard_loop(guard),
    ]


def server_loops(
    streams: events.EventHub,
    board: Board,
    hub: SharedHub,
    revisions: Revisions,
    conflicts: Conflicts,
    notices: Notices,
) -> list[BackgroundTask]:
    """In each of several servers on one database."""
    if board.alone:
        return []

    async def reload_conflicts() -> None:
        if not hub.owned:
            await conflicts.reload()

    return [
        board_loop(board),
        revisions_loop(revisions, streams),
        _reload_loop(conflicts_service.TOPIC, streams, reload_conflicts),
        _reload_loop(notices_service.TOPIC, streams, notices.reload),
    ]


def _reload_loop(
    topic: str, streams: events.EventHub, reload: Callable[[], Awaitable[None]]
) -> BackgroundTask:
    """Reads again what another server has written."""
    changed = asyncio.Event()
    streams.on(topic, lambda _about: changed.set())

    async def run() -> None:
        while True:
            await changed.wait()
            changed.clear()
            await reload()

    return BackgroundTask(topic, run, restart_on_return=True, everywhere=True)
