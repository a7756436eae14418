"""The browser extension in a real browser, with a real server."""

import json
import runpy
import zipfile
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.downloads_files import file_server
from tests.browser.downloads_service import USER
from tests.browser.extension_service import SOURCE, Extension, wait_for_scripts
from tests.browser.visits import assert_accessible, wait_for_script
from tests.process import ROOT

LINK = "https://files.example/one.zip"
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


def test_extension_is_set_up_and_sends_pasted_links(extension: Extension) -> None:
    popup = extension.page("popup.html")
    popup.get_by_label("Links").fill(f"look: {LINK}, and nothing else")
    send = popup.get_by_role("button", name="Send to Quartet")
    send.click()
    status = popup.get_by_role("status")
    expect(status).to_have_text("Set the server and token in the settings first.")
    extension.set_up(address="http://127.0.0.1:9")
    send.click()
    expect(status).to_have_text("Cannot reach http://127.0.0.1:9.")

    options = extension.page("options.html")
    assert_accessible(options)
    options.get_by_label("Server address").fill(extension.server.removeprefix("http://"))
    options.get_by_label("API token").fill("wrong")
    options.get_by_role("button", name="Test and save").click()
    expect(options.get_by_role("status")).to_have_text("The server rejected the token.")
    options.get_by_label("API token").fill(extension.token)
    options.get_by_role("button", name="Test and save").click()
    expect(options.get_by_role("status")).to_contain_text("Connected.")

    # The links that could not be sent are still there.
    popup.bring_to_front()
    send.click()
    expect(status).to_have_text("Added to the link grabber: 1")
    assert extension.links(popup, 1) == [LINK]
    [package] = extension.packages(popup)
    assert package["source"] == "extension"
    popup.reload()
    expect(popup.get_by_text("Running: 0")).to_be_visible()
    assert_accessible(popup)


def test_links_selections_pages_and_media_are_sent_from_menu(extension: Extension) -> None:
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
    first, second = "https://files.example/a.zip", "https://files.example/b.zip"
    assert extension.links(page, 4)[2:] == [first, second]
    assert extension.packages(page)[0]["sourcePage"] == "https://pages.example/"
    # They are many, so they are never started at once.
    extension.set_up(start=True)
    extension.menu("links", page)
    assert extension.links(page, 7)[4:] == [first, second, "https://pages.example/c.zip"]
    page.evaluate(
        """() => document.body.insertAdjacentHTML('beforeend',
            '<img src="https://files.example/a.png"><video src="https://files.example/b.mp4">')"""
    )
    extension.menu("media", page)
    media = ["https://files.example/a.png", "https://files.example/b.mp4"]
    assert extension.links(page, 9)[7:] == media


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


def test_speed_count_and_captchas_are_shown_on_icon(extension: Extension) -> None:
    extension.set_up()
    page = extension.page("popup.html")
    shown = page.evaluate(
        """async () => {
            const { short } = await import('./activity.js');
            return [0, 999, 2048, 12 * 1024 * 1024, 1010 * 1024 * 1024].map(short);
        }"""
    )
    assert shown == ["", "999", "2.0K", "12M", "1.0G"]
    with file_server() as files:
        files.open.clear()
        start(extension, page, files.put("slow.bin", 1 << 20))
        wait_for_json(extension, page, "stats", "active")
        look_again(extension)
        wait_for_script(page, "chrome.action.getBadgeText({}).then((text) => text !== '')")
        wait_for_script(page, "chrome.action.getTitle({}).then((text) => text.includes('1'))")
        start(extension, page, "https://demo.invalid/f/picture")
        wait_for_json(extension, page, "captchas", "0")
        look_again(extension)
        wait_for_script(page, "chrome.action.getBadgeText({}).then((text) => text === '1')")
        files.open.set()
    page.reload()
    link = page.get_by_role("link", name="Waiting captchas and questions: 1")
    with extension.context.expect_page() as opened:
        link.click()
    assert opened.value.url == f"{extension.server}/captchas"


def start(extension: Extension, page: Page, link: str) -> None:
    body = {"links": link, "start": True}
    address = f"{extension.server}/api/links"
    assert page.request.post(address, data=body, headers=extension.headers).ok


def wait_for_json(extension: Extension, page: Page, path: str, key: str) -> None:
    """Wait until this part of an answer of the server is there and not zero."""
    address = f"{extension.server}/api/{path}"
    while True:
        answer = page.request.get(address, headers=extension.headers).json()
        if dict(enumerate(answer)).get(int(key)) if key.isdecimal() else answer[key]:
            return
        page.wait_for_timeout(50)


def look_again(extension: Extension) -> None:
    """Let the extension ask the server, as it does every minute."""
    extension.worker.evaluate("chrome.alarms.onAlarm.dispatch({ name: 'captchas' })")


def open_page(extension: Extension) -> Page:
    page = extension.context.new_page()
    page.route(
        "https://pages.example/**", lambda route: route.fulfill(body=PAGE, content_type="text/html")
    )
    page.goto("https://pages.example/")
    page.bring_to_front()
    return page


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
