"""Constructs what pairs devices with an agent and talks to them."""

import asyncio
from dataclasses import dataclass

from quartet.kernel.auth import Throttle
from quartet.kernel.service import Kernel
from quartet.sync.activity.service import Activity
from quartet.sync.agents.connection_numbers import ConnectionNumbers
from quartet.sync.agents.handshake import Handshake
from quartet.sync.agents.pairing.service import MAX_WRONG_CODES, Pairing
from quartet.sync.agents.pairing.waiting import WaitingList
from quartet.sync.agents.remote_connections import RemoteConnections
from quartet.sync.agents.reports import Reports
from quartet.sync.agents.service import Agents
from quartet.sync.agents.tunnels import Tunnels
from quartet.sync.agents.types import Limits
from quartet.sync.assembly.hubs import Cluster
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.location import HubLocator
from quartet.sync.hub.service import Hubs
from quartet.sync.server_key.service import ServerKeys
from quartet.sync.settings import SyncSettings


@dataclass(frozen=True)
class AgentConnections:
    """The services that pair devices with an agent and talk to them."""

    server_keys: ServerKeys
    waiting: WaitingList
    pairing: Pairing
    reports: Reports
    agents: Agents
    tunnels: Tunnels


def build_connections(
    kernel: Kernel[SyncSettings],
    limits: Limits,
    revisions: Revisions,
    activity: Activity,
    cluster: Cluster,
    hubs: Hubs,
    changed: asyncio.Event,
) -> AgentConnections:
    server_keys = ServerKeys(kernel.db, revisions.server_id)
    # The next states are signed with the new key.
    server_keys.on_change = changed.set
    waiting = WaitingList(cluster.cluster_state)
    pairing = _pairing(kernel, revisions, activity, waiting, server_keys, hubs)
    reports = Reports(kernel.db)
    handshake = Handshake(pairing, server_keys, kernel.settings.public_url, limits)
    locator = HubLocator(kernel.settings, hubs.by_name)
    agents = Agents(
        revisions,
        handshake,
        reports,
        activity,
        ConnectionNumbers(kernel.db),
        RemoteConnections(cluster.cluster_state, reports),
        server_keys,
        cluster.requests,
        hub=locator,
        limits=limits,
        stopping=lambda: kernel.events.closed,
    )
    tunnels = Tunnels(handshake, revisions, locator, limits)
    return AgentConnections(server_keys, waiting, pairing, reports, agents, tunnels)


def _pairing(
    kernel: Kernel[SyncSettings],
    revisions: Revisions,
    activity: Activity,
    waiting: WaitingList,
    server_keys: ServerKeys,
    hubs: Hubs,
) -> Pairing:
    return Pairing(
        kernel.db,
        revisions,
        activity,
        waiting,
        server_keys,
        lan_pairing=kernel.settings.lan_pairing,
        throttle=Throttle(MAX_WRONG_CODES, window=60, name="sync-codes", redis=kernel.redis),
        is_hub=hubs.is_engine,
    )
