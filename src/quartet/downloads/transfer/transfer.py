"""One request on its way into one segment of a part file."""

import re
import time
from typing import Protocol

from quartet.downloads.transfer.answers import (
    Accepted,
    Asked,
    Refused,
    changed,
    judge,
    judge_ftp,
    web_page,
)
from quartet.downloads.transfer.buckets import Bucket
from quartet.downloads.transfer.curl import ABORT, PAUSE, Handle, Request
from quartet.downloads.transfer.headers import Head
from quartet.downloads.transfer.part import Part
from quartet.downloads.transfer.problems import refusal_of
from quartet.downloads.transfer.segments import Segment, Segments
from quartet.downloads.transfer.types import Patience
from quartet.kernel.errors import AppError, Problem

_CHUNK = 128 * 1024  # libcurl hands over 16 KiB at most; fewer and larger writes cost less
_MOST_DROPPED = 64 * 1024
_MOST_TEXT = 4 * 1024
_SHOWN_TEXT = 80


class Owner(Protocol):
    """The download this request belongs to."""

    part: Part
    segments: Segments

    def accept(self, transfer: "Transfer", answer: Accepted) -> None: ...
    def confirm(self, transfer: "Transfer", answer: Accepted) -> None: ...
    def ended(self, transfer: "Transfer", code: int, handle: Handle) -> None: ...
    def throttle(self, transfer: "Transfer", seconds: float) -> None: ...
    def permits(self, url: str, address: str) -> bool: ...


class Transfer:
    def __init__(
        self,
        owner: Owner,
        segment: Segment,
        request: Request,
        asked: Asked,
        buckets: tuple[Bucket, ...],
        hops: int = 0,
    ) -> None:
        self.segment = segment
        self.request = request
        self.asked = asked
        self.hops = hops
        self.head = Head()
        self.paused = False
        self.answer: Accepted | None = None
        self.refusal: Refused | None = None
        self.forbidden = False
        self._owner = owner
        self._buckets = buckets
        self._overlap = segment.position - asked.start
        self._held: list[bytes] = []
        self._held_size = 0
        self._flush_at = 0
        self._plain = False  # nothing to look at any more: take the short way
        self._dropped = bytearray()
        self._since = time.monotonic()
        self._mark = segment.position

    def header(self, line: bytes) -> int | None:
        if self.answer or self.refusal:
            return None  # a trailer: it comes too late to change anything
        try:
            if self.head.feed(line) and not self.head.redirects:
                self._judge(judge(self.head, self.asked))
        except Refused as refusal:
            self.refusal = refusal
        except AppError as error:
            self.refusal = _fatal(error)
            return ABORT
        return None

    def receive(self, data: bytes) -> int | None:
        if not self._plain:
            return self._look(data)
        self._held.append(data)
        self._held_size += len(data)
        return None if self._held_size < self._flush_at else self._write()

    def permits(self, address: str) -> bool:
        if self.request.proxy or self._owner.permits(self.request.url, address):
            return True
        self.forbidden = True
        return False

    def ended(self, code: int, handle: Handle) -> None:
        self._owner.ended(self, code, handle)

    def bind(self, buckets: tuple[Bucket, ...]) -> None:
        """Other speed limits from now on."""
        self._buckets = buckets
        self._settle()

    def flush(self) -> None:
        """Writes what was collected; the end of the segment may have come nearer meanwhile."""
        left = self.segment.left
        if left is not None and self._held_size > left:
            self._held = [b"".join(self._held)[:left]] if left else []
            self._held_size = left
        if self._held_size:
            self._owner.part.write(self._held, self.segment.position)
            self._owner.segments.wrote(self.segment, self._held_size)
            self._held.clear()
            self._held_size = 0
        self._settle()

    def outcome(self, code: int) -> Refused | None:
        """Nothing when the request brought what its answer promised."""
        try:
            if self.request.is_ftp and self.answer is None and code == 0:
                self._judge(judge_ftp(self.head, self.asked))
            self.flush()
        except Refused as refusal:
            self.refusal = refusal
        except AppError as error:
            self.refusal = _fatal(error)
        if self.refusal:
            return self._with_text(self.refusal)
        return None if self._fulfilled(code) else refusal_of(code, self.answer is not None)

    def stalled(self, now: float, patience: Patience) -> Refused | None:
        """Whether the server takes too long to answer or sends next to nothing."""
        if self.paused:
            self._since, self._mark = now, self._progress
            return None
        if self.answer is None and self.refusal is None:
            if now - self._since > patience.connect + patience.answer:
                return refusal_of(28, received=False)
            return None
        seconds = now - self._since
        if seconds < patience.window:
            return None
        if self._progress - self._mark < patience.lowest_speed * seconds:
            return Refused("broken", Problem("stalled", {"seconds": round(seconds)}))
        self._since, self._mark = now, self._progress
        return None

    @property
    def _progress(self) -> int:
        return self.segment.position + self._held_size

    def _judge(self, answer: Accepted) -> None:
        self._owner.accept(self, answer)
        self.answer = answer
        self._since = time.monotonic()
        self._confirm()

    def _confirm(self) -> None:
        """Once nothing is left to compare."""
        if self.answer and not self._overlap:
            self._owner.confirm(self, self.answer)
        self._settle()

    def _settle(self) -> None:
        left = self.segment.left
        self._flush_at = _CHUNK if left is None else min(_CHUNK, left)
        self._plain = bool(self.answer) and not (self._overlap or self._buckets or self.refusal)

    def _look(self, data: bytes) -> int | None:
        try:
            if self.answer is None and self.request.is_ftp:
                self._judge(judge_ftp(self.head, self.asked))
            if self.answer is None or self.refusal:
                return self._drop(data)
            return self._meter(data)
        except Refused as refusal:
            self.refusal = refusal
        except AppError as error:
            self.refusal = _fatal(error)
        return ABORT

    def _meter(self, data: bytes) -> int | None:
        wait = max((bucket.wait() for bucket in self._buckets), default=0.0)
        if wait > 0:
            self.flush()  # so that what is shown keeps up with what has come
            self.paused = True
            self._owner.throttle(self, wait)
            return PAUSE
        for bucket in self._buckets:
            bucket.take(len(data))
        data = self._compare(data) if self._overlap else data
        self._held.append(data)
        self._held_size += len(data)
        return None if self._held_size < self._flush_at else self._write()

    def _compare(self, data: bytes) -> bytes:
        """Eats the bytes that are there already and must be the same."""
        again = data[: self._overlap]
        if self._owner.part.read(len(again), self.segment.position - self._overlap) != again:
            raise changed()
        self._overlap -= len(again)
        self._confirm()
        return data[len(again) :]

    def _write(self) -> int | None:
        surplus = self.segment.left is not None and self._held_size > self.segment.left
        try:
            self.flush()
        except AppError as error:
            self.refusal = _fatal(error)
            return ABORT
        if self.segment.complete and (surplus or self._promised_more()):
            return ABORT
        return None

    def _promised_more(self) -> bool:
        """Whether the answer goes on behind the segment, whose tail another one took."""
        answer = self.answer
        return answer is None or answer.end is None or answer.end != self.segment.end

    def _fulfilled(self, code: int) -> bool:
        if self.segment.complete:
            return True
        if self.answer is None or self._overlap or code != 0:
            return False
        if self.answer.end is None:
            self._owner.segments.learn(self.segment.position)
            return True
        # Some servers send a range in slices: the rest is asked for again.
        return self.segment.position >= self.answer.end

    def _drop(self, data: bytes) -> int | None:
        self._dropped += data
        is_page = self.refusal is not None and _is_web_page(self.refusal)
        most = _MOST_TEXT if is_page else _MOST_DROPPED
        return ABORT if len(self._dropped) > most else None

    def _with_text(self, refusal: Refused) -> Refused:
        return web_page(_words(bytes(self._dropped))) if _is_web_page(refusal) else refusal


def _is_web_page(refusal: Refused) -> bool:
    return refusal.problem.code == "web_page"


def _words(page: bytes) -> str:
    """The title of a page, or the first words a person would read on it."""
    text = page.decode("utf-8", "replace")
    title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
    if title is None:
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>?", " ", text, flags=re.I | re.S)
    return " ".join((title[1] if title else text).split())[:_SHOWN_TEXT]


def _fatal(error: AppError) -> Refused:
    return Refused("fatal", Problem(error.code, error.inputs))
