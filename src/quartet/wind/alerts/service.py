"""Alerts of users, one per spot."""

import logging
import time as clocks
from collections.abc import Awaitable, Callable

import msgspec

from quartet.kernel.auth import Throttle
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.wind.accounts import store as accounts
from quartet.wind.alerts import store, store_history, store_settings, store_windows
from quartet.wind.alerts.checks import check, check_timezone
from quartet.wind.alerts.model_choice import ModelChoice
from quartet.wind.alerts.store import AlertModel
from quartet.wind.alerts.trial_messages import TrialMessages
from quartet.wind.alerts.types import (
    Alarm,
    AlarmChange,
    AlarmHistory,
    AlarmList,
    AlarmReport,
    AlertSettings,
    TrialRequest,
    TrialResults,
)
from quartet.wind.alerts.unsubscribe import ALL_ALERTS, UnsubscribeTarget
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import Favorite

log = logging.getLogger("quartet.wind.alerts")

_CHOSEN_AT_ONCE = 500
_MOST_HISTORY = 400
_MOST_TROUBLES = 50
_TESTS, _TEST_SECONDS = 5, 3600


class Alerts:
    """Alerts of users; `wake` is called when an alert has to be evaluated."""

    def __init__(
        self,
        db: Database,
        spots: Spots,
        model_choice: ModelChoice,
        test_messages: TrialMessages,
        wake: Callable[[], None],
        clock: Callable[[], float] = clocks.monotonic,
    ) -> None:
        self._db = db
        self._spots = spots
        self._model_choice = model_choice
        self._test_messages = test_messages
        self._wake = wake
        self._throttle = Throttle(_TESTS, _TEST_SECONDS, clock=clock)

    async def all(self, user: int) -> AlarmList:
        return AlarmList(await self._db.read(store.of_user, user))

    async def put(self, user: int, favorite: int, change: AlarmChange) -> Alarm:
        spot = await self._spots.one(user, favorite)
        check(change)
        self._model_choice.require(change.model, spot.lat, spot.lon)
        chosen = await self._model_choice.model_for(
            spot.lat, spot.lon, change.lead_hours, change.model
        )

        def work(tx: Tx) -> None:
            # Check again: the spot may have been deleted.
            if not store.is_own(tx.conn, user, favorite):
                raise AppError(404, "not_found")
            store.save(tx.conn, favorite, change, chosen)

        await self._db.write(work)
        self._wake()
        return next(each for each in (await self.all(user)).alarms if each.favorite == favorite)

    async def remove(self, user: int, favorite: int) -> None:
        await self._spots.one(user, favorite)

        def work(tx: Tx) -> None:
            if not store.remove(tx.conn, favorite):
                raise AppError(404, "not_found")

        await self._db.write(work)

    async def history(self, user: int) -> AlarmHistory:
        return AlarmHistory(await self._db.read(store_history.history, user, _MOST_HISTORY))

    async def settings(self, user: int) -> AlertSettings:
        return await self._db.read(store_settings.get, user)

    async def set_settings(self, user: int, wanted: AlertSettings) -> AlertSettings:
        if wanted.digest is not None:
            check_timezone(wanted.digest.timezone)

        def work(tx: Tx) -> None:
            if accounts.lock_user(tx.conn, user) is None:
                raise AppError(401, "signed_out")
            store_settings.save(tx.conn, user, wanted)
            store_settings.reschedule(tx.conn, user)

        await self._db.write(work)
        log.info("user %d: alert digest %s", user, "on" if wanted.digest else "off")
        return wanted

    async def test(self, user: int, wanted: TrialRequest) -> TrialResults:
        await self._throttle.count_request(str(user))
        return TrialResults(await self._test_messages.send(user, wanted.channels))

    async def stop_emails(self, target: UnsubscribeTarget) -> None:
        """Stop the mails of one alert or of all; succeeds if they are off or the alert is gone."""
        spot = None if target.alarm == ALL_ALERTS else target.alarm
        await self._db.write(lambda tx: store.stop_emails(tx.conn, spot, target.user))

    async def on_spot_change(self, old: Favorite, new: Favorite) -> Callable[[Tx], None]:
        """Return the update to run when a spot changes, so that its alert follows."""
        mine = await self._db.read(store.alert_model_of, old.id)
        moved = (old.lat, old.lon) != (new.lat, new.lon)
        if mine is None or not (moved or old.directions != new.directions):
            return _nothing
        there = mine._replace(lat=new.lat, lon=new.lon, chosen=None)
        chosen = await self._best(there) if moved else mine.chosen

        def work(tx: Tx) -> None:
            store.choose(tx.conn, [(old.id, chosen)])
            if moved:
                store_windows.forget_windows(tx.conn, old.id)
            tx.after_commit(self._wake)

        return work

    async def choose_models(self) -> int:
        """Choose the best model for alerts without a fixed one; return how many changed."""
        after, changed = 0, 0
        while found := await self._db.read(store.alert_models, after, _CHOSEN_AT_ONCE):
            after = found[-1].alarm
            best = [(each.alarm, await self._best(each)) for each in found]
            others = [new for new, old in zip(best, found, strict=True) if new[1] != old.chosen]
            await self._db.write(_choose, others)
            changed += len(others)
        if changed:
            self._wake()
        return changed

    async def _best(self, each: AlertModel) -> str | None:
        return await self._model_choice.model_for(
            each.lat, each.lon, each.lead_hours, each.model, each.chosen
        )

    async def report(self) -> AlarmReport:
        """Return the report for the admin page."""
        count, enabled = await self._db.read(store_windows.count)
        evaluations = await self._db.read(store_windows.evaluated)
        return AlarmReport(
            count,
            enabled,
            await self._db.read(store_history.by_state),
            sorted(evaluations.values(), key=lambda each: each.at, reverse=True),
            await self._db.read(store_history.troubles, _MOST_TROUBLES),
        )

    async def export(self, user: int) -> object:
        """Return all data about a user's alerts."""
        alarms, history = await self.all(user), await self._db.read(store_history.history, user)
        settings = await self.settings(user)
        return msgspec.to_builtins(
            {"alarms": alarms.alarms, "history": history, "settings": settings}
        )


def minimums_of(db: Database) -> Callable[[int], Awaitable[dict[int, float]]]:
    """Return a function that gives the minimum wind of a user's enabled alerts by spot."""

    async def minimums(user: int) -> dict[int, float]:
        mine = await db.read(store.of_user, user)
        return {each.favorite: each.wind_min for each in mine if each.enabled}

    return minimums


def _nothing(_tx: Tx) -> None:
    pass


def _choose(tx: Tx, others: list[tuple[int, str | None]]) -> None:
    if others:
        store.choose(tx.conn, others)
