"""A Syncthing engine under our control."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.apply import apply
from quartet.sync.engine.concurrency import run_until_first_exit
from quartet.sync.engine.disk_events import OnDiskChanges, follow_disk_changes
from quartet.sync.engine.ignores import WrittenPatterns
from quartet.sync.engine.monitor import Monitor
from quartet.sync.engine.peers import PeerWatch
from quartet.sync.engine.plan import Json
from quartet.sync.engine.process import EngineProcess, OnMigration, start_engine
from quartet.sync.engine.program import Program
from quartet.sync.engine.redial import Redialler
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineCompletion, EngineConfig, EngineFolder, Summary
from quartet.sync.protocol import FolderStatus

# Devices dial their hub and accept no connections.
UNREACHABLE = ("tcp://127.0.0.1:0",)
# How long an encrypted folder may wait for the index of its peer before the connection is reopened.
STALL_SECONDS = 15.0
DYING_SECONDS = 2.0
IMPOSE_SECONDS = 120.0
SETTLE_SECONDS = 0.5
SCAN_START_SECONDS = 1.0


class Engine:
    def __init__(
        self,
        program: Program,
        home: Path,
        *,
        listen: Sequence[str] = UNREACHABLE,
        on_status: Callable[[str], None] = lambda _folder: None,
        on_changes: OnDiskChanges | None = None,
        completions: bool = False,
        on_peers: Callable[[], None] | None = None,
    ) -> None:
        self.program = program
        self.id = ""
        self.version = program.version
        self.home = home.absolute()
        self._listen = listen
        self._on_status = on_status
        self._on_changes = on_changes
        self._completions = completions
        self._on_peers = on_peers
        self.peers: PeerWatch | None = None
        self._applying = asyncio.Lock()
        # The devices and folders at the last check.
        self._kept: Json | None = None
        self._written = WrittenPatterns(self.home)
        self._process: EngineProcess | None = None
        self._monitor: Monitor | None = None
        self._redialler: Redialler | None = None

    @property
    def rest(self) -> Rest:
        return self._running().rest

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def statuses(self) -> dict[str, FolderStatus]:
        return self._monitor.statuses if self._monitor else {}

    @property
    def completions(self) -> dict[str, dict[str, EngineCompletion]]:
        return self._monitor.completions if self._monitor else {}

    async def start(self, on_migration: OnMigration = lambda _line: None) -> None:
        """Start the engine and return when it answers; afterwards `run` must be running."""
        self._process = await start_engine(self.program, self.home, self._listen, on_migration)
        self._redialler = Redialler(self.rest, self._applying)
        self._monitor = Monitor(
            self.rest, self._on_status, self._redialler.lost, completions=self._completions
        )
        if self._on_peers is not None:
            self.peers = PeerWatch(self.rest, self._on_peers)
        self._kept = None
        self.id = (await self.rest.status()).my_id
        self.version = (await self.rest.version()).version

    async def run(self) -> None:
        """Monitor the engine; raise if it exits unexpectedly."""
        await run_until_first_exit(self._running().wait(), self._watch())

    async def stop(self) -> None:
        if self._process is not None:
            await self._process.stop()
            self._process = None

    async def apply(
        self, wanted: EngineConfig, on_set: Callable[[], None] | None = None
    ) -> dict[str, Problem]:
        """Apply the configuration and return the problems by folder id.

        `on_set` is called when every folder is set and works, before the verification.
        """
        async with self._applying:
            healthy = {ident for ident, each in self.statuses.items() if each.state != "error"}
            before, self._kept = self._kept, None
            problems, self._kept = await apply(
                self.rest, self.id, wanted, self._written, healthy, before=before, on_set=on_set
            )
            if self._monitor is not None:
                known = {
                    each.id: each
                    for each in wanted.folders
                    if each.id not in problems or problems[each.id].code != "engine_refused"
                }
                await self._monitor.watch(known)
            return problems

    async def is_connected(self, peer: str) -> bool:
        found = (await self.rest.connections()).connections.get(peer)
        return found is not None and found.connected

    def redial(self, peer: str) -> None:
        """Dial a peer that is not connected again soon."""
        if self._redialler is not None:
            self._redialler.lost(peer)

    async def forget(self, folder: str) -> None:
        """Remove a folder with its index; applying the configuration adds it as a new one."""
        async with self._applying:
            self._kept = None
            await self.rest.request("DELETE", f"config/folders/{quote(folder, safe='')}")

    async def rescan(self, folder: str) -> None:
        """Scan a folder, and try failed files again at once; the engine pauses up to an hour."""
        status = self.statuses.get(folder)
        if status is not None and status.errors:
            async with self._applying:
                self._kept = None
                await self.rest.restart(folder)
            return
        # The engine completes the scan even if the request is cancelled.
        with suppress(TimeoutError):
            async with asyncio.timeout(SCAN_START_SECONDS):
                await self.rest.scan(folder)

    async def impose(self, folder: str, peer: str) -> None:
        """Make a peer take over this engine's state of a folder, and undo its own changes.

        Other peers do not take part, so that their changes are not undone. The caller applies the
        normal configuration afterwards.
        """
        path = f"config/folders/{quote(folder, safe='')}"
        async with self._applying, asyncio.timeout(IMPOSE_SECONDS):
            self._kept = None
            current = await self.rest.get(dict[str, Any], path)
            # With its encryption password, if it has one.
            member = [each for each in current["devices"] if each["deviceID"] == peer]
            alone = {
                "type": "sendonly",
                "paused": False,
                "devices": member or [{"deviceID": peer}],
            }
            await self.rest.request("PATCH", path, alone)
            before = await self._settled(folder, peer)
            if before.need_total_items:
                await self.rest.override(folder)
            await self._settled(folder, peer)

    async def _settled(self, folder: str, peer: str) -> Summary:
        """Wait until the index of the peer has arrived completely."""
        last: Summary | None = None
        clock = asyncio.get_running_loop().time
        reconnect_at = clock() + STALL_SECONDS
        while True:
            known = (await self.rest.completion(folder, peer)).known
            now = await self.rest.summary(folder)
            if known and now == last and now.state == "idle":
                return now
            last = now
            if not known and clock() >= reconnect_at:
                # The peer may have missed that the folder is shared with it again. If it is not
                # connected, only it can dial.
                if (await self.rest.connections()).connections[peer].connected:
                    await self.rest.reconnect(peer)
                reconnect_at = clock() + STALL_SECONDS
            await asyncio.sleep(SETTLE_SECONDS)

    async def reopen_stalled_connections(self, wanted: EngineConfig) -> None:
        """Reopen connections whose peer missed an encrypted folder that was added later."""
        pairs = [(each.id, peer) for each in _encrypted(wanted) for peer in each.peers]
        if not pairs:
            return
        before = (await self.rest.connections()).connections
        await asyncio.sleep(STALL_SECONDS)
        now = (await self.rest.connections()).connections
        for folder, peer in pairs:
            old, new = before.get(peer), now.get(peer)
            lasting = old and new and new.connected and old.started_at == new.started_at
            if lasting and not (await self.rest.completion(folder, peer)).known:
                await self.rest.reconnect(peer)
                return

    async def _watch(self) -> None:
        if self._monitor is None or self._redialler is None:
            raise AppError(503, "engine_unreachable")
        works = [self._monitor.run(), self._redialler.run()]
        if self._on_changes is not None:
            works.append(follow_disk_changes(self.rest, self._on_changes))
        if self.peers is not None:
            works.append(self.peers.run())
        try:
            await run_until_first_exit(*works)
        except AppError:
            # If the engine is exiting, its own error is more helpful; give it time to arrive.
            await asyncio.sleep(DYING_SECONDS)
            raise

    def _running(self) -> EngineProcess:
        if self._process is None:
            raise AppError(503, "engine_unreachable")
        return self._process


def _encrypted(wanted: EngineConfig) -> list[EngineFolder]:
    """Return the encrypted folders that sync; the engine reports nothing about paused ones."""
    return [each for each in wanted.folders if each.password and not each.paused]
