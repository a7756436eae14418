from aiohttp import web

from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler


class DropboxSite(Site):
    plugin = "dropbox"
    file_link = "https://www.dropbox.com/scl/fi/abc123/film.bin?rlkey=r1&dl=0"
    # Returned instead of the file.
    status = 200
    page = ""
    protected = False

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /scl/fi/{id}/{name}": self.shared,
            "GET /sm/password": self.password,
            "GET /content/film": self.content,
        }

    async def shared(self, request: web.Request) -> web.Response:
        assert (request.query["rlkey"], request.query["dl"]) == ("r1", "1")
        if self.protected:
            raise web.HTTPFound("/sm/password?cont=x")
        if self.status != 200 or self.page:
            return web.Response(
                status=self.status,
                text=self.page,
                headers={"Retry-After": "0"},
                content_type="text/html",
            )
        raise web.HTTPFound("/content/film")

    async def password(self, request: web.Request) -> web.Response:
        return web.Response(text="<form>", content_type="text/html")

    async def content(self, request: web.Request) -> web.Response:
        headers = {"Content-Disposition": "attachment; filename*=UTF-8''film%20%C3%A4.bin"}
        return web.Response(body=DATA, headers=headers, content_type="application/binary")
