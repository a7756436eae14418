"""Container files, package order and the Click'n'Load settings."""

from base64 import b64encode

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.downloads_service import DownloadsService
from tests.browser.visits import assert_accessible, row

pytestmark = pytest.mark.nightly

DROP = """([name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
        );
}"""


def test_container_files_are_added_by_dialog_and_by_drop(service: DownloadsService) -> None:
    service.visit.refusals_expected = True
    page = service.open("/")
    page.keyboard.press("n")
    links = f"{service.files.address}/file.bin"
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open files").click()
    chooser.value.set_files(
        [FilePayload(name="list.txt", mimeType="text/plain", buffer=links.encode())]
    )
    expect(page.get_by_text("1 package added to the link grabber.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row(page, "file.bin")).to_be_visible()
    page.evaluate(DROP, ["broken.dlc", b64encode(b"nothing").decode()])
    expect(page.get_by_text("The container file is damaged.")).to_be_visible()
    assert_accessible(page)


def test_packages_are_reordered_by_dragging(service: DownloadsService) -> None:
    page = service.open("/")
    for name in ("First", "Second", "Third"):
        service.load(page, f"{service.files.address}/file.bin?{name}", packageName=name)
    packages = page.get_by_role("row").filter(has=page.get_by_role("button", name="Collapse"))
    # Packages can only be reordered within their section.
    expect(packages.filter(has_text="1 failed")).to_have_count(3)
    row(page, "Third").drag_to(row(page, "First"), target_position={"x": 90, "y": 4})
    expect(packages.nth(0)).to_contain_text("Third")
    expect(packages.nth(2)).to_contain_text("Second")


# This page has only texts.
def test_click_n_load_is_explained(service: DownloadsService) -> None:
    page = service.open("/settings")
    command = page.get_by_label("Command", exact=True)
    expect(command).to_have_text(f"quartet cnl-forward --server {service.address}")
    assert_accessible(page)
