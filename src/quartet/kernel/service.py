"""The interface between a service and the kernel."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from litestar.connection import ASGIConnection
from litestar.types import ControllerRouterHandler

from quartet.kernel.addresses import parse_address
from quartet.kernel.db import Database, History
from quartet.kernel.events import EventHub, Signal
from quartet.kernel.fast_paths import FastFile, FastPath, FastVersion
from quartet.kernel.metrics import Gauge, StoredGauge
from quartet.kernel.redis import redis_address
from quartet.kernel.settings import Role, Settings
from quartet.kernel.supervisor import BackgroundTask, Supervisor

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from quartet.kernel.audit.service import AuditLog
    from quartet.kernel.backups.service import Backups
    from quartet.kernel.conditions import Conditions
    from quartet.kernel.outbound import OutboundClient
    from quartet.kernel.tracing import Tracing
    from quartet.kernel.trends import TrendRecorder

S = TypeVar("S", bound=Settings)

WAKE_TASK = "hurry"

Connection = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """The authenticated caller.

    `via` is session, token, proxy or open; `session` is a token hash.
    """

    subject: str
    via: str
    session: str | None = None


def header(connection: Connection, name: str) -> str:
    """Return a header from the dictionary the edge built; Litestar would parse them again."""
    value: str = connection.scope["header"].get(name, "")  # type: ignore[typeddict-item]
    return value


def client_address(connection: Connection) -> str:
    """Return the address of the client, behind trusted proxies, or "" if it is unknown."""
    host = connection.client.host if connection.client else ""
    return str(parse_address(host) or "")


Authenticate = Callable[[Connection], Awaitable[Identity | None]]


@dataclass
class UserProxy:
    """The proxy set by users of the service."""

    address: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Kernel(Generic[S]):
    """Everything a feature needs from the kernel; there are no globals."""

    service: str
    settings: S
    db: Database
    events: EventHub
    supervisor: Supervisor
    schema_version: int
    definition: "Service[S]"
    demo: bool = False
    # Private addresses that may always be reached.
    own_servers: tuple[str, ...] = ()
    # The proxy for outgoing requests.
    proxy: UserProxy = field(default_factory=UserProxy)
    # Returns True after a stop was requested: requests are served, but readiness fails.
    stopping: Callable[[], bool] = lambda: False
    started_at: float = field(default_factory=time.time)

    @cached_property
    def outbound(self) -> "OutboundClient":
        """The HTTP client, created on first use because not every service needs it."""
        from quartet.kernel.outbound import OutboundClient

        return OutboundClient(allow_private=self.allow_private, proxy=lambda: self.proxy.address)

    @cached_property
    def tracing(self) -> "Tracing | None":
        """Sends traces to a collector; None without its address."""
        if self.settings.traces_url is None:
            return None
        from quartet.kernel.tracing import Tracing

        return Tracing(self.service, self.settings.traces_url)

    @cached_property
    def backups(self) -> "Backups":
        from quartet.kernel.backups import Backups

        return Backups(self.definition, self.settings)

    @cached_property
    def audit_log(self) -> "AuditLog":
        from quartet.kernel.audit.service import AuditLog

        return AuditLog(self.db, self.definition.history)

    @cached_property
    def conditions(self) -> "Conditions":
        """The current problems of the service."""
        from quartet.kernel.conditions import Conditions

        return Conditions()

    @cached_property
    def trends(self) -> "TrendRecorder":
        """The recorded figures of the service."""
        from quartet.kernel.trends import TrendRecorder

        return TrendRecorder(self.settings.data / "trends.bin")

    @property
    def allow_private(self) -> bool | tuple[str, ...]:
        """Non-public addresses that may be reached: all, or a list."""
        settings = self.settings
        return settings.allow_private_addresses or (
            *self.own_servers,
            *settings.allowed_private_networks,
        )

    @cached_property
    def redis(self) -> "Redis | None":
        """The Redis client for state shared between processes; None without a Redis URL."""
        address = self.settings.redis_url
        if address is None:
            return None
        from redis.asyncio import Redis

        return Redis.from_url(
            redis_address(address),
            # Sign-in waits for Redis, so the timeouts are short before counting falls back to one
            # process.
            socket_timeout=1,
            socket_connect_timeout=1,
        )

    def wake_task(self, loop: str) -> None:
        """Run a background task now, in whichever process it runs."""
        self.events.publish_threadsafe(Signal(WAKE_TASK, loop))

    async def close(self) -> None:
        if self.__dict__.get("redis") is not None:
            await self.__dict__["redis"].aclose()
        if "outbound" in self.__dict__:
            await self.outbound.close()
        if (tracing := self.__dict__.get("tracing")) is not None:
            await asyncio.to_thread(tracing.close)
        await asyncio.to_thread(self.db.close)


@dataclass(frozen=True)
class BuiltService:
    """The result of `Service.build`: routes, injected dependencies and background tasks."""

    routes: Sequence[ControllerRouterHandler]
    # Called before every handler that is not public.
    authenticate: Authenticate
    dependencies: Mapping[str, object] = field(default_factory=dict)
    background_tasks: Sequence[BackgroundTask] = ()
    # Public JSON responses by path, for requests so frequent that routing would cost too much. Each
    # path also has a route, for OpenAPI and for requests the fast path cannot answer.
    fast_paths: Mapping[str, FastPath] = field(default_factory=dict)
    # Their answers are kept in memory while this stays the same; None keeps nothing.
    fast_version: FastVersion | None = None
    # Beginnings of public paths whose files may be in memory; each path also has a route.
    fast_files: Mapping[str, FastFile] = field(default_factory=dict)
    # Beginnings of paths whose JSON contains nothing secret and is compressed, with the seconds for
    # which it may be cached.
    public_json: Mapping[str, int] = field(default_factory=dict)
    # Whether other responses are compressed as well. The size of a compressed response reveals
    # whether its secrets contain a guess, so a service with accounts of strangers must not.
    compress: bool = True
    # Public paths that pages of other origins may call: a secret in the body is the proof.
    cross_origin_paths: Sequence[str] = ()
    # Public pages that other sites may show in a frame; they must not contain personal data.
    framed_paths: Sequence[str] = ()
    # Figures of the service itself for its metrics.
    gauges: Sequence[Gauge] = ()
    stored_gauges: Sequence[StoredGauge] = ()


@dataclass(frozen=True)
class Service(Generic[S]):
    name: str
    prefix: str
    settings: type[S]
    history: History
    build: Callable[[Kernel[S]], BuiltService]
    # The first step for a new user, printed by `quartet serve`; {address} is replaced.
    welcome: Callable[[Kernel[S]], str]
    # Files and folders in the data folder, besides the database, that belong to a backup.
    backup_paths: tuple[str, ...] = ("keys",)
    # Roles its processes may have; services that work on local files support only "all".
    roles: tuple[Role, ...] = ("all",)
    # Whether it cannot do its main task while the database is unavailable.
    needs_database: bool = True
    # Validates or adjusts settings, for example a public address without a login.
    prepare: Callable[[S], S] = lambda settings: settings
    # Adjusts settings for the demo, which must not use anything outside its folder.
    prepare_demo: Callable[[S], S] = lambda settings: settings
    # Private addresses of servers that the demo starts.
    demo_servers: tuple[str, ...] = ()
