"""One job from its first request to its last byte."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from quartet.downloads.transfer import control
from quartet.downloads.transfer.answers import Accepted, Refused
from quartet.downloads.transfer.control import Control
from quartet.downloads.transfer.crew import Crew
from quartet.downloads.transfer.curl import Handle
from quartet.downloads.transfer.keeper import Keeper
from quartet.downloads.transfer.part import Part
from quartet.downloads.transfer.retries import Retries
from quartet.downloads.transfer.segments import Segments
from quartet.downloads.transfer.source import Source
from quartet.downloads.transfer.speed import Speed
from quartet.downloads.transfer.surroundings import Surroundings
from quartet.downloads.transfer.transfer import Transfer
from quartet.downloads.transfer.types import (
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    Snapshot,
)
from quartet.kernel.errors import AppError, Problem

log = logging.getLogger("quartet.downloads.transfer")

_MOST_RESTARTS = 2


class Download:
    """Lives in the loop's thread; only `snapshot` is read from elsewhere."""

    def __init__(self, job: Job, around: Surroundings) -> None:
        self.job = job
        self.segments = Segments(None)
        self.part: Part
        self._around = around
        self._source = Source(job, around.gate, around.ca_file)
        self._crew = Crew(job, around.loop, around.limits)
        self._most = max(1, job.connections)
        self._allowed = 1
        self._restarts = 0
        self._retries = Retries(job.patience)
        self._keeper = Keeper(job, around.saver, around.save_every, around.report)
        self._over = False
        self._opened = False
        self._emptying = False
        self._told_size = False
        self._speed = Speed()

    # What the engine asks for

    def begin(self) -> None:
        with self._failing():
            self._around.gate.check(self.job.url)
            self.part = Part(self.job.part, self._around.reserve, self.job.cipher)
            self._opened = True
            self._restore()
            self._advance()

    def pause(self) -> None:
        self._end(Paused(self.job.id))

    def limits_changed(self) -> None:
        self._crew.rebind()

    def tick(self, now: float) -> None:
        """A few times per second: what does not happen by itself."""
        if not self._opened or self._over:
            return
        with self._failing():
            for transfer in self._crew.stalled(now):
                self._settle(transfer, 0)
            self._crew.flush()
            if self.segments.size is None:
                self.part.require_space(0)
        self._speed.measure(now, self.segments.done)
        if not self._over:
            self._keeper.save_if_due(now, self.part, self._state())

    def snapshot(self) -> Snapshot:
        segments = self.segments.shown()
        done = sum(position - start for start, position, _ in segments)
        return Snapshot(
            self.job.id,
            done,
            self.segments.size,
            self._speed.value,
            len(self._crew),
            self._source.name,
            segments,
        )

    # What a transfer asks for, inside libcurl's callbacks

    def accept(self, transfer: Transfer, answer: Accepted) -> None:
        """Nothing has been written yet: the last moment to find that it does not fit."""
        if self._source.known is None:
            self._told_size = answer.size is not None
            self._allocate(answer.size)

    def confirm(self, transfer: Transfer, answer: Accepted) -> None:
        """What it sends belongs to what is there; the others may begin."""
        transfer.segment.doubted = False
        if not self._source.proven:
            self._source.learn(transfer, answer)
            self._allowed = self._most if self._may_split(transfer) else 1
            self._around.loop.post(self._advance_later)

    def throttle(self, transfer: Transfer, seconds: float) -> None:
        self._crew.throttle(transfer, seconds)

    def permits(self, url: str, address: str) -> bool:
        return self._around.gate.permits(url, address)

    # The course of things

    def ended(self, transfer: Transfer, code: int, handle: Handle) -> None:
        with self._failing():
            if transfer.head.redirects and transfer.refusal is None:
                self._follow(transfer, handle)
            else:
                self._settle(transfer, code)

    def _restore(self) -> None:
        state = control.load(self.job.part)
        if state is None:
            control.forget(self.job.part)
            self.part.empty()
            return
        self.segments = Segments(state.identity.size, state.spans)
        self._source.known = state.identity
        self._told_size = True

    def _allocate(self, size: int | None) -> None:
        if size is None:
            self.part.require_space(0)
            return
        self.part.allocate(size)
        self.segments.learn(size)

    def _may_split(self, transfer: Transfer) -> bool:
        return self._source.known is not None and not transfer.request.is_ftp

    def _advance(self) -> None:
        """Finishes, or gives every connection that is allowed something to do."""
        if self._over or self._emptying or self._retries.waiting:
            return
        if self.segments.complete and not self._crew:
            self._finish()
            return
        self._crew.flush()
        # Until the server has shown what it can do, one request asks.
        wanted = self._allowed if self._source.proven else 1
        while len(self._crew) < wanted:
            segment = self.segments.take() or self.segments.steal(self.job.min_segment)
            if segment is None:
                return
            self._crew.launch(self, segment, *self._source.ask(segment, self.segments))

    def _advance_later(self) -> None:
        with self._failing():
            self._advance()

    def _follow(self, transfer: Transfer, handle: Handle) -> None:
        self._crew.leave(transfer)
        request = self._source.follow(transfer, handle)
        self._crew.launch(self, transfer.segment, request, transfer.asked, transfer.hops + 1)

    def _settle(self, transfer: Transfer, code: int) -> None:
        self._crew.leave(transfer)
        refusal = transfer.outcome(code)
        self.segments.release(transfer.segment)
        if transfer.forbidden and transfer.answer is None:
            refusal = self._around.gate.forbidden(transfer.request.url)
        if refusal is None:
            self._retries.well()
            self._advance()
        else:
            self._refused(transfer, refusal)

    def _refused(self, transfer: Transfer, refusal: Refused) -> None:
        if refusal.kind == "fatal":
            self._fail(refusal)
        elif refusal.kind == "changed":
            # Changed in the middle: perhaps many servers with different copies, so one alone.
            self._restart(
                refusal, ranged=True, connections=1 if self._source.proven else self._most
            )
        elif refusal.kind == "broken":
            self._retry(transfer, refusal)
        elif self._crew:
            # The others are served: the server only wants fewer connections.
            self._allowed = len(self._crew)
        elif refusal.kind == "ignored":
            self._without_ranges(refusal)
        elif self._source.go_back():
            self._advance()
        else:
            self._fail(refusal)

    def _without_ranges(self, refusal: Refused) -> None:
        if self._source.drop_condition():
            self._advance()
        else:
            self._restart(refusal, ranged=False, connections=1)

    def _retry(self, transfer: Transfer, refusal: Refused) -> None:
        transfer.segment.doubted = True
        delay = self._retries.failed(self.segments.done)
        if self._source.known is None or (delay is None and not self._crew):
            self._fail(refusal)
        elif delay is None:
            self._retries.well()
            self._allowed = len(self._crew)
        else:
            self._around.loop.later(delay, self._advance_later)

    def _restart(self, refusal: Refused, *, ranged: bool, connections: int) -> None:
        """From the first byte: what is there belongs to something else."""
        self._restarts += 1
        if self._restarts > _MOST_RESTARTS:
            self._fail(refusal)
            return
        self._disband()
        self._most = connections
        self._retries.well()
        self.segments = Segments(None)
        self._source.start_anew(ranged=ranged)
        self._emptying = True
        # The old claim must be gone before the first new byte is written.
        self._keeper.forget(lambda: self._around.loop.post(self._anew))

    def _anew(self) -> None:
        if not self._over:
            with self._failing():
                self.part.empty()
                self._emptying = False
                self._advance()

    def _disband(self) -> None:
        for segment in self._crew.disband():
            self.segments.release(segment)

    # Keeping and ending

    def _state(self) -> Control | None:
        if self._source.known is None or self.segments.size is None:
            return None
        return Control(self._source.known, self.segments.spans())

    def _finish(self) -> None:
        known, size = self.job.known_size, self.segments.done
        if not self._told_size and known is not None and size < known:
            problem = Problem("incomplete", {"written": size, "total": known})
            self._fail(Refused("broken", problem))
        else:
            self._end(Finished(self.job.id, size, self._source.name))

    def _fail(self, refusal: Refused) -> None:
        retryable = refusal.kind != "fatal" and not refusal.offline
        outcome = Failed(
            self.job.id, refusal.problem, retryable, refusal.retry_after, refusal.offline
        )
        self._end(outcome)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever goes wrong ends this download with a code, and no other."""
        try:
            yield
        except Refused as refusal:
            self._fail(refusal)
        except AppError as error:
            self._fail(Refused("fatal", Problem(error.code, error.inputs)))
        except Exception:
            log.exception("download %d", self.job.id)
            self._fail(Refused("fatal", Problem("internal")))

    def _end(self, outcome: Outcome) -> None:
        if not self._over:
            self._over = True
            self._disband()
            self._keeper.end(outcome, self.part if self._opened else None, self._state())
