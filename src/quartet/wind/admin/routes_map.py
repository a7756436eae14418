from typing import Annotated

import msgspec
from litestar import delete, get, post, put
from litestar.params import QueryParameter

from quartet.kernel.web import Injected, JSONBody, Request
from quartet.wind.accounts.current_user import ADMIN, account_of
from quartet.wind.admin.forecasts import AdminRuns
from quartet.wind.admin.map import (
    AdminMap,
    Cancel,
    Cancelled,
    Leftovers,
    MapAdmin,
    Postpone,
    Postponed,
    Removed,
    Renew,
    SpotList,
)
from quartet.wind.site.service import SiteSettings


@get("/api/admin/map", **ADMIN)
async def admin_map(map_admin: Injected[MapAdmin]) -> AdminMap:
    """Hours and textures of each model, basemap and relief, cache size, and postponement."""
    return await map_admin.state()


@post("/api/admin/map/renew", status_code=202, **ADMIN)
async def admin_map_renew(data: JSONBody[Renew], map_admin: Injected[MapAdmin]) -> AdminMap:
    """Look for new runs, or discard rendered textures."""
    await map_admin.renew(data)
    return await map_admin.state()


@post("/api/admin/map/cancel", status_code=200, **ADMIN)
async def admin_map_cancel(data: JSONBody[Cancel], admin_runs: Injected[AdminRuns]) -> Cancelled:
    """Cancel incoming runs; they are only fetched again on request."""
    return Cancelled(admin_runs.give_up(data.model))


@post("/api/admin/map/postpone", status_code=200, **ADMIN)
async def admin_map_postpone(
    request: Request, data: JSONBody[Postpone], admin_runs: Injected[AdminRuns]
) -> Postponed:
    """Postpone fetching new runs by some hours, for example on a slow connection."""
    return Postponed(await admin_runs.postpone(data.hours, account_of(request)))


@get("/api/admin/map/spots", **ADMIN)
async def admin_map_spots(site_settings: Injected[SiteSettings]) -> SpotList:
    """Places that the map labels."""
    return SpotList((await site_settings.get()).map_spots)


@put("/api/admin/map/spots", **ADMIN)
async def admin_map_set_spots(
    request: Request, data: JSONBody[SpotList], site_settings: Injected[SiteSettings]
) -> SpotList:
    """Replace the list."""
    await site_settings.set("map_spots", msgspec.to_builtins(data.places), account_of(request))
    return SpotList((await site_settings.get()).map_spots)


@get("/api/admin/map/spots/pinned", **ADMIN)
async def admin_map_pinned(site_settings: Injected[SiteSettings]) -> SpotList:
    """Places that the map labels first."""
    return SpotList((await site_settings.get()).map_pinned)


@put("/api/admin/map/spots/pinned", **ADMIN)
async def admin_map_set_pinned(
    request: Request, data: JSONBody[SpotList], site_settings: Injected[SiteSettings]
) -> SpotList:
    """Replace the list."""
    await site_settings.set("map_pinned", msgspec.to_builtins(data.places), account_of(request))
    return SpotList((await site_settings.get()).map_pinned)


@get("/api/admin/map/leftovers", **ADMIN)
async def admin_map_leftovers(map_admin: Injected[MapAdmin]) -> Leftovers:
    """Unused files, such as incomplete runs and runs of models that are no longer fetched."""
    found = await map_admin.leftovers()
    return Leftovers(found, sum(each.bytes for each in found))


@delete("/api/admin/map/leftovers", status_code=200, audit="deleted", **ADMIN)
async def admin_map_remove_leftovers(
    map_admin: Injected[MapAdmin],
    path: Annotated[str | None, QueryParameter(max_length=1000)] = None,
) -> Removed:
    """Delete all leftovers, or the one with this path."""
    return await map_admin.remove_leftovers(path)


ROUTES = [
    admin_map,
    admin_map_renew,
    admin_map_cancel,
    admin_map_postpone,
    admin_map_spots,
    admin_map_set_spots,
    admin_map_pinned,
    admin_map_set_pinned,
    admin_map_leftovers,
    admin_map_remove_leftovers,
]
