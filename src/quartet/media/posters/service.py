import asyncio
from typing import Any
from urllib.parse import urlsplit

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.catalog.demo.data import DRAWN, movies, series
from quartet.media.options.service import OptionsService
from quartet.media.posters.drawn_covers import draw_cover
from quartet.media.posters.poster_cache import PosterCache
from quartet.media.posters.types import Poster

# Enough for a background in its original size.
MOST_BYTES = 8 * 1024 * 1024
# Image hosts of the catalogs.
HOSTS = frozenset(
    {
        "image.tmdb.org",
        "static.tvmaze.com",
        "artworks.thetvdb.com",
        "s4.anilist.co",
        "m.media-amazon.com",
        "upload.wikimedia.org",
        "commons.wikimedia.org",
    }
)
_TIMEOUT = 15.0
_AT_ONCE = 6


class Posters:
    """Posters, fetched by the server so that browsers do not contact third parties."""

    def __init__(self, kernel: Kernel[Any], options: OptionsService) -> None:
        self._kernel = kernel
        self._options = options
        self._cache = PosterCache(kernel.settings.data / "posters")
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def get(self, url: str) -> Poster:
        if url.startswith(DRAWN):
            return _drawn(url)
        await self._require_known_host(url)
        async with self._slots:
            cached = await asyncio.to_thread(self._cache.get, url)
            if cached is not None:
                return _poster(cached)
            answer = await self._kernel.outbound.get(url, max_bytes=MOST_BYTES, timeout=_TIMEOUT)
            if answer.status in (404, 410):
                raise AppError(404, "poster_not_found")
            if not answer.ok:
                host = urlsplit(url)
                raise AppError(502, "bad_answer", address=f"{host.scheme}://{host.netloc}")
            poster = _poster(answer.body)
            await asyncio.to_thread(self._cache.put, url, poster.picture)
            return poster

    async def _require_known_host(self, url: str) -> None:
        """Raise for other hosts, so that this route cannot be used as a proxy."""
        try:
            parts = urlsplit(url)
        except ValueError:
            raise AppError(403, "poster_elsewhere") from None
        own = {urlsplit(one)[:2] for one in (await self._options.current()).addresses.values()}
        known = parts.scheme == "https" and parts.netloc in HOSTS
        if not known and parts[:2] not in own:
            raise AppError(403, "poster_elsewhere")


def _drawn(url: str) -> Poster:
    kind, _, id = url.removeprefix(DRAWN).partition(":")
    show = series().get(id)
    found = movies().get(id) if kind == "movie" else show and show.candidate
    if found is None:
        raise AppError(404, "poster_not_found")
    return Poster(draw_cover(found), "image/svg+xml")


def _poster(picture: bytes) -> Poster:
    """Detect the image type from the content instead of trusting the server."""
    if picture.startswith(b"\xff\xd8\xff"):
        return Poster(picture, "image/jpeg")
    if picture.startswith(b"\x89PNG\r\n\x1a\n"):
        return Poster(picture, "image/png")
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return Poster(picture, "image/webp")
    raise AppError(502, "poster_unreadable")
