import re
from typing import Annotated

from litestar import get, patch, post
from litestar.params import FromPath, FromQuery, QueryParameter

from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.typed import plain
from quartet.downloads.packages.types import Order, PackageChange, Page, Place, View, Wanted
from quartet.downloads.queue.progress import Meter
from quartet.kernel.errors import AppError
from quartet.kernel.web import Injected, JSONBody

LONGEST_PAGE = 5000


@get("/api/packages")
async def list_packages(
    packages: Injected[Packages],
    meter: Injected[Meter],
    view: FromQuery[View] = "queue",
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=LONGEST_PAGE)] = 1000,
    q: FromQuery[str] = "",
    status: Annotated[Status | None, QueryParameter(name="state")] = None,
) -> Page:
    """Packages with their downloads; `limit` counts downloads, `q` looks in names and links."""
    wanted = Wanted(view, limit, _after(cursor), plain(q), status)
    return await packages.page(wanted, meter.live())


@patch("/api/packages/{package_id:int}", status_code=204)
async def change_package(
    package_id: FromPath[int], data: JSONBody[PackageChange], packages: Injected[Packages]
) -> None:
    """Name, folder, passwords, priority, speed limit; what is missing stays as it is."""
    await packages.change(package_id, data)


@post("/api/packages/order", status_code=204)
async def order_packages(data: JSONBody[Order], packages: Injected[Packages]) -> None:
    """Puts packages into this order."""
    await packages.order(data)


@post("/api/packages/{package_id:int}/extract", status_code=202)
async def extract_package(package_id: FromPath[int], packages: Injected[Packages]) -> None:
    """Unpacks its archives in the background."""
    await packages.extract(package_id)


def _after(cursor: str | None) -> Place | None:
    if not cursor:
        return None
    if not re.fullmatch(r"\d{1,17}(\.\d{1,17}){2}", cursor, re.ASCII):
        raise AppError(400, "invalid_request", field="cursor")
    return Place(*map(int, cursor.split(".")))


ROUTES = [list_packages, change_package, order_packages, extract_package]
