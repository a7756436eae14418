"""The userscript on a hoster's page, with imitated captcha widgets."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.process import quartet_serve

HOSTER = "https://hoster.example/file/1"
# Fills its field on a click, like the real widgets.
WIDGET = """
const box = document.querySelector('.%(widget)s');
const button = document.createElement('button');
button.textContent = 'I am no robot';
const field = document.createElement('textarea');
field.name = '%(field)s';
field.hidden = true;
button.onclick = () => { field.value = `solved ${box.dataset.sitekey}`; };
box.append(button, field);
"""
OWN_PAGE = f"""<!doctype html><body><h1>The hoster</h1><div class="g-recaptcha" data-sitekey="own">
</div><script>{WIDGET % {"widget": "g-recaptcha", "field": "g-recaptcha-response"}}</script>"""
# The API that a userscript manager gives to the script.
MANAGER = "window.GM_xmlhttpRequest = (request) => window.manager(request).then(request.onload);"
KINDS = {
    "recaptcha": ("www.google.com/recaptcha/api.js", "g-recaptcha"),
    "hcaptcha": ("js.hcaptcha.com/1/api.js", "h-captcha"),
    "turnstile": ("challenges.cloudflare.com/turnstile/v0/api.js", "cf-turnstile"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("captcha")
    with quartet_serve(folder, services=("downloads",)) as running:
        yield running.addresses["downloads"].rstrip("/")


class Hoster:
    """Open a page with the userscript and record what the script sends."""

    def __init__(self, browser: Browser, server: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self.server = server
        self.status = 204
        self.context = browser.new_context(locale="en")
        self.context.expose_function("manager", self._manager)
        with urlopen(f"{server}/api/captcha/app-captcha.user.js") as answer:
            script = answer.read().decode()
        self.context.add_init_script(MANAGER + script)

    def _manager(self, request: dict[str, Any]) -> dict[str, int]:
        self.sent.append(request)
        return {"status": self.status}

    def open(self, **challenge: str) -> Page:
        given = {"server": self.server, "id": "1", "secret": "s", "siteKey": "k", **challenge}
        text = urlsafe_b64encode(json.dumps(given).encode()).decode().rstrip("=")
        page = self.context.new_page()
        page.goto(f"{HOSTER}#quartet={text}", wait_until="commit")
        return page


def sending(body: str, kind: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=body, content_type=kind)


@pytest.fixture
def hoster(browser: Browser, server: str) -> Iterator[Hoster]:
    hoster = Hoster(browser, server)
    hoster.context.route("**", lambda route: route.abort())
    hoster.context.route(f"{HOSTER}*", sending(OWN_PAGE, "text/html"))
    for address, widget in KINDS.values():
        body = WIDGET % {"widget": widget, "field": f"{widget}-response"}
        hoster.context.route(f"https://{address}*", sending(body, "text/javascript"))
    yield hoster
    hoster.context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_captcha_is_shown_and_answer_is_sent(hoster: Hoster, kind: str) -> None:
    page = hoster.open(kind=kind)
    expect(page.get_by_role("status")).to_have_text(
        "Solve the captcha; the answer is sent by itself."
    )
    # The page's own scripts do not run and cannot read the secret.
    expect(page.get_by_role("heading")).to_have_count(0)
    assert page.url == HOSTER
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text("Done. This page can be closed.")
    [request] = hoster.sent
    assert request["url"] == f"{hoster.server}/api/captcha/solve"
    assert request["method"] == "POST"
    assert json.loads(request["data"]) == {"id": "1", "secret": "s", "token": "solved k"}


def test_own_captcha_of_page_is_used_when_csp_blocks_widget(hoster: Hoster) -> None:
    hoster.context.route("https://www.google.com/**", lambda route: route.abort())
    page = hoster.open(kind="recaptcha")
    expect(page.get_by_role("heading")).to_have_text("The hoster")
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text("Done. This page can be closed.")
    assert json.loads(hoster.sent[0]["data"])["token"] == "solved own"


def test_expired_captcha_is_reported(hoster: Hoster) -> None:
    hoster.status = 410
    page = hoster.open(kind="recaptcha")
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_contain_text("no longer needed")


@pytest.mark.parametrize("other", [{"server": "https://evil.example"}, {"kind": "image"}])
def test_other_pages_are_left_alone(hoster: Hoster, other: dict[str, str]) -> None:
    page = hoster.open(**{"kind": "recaptcha", **other})
    expect(page.get_by_role("heading")).to_have_text("The hoster")
    page.get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_count(0)
    assert hoster.sent == []
