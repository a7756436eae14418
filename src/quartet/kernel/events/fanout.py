"""Event history of one process and a bounded mailbox per listener."""

from collections import deque
from collections.abc import Callable

from quartet.kernel.events.types import Frame, resync_frame

# The frame count limits the normal case, the bytes limit large frames.
HISTORY_BYTES = 8 * 1024 * 1024
QUEUE_BYTES = 1024 * 1024


class Mailbox:
    """Frames a listener has not read yet; a listener that falls behind receives a resync."""

    def __init__(self, limit: int, wake: Callable[[], None] = lambda: None) -> None:
        self._limit = limit
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self.wake = wake

    def __len__(self) -> int:
        return len(self._frames)

    def put(self, frame: Frame) -> None:
        if self._is_full_for(frame):
            frame = resync_frame(frame.id)
        if frame.is_resync:
            # The listener reloads everything, so older frames are obsolete.
            self.take_all()
        self._frames.append(frame)
        self._bytes += len(frame.data)
        self.wake()

    def take(self) -> Frame:
        frame = self._frames.popleft()
        self._bytes -= len(frame.data)
        return frame

    def take_all(self) -> list[Frame]:
        frames = list(self._frames)
        self._frames.clear()
        self._bytes = 0
        return frames

    def _is_full_for(self, frame: Frame) -> bool:
        if not self._frames:
            return False
        return len(self._frames) >= self._limit or self._bytes + len(frame.data) > QUEUE_BYTES


class Fanout:
    """Keeps the latest frames in order and delivers each frame to all mailboxes."""

    def __init__(self, history: int, start: str) -> None:
        self._history = history
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        # The id of the frame before the oldest one in the history.
        self._start = start
        self._mailboxes: set[Mailbox] = set()

    def __len__(self) -> int:
        return len(self._mailboxes)

    @property
    def position(self) -> str:
        return self._frames[-1].id if self._frames else self._start

    def receive(self, frame: Frame) -> None:
        self._frames.append(frame)
        self._bytes += len(frame.data)
        while len(self._frames) > self._history or self._bytes > HISTORY_BYTES:
            forgotten = self._frames.popleft()
            self._bytes -= len(forgotten.data)
            self._start = forgotten.id
        for mailbox in self._mailboxes:
            mailbox.put(frame)

    def attach(self, mailbox: Mailbox, last_id: str | None) -> None:
        """Deliver all frames after `last_id` and all future ones; a resync if the history is too
        short.
        """
        self._mailboxes.add(mailbox)
        if last_id is None:
            return
        missed = self._after(last_id)
        if missed is None:
            missed = [resync_frame(self.position)]
        for frame in missed:
            mailbox.put(frame)

    def detach(self, mailbox: Mailbox) -> None:
        self._mailboxes.discard(mailbox)

    def wake_all(self) -> None:
        for mailbox in self._mailboxes:
            mailbox.wake()

    def _after(self, last_id: str) -> list[Frame] | None:
        missed: list[Frame] = []
        for frame in reversed(self._frames):
            if frame.id == last_id:
                return missed[::-1]
            missed.append(frame)
        return missed[::-1] if last_id == self._start else None
