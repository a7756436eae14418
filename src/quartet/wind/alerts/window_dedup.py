"""Recognises windows that were already announced, although every run shifts them a little.

A window is announced once. It remains the same window while forecasts move it by a few hours,
shorten, lengthen, split or merge it, and while single runs miss it. It is a different window if
more than three hours lie between the old and the new position. After it was missing from three
runs and for a whole day it counts as gone, and is announced again if it returns.

The user is notified when an announced window disappears; then it counts as gone at once. If it
begins within a day, one run without it suffices, otherwise two runs confirm each other. A window
that has returned before must be missing from three runs, so that uncertain weather causes few
messages.

All durations are measured between run times, not by the system clock, so that a wrong clock
does no harm.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.types import AlertWindow

# The furthest a window may move between two runs.
NEAR = 3 * HOUR
GONE_RUNS = 3
GONE_SECONDS = 24 * HOUR
# Windows that begin sooner are withdrawn after the first run without them.
SOON = 24 * HOUR


class KnownWindow(NamedTuple):
    """A window found before; `began` is its first start and identifies it.

    `turn` counts how many times it returned after it was gone.
    """

    began: int
    start: int
    end: int
    turn: int = 1
    misses: int = 0
    missing_since: int | None = None
    missed_run: int | None = None


class RunCoverage(NamedTuple):
    """The hours a run covers, `first` to before `end`; `least` is the minimum window length."""

    run: int
    first: int
    end: int
    least: int


class WindowGroup(NamedTuple):
    """Windows separated by short breaks; `forecast` is the first of them."""

    start: int
    end: int
    forecast: AlertWindow


class WindowUpdate(NamedTuple):
    """A window to remember, with its current forecast."""

    window: KnownWindow
    forecast: AlertWindow


class Decision(NamedTuple):
    """`fresh` windows are announced, for the first time or again; the others are only stored."""

    fresh: list[WindowUpdate]
    moved: list[WindowUpdate]
    missed: list[KnownWindow]


def decide(
    known: Sequence[KnownWindow], found: Iterable[AlertWindow], coverage: RunCoverage
) -> Decision:
    decision = Decision([], [], [])
    groups = _group_windows(found)
    taken = {each.began for each in known}
    for group in groups:
        if not any(_near(each, group) for each in known):
            first = KnownWindow(_unused_id(group.start, taken), group.start, group.end)
            decision.fresh.append(WindowUpdate(first, group.forecast))
    for each in known:
        same = [group for group in groups if _near(each, group)]
        if same:
            _handle_match(each, same, known, coverage, decision)
        elif (missed := _missed(each, coverage)) != each:
            decision.missed.append(missed)
    return decision


def _unused_id(start: int, taken: Collection[int]) -> int:
    """Return an unused id: the start, or a few seconds later if a moved window has it."""
    while start in taken:
        start += 1
    return start


def _group_windows(found: Iterable[AlertWindow]) -> list[WindowGroup]:
    groups: list[WindowGroup] = []
    for window in found:
        if groups and window.start - groups[-1].end <= NEAR:
            groups[-1] = groups[-1]._replace(end=window.end)
        else:
            groups.append(WindowGroup(window.start, window.end, window))
    return groups


def _near(known: KnownWindow, group: WindowGroup) -> bool:
    return group.start <= known.end + NEAR and known.start <= group.end + NEAR


def _handle_match(
    known: KnownWindow,
    same: list[WindowGroup],
    all_known: Sequence[KnownWindow],
    coverage: RunCoverage,
    decision: Decision,
) -> None:
    update = WindowUpdate(_moved(known, same, coverage), same[0].forecast)
    if _gone(known, coverage) and not _announced_by_another(known, all_known, same[0], coverage):
        again = update.window._replace(turn=known.turn + 1)
        decision.fresh.append(update._replace(window=again))
    elif update.window != known:
        decision.moved.append(update)


def _gone(known: KnownWindow, coverage: RunCoverage) -> bool:
    since = known.missing_since
    return known.misses >= GONE_RUNS and since is not None and coverage.run - since >= GONE_SECONDS


def is_withdrawn(missed: KnownWindow, coverage: RunCoverage) -> bool:
    """Return whether to notify the user that this window is missing."""
    if missed.turn > 1:
        return missed.misses >= GONE_RUNS
    return missed.misses >= (1 if missed.start - coverage.first <= SOON else 2)


def as_gone(window: KnownWindow) -> KnownWindow:
    """Return the window marked as gone, so that it is announced again if it returns."""
    return window._replace(misses=GONE_RUNS, missing_since=0)


def _announced_by_another(
    gone: KnownWindow, known: Sequence[KnownWindow], group: WindowGroup, coverage: RunCoverage
) -> bool:
    """Several windows have merged: return whether another one of them is known or announced."""
    others = [each for each in known if each.began != gone.began and _near(each, group)]
    return any(not _gone(each, coverage) or each.began < gone.began for each in others)


def _moved(known: KnownWindow, same: list[WindowGroup], coverage: RunCoverage) -> KnownWindow:
    start, end = same[0].start, same[-1].end
    # Past hours and hours after the last step are not visible; keep the old bounds there.
    if start <= coverage.first:
        start = min(start, known.start)
    if end >= coverage.end:
        end = max(end, known.end)
    return KnownWindow(known.began, start, end, known.turn)


def _missed(known: KnownWindow, coverage: RunCoverage) -> KnownWindow:
    """Count a miss, unless the visible part is too short to be a window."""
    visible = min(known.end, coverage.end) - max(known.start, coverage.first)
    counted = known.missed_run is not None and coverage.run <= known.missed_run
    if visible < coverage.least or counted or known.misses >= GONE_RUNS:
        return known
    since = coverage.run if known.missing_since is None else known.missing_since
    return known._replace(misses=known.misses + 1, missing_since=since, missed_run=coverage.run)
