"""All four services, from the first visit to signing out."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from quartet.services import NAMES
from tests.browser.conftest import MEDIA_TOKEN, Serving
from tests.browser.visits import (
    LOOKS,
    Look,
    Visit,
    assert_accessible,
    assert_accessible_in,
    wait_for_script,
)
from tests.downloads.first_user import first_user
from tests.process import quartet_serve

# The kit provides these pages, so one service shows that they work.
one_service = pytest.mark.parametrize(
    "name",
    ["downloads", *(pytest.param(name, marks=pytest.mark.nightly) for name in NAMES[1:])],
)
WORDS = {
    "de": {
        "running": "Alles läuft",
        "wrong_credentials": "Name oder Passwort ist falsch.",
        "too_short": "Zu kurz",
        "create": "Konto anlegen",
        "sign_in": "Anmelden",
        "sign_out": "Abmelden",
        "password": "Passwort",
        "token": "Zugangs-Token",
        "wrong_password": "Falsches Passwort.",
        "wrong_token": "Das Zugangs-Token ist falsch.",
        "not_set_up": "Zuerst ein Passwort setzen",
        "no_forecasts": "Noch keine Vorhersagen",
        "stations": "Messstationen",
        "nothing": "Seite nicht gefunden",
    },
    "en": {
        "running": "Everything is running",
        "wrong_credentials": "Wrong name or password.",
        "too_short": "Too short",
        "create": "Create account",
        "sign_in": "Sign in",
        "sign_out": "Sign out",
        "password": "Password",
        "token": "Access token",
        "wrong_password": "Wrong password.",
        "wrong_token": "The access token is wrong.",
        "not_set_up": "Set a password first",
        "no_forecasts": "No forecasts yet",
        "stations": "stations",
        "nothing": "Page not found",
    },
}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """All services in one process, shared by tests that do not change them."""
    with quartet_serve(tmp_path_factory.mktemp("all"), APP_TOKEN=MEDIA_TOKEN) as running:
        yield running.addresses


def assert_overview_is_live(page: Page, look: Look) -> None:
    """Check that the overview page is live and accessible."""
    expect(page.get_by_role("heading", name=WORDS[look.language]["running"])).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    assert_accessible_in(page, look)


def sign_out(page: Page, look: Look) -> None:
    page.locator("header [aria-haspopup=menu]").click()
    page.get_by_role("menuitem", name=WORDS[look.language]["sign_out"]).click()


def enter_setup_code(page: Page, folder: Path) -> None:
    page.locator("[name=code]").fill(first_user(folder / "data" / "downloads")["code"])


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_downloads_first_run_and_sign_in(
    visit: Visit, serving: Serving, look: Look, tmp_path: Path
) -> None:
    address = serving("downloads")
    words = WORDS[look.language]
    visit.refusals_expected = True
    page = visit(f"{address}/account", look)
    expect(page.get_by_label("Name")).to_be_focused()
    assert_accessible_in(page, look)
    page.get_by_label("Name").fill("robin")
    enter_setup_code(page, tmp_path)
    page.get_by_label(words["password"], exact=True).fill("x")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(words["too_short"])
    page.get_by_label(words["password"], exact=True).fill("four strings in tune")
    page.get_by_role("button", name=words["create"]).click()
    expect(page.get_by_role("heading", level=2).first).to_be_visible()
    assert page.url.endswith("/account")
    assert_accessible_in(page, look)

    sign_out(page, look)
    page.get_by_label("Name").fill("robin")
    page.get_by_label(words["password"], exact=True).fill("out of tune")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(words["wrong_credentials"])
    assert_accessible_in(page, look)
    page.get_by_label(words["password"], exact=True).fill("four strings in tune")
    page.keyboard.press("Enter")
    expect(page.locator("nav")).to_be_visible()
    page.goto(f"{address}/system")
    assert_overview_is_live(page, look)


@pytest.mark.nightly
def test_downloads_account_page(visit: Visit, serving: Serving, tmp_path: Path) -> None:
    address = serving("downloads")
    visit.refusals_expected = True
    page = visit(f"{address}/account")
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password", exact=True).fill("four strings in tune")
    enter_setup_code(page, tmp_path)
    page.keyboard.press("Enter")
    page.get_by_label("Current password").fill("not this one")
    page.get_by_label("New password").fill("five strings in tune")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The current password is wrong.")
    page.get_by_label("Current password").fill("four strings in tune")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Password changed.")).to_be_visible()

    page.get_by_role("button", name="Create new token").click()
    page.get_by_role("button", name="Create token").click()
    token = page.get_by_label("API token").inner_text()
    answer = page.request.get(f"{address}/api/system", headers={"Authorization": f"Bearer {token}"})
    assert answer.ok
    assert_accessible(page)


@pytest.mark.nightly
def test_expired_session_asks_to_sign_in_and_returns_to_page(
    visit: Visit, serving: Serving, tmp_path: Path
) -> None:
    address = serving("downloads")
    visit.refusals_expected = True
    page = visit(f"{address}/system")
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password", exact=True).fill("four strings in tune")
    enter_setup_code(page, tmp_path)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Account", exact=True).click()
    expect(page.get_by_label("Current password")).to_be_visible()
    page.context.clear_cookies()
    # The page may already have noticed the end of the session and show the form.
    page.go_back()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password", exact=True).fill("four strings in tune")
    page.keyboard.press("Enter")
    assert_overview_is_live(page, Look())


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_sync_first_password_and_sign_in(
    visit: Visit,
    serving: Serving,
    set_sync_password: Callable[[str], str],
    look: Look,
) -> None:
    address = serving("sync")
    words = WORDS[look.language]
    visit.refusals_expected = True
    page = visit(f"{address}/system", look)
    expect(page.get_by_role("heading", name=words["not_set_up"])).to_be_visible()
    expect(page.get_by_text("quartet sync set-password")).to_be_visible()
    assert_accessible_in(page, look)
    set_sync_password("four strings in tune")
    field = page.get_by_label(words["password"], exact=True)
    expect(field).to_be_visible()
    field.fill("out of tune")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(words["wrong_password"])
    assert_accessible_in(page, look)
    field.fill("four strings in tune")
    page.keyboard.press("Enter")
    assert_overview_is_live(page, look)
    sign_out(page, look)
    expect(field).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_media_sign_in_with_token(visit: Visit, addresses: dict[str, str], look: Look) -> None:
    address = addresses["media"]
    words = WORDS[look.language]
    visit.refusals_expected = True
    page = visit(f"{address}/system", look)
    field = page.get_by_label(words["token"], exact=True)
    field.fill("wrong")
    assert_accessible_in(page, look)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(words["wrong_token"])
    field.fill(MEDIA_TOKEN)
    page.get_by_role("button", name=words["sign_in"]).click()
    assert_overview_is_live(page, look)
    page.goto(f"{address}/account")
    expect(page.get_by_role("button", name=words["sign_out"], exact=True)).to_be_visible()
    assert_accessible_in(page, look)


@pytest.mark.nightly
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_wind_is_public(visit: Visit, addresses: dict[str, str], look: Look) -> None:
    address = addresses["wind"]
    words = WORDS[look.language]
    page = visit(f"{address}/status", look)
    # Without any run the page must not claim that everything works.
    expect(page.get_by_role("heading", name=words["no_forecasts"])).to_be_visible()
    expect(page.get_by_role("heading", name=words["stations"])).to_be_visible()
    page.locator("nav li a").last.click()
    expect(page.get_by_role("heading", level=2).first).to_be_visible()
    assert_accessible_in(page, look)
    page.goto(f"{address}/no/such/page")
    expect(page.get_by_role("heading", name=words["nothing"])).to_be_visible()
    assert_accessible_in(page, look)


# The files that the page has loaded, and the page itself.
EVERYTHING_CACHED = """Promise.all(
    performance.getEntriesByType('resource').map(({ name }) => name)
        .filter((name) => name.includes('/assets/'))
        .concat(new URL('/', location).href)
        .map((name) => caches.match(name))
).then((kept) => kept.every(Boolean))"""


@one_service
def test_app_is_installable_and_opens_offline(
    visit: Visit, addresses: dict[str, str], name: str
) -> None:
    visit.refusals_expected = True
    page = visit(addresses[name])
    shown = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert shown["errors"] == []
    manifest = page.request.get(shown["url"]).json()
    for icon in manifest["icons"]:
        answer = page.request.get(urljoin(shown["url"], icon["src"]))
        assert answer.headers["content-type"] == icon["type"]
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_for_script(page, EVERYTHING_CACHED)
    page.context.set_offline(True)
    page.reload()
    if name == "wind":
        expect(page.get_by_role("heading", level=2).first).to_be_visible()
        return
    expect(page.get_by_role("heading", name="The service is not responding")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="The service is not responding")).to_be_hidden()


def test_page_reconnects_to_restarted_server(visit: Visit, tmp_path: Path) -> None:
    visit.refusals_expected = True
    with quartet_serve(tmp_path, services=("media",)) as running:
        address = running.addresses["media"]
        page = visit(f"{address}/system")
        assert_overview_is_live(page, Look())
        page.clock.install()
    lost = page.get_by_text("Connection lost.")
    expect(lost).to_be_visible()
    expect(page.get_by_role("heading", name="Everything is running")).to_be_visible()
    assert_accessible(page)
    # The page does not retry on its own from here on.
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    with quartet_serve(tmp_path, "--port", address.split(":")[-1], services=("media",)):
        page.get_by_role("button", name="Reconnect now").click()
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
        expect(lost).to_be_hidden()


@one_service
def test_api_docs_work_offline(visit: Visit, addresses: dict[str, str], name: str) -> None:
    page = visit(f"{addresses[name]}/api/docs/")
    # A long list is drawn only as far as it is visible.
    expect(page.locator(".opblock-summary-path").first).to_contain_text("/api/")
