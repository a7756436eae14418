"""Input and output types of the engine."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from quartet.downloads.transfer.ciphers import CounterMode
from quartet.kernel.errors import Problem

MIB = 1024 * 1024


@dataclass(frozen=True)
class Timeouts:
    """In seconds; a connection must average `lowest_speed` bytes per second over each `window`."""

    connect: float = 20
    answer: float = 60
    window: float = 30
    lowest_speed: int = 64
    retries: int = 3
    first_delay: float = 0.5


class ServerCredentials(NamedTuple):
    """User and password for one server, which `address` names by scheme, host and port."""

    address: str
    user: str
    password: str

    def __repr__(self) -> str:
        return f"ServerCredentials({self.address})"

    def as_header(self) -> str:
        """Return the value of the header Authorization."""
        return "Basic " + b64encode(f"{self.user}:{self.password}".encode()).decode()


@dataclass(frozen=True)
class ExternalProgram:
    """A program that fetches a file; `request` is a JSON object."""

    command: Sequence[str]
    request: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Job:
    """One file to fetch. Addresses, headers and cookies may be secret, so repr omits them."""

    id: int
    url: str = field(repr=False)
    part: Path
    # Other addresses of the same file, used at the same time.
    mirrors: Sequence[str] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Sent to the origin of the address only, like the cookies.
    own_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Each is sent to its server only, also if a redirect leads there.
    logins: Sequence[ServerCredentials] = ()
    user_agent: str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    proxy: str | None = field(default=None, repr=False)
    connections: int = 4
    min_segment: int = 4 * MIB
    known_size: int | None = None
    # A .torrent or Metalink file, or a magnet link, is reported as `leads_to_container`.
    opens_containers: bool = False
    group: int | None = None
    cipher: CounterMode | None = None
    program: ExternalProgram | None = None
    timeouts: Timeouts = Timeouts()


@dataclass(frozen=True)
class Finished:
    """All bytes are in the part file; call `remove_checkpoint` after moving it."""

    id: int
    size: int
    name_hint: str | None


@dataclass(frozen=True)
class Failed:
    """The part file keeps what can be resumed; starting the job again continues from there."""

    id: int
    problem: Problem
    retryable: bool
    retry_after: float | None = None
    offline: bool = False


@dataclass(frozen=True)
class Paused:
    id: int


Outcome = Finished | Failed | Paused


@dataclass(frozen=True)
class Snapshot:
    id: int
    bytes_done: int
    size: int | None
    speed: float
    connections: int
    name_hint: str | None
    segments: tuple[tuple[int, int, int | None], ...]  # start, position, end
