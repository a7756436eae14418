import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Never

from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.sync.cluster.requests import Requests
from quartet.sync.cluster.state import ClusterState
from quartet.sync.config.desired import MAIN, hub_state
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.hub import store
from quartet.sync.hub.shared import FURTHER_KINDS, MAIN_KINDS, SharedHub
from quartet.sync.hub.types import HubReport, KnownHub, ListedHub, NoHub
from quartet.sync.protocol import Peer


class Hubs:
    """The main hub and the additional hubs, which connect to it like devices."""

    def __init__(
        self,
        db: Database,
        cluster_state: ClusterState,
        requests: Requests,
        *mine: SharedHub,
        on_location_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`mine` are the main hub and the hub that may run on this server."""
        self._db = db
        self.single_server = cluster_state.single_server
        self._cluster_state = cluster_state
        self._requests = requests
        # By name; the main hub's is empty.
        self.by_name: dict[str, SharedHub] = {}
        # Called when a folder's status changes on any hub.
        self.on_folder: Callable[[str], None] = lambda _folder: None
        # Called when devices without an agent connect, disconnect or ask to join at any hub.
        self.on_peers: Callable[[], None] = lambda: None
        # Set when this server's own engine has started.
        self.started = asyncio.Event()
        # Called when a hub's engine id or address changes.
        self._on_location_change = on_location_change
        for hub in mine:
            self._add(hub)
        self._add_known(db.write_sync(lambda tx: store.load_all(tx.conn)))
        for kind, folder_kind in (MAIN_KINDS, FURTHER_KINDS):
            cluster_state.watch(kind, self._on_hub_row)
            cluster_state.watch(folder_kind, self._on_folder_row)

    def _add(self, hub: SharedHub) -> None:
        self.by_name[hub.name] = hub
        hub.on_folder = lambda folder: self.on_folder(folder)
        hub.on_location_change = self._on_location_change
        hub.on_peers = lambda: self.on_peers()

    def _add_known(self, found: Iterable[KnownHub]) -> None:
        for known in found:
            if known.name in self.by_name:
                self.by_name[known.name].remember(known)
            else:
                self._add(SharedHub(NoHub(), self._cluster_state, self._requests, "", known))

    def _on_hub_row(self, server: str, name: str, row: bytes | None) -> None:
        if hub := self._named(name, row):
            hub.apply_row(server, row)

    def _on_folder_row(self, _server: str, name: str, row: bytes | None) -> None:
        named, _, folder = name.rpartition(" ")
        if hub := self._named(named, row):
            hub.apply_folder_row(folder, row)

    def _named(self, name: str, row: bytes | None) -> SharedHub | None:
        """Return the hub; add an unknown one unless its row was removed."""
        if row is not None and name not in self.by_name:
            self._add_known([KnownHub(name, "", "")])
        return self.by_name.get(name)

    async def store_location(self, hub: SharedHub) -> Never:
        """Store the hub's location, so that it survives a restart of all servers."""
        while True:
            await self.started.wait()
            await self._db.write(_put, KnownHub(hub.name, hub.brief().engine_id, hub.address))
            self.started.clear()

    async def all_exist(self, names: Iterable[str]) -> bool:
        """Return True if all hubs exist; unknown ones are looked up in the database first."""
        if self.names().issuperset(names):
            return True
        await self._refresh()
        return self.names().issuperset(names)

    def exists(self, tx: Tx, name: str) -> bool:
        """Return True if the hub exists, within a change that prevents its removal."""
        return name == MAIN or self._is_run(name) or store.is_kept(tx.conn, name)

    def _is_run(self, name: str) -> bool:
        hub = self.by_name.get(name)
        return hub is not None and hub.is_run

    async def remove(self, revisions: Revisions, user: str, name: str) -> None:
        """Remove the hub; if a server runs it again, it reappears."""

        def work(tx: Tx, before: Config) -> None:
            if not store.is_kept(tx.conn, name):
                raise AppError(404, "unknown_hub", hub=name)
            if self._is_run(name) or not store.is_free(tx.conn, name):
                raise AppError(409, "hub_running", hub=name)
            count = sum(device.hub == name for device in before.devices.values())
            if count:
                raise AppError(409, "hub_has_devices", hub=name, count=count)
            store.remove(tx.conn, name)

        await revisions.change(user, ChangeSummary("hub_removed", {"hub": name}), work)
        await self._refresh()

    async def _refresh(self) -> None:
        """Add new hubs of other servers and drop those that users removed."""
        kept = await self._db.read(store.load_all)
        self._add_known(kept)
        stay = {MAIN, *(each.name for each in kept)}
        for name, hub in list(self.by_name.items()):
            if name not in stay and not hub.is_run and not hub.may_run:
                del self.by_name[name]

    def names(self) -> set[str]:
        """Return the hubs that devices can be assigned to; an additional hub must have run once."""
        return {name for name, hub in self.by_name.items() if not name or hub.brief().engine_id}

    def is_engine(self, engine_id: str) -> bool:
        return any(hub.brief().engine_id == engine_id for hub in self.by_name.values())

    def addresses(self) -> dict[str, Peer]:
        """Return the hubs with known engines, with the addresses they use for each other."""
        return {
            name: Peer(engine_id, [f"tcp://{hub.address}" if hub.address else "dynamic"])
            for name, hub in self.by_name.items()
            if (engine_id := hub.brief().engine_id)
        }

    async def reconcile(self, config: Config) -> None:
        """Return when all running hubs have applied the configuration or failed once."""
        if not self.single_server:
            await self._refresh()
        places = self.addresses()

        def brought(name: str, hub: SharedHub) -> Awaitable[None]:
            if not hub.may_run:
                return hub.wait_for_revision(config.revision)
            return hub.reconcile(hub_state(config, name=name, hubs=places))

        await asyncio.gather(*(brought(name, hub) for name, hub in self.by_name.items()))

    def additional(self) -> list[HubReport]:
        return [hub.state() for name, hub in self.by_name.items() if name]

    def listed(self, config: Config) -> list[ListedHub]:
        """Return all hubs, main hub first."""
        counts = Counter(device.hub for device in config.devices.values())
        return [
            ListedHub(name, hub.brief().engine_id, hub.address, hub.shown_state, counts[name])
            for name, hub in sorted(self.by_name.items())
            if name in self.names()
        ]


def _put(tx: Tx, hub: KnownHub) -> None:
    store.put(tx.conn, hub)
