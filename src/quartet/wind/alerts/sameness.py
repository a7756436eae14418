"""Which windows have been told already, although every run draws them a little differently.

The rule, for people: a window is told once. It stays the same window while forecasts move it by a
few hours, shorten, lengthen, split or join it, and while it is missing from a run now and then. It
is another one if more than three hours lie between where it was and where it is now. Only if it
was missing from three runs and for a whole day is it taken for gone; should it come back
afterwards, it is told once more.

Everything is measured by the times of runs and not by our clock: a clock that jumps forgets
nothing.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from quartet.wind.alerts.local_time import HOUR
from quartet.wind.alerts.types import Window

# So far a window may jump from one run to the next.
NEAR = 3 * HOUR
GONE_RUNS = 3
GONE_SECONDS = 24 * HOUR


class Remembered(NamedTuple):
    """A window that was found before; `began` is where it was found first, and names it.

    `turn` counts how often it came back after it was gone for good.
    """

    began: int
    start: int
    end: int
    turn: int = 1
    misses: int = 0
    missing_since: int | None = None
    missed_run: int | None = None


class Look(NamedTuple):
    """What can be seen: hours from `first` to before `end`, in windows of at least `least`."""

    run: int
    first: int
    end: int
    least: int


class Spell(NamedTuple):
    """Windows with short breaks between them; `forecast` is the first."""

    start: int
    end: int
    forecast: Window


class Told(NamedTuple):
    """A window as it is remembered from now on, and as it is forecast."""

    window: Remembered
    forecast: Window


class Decision(NamedTuple):
    """`fresh` are told, for the first time or anew; the others are only remembered."""

    fresh: list[Told]
    moved: list[Told]
    missed: list[Remembered]


def decide(known: Sequence[Remembered], found: Iterable[Window], look: Look) -> Decision:
    decision = Decision([], [], [])
    spells = _spells(found)
    taken = {each.began for each in known}
    for spell in spells:
        if not any(_near(each, spell) for each in known):
            first = Remembered(_free(spell.start, taken), spell.start, spell.end)
            decision.fresh.append(Told(first, spell.forecast))
    for each in known:
        same = [spell for spell in spells if _near(each, spell)]
        if same:
            _seen(each, same, known, look, decision)
        elif (missed := _missed(each, look)) != each:
            decision.missed.append(missed)
    return decision


def _free(start: int, taken: Collection[int]) -> int:
    """A name: where it starts, or if another began there and has moved since, a little later."""
    while start in taken:
        start += 1
    return start


def _spells(found: Iterable[Window]) -> list[Spell]:
    spells: list[Spell] = []
    for window in found:
        if spells and window.start - spells[-1].end <= NEAR:
            spells[-1] = spells[-1]._replace(end=window.end)
        else:
            spells.append(Spell(window.start, window.end, window))
    return spells


def _near(known: Remembered, spell: Spell) -> bool:
    return spell.start <= known.end + NEAR and known.start <= spell.end + NEAR


def _seen(
    known: Remembered,
    same: list[Spell],
    all_known: Sequence[Remembered],
    look: Look,
    decision: Decision,
) -> None:
    told = Told(_moved(known, same, look), same[0].forecast)
    if _gone(known, look) and not _told_by_another(known, all_known, same[0], look):
        again = told.window._replace(turn=known.turn + 1)
        decision.fresh.append(told._replace(window=again))
    elif told.window != known:
        decision.moved.append(told)


def _gone(known: Remembered, look: Look) -> bool:
    since = known.missing_since
    return known.misses >= GONE_RUNS and since is not None and look.run - since >= GONE_SECONDS


def _told_by_another(
    gone: Remembered, known: Sequence[Remembered], spell: Spell, look: Look
) -> bool:
    """Several that became one: it is enough that one of them is known or told anew."""
    others = [each for each in known if each.began != gone.began and _near(each, spell)]
    return any(not _gone(each, look) or each.began < gone.began for each in others)


def _moved(known: Remembered, same: list[Spell], look: Look) -> Remembered:
    start, end = same[0].start, same[-1].end
    # What lies beyond can only not be seen: hours that are over, and those after the last step.
    if start <= look.first:
        start = min(start, known.start)
    if end >= look.end:
        end = max(end, known.end)
    return Remembered(known.began, start, end, known.turn)


def _missed(known: Remembered, look: Look) -> Remembered:
    """Not if what can be seen of it is too short to be found."""
    visible = min(known.end, look.end) - max(known.start, look.first)
    counted = known.missed_run is not None and look.run <= known.missed_run
    if visible < look.least or counted or known.misses >= GONE_RUNS:
        return known
    since = look.run if known.missing_since is None else known.missing_since
    return known._replace(misses=known.misses + 1, missing_since=since, missed_run=look.run)
