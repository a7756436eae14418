import hashlib
from base64 import b64encode
from typing import Any

from aiohttp import web

from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

KEY = "abcdefghijk1234"


class MediaFireSite(Site):
    plugin = "mediafire"
    file_link = f"https://www.mediafire.com/file/{KEY}/film.bin/file"
    folder_link = "https://www.mediafire.com/folder/f0lderf0lder1/Holiday"
    password = ""
    scrambled = True
    taken_down = False
    endless = False

    def routes(self) -> dict[str, Handler]:
        return {
            "GET /api/1.5/file/get_info.php": self.info,
            "GET /api/1.5/folder/get_info.php": self.folder_info,
            "GET /api/1.5/folder/get_content.php": self.content,
            "GET /file/{key}": self.page,
            "POST /file/{key}": self.page,
            "GET /error.php": self.error,
            "GET /dl/film": self.file,
        }

    async def info(self, request: web.Request) -> web.Response:
        if request.query["quick_key"] != KEY:
            return failure(110, "Unknown or Invalid QuickKey")
        return success(file_info={**described(KEY), "password_protected": "no"})

    async def folder_info(self, request: web.Request) -> web.Response:
        if request.query["folder_key"] != "f0lderf0lder1":
            return failure(112, "Unknown or invalid FolderKey")
        return success(folder_info={"folderkey": "f0lderf0lder1", "name": "Holiday"})

    async def content(self, request: web.Request) -> web.Response:
        """The root has two chunks of files and a folder that contains itself and the root."""
        place, chunk = request.query["folder_key"], int(request.query["chunk"])
        if request.query["content_type"] == "folders":
            inner = {"folderkey": "inner", "name": "Inner"}
            root = {"folderkey": "f0lderf0lder1", "name": "Holiday"}
            return success(folder_content={"folders": [inner, root], "more_chunks": "no"})
        more = self.endless or (place, chunk) == ("f0lderf0lder1", 1)
        keys = {1: KEY, 2: "bbbbbbbbbbbbbbb"} if place != "inner" else {1: "ccccccccccccccc"}
        files = [described(keys[chunk])] if chunk in keys else []
        return success(folder_content={"files": files, "more_chunks": "yes" if more else "no"})

    async def page(self, request: web.Request) -> web.Response:
        if self.taken_down:
            raise web.HTTPFound("/error.php?errno=380")
        if self.password and (await request.post()).get("downloadp") != self.password:
            text = '<form><input type="password" name="downloadp"></form>'
            return web.Response(text=text, content_type="text/html")
        address = f"{self.base}/dl/film"
        hidden = b64encode(address.encode()).decode()
        where = f'href="#" data-scrambled-url="{hidden}"' if self.scrambled else f'href="{address}"'
        text = f'<a class="input popsok" id="downloadButton" {where}>Download</a>'
        return web.Response(text=text, content_type="text/html")

    async def error(self, request: web.Request) -> web.Response:
        return web.Response(text="<h1>Removed</h1>", content_type="text/html")


def described(key: str) -> dict[str, Any]:
    return {
        "quickkey": key,
        "filename": f"{key[:3]}.bin",
        "size": str(len(DATA)),
        "hash": hashlib.sha256(DATA).hexdigest(),
        "privacy": "public",
    }


def success(**payload: Any) -> web.Response:
    return web.json_response({"response": {"result": "Success", **payload}})


def failure(code: int, message: str) -> web.Response:
    payload = {"result": "Error", "error": code, "message": message}
    return web.json_response({"response": payload}, status=403)
