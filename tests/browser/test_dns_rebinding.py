"""A page on a foreign host name that resolves to this machine gets no access."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Playwright

from tests.browser.conftest import BARE_CHROMIUM, QUIET, chromium
from tests.process import quartet_serve

REBOUND = ["--host-resolver-rules=MAP rebound.example 127.0.0.1"]
FETCH = """async path => {
    const answer = await fetch(path, {headers: {'Remote-User': 'ada'}});
    return [answer.status, (await answer.json()).code ?? null];
}"""


def test_foreign_page_cannot_send_proxy_header(playwright: Playwright, tmp_path: Path) -> None:
    settings = {"APP_TOKEN": "a token for the browser", "APP_AUTH_HEADER": "Remote-User"}
    with (
        quartet_serve(tmp_path, services=("media",), **settings) as server,
        chromium(playwright, BARE_CHROMIUM, [*QUIET, *REBOUND]) as browser,
    ):
        port = urlsplit(server.addresses["media"]).port
        page = browser.new_page()
        page.goto(f"http://rebound.example:{port}/api/health")
        assert page.evaluate(FETCH, "/api/health") == [200, None]
        for path in ("/api/system", "/api/session", "/api/jobs"):
            assert page.evaluate(FETCH, path) == [403, "host_not_allowed"]
        # The same header is accepted from the proxy, which uses a name of this service.
        page.goto(f"http://127.0.0.1:{port}/api/health")
        assert page.evaluate(FETCH, "/api/system") == [200, None]
