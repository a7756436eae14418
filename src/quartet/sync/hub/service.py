import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Never

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import Board
from quartet.sync.config.desired import MAIN, hub_state
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import Config, What
from quartet.sync.hub import store
from quartet.sync.hub.shared import FURTHER_KINDS, MAIN_KINDS, SharedHub
from quartet.sync.hub.types import HubReport, KnownHub, ListedHub, NoHub
from quartet.sync.protocol import Peer


class Hubs:
    """The main hub and the further ones, which lie around it like devices."""

    def __init__(
        self,
        db: Database,
        board: Board,
        requests: Requests,
        *mine: SharedHub,
        on_place: Callable[[], None] = lambda: None,
    ) -> None:
        """`mine` are the main one and the one that may run here."""
        self._db = db
        self.alone = board.alone
        self._board = board
        self._requests = requests
        # By name; that of the main one is empty.
        self.every: dict[str, SharedHub] = {}
        # A folder at one of them is different.
        self.on_folder: Callable[[str], None] = lambda _folder: None
        # The engine of this server's own has started.
        self.started = asyncio.Event()
        # One of them is another, or elsewhere.
        self._on_place = on_place
        for hub in mine:
            self._add(hub)
        self._know(db.write_sync(lambda tx: store.every(tx.conn)))
        for kind, folder_kind in (MAIN_KINDS, FURTHER_KINDS):
            board.watch(kind, self._hear)
            board.watch(folder_kind, self._hear_folder)

    def _add(self, hub: SharedHub) -> None:
        self.every[hub.name] = hub
        hub.on_folder = lambda folder: self.on_folder(folder)
        hub.on_place = self._on_place

    def _know(self, found: Iterable[KnownHub]) -> None:
        for known in found:
            if known.name in self.every:
                self.every[known.name].remember(known)
            else:
                self._add(SharedHub(NoHub(), self._board, self._requests, "", known))

    def _hear(self, server: str, name: str, row: bytes | None) -> None:
        if hub := self._named(name, row):
            hub.hear(server, row)

    def _hear_folder(self, _server: str, name: str, row: bytes | None) -> None:
        named, _, folder = name.rpartition(" ")
        if hub := self._named(named, row):
            hub.hear_folder(folder, row)

    def _named(self, name: str, row: bytes | None) -> SharedHub | None:
        """That one is gone makes nobody known."""
        if row is not None and name not in self.every:
            self._know([KnownHub(name, "", "")])
        return self.every.get(name)

    async def keep(self, hub: SharedHub) -> Never:
        """Where it is, so that nobody loses it when all servers start anew."""
        while True:
            await self.started.wait()
            await self._db.write(_put, KnownHub(hub.name, hub.brief().engine_id, hub.address))
            self.started.clear()

    async def know(self, names: Iterable[str]) -> bool:
        """Whether there are such hubs; one that was not heard of may have been kept."""
        if self.names().issuperset(names):
            return True
        await self._refresh()
        return self.names().issuperset(names)

    def is_there(self, tx: Tx, name: str) -> bool:
        """Of one that is known, inside a change: nobody removes it before that is done."""
        return name == MAIN or self._is_run(name) or store.is_kept(tx.conn, name)

    def _is_run(self, name: str) -> bool:
        hub = self.every.get(name)
        return hub is not None and hub.is_run

    async def remove(self, revisions: Revisions, who: str, name: str) -> None:
        """If it comes back after all, it is known again."""

        def work(tx: Tx, before: Config) -> None:
            if not store.is_kept(tx.conn, name):
                raise AppError(404, "unknown_hub", hub=name)
            if self._is_run(name) or not store.is_free(tx.conn, name):
                raise AppError(409, "hub_running", hub=name)
            count = sum(device.hub == name for device in before.devices.values())
            if count:
                raise AppError(409, "hub_has_devices", hub=name, count=count)
            store.remove(tx.conn, name)

        await revisions.change(who, What("hub_removed", {"hub": name}), work)
        await self._refresh()

    async def _refresh(self) -> None:
        """Servers come with hubs, and people remove those that stay away."""
        kept = await self._db.read(store.every)
        self._know(kept)
        stay = {MAIN, *(each.name for each in kept)}
        for name, hub in list(self.every.items()):
            if name not in stay and not hub.is_run and not hub.may_run:
                del self.every[name]

    def names(self) -> set[str]:
        """Of those a device can be assigned to: a further one must have run once."""
        return {name for name, hub in self.every.items() if not name or hub.brief().engine_id}

    def is_engine(self, engine_id: str) -> bool:
        return any(hub.brief().engine_id == engine_id for hub in self.every.values())

    def places(self) -> dict[str, Peer]:
        """Of those whose engines are known, as they dial each other."""
        return {
            name: Peer(engine_id, [f"tcp://{hub.address}" if hub.address else "dynamic"])
            for name, hub in self.every.items()
            if (engine_id := hub.brief().engine_id)
        }

    async def reconcile(self, config: Config) -> None:
        """Returns when all that run have it, or have failed once."""
        if not self.alone:
            await self._refresh()
        places = self.places()

        def brought(name: str, hub: SharedHub) -> Awaitable[None]:
            if not hub.may_run:
                return hub.reached(config.revision)
            return hub.reconcile(hub_state(config, name=name, hubs=places))

        await asyncio.gather(*(brought(name, hub) for name, hub in self.every.items()))

    def further(self) -> list[HubReport]:
        return [hub.state() for name, hub in self.every.items() if name]

    def listed(self, config: Config) -> list[ListedHub]:
        """The main one first."""
        counts = Counter(device.hub for device in config.devices.values())
        return [
            ListedHub(name, hub.brief().engine_id, hub.address, hub.shown_state, counts[name])
            for name, hub in sorted(self.every.items())
            if name in self.names()
        ]


def _put(tx: Tx, hub: KnownHub) -> None:
    store.put(tx.conn, hub)
