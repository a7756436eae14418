from litestar import post
from litestar.params import FromPath

from quartet.downloads.links.service import Links
from quartet.downloads.links.types import Added, NewLinks
from quartet.kernel.web import Injected, JSONBody


@post("/api/links", status_code=200)
async def add_links(data: JSONBody[NewLinks], grabber: Injected[Links]) -> Added:
    """Add links as one package, to the link grabber or directly to the queue."""
    return await grabber.add(data)


@post("/api/packages/{package_id:int}/check", status_code=202)
async def check_package(package_id: FromPath[int], grabber: Injected[Links]) -> None:
    """Check in the background whether the files of a package are online."""
    await grabber.check(package_id)


ROUTES = [add_links, check_package]
