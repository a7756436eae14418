from litestar import HttpMethod, Response, get, route
from litestar.params import FromPath

from quartet.kernel.errors import AppError
from quartet.kernel.service import header
from quartet.kernel.ui_files import UiFile, UiFiles
from quartet.kernel.web import PUBLIC, Injected, Request
from quartet.wind.languages import language_of
from quartet.wind.pages.link_previews import LinkPreviews
from quartet.wind.pages.service import Pages


@route(
    # Both paths are needed: with only one of them the router would answer 404 for the other.
    ["/station", "/station/{path:path}"],
    http_method=[HttpMethod.GET, HttpMethod.HEAD],
    include_in_schema=False,
    **PUBLIC,
)
async def station(
    request: Request, pages: Injected[Pages], ui_files: Injected[UiFiles]
) -> Response[bytes]:
    """The app with the title, description, Open Graph and JSON-LD data of a station."""
    slug = request.scope["path"].removeprefix("/station").strip("/")
    page = ui_files.page
    if not slug:
        return page.answer(request)
    asked = request.query_params.getall("lang", [])
    wanted = asked[0] if len(asked) == 1 else None
    language = language_of(wanted, header(request, "accept-language"))
    filled = await pages.station(ui_files.html, slug, language)
    if filled is not None:
        answer = UiFile(filled.encode(), page.kind).answer(request)
        # Proxies must cache one page per language.
        vary = [each for each in (answer.headers.get("vary"), "accept-language") if each]
        answer.headers["vary"] = ", ".join(vary)
        return answer
    # The app shows the error to users; the status is for search engines.
    headers = {"cache-control": "no-cache", "content-type": page.kind}
    return Response(page.body, status_code=404, headers=headers)


@get("/preview/{file:str}", include_in_schema=False, **PUBLIC)
async def preview(
    request: Request, link_previews: Injected[LinkPreviews], file: FromPath[str]
) -> Response[bytes]:
    """A picture of the forecast of a station, for link previews."""
    slug = file.removesuffix(".png")
    picture = await link_previews.png(slug) if slug != file else None
    if picture is None:
        raise AppError(404, "not_found", path=file[:120])
    answer = UiFile(picture, "image/png").answer(request)
    answer.headers["cache-control"] = "public, max-age=3600"
    return answer


@get("/robots.txt", include_in_schema=False, **PUBLIC)
async def robots(request: Request, pages: Injected[Pages]) -> Response[bytes]:
    """Which pages search engines may read."""
    return _for_a_day(request, pages.robots(), "text/plain; charset=utf-8")


@get("/sitemap.xml", include_in_schema=False, **PUBLIC)
async def sitemap(request: Request, pages: Injected[Pages]) -> Response[bytes]:
    """The pages that search engines may show."""
    return _for_a_day(request, await pages.sitemap(), "text/xml; charset=utf-8")


def _for_a_day(request: Request, text: str, kind: str) -> Response[bytes]:
    answer = UiFile(text.encode(), kind).answer(request)
    answer.headers["cache-control"] = "public, max-age=86400"
    return answer


ROUTES = [station, preview, robots, sitemap]
