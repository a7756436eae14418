from litestar import get

from quartet.kernel.errors import AppError
from quartet.kernel.web import PUBLIC, Injected
from quartet.wind.mail.service import Mail
from quartet.wind.site.service import SiteSettings, both
from quartet.wind.site.types import BothLanguages, NamedSpot, NamedSpots, Site


@get("/api/site", **PUBLIC)
async def site(site_settings: Injected[SiteSettings], mail: Injected[Mail]) -> Site:
    """Who may sign up, the current notice, and which legal texts exist."""
    return await site_settings.shown(mail=mail.ready)


@get("/api/site/imprint", **PUBLIC)
async def imprint(site_settings: Injected[SiteSettings]) -> BothLanguages:
    """The imprint."""
    options = await site_settings.get()
    return _found(both(options.imprint_de, options.imprint_en))


@get("/api/site/privacy", **PUBLIC)
async def privacy(site_settings: Injected[SiteSettings]) -> BothLanguages:
    """The privacy policy."""
    options = await site_settings.get()
    return _found(both(options.privacy_de, options.privacy_en))


@get("/api/map/spots", **PUBLIC)
async def map_spots(site_settings: Injected[SiteSettings]) -> NamedSpots:
    """Places that the map labels, pinned ones first."""
    options = await site_settings.get()
    pinned = [NamedSpot(each.name, each.lat, each.lon, True) for each in options.map_pinned]
    known = {(each.name, each.lat, each.lon) for each in pinned}
    others = [
        NamedSpot(each.name, each.lat, each.lon, False)
        for each in options.map_spots
        if (each.name, each.lat, each.lon) not in known
    ]
    return NamedSpots([*pinned, *others])


def _found(text: BothLanguages | None) -> BothLanguages:
    if text is None:
        raise AppError(404, "not_found")
    return text


ROUTES = [site, imprint, privacy, map_spots]
