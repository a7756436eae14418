from typing import Annotated

from litestar import post
from litestar.enums import RequestEncodingType
from litestar.params import Body

from quartet.downloads.clicknload.service import ClickNLoad
from quartet.downloads.clicknload.types import Form
from quartet.downloads.links.types import Added
from quartet.kernel.service import header
from quartet.kernel.web import Injected, Request

# A form, as pages send it. Requests of foreign pages were already rejected.
SentForm = Annotated[Form, Body(media_type=RequestEncodingType.URL_ENCODED)]
FORM = {"accepts": "application/x-www-form-urlencoded"}


@post("/api/cnl/flash/add", status_code=200, opt=FORM)
async def add(request: Request, data: SentForm, clicknload: Injected[ClickNLoad]) -> Added:
    """Add plain links, forwarded from Click'n'Load on another computer."""
    return await clicknload.submit("add", data, header(request, "referer"))


@post("/api/cnl/flash/addcrypted2", status_code=200, opt=FORM)
async def add_crypted(request: Request, data: SentForm, clicknload: Injected[ClickNLoad]) -> Added:
    """Add encrypted links, forwarded from Click'n'Load on another computer."""
    return await clicknload.submit("addcrypted2", data, header(request, "referer"))


ROUTES = [add, add_crypted]
