"""Watches the changes that reach the hub, and decides which of them it may follow."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.hub.gate import Gate
from quartet.sync.hub.types import Action, Hub, HubChange, PendingChange, PendingChanges
from quartet.sync.hubfiles.guard.counting import Counted, count_waiting
from quartet.sync.hubfiles.guard.moves import Moves
from quartet.sync.hubfiles.guard.releases import Releases
from quartet.sync.hubfiles.guard.service import Holds, Pair
from quartet.sync.hubfiles.guard.settling import FEW_FILES, Scan, Settling
from quartet.sync.hubfiles.guard.types import PassedFile
from quartet.sync.hubfiles.guard.windows import ChangeWindow

# A device may delete or replace a few files within this time without a complete check.
FEW_WITHIN_SECONDS = 60.0
# Hold a device that exceeds the limit after this time, although it keeps changing files.
EXCESS_SECONDS = 20.0
# Files that may pass are counted again after this time, and have to ask again if none has passed.
ALLOWED_SECONDS = 60.0
# Look for waiting changes at short intervals for this long after the status of a folder changed.
BUSY_SECONDS = 5.0
MOST_CHANGES = 200_000
# States in which the number of files is unknown.
UNCOUNTED = ("paused", "unknown")


class Guard:
    """The delete guard: holds a share whose device deletes or replaces many files at once.

    The hub asks before it deletes or replaces a file. On systems where it cannot ask, the guard
    counts what has passed and holds the share afterwards.
    """

    def __init__(
        self, holds: Holds, hub: Hub, gate: Gate | None, scan: Scan, *, percent: int, files: int
    ) -> None:
        self.holds = holds
        self._hub = hub
        self._gate = gate
        self._percent = percent
        self._files = files
        self._changes: deque[HubChange] = deque(maxlen=MOST_CHANGES)
        self._windows: dict[Pair, ChangeWindow] = {}
        self._settling = Settling(hub, scan)
        self._moves = Moves(hub)
        # When the permission of checked files ends, by folder; `passing` is set while there is one.
        self._allowed: dict[str, float] = {}
        self.passing = asyncio.Event()
        # Folders in which checked files have passed since then.
        self._passing: set[str] = set()
        self._releases = Releases(holds)
        # Files that passed the gate and whose change has not been reported yet, by folder.
        self._passed: dict[str, set[str]] = {}
        # By folder: the revision that the hub must apply before it may follow changes again.
        self._held: dict[str, int] = {}
        self._busy_until = 0.0
        self.changed = asyncio.Event()

    def handle_status(self, _folder: str) -> None:
        """Expect changes: the status of a folder on the hub has changed."""
        if self._gate is not None:
            self._busy_until = time.monotonic() + BUSY_SECONDS
            self.changed.set()

    def handle_changes(self, changes: Iterable[HubChange]) -> None:
        if self._percent:
            self._changes.extend(change for change in changes if change.type == "file")
            self.changed.set()

    @property
    def is_busy(self) -> bool:
        return bool(self._allowed or self._held) or time.monotonic() < self._busy_until

    def set_clock(self) -> None:
        if self._gate is not None:
            self._gate.set_clock()

    async def check(self) -> None:
        """Decide about the waiting changes; count those of the last minutes."""
        if self._gate is not None:
            await self._check_gate(self._gate)
        self._count_changes()
        await self._check_windows()
        if not self._windows and not self.is_busy:
            self.changed.clear()

    async def _check_gate(self, gate: Gate) -> None:
        for folder in gate.asked():
            self._busy_until = time.monotonic() + BUSY_SECONDS
            with suppress(AppError):
                await self._decide(gate, folder)
        for folder, until in list(self._allowed.items()):
            if time.monotonic() >= until and not await self._may_go_on(gate, folder):
                self._allowed.pop(folder, None)
                await asyncio.to_thread(gate.close, folder)
        if not self._allowed:
            self.passing.clear()
        if self._held:
            self._end_holds(gate)

    async def _decide(self, gate: Gate, folder: str) -> None:
        """Hold the device, or let the waiting files pass, once the change is complete."""
        if folder in self._held:
            gate.hold(folder)
            return
        pending = await self._hub.pending(folder)
        counted = await self._count_pending(folder, pending)
        counts = count_waiting(pending.changes)
        excessive = self._excessive(folder, counted, pending.files)
        few = self._are_few(folder, counts, pending.files)
        complete = await self._settling.is_complete(folder, counts, few=few)
        if excessive and (complete or self._settling.seconds(folder) >= EXCESS_SECONDS):
            self._settling.forget(folder)
            await self._hold_all(gate, folder, excessive)
        elif complete:
            self._settling.forget(folder)
            await self._allow(gate, folder, pending, counted)
        else:
            gate.wait(folder)

    async def _may_go_on(self, gate: Gate, folder: str) -> bool:
        """Return True if checked files are still passing, which takes minutes for many of them."""
        if folder not in self._passing:
            return False
        self._passing.discard(folder)
        try:
            pending = await self._hub.pending(folder)
        except AppError:
            return False
        counted = await self._count_pending(folder, pending)
        self._releases.follow(folder, counted)
        # The device may have changed the files again, for example deleted those that it moved.
        if excessive := self._excessive(folder, counted, pending.files):
            await self._hold_all(gate, folder, excessive)
            return False
        self._allowed[folder] = time.monotonic() + ALLOWED_SECONDS
        return True

    def _are_few(self, folder: str, counts: Mapping[str, int], files: int) -> bool:
        """Return True if the files may pass without a complete check."""
        since = time.monotonic() - FEW_WITHIN_SECONDS
        windows = {device: self._windows.get((folder, device)) for device in counts}
        recent = {
            device: window.lost_since(since, FEW_FILES) if window else 0
            for device, window in windows.items()
        }
        return all(
            count + recent[device] <= FEW_FILES
            or self.holds.is_released((folder, device))
            # The limit does not apply to small folders.
            or files + recent[device] <= self._files
            for device, count in counts.items()
        )

    async def _allow(
        self, gate: Gate, folder: str, pending: PendingChanges, counted: Counted
    ) -> None:
        self._moves.expect(folder, counted.moved, self._windows_of(folder))
        self._releases.begin(folder, counted)
        paths = [each.path for each in pending.changes if each.action != "added"]
        # A file that a folder replaces waits as well, but is not among the changed files.
        gate.set_clock()
        await asyncio.to_thread(gate.allow, folder, [*paths, *pending.others])
        self._allowed[folder] = time.monotonic() + ALLOWED_SECONDS
        self.passing.set()

    async def _count_pending(self, folder: str, pending: PendingChanges) -> Counted:
        self._count_changes()
        return await self._moves.count(folder, pending, self._windows_of(folder))

    def _windows_of(self, folder: str) -> dict[str, ChangeWindow]:
        return {pair[1]: window for pair, window in self._windows.items() if pair[0] == folder}

    def _excessive(
        self, folder: str, counted: Counted, files: int
    ) -> dict[Pair, list[PendingChange]]:
        """Return the changes of devices that exceed the limit, and that no user has allowed."""
        found = {}
        for device, lost in counted.lost.items():
            pair = (folder, device)
            window = self._window(pair)
            passed = window.lost(time.monotonic())
            # Encrypted files with new names arrive first, and would double the number of files.
            exceeds = self._exceeds_limit(len(lost) + passed, files + passed - window.added)
            if exceeds and not self.holds.is_released(pair):
                found[pair] = lost
        return found

    async def _hold_all(
        self, gate: Gate, folder: str, excessive: dict[Pair, list[PendingChange]]
    ) -> None:
        gate.hold(folder)
        try:
            for pair, lost in excessive.items():
                await self._hold(pair, lost)
        except Exception:
            # Let the hub ask again; until then it keeps its files.
            gate.unhold(folder)
            raise

    async def _hold(self, pair: Pair, lost: list[PendingChange]) -> None:
        window = self._window(pair)
        now, clock = time.monotonic(), time.time()
        # A file that has passed may have been changed again.
        last = {each.path: each.action for each in lost}
        passed = [
            PassedFile(path, last.get(path, each.action), int(clock - (now - each.first)))
            for path, each in window.lost_files().items()
        ]
        known = [
            PendingChange(each.path, pair[1], each.action)
            for each in passed
            if each.path not in last
        ]
        revision = await self.holds.hold(pair, [*lost, *known], passed)
        self._windows.pop(pair, None)
        if self._gate is not None:
            # Without a new revision, the share is on hold already, or no longer exists.
            self._held[pair[0]] = revision or self._hub.brief().applied_revision

    def _end_holds(self, gate: Gate) -> None:
        """Let the hub ask again after it has removed the held device from the folder."""
        applied = self._hub.brief().applied_revision
        for folder, revision in list(self._held.items()):
            if applied >= revision:
                del self._held[folder]
                gate.unhold(folder)

    def _count_changes(self) -> None:
        now, hub = time.monotonic(), self._hub.brief().engine_id
        while self._changes:
            change = self._changes.popleft()
            # A user made the changes of the hub itself, for example with a restore.
            if change.device in (None, hub):
                continue
            pair = (change.folder, change.device)
            action, moved = self._action(change), self._moves.take(change.folder, change.path)
            # What a user has released must not count when the release ends.
            if self.holds.is_released(pair):
                continue
            window = self._window(pair)
            # A file that was replaced before it was moved is still lost.
            if not moved or window.is_lost(change.path):
                window.add(now, change.path, action)

    def _action(self, change: HubChange) -> Action:
        """Return "replaced" only for a file that has passed the gate, and so had an old version."""
        if self._gate is None:
            return "deleted" if change.action == "deleted" else "added"
        passed = self._passed.setdefault(change.folder, set())
        if change.path not in passed:
            passed.update(self._gate.take_passed(change.folder))
        was_there = change.path in passed
        passed.discard(change.path)
        if was_there:
            self._passing.add(change.folder)
        if change.action == "deleted":
            return "deleted"
        return "replaced" if was_there else "added"

    def _window(self, pair: Pair) -> ChangeWindow:
        return self._windows.setdefault(pair, ChangeWindow())

    async def _check_windows(self) -> None:
        """Hold devices whose changes have passed in small parts."""
        now = time.monotonic()
        for pair, window in list(self._windows.items()):
            lost = window.lost(now)
            if window.is_empty:
                del self._windows[pair]
            elif lost > self._files and not self.holds.is_released(pair):
                total = window.files_before(self._file_count(pair[0]))
                if self._exceeds_limit(lost, total):
                    await self._hold(pair, await self._stop(pair))

    async def _stop(self, pair: Pair) -> list[PendingChange]:
        """Stop further changes of a device, and return those that are pending."""
        if self._gate is None:
            return []
        self._gate.hold(pair[0])
        with suppress(AppError):
            pending = await self._hub.pending(pair[0])
            return (await self._count_pending(pair[0], pending)).lost.get(pair[1], [])
        return []

    def _file_count(self, folder: str) -> int | None:
        # Unknown right after an engine start.
        found = self._hub.state().folders.get(folder)
        return None if found is None or found.state in UNCOUNTED else found.files

    def _exceeds_limit(self, lost: int, total: int | None) -> bool:
        if not self._percent or total is None:
            return False
        return lost > self._files and lost * 100 > self._percent * total
