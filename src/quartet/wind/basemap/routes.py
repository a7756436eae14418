import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

from litestar import HttpMethod, Response, route
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath
from litestar.response import Stream

from quartet.kernel.errors import AppError, Problem
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.basemap.archive import Archive
from quartet.wind.basemap.request_parsing import ByteRange, parse_range
from quartet.wind.basemap.service import BASEMAP, LAKES, RELIEF, Maps
from quartet.wind.http_caching import matches_etag

MVT = "application/vnd.mapbox-vector-tile"
PMTILES = "application/vnd.pmtiles"
# Files can be replaced, so responses are cached for a limited time.
_CACHING = "public, max-age=3600"
_CHUNK = 256 * 1024
_READ = [HttpMethod.GET, HttpMethod.HEAD]


@route(
    "/api/map/basemap/{z:str}/{x:str}/{y:str}",
    http_method=_READ,
    media_type=MVT,
    responses={204: ResponseSpec(None, description="An empty tile.")},
    **PUBLIC,
)
async def tile(
    request: Request, maps: Injected[Maps], z: FromPath[str], x: FromPath[str], y: FromPath[str]
) -> Response[bytes]:
    """A vector tile of the basemap."""
    return await _vector_tile(request, maps, BASEMAP, (z, x, y))


@route(
    "/api/map/lakes/{z:str}/{x:str}/{y:str}",
    http_method=_READ,
    media_type=MVT,
    responses={204: ResponseSpec(None, description="An empty tile.")},
    **PUBLIC,
)
async def lakes(
    request: Request, maps: Injected[Maps], z: FromPath[str], x: FromPath[str], y: FromPath[str]
) -> Response[bytes]:
    """A vector tile of the lakes."""
    return await _vector_tile(request, maps, LAKES, (z, x, y))


async def _vector_tile(
    request: Request, maps: Maps, name: str, address: tuple[str, str, str]
) -> Response[bytes]:
    archive = await maps.archive(name)
    z, x, y = address
    found = await maps.tile(archive, z, x, y)
    headers = {"etag": archive.tag, "cache-control": _CACHING, "vary": "accept-encoding"}
    if matches_etag(request.headers.get("if-none-match"), archive.tag):
        return Response(b"", status_code=304, headers=headers)
    if found is None:
        return Response(b"", status_code=204, headers=headers)
    body = found.data
    if found.gzipped and "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    elif found.gzipped:
        body = await asyncio.to_thread(gzip.decompress, body)
    return Response(body, media_type=MVT, headers=headers)


@route(
    "/api/map/terrain/{z:str}/{x:str}/{y:str}",
    http_method=_READ,
    media_type="image/png",
    responses={204: ResponseSpec(None, description="An empty tile.")},
    **PUBLIC,
)
async def heights(
    request: Request, maps: Injected[Maps], z: FromPath[str], x: FromPath[str], y: FromPath[str]
) -> Response[bytes]:
    """A tile of the relief: an image whose colours encode heights."""
    archive = await maps.archive(RELIEF)
    found = await maps.tile(archive, z, x, y)
    headers = {"etag": archive.tag, "cache-control": _CACHING}
    if matches_etag(request.headers.get("if-none-match"), archive.tag):
        return Response(b"", status_code=304, headers=headers)
    if found is None or archive.relief is None:
        return Response(b"", status_code=204, headers=headers)
    kind = f"image/{archive.relief.tiles}"
    return Response(found.data, media_type=kind, headers=headers)


@route("/api/map/basemap.pmtiles", http_method=_READ, media_type=PMTILES, **PUBLIC)
async def basemap(request: Request, maps: Injected[Maps]) -> Response[Any]:
    """The archive of the basemap; supports byte ranges."""
    return _send(request, await maps.archive(BASEMAP))


@route("/api/map/terrain.pmtiles", http_method=_READ, media_type=PMTILES, **PUBLIC)
async def terrain(request: Request, maps: Injected[Maps]) -> Response[Any]:
    """The archive of the relief; supports byte ranges."""
    return _send(request, await maps.archive(RELIEF))


def _send(request: Request, archive: Archive) -> Response[Any]:
    headers = {
        "accept-ranges": "bytes",
        "cache-control": _CACHING,
        "etag": archive.tag,
        "last-modified": archive.modified,
    }
    if matches_etag(request.headers.get("if-none-match"), archive.tag):
        return Response(b"", status_code=304, headers=headers)
    try:
        part = _wanted(request, archive)
    except AppError as error:
        headers["content-range"] = f"bytes */{archive.size}"
        body = Problem(error.code)
        return Response(
            body, status_code=error.status, media_type="application/json", headers=headers
        )
    status = 200 if part is None else 206
    if part is not None:
        headers["content-range"] = f"bytes {part.first}-{part.last}/{archive.size}"
    part = part or ByteRange(0, archive.size - 1)
    headers["content-length"] = str(part.length)
    if request.method == HttpMethod.HEAD:
        return Response(b"", status_code=status, media_type=PMTILES, headers=headers)
    body_parts = _chunks(archive, part)
    return Stream(body_parts, status_code=status, media_type=PMTILES, headers=headers)


def _wanted(request: Request, archive: Archive) -> ByteRange | None:
    """Return the requested range; ignore it if the file has been replaced since (If-Range)."""
    condition = request.headers.get("if-range")
    if condition is not None and condition not in (archive.tag, archive.modified):
        return None
    return parse_range(request.headers.get("range"), archive.size)


async def _chunks(archive: Archive, part: ByteRange) -> AsyncIterator[bytes]:
    at = part.first
    while at <= part.last:
        chunk = await asyncio.to_thread(archive.read, at, min(_CHUNK, part.last - at + 1))
        if not chunk:
            # The file was truncated while being sent; the client notices the missing bytes.
            return
        yield chunk
        at += len(chunk)


ROUTES = [tile, lakes, heights, basemap, terrain]
