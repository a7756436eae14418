import json

from aiohttp import web

from tests.downloads.imitations.site import DATA, Site
from tests.downloads.plugins import Handler

ID = "1AbCdEfGhIjKlMnOp"
FORM = """<title>Virus scan warning</title>
<form id="download-form" action="/download" method="get">
<input type="submit" value="Download anyway"><input type="hidden" name="id" value="{id}">
<input type="hidden" name="export" value="download"><input type="hidden" name="confirm" value="t">
<input type="hidden" name="uuid" value="u-1"></form>"""
ENTRY = """<div class="flip-entry" id="entry-{id}"><a href="https://drive.google.com/{path}">
<div class="flip-entry-info"><div class="flip-entry-title">{title}</div></div></a></div>"""


class GoogleDriveSite(Site):
    plugin = "googledrive"
    file_link = f"https://drive.google.com/file/d/{ID}/view?usp=sharing&resourcekey=0-key"
    folder_link = "https://drive.google.com/drive/folders/0FolderFolder?usp=sharing"
    disposition = "SCAN_CLEAN"
    large = False
    quota_page = False
    status = 200

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /uc": self.uc,
            "GET /download": self.download,
            "GET /embeddedfolderview": self.folder,
        }

    async def uc(self, request: web.Request) -> web.Response:
        assert request.headers["X-Drive-First-Party"] == "DriveViewer"
        if self.status != 200:
            return web.Response(status=self.status)
        if request.query["id"] != ID:
            return web.Response(status=404, text="<html>", content_type="text/html")
        assert request.query["resourcekey"] == "0-key"
        payload = {
            "disposition": self.disposition,
            "downloadUrl": f"{self.base}/download?id={ID}",
            "fileName": "film.bin",
            "scanResult": "OK",
            "sizeBytes": len(DATA),
        }
        return web.Response(text=f")]}}'\n{json.dumps(payload)}", content_type="application/json")

    async def download(self, request: web.Request) -> web.Response:
        if self.quota_page:
            text = "<title>Google Drive - Quota exceeded</title>"
            return web.Response(text=text, content_type="text/html")
        if self.large and request.query.get("confirm") != "t":
            return web.Response(text=FORM.format(id=ID), content_type="text/html")
        return await self.file(request)

    async def folder(self, request: web.Request) -> web.Response:
        entries = {
            "0FolderFolder": [
                (ID, f"file/d/{ID}/view?usp=drive_web", "film &amp; one.bin"),
                ("0InnerInner1", "drive/folders/0InnerInner1", "Inner"),
            ],
            "0InnerInner1": [
                ("2AbCdEfGhIjKlMnOp", "file/d/2AbCdEfGhIjKlMnOp/view", "two.bin"),
                ("0FolderFolder", "drive/folders/0FolderFolder", "Back again"),
            ],
        }
        if request.query["id"] not in entries:
            return web.Response(status=404)
        shown = [
            ENTRY.format(id=id, path=path, title=title)
            for id, path, title in entries[request.query["id"]]
        ]
        text = f"<title>Holiday</title>{''.join(shown)}"
        return web.Response(text=text, content_type="text/html")
