"""An imitation of the API of OpenSubtitles.com: login, search and download with a quota."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.local_server import local_server

USER, PASSWORD, KEY, SESSION = "me", "secret-password", "my-api-key", "a-session"


def subtitle(id: int, language: str, release: str, **feature: Any) -> dict[str, Any]:
    """Return an entry of a search, as the API describes it."""
    return {
        "id": str(id),
        "type": "subtitle",
        "attributes": {
            "subtitle_id": str(id),
            "language": language,
            "download_count": 100,
            "hearing_impaired": False,
            "hd": True,
            "fps": 23.976,
            "foreign_parts_only": False,
            "machine_translated": False,
            "ai_translated": False,
            "release": release,
            "feature_details": {"feature_id": id, "movie_name": "", **feature},
            "files": [{"file_id": id, "cd_number": 1, "file_name": release}],
        },
    }


class FakeOpenSubtitles:
    """`entries` maps a movie hash or a title in lower case to search results."""

    def __init__(self) -> None:
        self.entries: dict[str, list[dict[str, Any]]] = {}
        self.searches: list[dict[str, str]] = []
        self.downloads: list[int] = []
        self.remaining = 20
        self.url = ""

    async def login(self, request: web.Request) -> web.Response:
        given = await request.json()
        if (given["username"], given["password"]) != (USER, PASSWORD):
            return web.json_response({"message": "Error, invalid username/password"}, status=401)
        return web.json_response({"user": {"level": "Sub leecher"}, "token": SESSION})

    async def search(self, request: web.Request) -> web.Response:
        if request.headers.get("Api-Key") != KEY:
            return web.json_response({"message": "You cannot consume this service"}, status=403)
        query = dict(request.query)
        self.searches.append(query)
        by_hash = self.entries.get(query.get("moviehash", ""), [])
        found = [
            {**one, "attributes": one["attributes"] | {"moviehash_match": True}} for one in by_hash
        ]
        found += self.entries.get(query.get("query", ""), [])
        wanted = query["languages"].split(",")
        found = [one for one in found if one["attributes"]["language"] in wanted]
        return web.json_response(
            {"total_pages": 1, "total_count": len(found), "page": 1, "data": found}
        )

    async def download(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {SESSION}":
            return web.json_response({"message": "not logged in"}, status=401)
        id = (await request.json())["file_id"]
        self.downloads.append(id)
        self.remaining -= 1
        return web.json_response(
            {"link": f"{self.url}/file/{id}", "file_name": "x.srt", "remaining": self.remaining}
        )

    async def file(self, request: web.Request) -> web.Response:
        id = request.match_info["id"]
        text = f"1\n00:00:01,000 --> 00:00:02,000\nSubtitle {id}\n"
        return web.Response(body=text.encode(), content_type="application/x-subrip")


@asynccontextmanager
async def fake_opensubtitles() -> AsyncIterator[FakeOpenSubtitles]:
    one = FakeOpenSubtitles()
    app = web.Application()
    app.router.add_post("/api/v1/login", one.login)
    app.router.add_get("/api/v1/subtitles", one.search)
    app.router.add_post("/api/v1/download", one.download)
    app.router.add_get("/file/{id}", one.file)
    async with local_server(app) as one.url:
        yield one
