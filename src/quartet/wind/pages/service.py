"""Pages rendered on the server for clients that run no scripts."""

from quartet.kernel.errors import AppError
from quartet.wind.address import site_address
from quartet.wind.languages import Language
from quartet.wind.pages.crawlers import robots_text, sitemap
from quartet.wind.pages.head import station_page
from quartet.wind.settings import WindSettings
from quartet.wind.stations.service import Stations


class Pages:
    def __init__(self, stations: Stations, settings: WindSettings) -> None:
        self._stations = stations
        # From the settings only: headers can be forged, and proxies would cache the page.
        self._site = site_address(settings) if settings.public_url else None
        self._base_path = settings.base_path

    def robots(self) -> str:
        return robots_text(self._site, self._base_path)

    async def sitemap(self) -> str:
        """List all pages that search engines may show; raises `not_found` without an address."""
        if self._site is None:
            raise AppError(404, "not_found")
        known = await self._stations.everything()
        return sitemap(self._site, [each.slug for each in known])

    async def station(self, page: str, slug: str, language: Language) -> str | None:
        """Return the page, or None for an unknown station."""
        try:
            known = await self._stations.by_slug(slug)
        except AppError:
            return None
        return station_page(page, known, self._site, language)
