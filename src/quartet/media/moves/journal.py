"""The journal as the engine writes it: before the disk is touched, and after."""

import time
from collections.abc import Sequence
from functools import partial

from quartet.kernel.db import Database, Tx
from quartet.media.moves import store
from quartet.media.moves.types import Operation

# Results wait for others to be written together, but not for a long copy.
MOST_RESULTS = 1000
LONGEST_WAIT = 1.0


class Journal:
    """Intents and results of many files go in one transaction each; one for each file is slow.

    A result that was not written when the process dies is found again on the disk at the next
    start, because its intent was.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._results: list[Operation] = []
        self._waiting_since = 0.0

    def intend(self, operations: Sequence[Operation]) -> None:
        if operations:
            self._db.write_sync(partial(_add, operations))

    def revise(self, *operations: Operation) -> None:
        """Another intent for the same file, or a step on its way."""
        self._db.write_sync(partial(_save, operations))

    def result(self, operation: Operation) -> None:
        if not self._results:
            self._waiting_since = time.monotonic()
        self._results.append(operation)
        late = time.monotonic() - self._waiting_since > LONGEST_WAIT
        if late or len(self._results) >= MOST_RESULTS:
            self.flush()

    def flush(self) -> None:
        results, self._results = self._results, []
        if results:
            self._db.write_sync(partial(_save, results))


def _add(operations: Sequence[Operation], tx: Tx) -> None:
    store.add(tx.conn, operations)


def _save(operations: Sequence[Operation], tx: Tx) -> None:
    store.save(tx.conn, operations)
