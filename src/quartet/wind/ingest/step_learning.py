"""Learn from the earlier runs of a provider which steps a run will have."""

from collections.abc import Iterator

from quartet.kernel.errors import AppError
from quartet.wind.models.refused import NotYet
from quartet.wind.models.types import HOUR, Model, Reader, Upstream

# Providers keep the runs of about a day.
_KEPT_SECONDS = 24 * HOUR
# A step counts as abolished if this number of runs lack it: one file may just be missing.
_AGREEING = 2
_MOST_REMEMBERED = 100


class StepLearning:
    """Remembers what earlier runs have, so that each of them is listed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], frozenset[int]] = {}

    async def expected(
        self, model: Model, upstream: Upstream, reader: Reader, run: int
    ) -> tuple[int, ...]:
        """Return the steps of the model's own list, corrected by what earlier runs have."""
        steps = set(model.steps_of(run))
        earlier: list[frozenset[int]] = []
        for before in _runs_of_the_same_kind(model, run):
            listed = await self._listed(model, upstream, reader, before)
            if listed:
                earlier.append(listed)
        if earlier:
            steps |= earlier[0]
        if len(earlier) == _AGREEING:
            steps &= frozenset.union(*earlier)
        return tuple(sorted(steps))

    async def _listed(
        self, model: Model, upstream: Upstream, reader: Reader, run: int
    ) -> frozenset[int]:
        """Return the steps with wind, or none if they are unknown."""
        key = model.id, run
        if key not in self._known:
            try:
                listing = await upstream.listed(reader, run, with_extras=False)
            except (NotYet, AppError):
                return frozenset()
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = frozenset(listing.steps if listing else ())
        return self._known[key]


def _runs_of_the_same_kind(model: Model, run: int) -> Iterator[int]:
    """Yield the last runs before this one that should have the same steps."""
    found, before = 0, run
    while found < _AGREEING:
        before = model.run_at_or_before(before - 1)
        if run - before > _KEPT_SECONDS:
            return
        if model.steps_of(before) == model.steps_of(run):
            found += 1
            yield before
