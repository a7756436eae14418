"""Agents that connected without a code and wait for approval; kept in memory only."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from quartet.kernel.addresses import parse_address
from quartet.sync.agents.pairing.types import AgentRejection, ShownWaiting
from quartet.sync.cluster.state import ClusterState
from quartet.sync.names import clean_name
from quartet.sync.protocol import Hello, Rejected, fingerprint
from quartet.sync.protocol.limits import WAITING_DEVICES

# One machine may run several agents, but must not fill the list.
MAX_PER_ADDRESS = 5
KEPT_REJECTIONS = 1000


@dataclass(eq=False)
class WaitingAgent:
    hello: Hello
    peer: str
    fingerprint: str
    since: int = field(default_factory=lambda: int(time.time()))
    # The device id, or the rejection.
    decision: asyncio.Future[int | Rejected] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def refuse(self, code: str) -> None:
        if not self.decision.done():
            self.decision.set_result(Rejected(code))

    def accept(self, device_id: int) -> None:
        if not self.decision.done():
            self.decision.set_result(device_id)

    def shown(self) -> ShownWaiting:
        return ShownWaiting(
            self.fingerprint,
            self.hello.public_key,
            clean_name(self.hello.host_name, "?"),
            self.hello.os,
            self.hello.agent_version,
            self.since,
        )


class WaitingList:
    """Waiting and rejected agents; shared with the other servers."""

    def __init__(self, cluster_state: ClusterState) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._cluster_state = cluster_state
        self._waiting: dict[bytes, WaitingAgent] = {}
        # Agents waiting at other servers, by server and key.
        self._elsewhere: dict[tuple[str, str], ShownWaiting] = {}
        # Rejected keys; a dict, to keep their order.
        self._rejected_keys: dict[bytes, None] = {}
        cluster_state.watch("waiting", self._on_waiting_row)
        cluster_state.watch("turned-away", self._on_rejected_row)

    def add(self, hello: Hello, peer: str) -> WaitingAgent:
        key = hello.public_key
        if key in self._rejected_keys:
            raise AgentRejection("turned_away")
        if not _is_on_lan(peer):
            raise AgentRejection("pairing_off")
        before = self._waiting.pop(key, None)
        if before is not None:
            before.refuse("replaced")
        here = sum(each.peer == peer for each in self._waiting.values())
        if len(self._waiting) >= WAITING_DEVICES or here >= MAX_PER_ADDRESS:
            raise AgentRejection("waiting_full")
        agent = self._waiting[key] = WaitingAgent(hello, peer, fingerprint(key))
        self._cluster_state.put("waiting", key.hex(), agent.shown())
        self.on_change()
        return agent

    def remove(self, agent: WaitingAgent) -> None:
        if self._waiting.get(agent.hello.public_key) is agent:
            del self._waiting[agent.hello.public_key]
            self._cluster_state.put("waiting", agent.hello.public_key.hex(), None)
            self.on_change()

    def find(self, fingerprint: str) -> list[WaitingAgent]:
        return [each for each in self._waiting.values() if each.fingerprint == fingerprint]

    def where(self, fingerprint: str) -> str | None:
        """Return the other server at which the agent waits, or None if it waits here or nowhere."""
        if self.find(fingerprint):
            return None
        found = (at for (at, _), each in self._elsewhere.items() if each.fingerprint == fingerprint)
        return next(found, None)

    def reject(self, agent: WaitingAgent) -> None:
        """Reject the agent until the server restarts."""
        key = agent.hello.public_key
        self._remember(key)
        self._cluster_state.put("turned-away", key.hex(), True)
        agent.refuse("turned_away")
        self.remove(agent)

    def _remember(self, key: bytes) -> None:
        self._rejected_keys[key] = None
        while len(self._rejected_keys) > KEPT_REJECTIONS:
            del self._rejected_keys[next(iter(self._rejected_keys))]

    def shown(self) -> list[ShownWaiting]:
        found = {each.public_key: each for each in self._elsewhere.values()}
        return list((found | {key: each.shown() for key, each in self._waiting.items()}).values())

    def _on_waiting_row(self, server: str, key: str, row: bytes | None) -> None:
        self._elsewhere.pop((server, key), None)
        if row is not None:
            self._elsewhere[server, key] = msgspec.json.decode(row, type=ShownWaiting)
        self.on_change()

    def _on_rejected_row(self, _server: str, key: str, row: bytes | None) -> None:
        if row is not None:
            self._remember(bytes.fromhex(key))


def _is_on_lan(peer: str) -> bool:
    """Return True for addresses on the LAN; for IPv6, `peer` is a network."""
    address = parse_address(peer.partition("/")[0])
    return address is not None and (address.is_private or address.is_link_local)
