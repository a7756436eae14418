"""Reads a feed and adds its new entries."""

import logging
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from quartet.downloads.feeds.types import FeedEntry, StoredFeed
from quartet.downloads.links.service import Links
from quartet.downloads.links.types import AddedTorrent, NewLinks
from quartet.downloads.packages.store import change, set_priority
from quartet.downloads.rules.service import RulesService
from quartet.downloads.rules.types import Actions, RuleLink
from quartet.downloads.server_logins.service import ServerLogins
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

log = logging.getLogger("quartet.downloads.feeds")

MOST_BYTES = 8 * 1024 * 1024
MOST_TORRENT_BYTES = 16 * 1024 * 1024
SECONDS = 60.0
SOURCE = "feed"


class FeedAnswer(NamedTuple):
    """The answer of a server; without a body, the feed has not changed."""

    body: bytes | None
    url: str
    etag: str | None
    modified: str | None


async def fetch_feed(
    outbound: "OutboundClient", feed: StoredFeed, login: Mapping[str, str]
) -> FeedAnswer:
    """`login` is the header for the server of the feed."""
    headers = {"Accept": "application/rss+xml, application/atom+xml, application/xml, */*"}
    if feed.etag:
        headers["If-None-Match"] = feed.etag
    if feed.modified:
        headers["If-Modified-Since"] = feed.modified
    answer = await outbound.get(
        feed.url, headers=headers, own_headers=login, max_bytes=MOST_BYTES, timeout=SECONDS
    )
    if answer.status == 304:
        return FeedAnswer(None, answer.url, feed.etag, feed.modified)
    _require_ok(answer)
    etag, modified = answer.headers.get("ETag"), answer.headers.get("Last-Modified")
    return FeedAnswer(answer.body, answer.url, etag, modified)


class EntryTaker:
    """Adds entries of feeds as links, in the way the rules say."""

    def __init__(self, links: Links, rules: RulesService, logins: ServerLogins) -> None:
        self._links = links
        self._rules = rules
        self.logins = logins

    async def actions(
        self, feed: StoredFeed, entries: list[FeedEntry]
    ) -> list[tuple[FeedEntry, Actions | None]]:
        """Return the entries with what the rules do to them; None if no rule matches."""
        links = [_rule_link(place, feed, entry) for place, entry in enumerate(entries)]
        found = await self._rules.actions(links)
        return [(entry, found.get(place)) for place, entry in enumerate(entries)]

    async def take(
        self, outbound: "OutboundClient", feed: StoredFeed, entry: FeedEntry, act: Actions
    ) -> None:
        def also(tx: Tx, package_id: int) -> None:
            _arrange(tx, package_id, act)

        torrents = [url for url in entry.links if _is_torrent(url)]
        others = [url for url in entry.links if not _is_torrent(url)]
        for url in torrents:
            login = await self.logins.header(url)
            answer = await outbound.get(
                url, own_headers=login, max_bytes=MOST_TORRENT_BYTES, timeout=SECONDS
            )
            _require_ok(answer)
            new = _new(feed, entry, [url], act)
            await self._links.add_torrent(AddedTorrent(answer.body), new, then=also)
        if others:
            await self._links.add(_new(feed, entry, others, act), also)
        log.info("feed %d: entry added: %s", feed.id, entry.title)


def _new(feed: StoredFeed, entry: FeedEntry, urls: list[str], act: Actions) -> NewLinks:
    return NewLinks(
        links="\n".join(urls),
        package_name=act.package_name or entry.title,
        target_dir=act.folder or None,
        passwords=[act.password] if act.password else None,
        start=act.start,
        source=f"{SOURCE}: {feed.name}" if feed.name else SOURCE,
    )


def _arrange(tx: Tx, package_id: int, act: Actions) -> None:
    """Carry out the actions that a new package has no fields for."""
    if act.extract is not None:
        change(tx.conn, package_id, {"auto_extract": act.extract})
    if act.priority is not None:
        set_priority(tx.conn, package_id, act.priority)


def _rule_link(place: int, feed: StoredFeed, entry: FeedEntry) -> RuleLink:
    host = urlsplit(entry.links[0]).hostname or "torrent"
    return RuleLink(
        id=place,
        package_id=0,
        host=host,
        name=entry.title,
        size=entry.size,
        package_name=entry.title,
        source=f"{SOURCE}: {feed.name}",
        source_page=None,
        file=PurePosixPath(unquote(urlsplit(entry.links[0]).path)).name,
    )


def _is_torrent(url: str) -> bool:
    return urlsplit(url).path.lower().endswith(".torrent")


def _require_ok(answer: "OutboundResponse") -> None:
    if not answer.ok:
        raise AppError(502, "server_error", status=answer.status)
