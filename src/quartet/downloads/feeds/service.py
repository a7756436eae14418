import logging
from collections.abc import Callable
from typing import Any

import msgspec

from quartet.downloads.events import Changed
from quartet.downloads.feeds import store
from quartet.downloads.feeds.reader import EntryTaker, fetch_feed
from quartet.downloads.feeds.types import Feed, FeedChange, FeedEntry, NewFeed, StoredFeed
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.rules.types import Actions
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.feeds")

MOST_FEEDS = 200
# Entries are remembered for this long after they left the feed.
MEMORY_MS = 90 * 86_400_000
_NOTHING = Actions()


class Feeds:
    """Reads feeds and adds their new entries; `wake` may be called from any thread."""

    def __init__(
        self, kernel: Kernel[DownloadsSettings], taker: EntryTaker, wake: Callable[[], None]
    ) -> None:
        self._kernel = kernel
        self._db = kernel.db
        self._taker = taker
        self._wake = wake

    async def all(self) -> list[Feed]:
        return await self._db.read(store.all_feeds)

    async def add(self, given: NewFeed) -> int:
        values = msgspec.structs.asdict(given) | {"url": _address(given.url)}

        def work(tx: Tx) -> int:
            if store.count(tx.conn) >= MOST_FEEDS:
                raise AppError(409, "too_many_feeds", limit=MOST_FEEDS)
            id = store.add(tx.conn, values | {"name": clean_text(given.name)})
            self._changed(tx)
            return id

        id = await self._db.write(work)
        log.info("feed %d added", id)
        return id

    async def change(self, id: int, given: FeedChange) -> None:
        values = {k: v for k, v in msgspec.structs.asdict(given).items() if v is not None}
        if "url" in values:
            values |= {"url": _address(values["url"]), "etag": None, "modified": None}
        if "name" in values:
            values["name"] = clean_text(values["name"])
        await self._change(id, {**values, "checked_at": None})

    async def check(self, id: int) -> None:
        """Read the feed now."""
        await self._change(id, {"checked_at": None})

    async def read_again(self) -> None:
        """Read all feeds whose entries the rules choose, because the rules have changed."""

        def work(tx: Tx) -> None:
            if store.read_again(tx.conn):
                self._changed(tx)

        await self._db.write(work)

    async def _change(self, id: int, values: dict[str, Any]) -> None:
        def work(tx: Tx) -> None:
            require_found(store.change(tx.conn, valid_id(id), values), id=id)
            self._changed(tx)

        await self._db.write(work)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            require_found(store.remove(tx.conn, valid_id(id)), id=id)
            self._changed(tx)

        await self._db.write(work)
        log.info("feed %d removed", id)

    async def read_due(self) -> float | None:
        """Read all feeds that are due; return the seconds until the next one is."""
        for feed in await self._db.read(store.due, now_ms()):
            await self._read(feed)
        due = await self._db.read(store.next_due)
        return None if due is None else max((due - now_ms()) / 1000, 1.0)

    async def _read(self, feed: StoredFeed) -> None:
        problem: Problem | None = None
        values: dict[str, Any] = {}
        try:
            values = await self._take_new(feed)
        except AppError as error:
            problem = problem_of(error)
        except Exception:
            # A feed that cannot be read must not stop the others.
            log.exception("feed %d failed", feed.id)
            problem = Problem("internal")
        if problem:
            log.warning("feed %d could not be read: %s", feed.id, problem.code)

        def work(tx: Tx) -> None:
            store.change(tx.conn, feed.id, {"error": problem, **values, "checked_at": now_ms()})
            tx.emit(Changed("feeds"))

        await self._db.write(work)

    async def _take_new(self, feed: StoredFeed) -> dict[str, Any]:
        """Add the new entries; return what has changed about the feed.

        An entry that could not be added is tried again, so the whole feed is then asked for again.
        It does not keep the others from being added.
        """
        from quartet.downloads.feeds.parse import read_feed

        login = await self._taker.logins.header(feed.url)
        answer = await fetch_feed(self._kernel.outbound, feed, login)
        if answer.body is None:
            return {}
        document = read_feed(answer.url, answer.body)
        entries = list({entry.key: entry for entry in document.entries}.values())
        known = await self._db.read(store.seen, feed.id, [entry.key for entry in entries])
        fresh = [entry for entry in entries if entry.key not in known]
        named = {} if feed.name or not document.title else {"name": document.title[:200]}
        feed = feed._replace(name=feed.name or document.title[:200])
        await self._mark(feed.id, known)
        problem: Problem | None = None
        for entry, act in await self._taker.actions(feed, fresh[::-1]):
            try:
                await self._take(feed, entry, act)
            except AppError as error:
                log.warning("feed %d: entry could not be added: %s", feed.id, entry.title)
                problem = _entry_problem(entry, problem_of(error))
        if problem:
            return {**named, "error": problem}
        return {**named, "etag": answer.etag, "modified": answer.modified}

    async def _take(self, feed: StoredFeed, entry: FeedEntry, act: Actions | None) -> None:
        if act is None and feed.only_matching:
            # Not marked as seen, because a rule may be added while it is still in the feed.
            return
        taken = not (act and act.skip)
        if taken:
            try:
                await self._taker.take(self._kernel.outbound, feed, entry, act or _NOTHING)
            except AppError as error:
                # No valid link will not become one later.
                if error.code != "no_links":
                    raise
                taken = False
        await self._mark(feed.id, {entry.key}, taken=taken)

    async def _mark(self, feed_id: int, keys: set[str], *, taken: bool = False) -> None:
        now = now_ms()

        def work(tx: Tx) -> None:
            store.mark_seen(tx.conn, feed_id, keys, now)
            store.forget(tx.conn, feed_id, now - MEMORY_MS)
            if taken:
                store.count_taken(tx.conn, feed_id)

        await self._db.write(work)

    def _changed(self, tx: Tx) -> None:
        tx.emit(Changed("feeds"))
        tx.after_commit(self._wake)


def _entry_problem(entry: FeedEntry, reason: Problem) -> Problem:
    return Problem("feed_entry_failed", {"entry": entry.title, "reason": reason})


def _address(text: str) -> str:
    text = clean_text(text)
    if not text.lower().startswith(("http://", "https://")):
        raise AppError(400, "bad_address")
    return text
