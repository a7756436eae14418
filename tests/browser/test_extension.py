"""The browser extension in a real browser, with a real server."""

import json
import runpy
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, Worker, expect

from tests.browser.conftest import CHROMIUM, QUIET
from tests.browser.downloads_service import USER
from tests.browser.visits import assert_accessible, wait_for_script
from tests.downloads.first_user import first_user
from tests.downloads.plugins import plugin_text, put_plugin
from tests.process import ROOT, quartet_serve

SOURCE = ROOT / "extension"
LINK = "https://files.example/one.zip"
LOGIN = "session=ada; Path=/; HttpOnly"
BOUGHT = b"what only customers get" * 1000
ASKS = """
    async def resolve(self, link, ctx):
        await ctx.captcha("recaptcha", site_key="key", page_url="https://demo.invalid/robots")
"""
# The three ways in which pages send Click'n'Load links: a form, a form submitted by script, and
# fetch.
PAGE = """<!doctype html><title>A page</title>
<p>See <a href="https://files.example/a.zip">the first</a> and
<a href="https://files.example/b.zip">the second</a>, not <a href="/c.zip">the third</a>.</p>
<form id="form" action="http://127.0.0.1:9666/flash/add" method="post">
  <input name="urls" value="https://files.example/clicked.zip"><input name="package" value="Box">
  <button>Add</button>
</form>
<button onclick="document.getElementById('form').submit()">By script</button>
<button onclick="fetch('http://127.0.0.1:9666/flash/add', {method: 'POST',
  body: new URLSearchParams({urls: 'https://files.example/fetched.zip'})})">Fetch</button>"""


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

    def forget(self) -> None:
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
        headers = {"Authorization": f"Bearer {self.token}"}
        address = f"{self.server}/api/packages?view=collector"
        found: list[dict[str, Any]] = page.request.get(address, headers=headers).json()["packages"]
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


@pytest.fixture(scope="module")
def extension_context(
    tmp_path_factory: pytest.TempPathFactory, playwright: Playwright
) -> Iterator[BrowserContext]:
    folder = tmp_path_factory.mktemp("browser")
    extension = unpacked(folder)
    context = playwright.chromium.launch_persistent_context(
        folder / "profile",
        executable_path=CHROMIUM,
        headless=False,
        locale="en",
        ignore_default_args=["--disable-extensions"],
        args=[
            *QUIET,
            "--headless=new",
            "--lang=en",
            f"--disable-extensions-except={extension}",
            f"--load-extension={extension}",
        ],
    )
    yield context
    context.close()


@pytest.fixture
def extension(tmp_path: Path, extension_context: BrowserContext) -> Iterator[Extension]:
    """The extension as just installed, with a new server."""
    context = extension_context
    data = tmp_path / "data" / "downloads"
    put_plugin(data, plugin_text(ASKS))
    private = {"DOWNLOADS_ALLOW_PRIVATE_ADDRESSES": "true"}
    with quartet_serve(tmp_path, services=("downloads",), **private) as running:
        server = running.addresses["downloads"].rstrip("/")
        assert context.request.post(f"{server}/api/auth/setup", data=first_user(data, **USER)).ok
        token = context.request.post(f"{server}/api/settings/api-token").json()["token"]
        context.clear_cookies()
        extension = Extension(context, server, token)
        yield extension
        extension.forget()


def test_extension_is_set_up_and_sends_pasted_links(extension: Extension) -> None:
    options = extension.page("options.html")
    assert_accessible(options)
    options.get_by_label("Server address").fill(extension.server.removeprefix("http://"))
    options.get_by_label("API token").fill("wrong")
    options.get_by_role("button", name="Test and save").click()
    expect(options.get_by_role("status")).to_have_text("The server rejected the token.")
    options.get_by_label("API token").fill(extension.token)
    options.get_by_role("button", name="Test and save").click()
    expect(options.get_by_role("status")).to_contain_text("Connected.")
    popup = extension.page("popup.html")
    expect(popup.get_by_text("Running: 0")).to_be_visible()
    assert_accessible(popup)
    popup.get_by_label("Links").fill(f"look: {LINK}, and nothing else")
    popup.get_by_role("button", name="Send to Quartet").click()
    expect(popup.get_by_role("status")).to_have_text("Added to the link grabber: 1")
    assert extension.links(popup, 1) == [LINK]
    [package] = extension.packages(popup)
    assert package["source"] == "extension"


def test_extension_reports_missing_server(extension: Extension) -> None:
    popup = extension.page("popup.html")
    popup.get_by_label("Links").fill(LINK)
    popup.get_by_role("button", name="Send to Quartet").click()
    expect(popup.get_by_role("status")).to_have_text(
        "Set the server and token in the settings first."
    )
    extension.set_up(address="http://127.0.0.1:9")
    popup.get_by_role("button", name="Send to Quartet").click()
    expect(popup.get_by_role("status")).to_have_text("Cannot reach http://127.0.0.1:9.")
    expect(popup.get_by_label("Links")).to_have_value(LINK)


def test_links_selections_and_pages_are_sent_from_menu(extension: Extension) -> None:
    extension.set_up()
    page = open_page(extension)
    extension.menu("link", page, linkUrl=LINK)
    assert extension.links(page, 1) == [LINK]
    extension.menu("page", page)
    assert extension.links(page, 2)[1] == "https://pages.example/"
    page.evaluate(
        """() => {
            const [first, second] = document.querySelectorAll('a');
            getSelection().setBaseAndExtent(first, 0, second, 1);
        }"""
    )
    extension.menu("selection", page, selectionText="the first and the second")
    assert extension.links(page, 4)[2:] == [
        "https://files.example/a.zip",
        "https://files.example/b.zip",
    ]
    assert extension.packages(page)[0]["sourcePage"] == "https://pages.example/"


def test_click_n_load_in_page(extension: Extension) -> None:
    extension.set_up(clickNLoad=True)
    wait_for_scripts(extension)
    page = open_page(extension)
    assert page.evaluate("jdownloader") is True
    page.get_by_role("button", name="Add").click()
    assert extension.links(page, 1) == ["https://files.example/clicked.zip"]
    page.get_by_role("button", name="By script").click()
    page.get_by_role("button", name="Fetch").click()
    assert "https://files.example/fetched.zip" in extension.links(page, 3)
    assert page.url == "https://pages.example/"
    packages = extension.packages(page)
    assert {each["source"] for each in packages} == {"cnl"}
    assert packages[0]["sourcePage"] == "https://pages.example/"


def test_links_and_media_of_a_page_are_sent_from_menu(extension: Extension) -> None:
    # They are many, so they are never started at once.
    extension.set_up(start=True)
    page = open_page(extension)
    extension.menu("links", page)
    assert extension.links(page, 3) == [
        "https://files.example/a.zip",
        "https://files.example/b.zip",
        "https://pages.example/c.zip",
    ]
    page.evaluate(
        """() => document.body.insertAdjacentHTML('beforeend',
            '<img src="https://files.example/a.png"><video src="https://files.example/b.mp4">')"""
    )
    extension.menu("media", page)
    assert extension.links(page, 5)[3:] == [
        "https://files.example/a.png",
        "https://files.example/b.mp4",
    ]


@dataclass
class Shop:
    """A web server that sends its file only to those who have logged in."""

    address: str = ""
    requests: list[dict[str, str]] = field(default_factory=list)

    def taken(self) -> list[dict[str, str]]:
        """Return the headers of requests that did not come from the browser."""
        return [each for each in self.requests if "sec-fetch-mode" not in each]


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/":
                self.reply(200, b'<a href="/file.zip">The file</a>', "text/html", LOGIN)
                return
            shop.requests.append({name.lower(): value for name, value in self.headers.items()})
            allowed = "session=ada" in self.headers.get("Cookie", "")
            self.reply(200 if allowed else 401, BOUGHT if allowed else b"", "application/zip")

        def reply(self, status: int, body: bytes, kind: str, cookie: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if cookie:
                self.send_header("Set-Cookie", cookie)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        shop.address = f"http://127.0.0.1:{server.server_address[1]}/"
        yield shop
        server.shutdown()
        thread.join()


def test_file_behind_a_login_is_taken_over(extension: Extension, shop: Shop) -> None:
    extension.set_up(takeOver=True, takeOverFrom=0)
    page = extension.context.new_page()
    keep_downloads_of_browser(page)
    page.goto(shop.address)
    page.get_by_role("link", name="The file").click()
    [finished] = finished_downloads(extension, page)
    assert (finished["name"], finished["size"]) == ("file.zip", len(BOUGHT))
    [request, *_] = shop.taken()
    assert request["cookie"] == "session=ada"
    assert request["referer"] == shop.address
    assert request["user-agent"] == page.evaluate("navigator.userAgent")
    # The browser does not keep it as well.
    assert extension.worker.evaluate("chrome.downloads.search({})") == []


def test_downloads_stay_in_the_browser_by_key_size_and_type(
    extension: Extension, shop: Shop
) -> None:
    extension.set_up(takeOver=True, takeOverFrom=0)
    page = extension.context.new_page()
    keep_downloads_of_browser(page)
    wait_for_scripts(extension, 1)
    page.goto(shop.address)
    link = page.get_by_role("link", name="The file")
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["Alt"]),
        ({"takeOverFrom": 1}, []),
        ({"takeOverTypes": "rar, 7z"}, []),
    ]
    for number, (rules, keys) in enumerate(cases, 1):
        extension.set_up(**{"takeOver": True, "takeOverFrom": 0, "takeOverTypes": "", **rules})
        for key in keys:
            page.keyboard.down(key)
        link.click()
        for key in keys:
            page.keyboard.up(key)
        extension.worker.evaluate(
            """async (number) => {
                const done = { state: 'complete' };
                while ((await chrome.downloads.search(done)).length < number)
                    await new Promise((resolve) => setTimeout(resolve, 20));
            }""",
            number,
        )
    assert shop.taken() == []


def keep_downloads_of_browser(page: Page) -> None:
    """Let the browser handle downloads itself, as it does without the test."""
    session = page.context.new_cdp_session(page)
    session.send("Browser.setDownloadBehavior", {"behavior": "default"})


def finished_downloads(extension: Extension, page: Page) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {extension.token}"}
    for _ in range(600):
        answer = page.request.get(f"{extension.server}/api/packages", headers=headers).json()
        found = [each for one in answer["packages"] for each in one["downloads"]]
        if found and {each["status"] for each in found} <= {"finished", "failed"}:
            return found
        page.wait_for_timeout(50)
    raise AssertionError(found)


def test_speed_and_count_are_shown_on_icon(extension: Extension) -> None:
    page = extension.page("popup.html")
    shown = page.evaluate(
        """async () => {
            const { short } = await import('./activity.js');
            return [0, 999, 2048, 12 * 1024 * 1024, 1010 * 1024 * 1024].map(short);
        }"""
    )
    assert shown == ["", "999", "2.0K", "12M", "1.0G"]


def test_open_captchas_are_counted_on_badge(extension: Extension) -> None:
    extension.set_up()
    page = extension.page("popup.html")
    body = {"links": "https://demo.invalid/f/picture", "start": True}
    headers = {"Authorization": f"Bearer {extension.token}"}
    assert page.request.post(f"{extension.server}/api/links", data=body, headers=headers).ok
    waiting = f"{extension.server}/api/captchas"
    while not page.request.get(waiting, headers=headers).json():
        page.wait_for_timeout(50)
    extension.worker.evaluate("chrome.alarms.onAlarm.dispatch({ name: 'captchas' })")
    wait_for_script(page, "chrome.action.getBadgeText({}).then((text) => text === '1')")
    page.reload()
    link = page.get_by_role("link", name="Waiting captchas and questions: 1")
    with extension.context.expect_page() as opened:
        link.click()
    assert opened.value.url == f"{extension.server}/captchas"


def open_page(extension: Extension) -> Page:
    page = extension.context.new_page()
    page.route(
        "https://pages.example/**", lambda route: route.fulfill(body=PAGE, content_type="text/html")
    )
    page.goto("https://pages.example/")
    page.bring_to_front()
    return page


def wait_for_scripts(extension: Extension, count: int = 2) -> None:
    extension.worker.evaluate(
        """async (count) => {
            while ((await chrome.scripting.getRegisteredContentScripts()).length < count)
                await new Promise((resolve) => setTimeout(resolve, 20));
        }""",
        count,
    )


def test_packages_for_both_browsers(tmp_path: Path) -> None:
    runpy.run_path(str(ROOT / "scripts/extension.py"))["main"](tmp_path)
    for name, background in (("chromium", "service_worker"), ("firefox", "scripts")):
        with zipfile.ZipFile(tmp_path / f"quartet-{name}.zip") as packed:
            manifest = json.loads(packed.read("manifest.json"))
            names = set(packed.namelist())
        assert background in manifest["background"]
        assert "host_permissions" not in manifest
        assert "cookies" not in manifest["permissions"]
        assert {"background.js", "cnl/page.js", "_locales/de/messages.json"} <= names
        assert set(manifest["icons"].values()) <= names


def test_settings_page_offers_extension(extension: Extension) -> None:
    page = extension.context.new_page()
    assert page.request.post(f"{extension.server}/api/auth/login", data=USER).ok
    page.goto(f"{extension.server}/settings?q=Firefox")
    expect(page.get_by_role("heading", name="API token")).to_be_hidden()
    link = page.get_by_role("link", name="For Firefox")
    loaded = page.request.get(str(link.evaluate("(link) => link.href"))).body()
    with zipfile.ZipFile(BytesIO(loaded)) as packed:
        assert packed.testzip() is None
    page.get_by_label("Search settings").fill("token")
    expect(page.get_by_role("heading", name="API token")).to_be_visible()


def test_both_languages_have_same_messages() -> None:
    texts = [
        json.loads((SOURCE / "_locales" / language / "messages.json").read_text())
        for language in ("en", "de")
    ]
    assert texts[0].keys() == texts[1].keys()
    code = "\n".join(path.read_text() for path in SOURCE.rglob("*.js"))
    pages = "\n".join(path.read_text() for path in SOURCE.rglob("*.html"))
    for key in texts[0]:
        of_server = key.startswith(("error_", "menu_", "name", "description"))
        assert of_server or f"'{key}'" in code or f'"{key}"' in pages, key
