"""The journal of file operations, written before and after the disk is changed."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from quartet.kernel.db import Database, Tx
from quartet.media.moves import store
from quartet.media.moves.types import Operation

# Results are written in batches, but wait for at most this many seconds.
MOST_RESULTS = 1000
LONGEST_WAIT = 1.0

# Takes a connection and the operations; see `store`.
Save = Callable[[Any, Sequence[Operation]], None]


class Journal:
    """Writes intents and results of many files in one transaction each.

    If the process dies before a result is written, the next start finds the outcome on disk from
    the intent.
    """

    def __init__(self, db: Database, save_results: Save = store.save_results) -> None:
        self._db = db
        self._save_results = save_results
        self._results: list[Operation] = []
        self._waiting_since = 0.0

    def record_intents(self, operations: Sequence[Operation]) -> None:
        if operations:
            self._db.write_sync(partial(_add, operations))

    def update_intents(self, *operations: Operation) -> None:
        """Update the intent of a file that takes another path."""
        self._db.write_sync(lambda tx: store.save(tx.conn, operations))

    def record_result(self, operation: Operation) -> None:
        if not self._results:
            self._waiting_since = time.monotonic()
        self._results.append(operation)
        late = time.monotonic() - self._waiting_since > LONGEST_WAIT
        if late or len(self._results) >= MOST_RESULTS:
            self.flush()

    def flush(self) -> None:
        results, self._results = self._results, []
        if results:
            self._db.write_sync(lambda tx: self._save_results(tx.conn, results))


def _add(operations: Sequence[Operation], tx: Tx) -> None:
    store.add(tx.conn, operations)
