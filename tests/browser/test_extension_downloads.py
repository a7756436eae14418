"""The extension takes over downloads of the browser."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.extension_service import Extension, wait_for_scripts

LOGIN = "session=ada; Path=/; HttpOnly"
BOUGHT = b"what only customers get" * 1000


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
    address = f"{extension.server}/api/packages"
    for _ in range(600):
        answer = page.request.get(address, headers=extension.headers).json()
        found = [each for one in answer["packages"] for each in one["downloads"]]
        if found and {each["status"] for each in found} <= {"finished", "failed"}:
            return found
        page.wait_for_timeout(50)
    raise AssertionError(found)
