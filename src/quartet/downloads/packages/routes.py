import re
from typing import Annotated

from litestar import get, patch, post
from litestar.params import FromPath, FromQuery, QueryParameter

from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import Packages
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.types import (
    LiveProgress,
    Order,
    PackageChange,
    Page,
    PageCursor,
    PageQuery,
    View,
)
from quartet.kernel.errors import AppError
from quartet.kernel.web import Injected, JSONBody

LONGEST_PAGE = 5000


@get("/api/packages")
async def list_packages(
    packages: Injected[Packages],
    meter: Injected[LiveProgress],
    view: FromQuery[View] = "queue",
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=LONGEST_PAGE)] = 1000,
    q: FromQuery[str] = "",
    status: Annotated[Status | None, QueryParameter(name="state")] = None,
) -> Page:
    """List packages and downloads; `limit` counts downloads, `q` searches names and links."""
    wanted = PageQuery(view, limit, _after(cursor), clean_text(q), status)
    return await packages.page(wanted, meter.live())


@patch("/api/packages/{package_id:int}", status_code=204)
async def change_package(
    package_id: FromPath[int], data: JSONBody[PackageChange], packages: Injected[Packages]
) -> None:
    """Change name, folder, passwords, priority or speed limit; omitted fields stay unchanged."""
    await packages.change(package_id, data)


@post("/api/packages/order", status_code=204)
async def order_packages(data: JSONBody[Order], packages: Injected[Packages]) -> None:
    """Reorder packages."""
    await packages.order(data)


@post("/api/packages/{package_id:int}/extract", status_code=202)
async def extract_package(package_id: FromPath[int], packages: Injected[Packages]) -> None:
    """Extract the archives of a package in the background."""
    await packages.extract(package_id)


def _after(cursor: str | None) -> PageCursor | None:
    if not cursor:
        return None
    if not re.fullmatch(r"\d{1,17}(\.\d{1,17}){2}", cursor, re.ASCII):
        raise AppError(400, "invalid_request", field="cursor")
    return PageCursor(*map(int, cursor.split(".")))


ROUTES = [list_packages, change_package, order_packages, extract_package]
