"""Agents that came without a code and wait for a decision; in memory alone."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from quartet.kernel.addresses import parse_address
from quartet.sync.agents.pairing.types import Refusal, ShownWaiting
from quartet.sync.cluster.state import Board
from quartet.sync.names import plain
from quartet.sync.protocol import Hello, Rejected, fingerprint
from quartet.sync.protocol.limits import WAITING_DEVICES

# One machine may hold a few agents, but not the whole list.
PER_ADDRESS = 5
TURNED_AWAY = 1000


@dataclass(eq=False)
class WaitingAgent:
    hello: Hello
    peer: str
    fingerprint: str
    since: int = field(default_factory=lambda: int(time.time()))
    # The device it became, or why not.
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
            plain(self.hello.host_name, "?"),
            self.hello.os,
            self.hello.agent_version,
            self.since,
        )


class WaitingList:
    """Servers show each other who waits, and whom an admin has rejected."""

    def __init__(self, board: Board) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._board = board
        self._waiting: dict[bytes, WaitingAgent] = {}
        # By server and key: those who wait at another server.
        self._elsewhere: dict[tuple[str, str], ShownWaiting] = {}
        # Keys an admin has rejected; a dict keeps their order.
        self._turned_away: dict[bytes, None] = {}
        board.watch("waiting", self._hear_waiting)
        board.watch("turned-away", self._hear_turned_away)

    def add(self, hello: Hello, peer: str) -> WaitingAgent:
        key = hello.public_key
        if key in self._turned_away:
            raise Refusal("turned_away")
        if not _is_near(peer):
            raise Refusal("pairing_off")
        before = self._waiting.pop(key, None)
        if before is not None:
            before.refuse("replaced")
        here = sum(each.peer == peer for each in self._waiting.values())
        if len(self._waiting) >= WAITING_DEVICES or here >= PER_ADDRESS:
            raise Refusal("waiting_full")
        agent = self._waiting[key] = WaitingAgent(hello, peer, fingerprint(key))
        self._board.put("waiting", key.hex(), agent.shown())
        self.on_change()
        return agent

    def remove(self, agent: WaitingAgent) -> None:
        if self._waiting.get(agent.hello.public_key) is agent:
            del self._waiting[agent.hello.public_key]
            self._board.put("waiting", agent.hello.public_key.hex(), None)
            self.on_change()

    def find(self, fingerprint: str) -> list[WaitingAgent]:
        return [each for each in self._waiting.values() if each.fingerprint == fingerprint]

    def where(self, fingerprint: str) -> str | None:
        """The other server at which it waits; none when it waits here, or nowhere."""
        if self.find(fingerprint):
            return None
        found = (at for (at, _), each in self._elsewhere.items() if each.fingerprint == fingerprint)
        return next(found, None)

    def turn_away(self, agent: WaitingAgent) -> None:
        """Until the server restarts."""
        key = agent.hello.public_key
        self._remember(key)
        self._board.put("turned-away", key.hex(), True)
        agent.refuse("turned_away")
        self.remove(agent)

    def _remember(self, key: bytes) -> None:
        self._turned_away[key] = None
        while len(self._turned_away) > TURNED_AWAY:
            del self._turned_away[next(iter(self._turned_away))]

    def shown(self) -> list[ShownWaiting]:
        found = {each.public_key: each for each in self._elsewhere.values()}
        return list((found | {key: each.shown() for key, each in self._waiting.items()}).values())

    def _hear_waiting(self, server: str, key: str, row: bytes | None) -> None:
        self._elsewhere.pop((server, key), None)
        if row is not None:
            self._elsewhere[server, key] = msgspec.json.decode(row, type=ShownWaiting)
        self.on_change()

    def _hear_turned_away(self, _server: str, key: str, row: bytes | None) -> None:
        if row is not None:
            self._remember(bytes.fromhex(key))


def _is_near(peer: str) -> bool:
    """LAN pairing is for the LAN. With IPv6 a peer is a whole network of addresses."""
    address = parse_address(peer.partition("/")[0])
    return address is not None and (address.is_private or address.is_link_local)
