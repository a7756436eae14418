"""What a service is to the kernel: a name, settings, tables, and a function that builds it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from litestar.connection import ASGIConnection
from litestar.types import ControllerRouterHandler

from quartet.kernel.db import Database, History
from quartet.kernel.edge import FastPath
from quartet.kernel.events import EventHub, Signal
from quartet.kernel.redis import redis_address
from quartet.kernel.settings import Role, Settings
from quartet.kernel.supervisor import BackgroundTask, Supervisor

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from quartet.kernel.outbound import OutboundClient

S = TypeVar("S", bound=Settings)

WAKE_TASK = "hurry"

Connection = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: `via` is session, token, proxy or open; `session` is the hash of its token."""

    subject: str
    via: str
    session: str | None = None


def header(connection: Connection, name: str) -> str:
    """From the fields the edge has read already; Litestar would build its own each time."""
    value: str = connection.scope["header"].get(name, "")  # type: ignore[typeddict-item]
    return value


Authenticate = Callable[[Connection], Awaitable[Identity | None]]


@dataclass
class UserProxy:
    """Of a service whose people may set one."""

    address: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Kernel(Generic[S]):
    """Everything a feature is given; nothing is reached through globals."""

    service: str
    settings: S
    db: Database
    events: EventHub
    supervisor: Supervisor
    schema_version: int
    demo: bool = False
    # Private addresses that may always be reached.
    own_servers: tuple[str, ...] = ()
    # What goes out goes through it.
    proxy: UserProxy = field(default_factory=UserProxy)
    # Whether the process was told to stop: it still answers, but wants no new visitors.
    stopping: Callable[[], bool] = lambda: False
    started_at: float = field(default_factory=time.time)

    @cached_property
    def outbound(self) -> "OutboundClient":
        """The way out, made at first use: a service that asks nobody need not load a client."""
        from quartet.kernel.outbound import OutboundClient

        return OutboundClient(allow_private=self.allow_private, proxy=lambda: self.proxy.address)

    @property
    def allow_private(self) -> bool | tuple[str, ...]:
        """What may be reached although it is not public: everything, or some addresses."""
        return self.settings.allow_private_addresses or self.own_servers

    @cached_property
    def redis(self) -> "Redis | None":
        """Where several processes count together; nothing for one that is alone."""
        address = self.settings.redis_url
        if address is None:
            return None
        from redis.asyncio import Redis

        return Redis.from_url(
            redis_address(address),
            # Who logs in waits for it, so it is not given long before each counts alone.
            socket_timeout=1,
            socket_connect_timeout=1,
        )

    def wake_task(self, loop: str) -> None:
        """Cuts short the pause of a loop, in whichever process it runs."""
        self.events.publish_threadsafe(Signal(WAKE_TASK, loop))

    async def close(self) -> None:
        if self.__dict__.get("redis") is not None:
            await self.__dict__["redis"].aclose()
        if "outbound" in self.__dict__:
            await self.outbound.close()
        await asyncio.to_thread(self.db.close)


@dataclass(frozen=True)
class BuiltService:
    """A built service: its handlers, what they are handed by name, and its loops."""

    routes: Sequence[ControllerRouterHandler]
    # Asked before every handler that is not marked public.
    authenticate: Authenticate
    dependencies: Mapping[str, object] = field(default_factory=dict)
    background_tasks: Sequence[BackgroundTask] = ()
    # Public answers, by path, that are asked for so often that the router would cost too much.
    # Each has its route as well, for the description and for whatever is unusual.
    fast_paths: Mapping[str, FastPath] = field(default_factory=dict)


@dataclass(frozen=True)
class Service(Generic[S]):
    name: str
    prefix: str
    settings: type[S]
    history: History
    build: Callable[[Kernel[S]], BuiltService]
    # What to do there first, for the table that `quartet serve` prints.
    welcome: Callable[[Kernel[S]], str]
    # Files and folders beside the database that belong in a backup.
    backup_paths: tuple[str, ...] = ("keys",)
    # What its processes may be told to be; one that works on its own machine is always all.
    roles: tuple[Role, ...] = ("all",)
    # Refuses or tightens settings, for instance a wide address without a login.
    prepare: Callable[[S], S] = lambda settings: settings
    # The same for the demo, of which nothing may leave its folder.
    prepare_demo: Callable[[S], S] = lambda settings: settings
    # Private addresses at which the demo has servers of its own.
    demo_servers: tuple[str, ...] = ()
