"""A download manager with a local test hoster and a signed-in user."""

from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import APIRequestContext, APIResponse, Page, expect

from tests.browser.downloads_files import Files, file_server
from tests.browser.visits import ENGLISH_WIDE, Look, Visit
from tests.downloads.first_user import first_user
from tests.downloads.plugins import plugin_text, put_plugin
from tests.process import quartet_serve

USER = {"user": "robin", "password": "four strings in tune"}

DOT = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# Pastes a text on the page.
PASTE = """(text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
}"""

# The link says what the hoster asks; every answer except `right` is wrong.
HOSTER = """
    version = "2.5"
    account = AccountForm(
        user_label=Text(de="E-Mail", en="E-mail"),
        secret_label=Text(de="Passwort", en="Password"),
        help=Text(de="Das der Website.", en="The one of the website."),
    )

    async def resolve(self, link, ctx):
        match link.parts["id"]:
            case "picture":
                picture = (await ctx.http.get(f"{self.settings['base']}/picture", read=True)).body
                await ctx.captcha("image", image=picture)
            case "robot":
                page = "https://demo.invalid/robots?file=1"
                await ctx.captcha("recaptcha", site_key="key", page_url=page, enterprise=True)
            case "locked":
                given = await ctx.password()
                while given != "right":
                    given = await ctx.password(wrong=True)
        return File(url=f"{self.settings['base']}/file.bin", name=f"{link.parts['id']}.bin")

    async def check_account(self, ctx):
        if ctx.account.secret != "right":
            return AccountState(False, text=Text(de="Falsches Passwort.", en="Wrong password."))
        return AccountState(True, premium=True, traffic_left=25_000_000_000, valid_until=2e9)
"""


@dataclass(frozen=True)
class DownloadsService:
    address: str
    data: Path
    done: Path
    files: Files
    visit: Visit

    def open(self, path: str = "/", look: Look = ENGLISH_WIDE) -> Page:
        page = self.visit(f"{self.address}{path}", look, self.sign_in)
        expect(page.locator("main > *").first).to_be_visible()
        return page

    def sign_in(self, request: APIRequestContext) -> APIResponse:
        answer = request.post(f"{self.address}/api/auth/setup", data=first_user(self.data, **USER))
        if answer.ok:
            return answer
        return request.post(f"{self.address}/api/auth/login", data=USER)

    def load(self, page: Page, *links: str, **more: Any) -> None:
        """Add the links to the queue as one package."""
        body = {"links": "\n".join(links), "start": True, **more}
        assert page.request.post(f"{self.address}/api/links", data=body).ok


@contextmanager
def start_downloads(folder: Path, visit: Visit) -> Iterator[DownloadsService]:
    with downloads_server(folder) as server:
        yield DownloadsService(*server, visit)
        # Close the page first: it would log an error when the server stops.
        visit.close()


class DownloadsServer(NamedTuple):
    address: str
    data: Path
    done: Path
    files: Files

    def empty(self, request: APIRequestContext) -> None:
        """Remove what a test has left behind."""
        self.files.reset()
        for view in ("queue", "collector"):
            found = request.get(f"{self.address}/api/packages?view={view}").json()["packages"]
            for package in found:
                request.delete(f"{self.address}/api/packages/{package['id']}?files=true")
        none: dict[str, dict[str, list[str]]] = {
            "settings": {},
            "settings/archive-passwords": {"passwords": []},
            "rules": {"rules": []},
        }
        for path, body in none.items():
            assert request.put(f"{self.address}/api/{path}", data=body).ok


@contextmanager
def downloads_server(folder: Path) -> Iterator[DownloadsServer]:
    data, done = folder / "data" / "downloads", folder / "finished files"
    with file_server() as files:
        files.put("file.bin", 1024)
        files.contents["/picture"] = files.contents["/favicon.ico"] = DOT
        put_plugin(data, plugin_text(HOSTER), base=files.address)
        with quartet_serve(
            folder,
            services=("downloads",),
            DOWNLOADS_ALLOW_PRIVATE_ADDRESSES="true",
            DOWNLOADS_DONE_DIR=str(done),
        ) as running:
            yield DownloadsServer(running.addresses["downloads"], data, done, files)
