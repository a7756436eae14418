from litestar import delete, get, post, put
from litestar.params import FromPath

from quartet.kernel.web import OFF_PAGE, Injected, JSONBody, Request, text_body
from quartet.wind.accounts.current_user import OWN, account_of
from quartet.wind.spots.service import Spots
from quartet.wind.spots.types import (
    Favorite,
    FavoriteChanges,
    Favorites,
    ImportedFavorites,
    NewFavorite,
    Order,
)


@get("/api/favorites", **OWN)
async def favorites(request: Request, spots: Injected[Spots]) -> Favorites:
    """Your spots in their order."""
    return await spots.all(account_of(request))


@post("/api/favorites", **OWN)
async def add(request: Request, data: JSONBody[NewFavorite], spots: Injected[Spots]) -> Favorite:
    """Add a spot at the end."""
    return await spots.add(account_of(request), data)


@post("/api/favorites/import", status_code=200, operation_class=text_body("text/csv"), **OWN)
async def import_list(request: Request, spots: Injected[Spots]) -> ImportedFavorites:
    """Add the spots of a CSV list, whose first line names the columns name, lat and lon."""
    return await spots.add_list(account_of(request), await request.body())


@put("/api/favorites/order", **OWN)
async def order(request: Request, data: JSONBody[Order], spots: Injected[Spots]) -> Favorites:
    """Change the order of all spots."""
    return await spots.order(account_of(request), data.ids)


@put("/api/favorites/{spot:int}", **OWN)
async def change(
    request: Request, spot: FromPath[int], data: JSONBody[FavoriteChanges], spots: Injected[Spots]
) -> Favorite:
    """Change name, wind directions, position or station of a spot."""
    return await spots.change(account_of(request), spot, data)


@delete("/api/favorites/{spot:int}", audit="deleted", **OFF_PAGE)
async def remove(request: Request, spot: FromPath[int], spots: Injected[Spots]) -> None:
    """Delete a spot and its alert."""
    await spots.remove(account_of(request), spot)


ROUTES = [favorites, add, import_list, order, change, remove]
