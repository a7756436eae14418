"""Feeds with the rules that choose their entries, and captcha services that do not answer."""

from playwright.sync_api import expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import Visit, assert_accessible

FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Shows</title>
<item><title>Show 1</title><guid>1</guid><enclosure url="/file.bin"/></item></channel></rss>"""


def test_rule_added_after_a_feed_takes_its_entries(shared: DownloadsService, visit: Visit) -> None:
    # While the regular expression is not valid, the server refuses to try it.
    visit.refusals_expected = True
    # Not well-formed: the first item is not closed.
    shared.files.contents["/feed.xml"] = FEED.replace(b"</item>", b"")
    page = shared.open("/feeds")
    page.get_by_role("button", name="Add feed").click()
    dialog = page.get_by_role("dialog", name="Add feed")
    dialog.get_by_label("Address of the feed").fill(f"{shared.files.address}/feed.xml")
    dialog.get_by_role("button", name="Save").click()
    feed = page.get_by_role("listitem").filter(has_text="feed.xml")
    expect(feed).to_contain_text("The feed is not valid XML (line 2, column")
    assert_accessible(page)

    shared.files.contents["/feed.xml"] = FEED
    feed.get_by_role("button", name="Check now").click()
    feed = page.get_by_role("listitem").filter(has_text="Shows")
    expect(feed).to_contain_text("0 entries added")

    page.goto(page.url.replace("/feeds", "/rules"))
    page.get_by_role("button", name="Add rule").click()
    dialog = page.get_by_role("dialog", name="Add rule")
    dialog.get_by_label("File name").fill("([")
    expect(dialog).to_contain_text("Not a valid regular expression (position 2).")
    dialog.get_by_label("File name").fill("^show")
    expect(dialog).to_contain_text("Matches 0 links in the link grabber.")
    dialog.get_by_role("button", name="Save").click()
    rule = page.get_by_role("listitem").filter(has_text="^show")
    expect(rule).to_be_visible()
    rule.get_by_role("button", name="Delete").click()
    expect(rule).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(rule).to_be_visible()

    page.goto(page.url.replace("/rules", "/feeds"))
    expect(feed).to_contain_text("1 entry added")
    feed.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete the feed Shows?")
    assert_accessible(page)
    dialog.get_by_role("button", name="Delete").click()
    expect(feed).to_have_count(0)


def test_address_without_a_captcha_service_is_an_error(shared: DownloadsService) -> None:
    page = shared.open("/captchas")
    page.get_by_role("button", name="Add service").click()
    dialog = page.get_by_role("dialog", name="Add service")
    dialog.get_by_label("Address").fill(shared.files.address)
    dialog.get_by_label("API key").fill("key")
    dialog.get_by_label("Name").fill("Solver")
    dialog.get_by_role("button", name="Save").click()
    service = page.get_by_role("listitem").filter(has_text="Solver")
    expect(service).not_to_contain_text("Balance")
    assert_accessible(page)
    service.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(service).to_have_count(0)
