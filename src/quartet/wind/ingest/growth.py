"""Judge when a provider has stopped adding files to a run.

The clock of the machine may be wrong, or be set while a run is fetched. A run that is served too
early stays without its last hours, so waiting a little longer is the smaller harm.
"""

from quartet.wind.ingest.run_files import STALL_SECONDS, RunFiles
from quartet.wind.ingest.tools import Tools
from quartet.wind.models.types import Model


class Growth:
    """Follows how a run grows; `pause` is the time until the next look."""

    def __init__(self, tools: Tools, model: Model, files: RunFiles) -> None:
        self._tools = tools
        self._files = files
        self._span = model.span
        # At this time the next run should be complete as well.
        self._deadline = files.usual_end + model.interval
        self._longest = model.span + model.interval
        self._started = tools.clock() - tools.elapsed()
        self.watch()

    def watch(self) -> None:
        """Begin to watch: the first files of the run are there."""
        self._watched_since = self._tools.elapsed()
        self._answered_at: float | None = self._watched_since
        self._still = 0.0

    def looked(self, *, answered: bool, grown: bool) -> None:
        """Record that the files were checked; a check without an answer proves nothing."""
        if grown:
            self._still = 0.0
        elif answered:
            self._still = self.still
        self._answered_at = self._tools.elapsed() if answered else None

    @property
    def still(self) -> float:
        """For how many seconds the provider has added nothing while it answered."""
        if self._answered_at is None:
            return self._still
        return self._still + self._tools.elapsed() - self._answered_at

    def has_stopped(self, pause: float) -> bool:
        over = self._watched >= self._span or self._now() >= self._files.usual_end
        stalled = self._answered_at is not None and self.still >= STALL_SECONDS
        return (over and stalled) or self.is_past_deadline(pause)

    def is_past_deadline(self, pause: float) -> bool:
        return self._watched >= self._longest or self._now() + pause >= self._deadline

    @property
    def _watched(self) -> float:
        return self._tools.elapsed() - self._watched_since

    def _now(self) -> float:
        """Return the time by the clock, unless the clock is evidently fast.

        The provider's clock shows that or, if it sends no time, how long this has been running.
        """
        now = self._files.provider_time
        if now is None:
            now = self._started + self._tools.elapsed()
        return min(self._tools.clock(), now)
