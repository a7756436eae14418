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
    PackagePage,
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
    view: FromQuery[View | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int | None, QueryParameter(ge=1, le=LONGEST_PAGE)] = None,
    q: FromQuery[str] = "",
    status: Annotated[Status | None, QueryParameter(name="state")] = None,
    ids: FromQuery[str] = "",
    download_ids: Annotated[str, QueryParameter(name="downloads")] = "",
) -> PackagePage:
    """List packages and downloads of both views or of one: all, or a page of `limit` downloads.

    `q` searches names and links. With `ids` or `downloads`, which are numbers separated by commas,
    only these packages and downloads are returned.
    """
    if ids or download_ids:
        wanted_ids = _numbers(ids), _numbers(download_ids)
        return await packages.some(view, *wanted_ids, meter.live())
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


def _numbers(text: str) -> list[int]:
    if not re.fullmatch(r"(\d{1,15}(,\d{1,15}){0,5000})?", text, re.ASCII):
        raise AppError(400, "invalid_request", field="ids")
    return [int(number) for number in text.split(",") if number]


def _after(cursor: str | None) -> PageCursor | None:
    if not cursor:
        return None
    if not re.fullmatch(r"\d{1,17}(\.\d{1,17}){2}", cursor, re.ASCII):
        raise AppError(400, "invalid_request", field="cursor")
    return PageCursor(*map(int, cursor.split(".")))


ROUTES = [list_packages, change_package, order_packages, extract_package]
