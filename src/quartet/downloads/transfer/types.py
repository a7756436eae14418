"""What the engine is handed, and what it tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quartet.downloads.transfer.ciphers import CounterMode
from quartet.kernel.errors import Problem

MIB = 1024 * 1024


@dataclass(frozen=True)
class Patience:
    """Seconds; `lowest_speed` is what a connection must average over each `window`."""

    connect: float = 20
    answer: float = 60
    window: float = 60
    lowest_speed: int = 64
    retries: int = 3
    first_delay: float = 0.5


@dataclass(frozen=True)
class Program:
    """A program that fetches a file; its request is a JSON object."""

    command: Sequence[str]
    request: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Job:
    """One file to fetch. Addresses, headers and cookies hold secrets, so they are never printed."""

    id: int
    url: str = field(repr=False)
    part: Path
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_agent: str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    proxy: str | None = field(default=None, repr=False)
    connections: int = 4
    min_segment: int = 4 * MIB
    known_size: int | None = None
    group: int | None = None
    cipher: CounterMode | None = None
    program: Program | None = None
    patience: Patience = Patience()


@dataclass(frozen=True)
class Finished:
    """Every byte is in the part file; `forget` its control file once it has been moved."""

    id: int
    size: int
    name_hint: str | None


@dataclass(frozen=True)
class Failed:
    """What can be resumed stays in the part file; beginning the job again goes on from there."""

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
    segments: tuple[tuple[int, int, int | None], ...]  # start, written up to, end
