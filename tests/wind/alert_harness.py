"""Alerts on made-up weather, with a manual clock and recorded messages.

Only the delivery to the outside is faked.
"""

import math
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from quartet.kernel.db import Database, migrate, open_database
from quartet.kernel.errors import AppError
from quartet.kernel.push.types import PushMessage, PushResult
from quartet.wind.accounts import store as accounts
from quartet.wind.alerts import evaluation as evaluations
from quartet.wind.alerts import store, store_history
from quartet.wind.alerts.delivery import Delivery
from quartet.wind.alerts.evaluation import Evaluation
from quartet.wind.alerts.message_sender import (
    ChannelSenders,
    MessageLinks,
    MessageSender,
    OutgoingMessage,
    SendOutcome,
)
from quartet.wind.alerts.store_windows import WatchedAlert
from quartet.wind.alerts.types import (
    AlarmChange,
    AlertWindow,
    ChosenChannels,
    HistoryEntry,
    HourSpan,
)
from quartet.wind.alerts.unsubscribe import UnsubscribeTokens
from quartet.wind.app import SERVICE
from quartet.wind.blend.answers import BlendInputs
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.forecast import Forecast
from quartet.wind.grid.geometry import Area, Grid
from quartet.wind.messengers.types import MessengerResult
from quartet.wind.spots import store as spots
from tests.databases import put_empty_database
from tests.wind.runs import finished_run
from tests.wind.signed_in_users import new_account
from tests.wind.upstream import Clock

HOUR, DAY = 3600, 86400
# Midnight of a Tuesday in May, when every model has a run.
START = 1_778_544_000
GRID = Grid.over(Area(8, 54, 11, 56), 1.0)
# Returns knots, gust and degrees, given a spot's number, a run and a time.
Weather = Callable[[int, int, int], tuple[float, float, int]]


# The windows in the message that is being sent.
current_windows: ContextVar[list[str]] = ContextVar("current_windows")


class ObservedSender(MessageSender):
    """Tells the imitated channels which windows a message contains."""

    async def send(self, message: OutgoingMessage) -> SendOutcome:
        current_windows.set([each.key.name for each in message.windows])
        return await super().send(message)


class Crash(BaseException):
    """Simulates the death of the process."""


@dataclass
class ReceivedMessage:
    at: float
    user: int | str
    name: str
    text: str
    more: dict[str, Any] = field(default_factory=dict)
    windows: list[str] = field(default_factory=lambda: current_windows.get())


@dataclass
class FakePush:
    clock: Clock
    received: list[ReceivedMessage] = field(default_factory=list)
    answer: PushResult = field(default_factory=lambda: PushResult(1, 0, 0))
    down: bool = False
    crash: bool = False
    tries: int = 0

    async def send(
        self, user: int, message: PushMessage, only: Collection[int] | None = None
    ) -> PushResult:
        self.tries += 1
        if self.down:
            return PushResult(0, 0, 1, (1,))
        if self.answer.delivered:
            more = {"ttl": message.ttl, "url": message.url, "only": only}
            name = message.tag.removeprefix("alarm-")
            text = f"{message.title}: {message.body}"
            self.received.append(ReceivedMessage(self.clock(), user, name, text, more))
        if self.crash:
            self.crash = False
            raise Crash
        return self.answer


@dataclass
class FakeMail:
    clock: Clock
    received: list[ReceivedMessage] = field(default_factory=list)
    down: bool = False
    status: int = 0
    tries: int = 0
    ready: bool = True

    async def send(self, to: str, subject: str, text: str, **more: Any) -> None:
        self.tries += 1
        if self.down:
            raise AppError(502, "mail_failed", status=self.status)
        name = more["message_id"].removeprefix("<alarm-").partition("@")[0]
        self.received.append(
            ReceivedMessage(self.clock(), to, name, text, {"subject": subject, **more})
        )


@dataclass
class FakeMessengers:
    clock: Clock
    received: list[ReceivedMessage] = field(default_factory=list)
    answers: list[MessengerResult] = field(default_factory=list)

    async def send(
        self, user: int, title: str, body: str, only: Collection[int] | None = None
    ) -> MessengerResult:
        answer = self.answers.pop(0) if self.answers else MessengerResult(1)
        if answer.delivered:
            text = f"{title}: {body}"
            self.received.append(ReceivedMessage(self.clock(), user, "", text, {"only": only}))
        return answer


@dataclass
class AlertHarness:
    folder: Path
    db: Database
    clock: Clock
    weather: Weather
    push: FakePush
    mail: FakeMail
    catalogue: Catalogue
    messengers: FakeMessengers = field(init=False)
    evaluation: Evaluation = field(init=False)
    delivery: Delivery = field(init=False)

    def __post_init__(self) -> None:
        self.messengers = FakeMessengers(self.clock)
        self.restart()

    def restart(self) -> None:
        """Create new services on the same database, as after a restart."""
        addresses = MessageLinks(
            "https://wind.example.org", UnsubscribeTokens(self.folder / "keys")
        )
        senders = ChannelSenders(self.push, self.mail, self.messengers)
        sender = ObservedSender(senders, addresses, str.upper, self.clock)
        self.evaluation = Evaluation(self.db, self.catalogue, self.clock)
        self.delivery = Delivery(self.db, sender, self.clock)

    def publish(self, run: int, reach: int = 72) -> None:
        """Publish a run of ICON-EU."""
        numbers = np.zeros((reach + 1, 3, GRID.points), np.int16)
        for step in range(reach + 1):
            for spot in range(GRID.points):
                numbers[step, :, spot] = _stored(*self.weather(spot, run, run + step * HOUR))
        self.catalogue.add(finished_run(self.folder / "grids", GRID, numbers, run=run))

    async def tick(self) -> None:
        """Run every loop once."""
        await self.evaluation.evaluate_new()
        await self.delivery.deliver("push")
        await self.delivery.deliver("email")
        await self.delivery.deliver("messenger")

    async def publish_and_process(self, run: int) -> None:
        """Publish a run at its own time and process it."""
        self.clock.now = run
        self.publish(run)
        await self.tick()

    async def history(self, user: int) -> list[HistoryEntry]:
        return await self.db.read(store_history.history, user, 2000)

    async def spot(self, user: int, number: int = 0, zone: str = "Europe/Berlin") -> int:
        """Create a spot at the grid point with this number."""
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


def alert_change(**changes: Any) -> AlarmChange:
    wanted: dict[str, Any] = {
        "enabled": True,
        "wind_min": 14.75,
        "hours": HourSpan(0, 24),
        "weekdays": [1, 2, 3, 4, 5, 6, 7],
        "lead_hours": 48,
        "min_hours": 3,
        "channels": ChosenChannels(push=True, email=True),
    }
    return AlarmChange(**wanted | changes)


def windy(*spans: tuple[int, int], wind: float = 18) -> Weather:
    """Return weather that is windy everywhere in these hours after `START`."""

    def weather(_spot: int, _run: int, time: int) -> tuple[float, float, int]:
        hour = (time - START) // HOUR
        speed = wind if any(start <= hour < end for start, end in spans) else 5.0
        return speed, speed + 4, 270

    return weather


@contextmanager
def crash_after(batches: int) -> Iterator[None]:
    """Simulate a crash after this many batches of alerts."""
    real, left = evaluations.windows_in, iter(range(batches))

    def dying(
        run: Forecast,
        watched: Sequence[WatchedAlert],
        now: float,
        waves: Sequence[Forecast] = (),
        inputs: BlendInputs | None = None,
    ) -> dict[int, list[AlertWindow]]:
        if next(left, None) is None:
            raise Crash
        return real(run, watched, now, waves, inputs)

    with patch.object(evaluations, "windows_in", dying):
        yield


@asynccontextmanager
async def alert_harness_at(
    folder: Path, weather: Weather, now: float = START, url: str | None = None
) -> AsyncIterator[AlertHarness]:
    if url is None:
        put_empty_database(folder, SERVICE.history)
    db = open_database(folder, "wind", url)
    migrate(db, SERVICE.history)
    clock = Clock(now)
    try:
        yield AlertHarness(
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


async def add_user(
    harness: AlertHarness, email: str | None = "ada@example.org", language: str = "en"
) -> int:
    user = await new_account(harness.db)
    values = {
        "email": email,
        "email_key": None if email is None else f"{user} {email}",
        "email_confirmed": email is not None,
        "language": language,
    }
    await harness.db.write(lambda tx: accounts.change(tx.conn, user, **values))
    return user
