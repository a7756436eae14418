from litestar import get, post, put

from quartet.downloads.notices.service import Notices
from quartet.downloads.notices.types import NoticeSettings, NoticeTest, ShownNotices
from quartet.kernel.web import Injected, JSONBody


@get("/api/notices")
async def read_notices(notices: Injected[Notices]) -> ShownNotices:
    """Return the notification targets, with masked addresses."""
    return await notices.shown()


@put("/api/notices", status_code=200)
async def replace_notices(
    data: JSONBody[NoticeSettings], notices: Injected[Notices]
) -> ShownNotices:
    """Replace all notification targets; masked addresses keep their stored value."""
    return await notices.replace(data)


@post("/api/notices/test", status_code=204)
async def test_notice(data: JSONBody[NoticeTest], notices: Injected[Notices]) -> None:
    """Send a test message to one address."""
    await notices.test(data.url)


ROUTES = [read_notices, replace_notices, test_notice]
