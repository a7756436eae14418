"""Alarms on weather that a test makes up, with a clock that stands still and messages that are
looked at. Only what goes out into the world is imitated."""

import math
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from quartet.kernel.db import Database, migrate, open_database
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store as accounts
from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts import store, store_messages
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.sending import Addresses, Sending
from quartet.wind.alerts.store_windows import Watched
from quartet.wind.alerts.types import AlarmChange, Channels, HistoryEntry, HourSpan, Window
from quartet.wind.alerts.unsubscribe import Tokens
from quartet.wind.app import SERVICE
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.grid.reading import StoredRun
from quartet.wind.push.types import Message, Sent
from quartet.wind.spots import store as spots
from tests.databases import put_empty_database
from tests.wind.riders import new_account
from tests.wind.runs import finished_run
from tests.wind.upstream import Clock

HOUR, DAY = 3600, 86400
# Midnight of a Tuesday in May, a run of every model.
START = 1_778_544_000
GRID = Grid.over(Area(8, 54, 11, 56), 1.0)
# Knots, gust and degrees of a spot by its number, as a run told it for a time.
Weather = Callable[[int, int, int], tuple[float, float, int]]


class Crash(BaseException):
    """The process is gone, in the middle of what it did."""


@dataclass
class Arrived:
    at: float
    user: int | str
    name: str
    text: str
    more: dict[str, Any] = field(default_factory=dict)


@dataclass
class FakePush:
    clock: Clock
    arrived: list[Arrived] = field(default_factory=list)
    answer: Sent = field(default_factory=lambda: Sent(1, 0, 0))
    down: bool = False
    crash: bool = False
    tries: int = 0

    async def send(self, user: int, message: Message, only: Collection[int] | None = None) -> Sent:
        self.tries += 1
        if self.down:
            return Sent(0, 0, 1, (1,))
        if self.answer.delivered:
            more = {"ttl": message.ttl, "url": message.url, "only": only}
            name = message.tag.removeprefix("alarm-")
            text = f"{message.title}: {message.body}"
            self.arrived.append(Arrived(self.clock(), user, name, text, more))
        if self.crash:
            self.crash = False
            raise Crash
        return self.answer


@dataclass
class FakeMail:
    clock: Clock
    arrived: list[Arrived] = field(default_factory=list)
    down: bool = False
    status: int = 0
    tries: int = 0
    ready: bool = True

    async def send(self, to: str, subject: str, text: str, **more: Any) -> None:
        self.tries += 1
        if self.down:
            raise AppError(502, "mail_failed", status=self.status)
        name = more["message_id"].removeprefix("<alarm-").partition("@")[0]
        self.arrived.append(Arrived(self.clock(), to, name, text, {"subject": subject, **more}))


@dataclass
class Room:
    folder: Path
    db: Database
    clock: Clock
    weather: Weather
    push: FakePush
    mail: FakeMail
    catalogue: Catalogue
    evaluation: Evaluation = field(init=False)
    delivery: Delivery = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """New services on the same database, as after the start of a process."""
        addresses = Addresses("https://wind.example.org", Tokens(self.folder / "keys"))
        sending = Sending(self.push, self.mail, addresses, str.upper, self.clock)
        self.evaluation = Evaluation(self.db, self.catalogue, self.clock)
        self.delivery = Delivery(self.db, sending, self.clock)

    def publish(self, run: int, reach: int = 72) -> None:
        """A run of ICON-EU."""
        numbers = np.zeros((reach + 1, 3, GRID.points), np.int16)
        for step in range(reach + 1):
            for spot in range(GRID.points):
                numbers[step, :, spot] = _stored(*self.weather(spot, run, run + step * HOUR))
        self.catalogue.add(finished_run(self.folder / "grids", GRID, numbers, run=run))

    async def tick(self) -> None:
        """One round of all loops."""
        await self.evaluation.look()
        await self.delivery.deliver("push")
        await self.delivery.deliver("email")

    async def comes(self, run: int) -> None:
        """A run at its own time, and what follows from it."""
        self.clock.now = run
        self.publish(run)
        await self.tick()

    async def history(self, user: int) -> list[HistoryEntry]:
        return await self.db.read(store_messages.history, user, 2000)

    async def spot(self, user: int, number: int = 0, zone: str = "Europe/Berlin") -> int:
        """The spot on the point of the grid with this number."""
        row, column = divmod(number, GRID.nx)
        values = {
            "name": "Kite Nord",
            "lat": GRID.south + row,
            "lon": GRID.west + column,
            "directions": [],
            "timezone": zone,
            "created_at": 0,
        }
        return await self.db.write(lambda tx: spots.add(tx.conn, user, values))

    async def set(self, spot: int, change: AlarmChange) -> None:
        await self.db.write(lambda tx: store.save(tx.conn, spot, change, "icon-eu"))


def _stored(wind: float, gust: float, direction: int) -> list[int]:
    turned = math.radians(direction)
    numbers = (-wind * math.sin(turned), -wind * math.cos(turned), gust)
    return [round(100 * number) for number in numbers]


def wish(**changes: Any) -> AlarmChange:
    wanted: dict[str, Any] = {
        "enabled": True,
        "wind_min": 14.75,
        "hours": HourSpan(0, 24),
        "weekdays": [1, 2, 3, 4, 5, 6, 7],
        "lead_hours": 48,
        "min_hours": 3,
        "channels": Channels(push=True, email=True),
    }
    return AlarmChange(**wanted | changes)


def blowing(*spans: tuple[int, int], wind: float = 18) -> Weather:
    """At every spot, between these hours after `START`."""

    def weather(_spot: int, _run: int, time: int) -> tuple[float, float, int]:
        hour = (time - START) // HOUR
        speed = wind if any(start <= hour < end for start, end in spans) else 5.0
        return speed, speed + 4, 270

    return weather


@contextmanager
def dying_after(batches: int) -> Iterator[None]:
    """The process dies when it has looked at so many batches of alarms."""
    real, left = evaluations.windows_in, iter(range(batches))

    def dying(run: StoredRun, watched: Sequence[Watched], now: float) -> dict[int, list[Window]]:
        if next(left, None) is None:
            raise Crash
        return real(run, watched, now)

    with patch.object(evaluations, "windows_in", dying):
        yield


@asynccontextmanager
async def room_at(
    folder: Path, weather: Weather, now: float = START, url: str | None = None
) -> AsyncIterator[Room]:
    if url is None:
        put_empty_database(folder, SERVICE.history)
    db = open_database(folder, "wind", url)
    migrate(db, SERVICE.history)
    clock = Clock(now)
    try:
        yield Room(
            folder,
            db,
            clock,
            weather,
            FakePush(clock),
            FakeMail(clock),
            Catalogue(folder / "grids"),
        )
    finally:
        db.close()


async def somebody(room: Room, email: str | None = "ada@example.org", language: str = "en") -> int:
    user = await new_account(room.db)
    values = {
        "email": email,
        "email_key": None if email is None else f"{user} {email}",
        "email_confirmed": email is not None,
        "language": language,
    }
    await room.db.write(lambda tx: accounts.change(tx.conn, user, **values))
    return user
