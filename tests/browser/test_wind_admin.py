"""The admin area: every page, what it changes, and who may open it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.visits import (
    GERMAN_PHONE,
    Look,
    Visit,
    assert_accessible,
    assert_accessible_in_every_look,
)
from tests.browser.wind_demo import Demo, wind_demo

pytestmark = pytest.mark.nightly

PASSWORD = "a sunny day with wind"
# The last part of each address, and a heading that is unique to the page.
SECTIONS = {
    "": {"en": "Sources", "de": "Quellen"},
    "users": {"en": "Users", "de": "Benutzer"},
    "invites": {"en": "New invite", "de": "Neue Einladung"},
    "settings": {"en": "Legal notice", "de": "Impressum"},
    "forecasts": {"en": "ICON-D2", "de": "ICON-D2"},
    "measurements": {"en": "Reporting stations", "de": "Aktive Messstationen"},
    "stats": {"en": "No statistics yet", "de": "Noch keine Statistiken"},
    "map": {"en": "Models on the map", "de": "Modelle auf der Karte"},
    "alarms": {"en": "Recent evaluations", "de": "Letzte Auswertungen"},
    "tasks": {"en": "Background tasks", "de": "Hintergrundaufgaben"},
    "storage": {"en": "Backups", "de": "Sicherungen"},
    "system": {"en": "Versions", "de": "Versionen"},
    "audit": {"en": "Audit log", "de": "Sicherheitsprotokoll"},
    "log": {"en": "Log", "de": "Protokoll"},
}


class Site(Demo):
    """A demo whose admin password is known."""

    def __init__(self, address: str, data: Path) -> None:
        super().__init__(address)
        self.data = data
        self.password = (data / "demo-password").read_text()

    def sign_up(self, name: str, invite: str | None = None) -> httpx.Response:
        email = f"{name.lower()}@example.org"
        body = {"name": name, "email": email, "password": PASSWORD, "invite": invite}
        return httpx.post(f"{self.address}/api/auth/signup/password", json=body, timeout=30)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, wind_weather: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("wind")
    with wind_demo(folder, wind_weather) as demo:
        yield Site(demo.address, folder / "data" / "wind")


def sign_in(page: Page, email: str, password: str) -> None:
    """Sign in with the form on the page; field names are the same in every language."""
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")


def as_admin(visit: Visit, site: Site, section: str = "", look: Look | None = None) -> Page:
    page = visit(f"{site.address}/admin/{section}".rstrip("/"), look)
    sign_in(page, "demo@example.org", site.password)
    return page


def heading(page: Page, section: str, language: str = "en") -> Locator:
    return page.locator("main h2").filter(has_text=SECTIONS[section][language]).first


def test_admin_opens_every_page(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site)
    expect(heading(page, "")).to_be_visible()
    expect(page.get_by_role("grid", name="Sources")).to_contain_text("ICON-D2")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    links = page.get_by_role("navigation", name="Admin").get_by_role("link")
    assert links.count() == len(SECTIONS)
    for number, section in enumerate(SECTIONS):
        links.nth(number).click()
        expect(heading(page, section)).to_be_visible()
        assert page.url == f"{site.address}/admin/{section}".rstrip("/")
    page.goto(f"{site.address}/admin/nothing")
    page.get_by_role("link", name="Go to overview").click()
    expect(heading(page, "")).to_be_visible()


def test_setting_applies_at_once_and_can_be_reset(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, "settings")
    page.get_by_text("Closed", exact=True).click()
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert site.get("site")["mode"] == "closed"
    assert site.sign_up("Zoe").json()["code"] == "closed"
    page.get_by_role("button", name="Reset to default").click()
    expect(page.get_by_role("button", name="Reset to default")).to_have_count(0)
    assert site.get("site")["mode"] == "open"

    spots = page.get_by_label("Spots per account")
    spots.fill("1001")
    expect(
        page.locator("form").filter(has=spots).get_by_role("button", name="Save")
    ).to_be_disabled()

    notice = page.locator("section").filter(has=page.get_by_role("heading", name="Notice")).first
    notice.get_by_label("English").first.fill("Regatta on Sunday\n\nThe harbour is closed.")
    expect(notice.get_by_role("region", name="Preview")).to_contain_text("harbour")
    notice.get_by_role("button", name="Save").click()
    expect(notice.get_by_role("button", name="Save")).to_be_disabled()
    assert site.get("site")["notice"]["de"].startswith("Regatta on Sunday")
    notice.get_by_label("English").first.fill("")
    notice.get_by_role("button", name="Save").click()
    expect(notice.get_by_role("button", name="Save")).to_be_disabled()
    assert "notice" not in site.get("site")


def test_invite_is_used_once_and_can_be_revoked(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, "invites")
    page.get_by_label("Note").fill("Sailing club")
    page.get_by_role("button", name="Create invite").click()
    made = page.get_by_role("dialog", name="Invite created")
    expect(made.get_by_role("img", name="QR code")).to_be_visible()
    code = made.get_by_label("Invite code").inner_text()
    link = made.get_by_label("Link", exact=True).inner_text()
    assert link == f"{site.address}/sign-up?invite={code}"
    made.get_by_role("button", name="Done").click()
    row = page.get_by_role("row").filter(has_text="Sailing club")
    expect(row).to_contain_text("Open")
    expect(page.get_by_text(code)).to_have_count(0)
    assert code not in page.content()

    assert site.sign_up("Chiara", code).is_success
    expect(row).to_contain_text("Used")
    page.get_by_label("Note").fill("A mistake")
    page.get_by_role("button", name="Create invite").click()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Revoke or remove: A mistake").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("row").filter(has_text="A mistake")).to_have_count(0)


def test_users_are_found_and_disabled_and_last_admin_is_kept(visit: Visit, site: Site) -> None:
    visit.refusals_expected = True
    with httpx.Client(base_url=site.address, timeout=30) as ada:
        body = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
        assert ada.post("/api/auth/signup/password", json=body).is_success
        credentials = {"email": "ada@example.org", "password": PASSWORD}
        assert ada.post("/api/auth/signin/password", json=credentials).is_success
        page = as_admin(visit, site, "users")
        find = page.get_by_role("searchbox", name="Name or e-mail")
        find.focus()
        # Each letter changes the address; the field must keep the focus.
        page.keyboard.type("ada@", delay=30)
        expect(find).to_be_focused()
        expect(find).to_have_value("ada@")
        expect(page.get_by_role("button", name="Actions for")).to_have_count(1)
        page.get_by_role("button", name="Actions for Ada").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name="Export data").click()
        assert download.value.suggested_filename.endswith(".json")
        page.get_by_role("button", name="Actions for Ada").click()
        page.get_by_role("menuitem", name="Disable").click()
        page.get_by_role("dialog").get_by_role("button", name="Disable").click()
        expect(page.get_by_role("row").filter(has_text="Ada")).to_contain_text("Disabled")
        assert ada.get("/api/me").status_code == 401
        assert "q=ada" in page.url

        find.fill("demo@")
        page.get_by_role("button", name="Actions for Demo").click()
        page.get_by_role("menuitem", name="Remove admin rights").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove admin rights").click()
        expect(page.get_by_text("The last admin cannot be removed")).to_be_visible()


def test_log_is_live_and_can_be_paused(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, "log")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    lines = page.get_by_role("list", name="Log").get_by_role("listitem")
    log_a_warning(page, site, "one")
    expect(lines.filter(has_text="basemap.pmtiles is not used")).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    log_a_warning(page, site, "another")
    page.get_by_role("button", name="Resume (1 new entry)").click()
    expect(lines.filter(has_text="basemap.pmtiles is not used")).to_have_count(2)
    page.get_by_role("searchbox", name="Search the log").fill("nothing like it")
    expect(page.get_by_text("No matching entries")).to_be_visible()
    page.get_by_role("searchbox", name="Search the log").fill("")
    page.get_by_label("Level").select_option("error")
    expect(page.get_by_text("No matching entries")).to_be_visible()


def test_new_log_line_is_kept_when_an_older_answer_arrives(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, "log")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    lines = page.get_by_role("list", name="Log").get_by_role("listitem")
    others = lines.filter(has_not_text="basemap.pmtiles")
    log_a_warning(page, site, "no relief", "terrain.pmtiles")
    expect(others.filter(has_text="terrain.pmtiles is not used")).to_be_visible()
    answer = page.request.get(f"{site.address}/api/admin/log/lines?q=basemap.pmtiles").json()
    known = len(answer["lines"])
    expect(lines.filter(has_text="basemap.pmtiles")).to_have_count(known)

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        log_a_warning(page, site, "a third")
        expect(lines.filter(has_text="basemap.pmtiles")).to_have_count(known + 1)
        route.fulfill(response=answer)

    page.route("**/api/admin/log/lines?*q=basemap*", answer_late, times=1)
    page.get_by_role("searchbox", name="Search the log").fill("basemap.pmtiles")
    # The answer removes the lines that do not match.
    expect(others).to_have_count(0)
    expect(lines).to_have_count(known + 1)


def log_a_warning(page: Page, site: Site, text: str, name: str = "basemap.pmtiles") -> None:
    """Make the server log a warning about a file that is not a map."""
    maps = site.data / "maps"
    maps.mkdir(exist_ok=True)
    (maps / name).write_text(text)
    assert page.request.get(f"{site.address}/api/admin/map").ok


def test_backup_task_and_paused_downloads(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, "storage")
    page.get_by_role("button", name="Create backup").click()
    expect(page.get_by_text("Backup created")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.endswith(".tar.gz")
    page.get_by_role("button", name="Create new key").click()
    expect(page.get_by_role("dialog")).to_contain_text("0 browsers")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    page.goto(f"{site.address}/admin/tasks")
    page.get_by_role("button", name="Run now: Water levels").click()
    expect(page.get_by_text("Started: Water levels")).to_be_visible()

    page.goto(f"{site.address}/admin/map")
    page.get_by_label("Name").fill("Helgoland")
    page.get_by_label("Latitude, longitude").fill("54.18, 7.89")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Pin Helgoland", exact=True).click()
    expect(page.get_by_role("button", name="Unpin Helgoland")).to_be_visible()
    assert site.get("map/spots")["spots"][0]["pinned"] is True
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume now").click()
    expect(page.get_by_role("button", name="Resume now")).to_have_count(0)


# tests/wind/test_admin_access.py covers the access.
def test_other_users_cannot_open_admin_area(visit: Visit, site: Site) -> None:
    assert site.sign_up("Eva").is_success
    page = visit(f"{site.address}/admin/users")
    sign_in(page, "eva@example.org", PASSWORD)
    expect(page.get_by_role("heading", name="Admins only")).to_be_visible()
    expect(page.get_by_role("link", name="Admin")).to_have_count(0)
    assert_accessible(page)
    page.get_by_role("link", name="Go to the home page").click()
    expect(page).to_have_url(f"{site.address}/")


def test_pages_are_accessible(visit: Visit, site: Site) -> None:
    page = as_admin(visit, site, look=GERMAN_PHONE)
    expect(heading(page, "", "de")).to_be_visible()
    for number, section in enumerate(SECTIONS):
        # On a phone a select replaces the list.
        page.get_by_label("Bereich der Verwaltung").select_option(index=number)
        expect(heading(page, section, "de")).to_be_visible()
        assert_accessible_in_every_look(page)
