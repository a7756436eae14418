"""The number of steps that the main task of each service takes, as listed in
docs/decisions/usability.md.

A step is a click, a key that does something, or a filled field, regardless of how much text is
typed.
"""

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.downloads_files import file_server
from tests.browser.downloads_service import PASTE
from tests.browser.sync_devices import devices_of
from tests.browser.visits import Visit, row
from tests.browser.wind_demo import Demo, wait_until_filled
from tests.process import ROOT, quartet_serve
from tests.sync.processes import PASSWORD, server

# The tests of each service walk the same paths.
pytestmark = pytest.mark.nightly

FIGURES = ROOT / "docs" / "decisions" / "usability.md"
# Enter in a field also fires a click on the submit button, without a mouse.
COUNT = """() => {
  const step = (event) => event.isTrusted && globalThis.steps++;
  addEventListener('click', (event) => event.detail && step(event), true);
  addEventListener('change', step, true);
  addEventListener('keydown', (event) => {
    const writes = event.target.matches('input, textarea') && event.key !== 'Enter';
    if (!writes && !['Tab', 'Shift', 'Control'].includes(event.key)) step(event);
  }, true);
}"""


def counting(page: Page) -> None:
    if page.evaluate("globalThis.steps") is None:
        page.evaluate(COUNT)
    page.evaluate("globalThis.steps = 0; globalThis.began = performance.now()")


def assert_steps(page: Page, task: str) -> None:
    said = re.search(rf"^\| {task} +\| (\d+)", FIGURES.read_text(), re.MULTILINE)
    assert said, f"no figure for {task}"
    # Printed for the documentation page: run with pytest -s.
    seconds = page.evaluate("(performance.now() - globalThis.began) / 1000")
    sys.stdout.write(f"{task}: {seconds:.1f} s\n")
    assert page.evaluate("globalThis.steps") == int(said[1])


def test_steps_from_link_to_file(tmp_path: Path, visit: Visit) -> None:
    variables = {"DOWNLOADS_ALLOW_PRIVATE_ADDRESSES": "true"}
    with (
        file_server() as files,
        quartet_serve(tmp_path, services=("downloads",), **variables) as running,
    ):
        files.open.set()
        link = re.search(r"\S+#setup=\S+", running.table)
        assert link
        page = visit(link[0])
        counting(page)
        page.get_by_label("Name").fill("robin")
        page.get_by_label("Password", exact=True).fill("four strings in tune")
        page.keyboard.press("Enter")
        expect(page.locator("nav")).to_be_visible()
        assert_steps(page, "downloads: first account")
        counting(page)
        # Simulates Ctrl+V: a page under test has no clipboard.
        page.evaluate(PASTE, files.put("song.flac", 65536))
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("row").filter(has_text="song.flac")).to_contain_text("Finished")
        assert_steps(page, "downloads: link to file, after Ctrl-V")
        visit.close()


def test_steps_to_share_folder_with_device(tmp_path: Path, visit: Visit) -> None:
    variables = {"SYNC_HUB": "false"}
    with server(tmp_path, **variables) as sync, devices_of(sync.url) as devices:
        page = visit(sync.url)
        visit.refusals_expected = True
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator("nav")).to_be_visible()
        counting(page)
        page.get_by_role("button", name="Pair a device").last.click()
        dialog = page.get_by_role("dialog")
        code = dialog.get_by_label("Command", exact=True).inner_text().split(" ")[-1]
        devices.new().join(code)
        expect(page.get_by_role("heading", name="laptop is paired")).to_be_visible()
        assert_steps(page, "sync: pair a device")
        counting(page)
        dialog.get_by_role("button", name="Choose folders").click()
        page.get_by_label("Folder name").fill("Photos")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Path on laptop")).to_have_value("~/Sync/Photos")
        page.get_by_role("button", name="Add to draft").click()
        page.get_by_role("button", name="Apply 1 change").click()
        expect(page.get_by_role("button", name="Photos on laptop: Both ways")).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert_steps(page, "sync: a folder for it")
        visit.close()


def test_steps_to_rename_files(tmp_path: Path, visit: Visit) -> None:
    with quartet_serve(tmp_path, "--demo", services=("media",)) as running:
        wait_until_filled(tmp_path / "data" / "media")
        page = visit(f"{running.addresses['media']}/rename")
        counting(page)
        page.get_by_role("treeitem", name="Arrived").locator(".tick").click()
        page.get_by_role("button", name="Preview").click()
        expect(row(page, "Amelie").first).to_contain_text("Amélie")
        move = page.get_by_role("button", name=re.compile(r"^Move \d+ files$"))
        move.click()
        expect(page.get_by_text(re.compile(r"\d+ files done"))).to_be_visible()
        assert_steps(page, "media: sort a folder")
        counting(page)
        page.get_by_role("button", name=re.compile(r"^Undo \d+ files$")).click()
        expect(page.get_by_text("All files are back where they were.")).to_be_visible()
        assert_steps(page, "media: undo")
        visit.close()


def test_steps_to_find_wind_of_place(visit: Visit, demo: Demo) -> None:
    page = visit(demo.address)
    counting(page)
    page.get_by_role("combobox", name="Station, place").fill("hamburg airport")
    expect(page.locator("main [role=option]").first).to_contain_text("Hamburg Airport")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hamburg Airport")
    expect(page.locator("tbody[data-model=icon-eu] td").first).to_be_visible()
    assert_steps(page, "wind: find the forecast of a place")
