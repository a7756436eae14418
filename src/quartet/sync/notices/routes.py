from litestar import get, post, put

from quartet.kernel.web import Injected, JSONBody
from quartet.sync.notices.service import Notices
from quartet.sync.notices.types import NoticeSettings, NoticeTest, ShownNotices


@get("/api/notices")
async def read_notices(notices: Injected[Notices]) -> ShownNotices:
    """Return the notification settings; URLs are masked."""
    return notices.shown()


@put("/api/notices", status_code=200)
async def replace_notices(
    data: JSONBody[NoticeSettings], notices: Injected[Notices]
) -> ShownNotices:
    """Replace the notification settings; a masked URL keeps the stored one."""
    return await notices.replace(data)


@post("/api/notices/test", status_code=204)
async def test_notice(data: JSONBody[NoticeTest], notices: Injected[Notices]) -> None:
    """Send a test message to one URL."""
    await notices.test(data.url)


ROUTES = [read_notices, replace_notices, test_notice]
