from litestar import delete, get, patch, post
from litestar.params import FromPath

from quartet.downloads.feeds.service import Feeds
from quartet.downloads.feeds.types import Feed, FeedChange, NewFeed
from quartet.kernel.web import Injected, JSONBody


@get("/api/feeds")
async def list_feeds(feeds: Injected[Feeds]) -> list[Feed]:
    """List the RSS and Atom feeds, with the reason if one could not be read."""
    return await feeds.all()


@post("/api/feeds", status_code=204)
async def add_feed(data: JSONBody[NewFeed], feeds: Injected[Feeds]) -> None:
    """Add a feed and read it. 409 `too_many_feeds`."""
    await feeds.add(data)


@patch("/api/feeds/{feed_id:int}", status_code=204)
async def change_feed(
    feed_id: FromPath[int], data: JSONBody[FeedChange], feeds: Injected[Feeds]
) -> None:
    """Change a feed and read it."""
    await feeds.change(feed_id, data)


@post("/api/feeds/{feed_id:int}/check", status_code=202)
async def check_feed(feed_id: FromPath[int], feeds: Injected[Feeds]) -> None:
    """Read a feed now, in the background."""
    await feeds.check(feed_id)


@delete("/api/feeds/{feed_id:int}", audit="deleted")
async def remove_feed(feed_id: FromPath[int], feeds: Injected[Feeds]) -> None:
    """Remove a feed; the links it added stay."""
    await feeds.remove(feed_id)


ROUTES = [list_feeds, add_feed, change_feed, check_feed, remove_feed]
