"""The browser extension in a real browser, and the server that it sends links to."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Playwright, Worker

from tests.browser.downloads_service import USER
from tests.downloads.first_user import first_user
from tests.downloads.plugins import plugin_text, put_plugin
from tests.process import ROOT, quartet_serve

SOURCE = ROOT / "extension"
ASKS = """
    async def resolve(self, link, ctx):
        await ctx.captcha("recaptcha", site_key="key", page_url="https://demo.invalid/robots")
"""


class Extension:
    def __init__(self, context: BrowserContext, server: str, token: str) -> None:
        self.context = context
        self.server = server
        self.token = token
        self.worker: Worker = (
            context.service_workers[0]
            if context.service_workers
            else context.wait_for_event("serviceworker")
        )
        self.home = "/".join(self.worker.url.split("/")[:3])

    def page(self, name: str) -> Page:
        page = self.context.new_page()
        page.goto(f"{self.home}/{name}")
        return page

    def set_up(self, **more: Any) -> None:
        values = {"address": self.server, "token": self.token, **more}
        self.worker.evaluate("(values) => chrome.storage.local.set(values)", values)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def forget(self) -> None:
        """Return to the state just after the installation, with an empty server."""
        for view in ("queue", "collector"):
            address = f"{self.server}/api/packages"
            answer = self.context.request.get(f"{address}?view={view}", headers=self.headers)
            for package in answer.json()["packages"]:
                self.context.request.delete(f"{address}/{package['id']}", headers=self.headers)
        self.worker.evaluate("chrome.storage.local.clear()")
        self.worker.evaluate("chrome.downloads.erase({})")
        self.context.clear_cookies()
        # Without an open page the browser would exit.
        for page in self.context.pages[1:]:
            page.close()

    def menu(self, id: str, page: Page, **info: Any) -> None:
        """The browser draws this menu itself, so the test passes the choice to the extension."""
        choice = {"menuItemId": id, "pageUrl": page.url, "frameId": 0, **info}
        self.worker.evaluate(
            """async (choice) => {
                const [tab] = await chrome.tabs.query({active: true, currentWindow: true});
                chrome.contextMenus.onClicked.dispatch(choice, tab);
            }""",
            choice,
        )

    def packages(self, page: Page) -> list[dict[str, Any]]:
        address = f"{self.server}/api/packages?view=collector"
        answer = page.request.get(address, headers=self.headers)
        found: list[dict[str, Any]] = answer.json()["packages"]
        return found

    def links(self, page: Page, count: int) -> list[str]:
        """Wait until the link grabber has this many links."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = [each["url"] for one in self.packages(page) for each in one["downloads"]]
            if len(found) >= count:
                return found
            page.wait_for_timeout(50)
        raise AssertionError(found)


def unpacked(folder: Path) -> Path:
    """Grant the optional permissions up front: no user can answer the prompt."""
    target = folder / "extension"
    shutil.copytree(SOURCE, target)
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["host_permissions"] = manifest.pop("optional_host_permissions")
    manifest["permissions"] += manifest.pop("optional_permissions")
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


def own_downloads(folder: Path) -> None:
    """Let the browser store files below the folder instead of among those of the developer."""
    preferences = folder / "profile" / "Default" / "Preferences"
    preferences.parent.mkdir(parents=True)
    values = {"default_directory": str(folder / "downloads"), "prompt_for_download": False}
    preferences.write_text(json.dumps({"download": values}))


@contextmanager
def extension_browser(
    playwright: Playwright, folder: Path, program: str | None, arguments: list[str]
) -> Iterator[BrowserContext]:
    extension = unpacked(folder)
    own_downloads(folder)
    context = playwright.chromium.launch_persistent_context(
        folder / "profile",
        executable_path=program,
        headless=False,
        locale="en",
        ignore_default_args=["--disable-extensions"],
        args=[
            *arguments,
            "--headless=new",
            "--lang=en",
            f"--disable-extensions-except={extension}",
            f"--load-extension={extension}",
        ],
    )
    yield context
    context.close()


@contextmanager
def extension_server(context: BrowserContext, folder: Path) -> Iterator[Extension]:
    data = folder / "data" / "downloads"
    put_plugin(data, plugin_text(ASKS))
    private = {"DOWNLOADS_ALLOW_PRIVATE_ADDRESSES": "true"}
    with quartet_serve(folder, services=("downloads",), **private) as running:
        server = running.addresses["downloads"].rstrip("/")
        assert context.request.post(f"{server}/api/auth/setup", data=first_user(data, **USER)).ok
        token = context.request.post(f"{server}/api/settings/api-token").json()["token"]
        context.clear_cookies()
        yield Extension(context, server, token)


def wait_for_scripts(extension: Extension, count: int = 2) -> None:
    extension.worker.evaluate(
        """async (count) => {
            while ((await chrome.scripting.getRegisteredContentScripts()).length < count)
                await new Promise((resolve) => setTimeout(resolve, 20));
        }""",
        count,
    )
