"""The other pages of media: watch folders, inbox, rule sets and name formats."""

# ruff: noqa: F811 - fixtures are asked for by their names.

import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.media_service import (  # noqa: F401
    Open,
    arrived,
    choose,
    media,
    movies,
)
from tests.browser.visits import Visit, assert_accessible, row

RULES = """quartet_rules: 1
name: Shout
rules:
  - type: case
    to: upper
"""


@pytest.mark.nightly
def test_watch_folder_processes_new_files(
    media: Open, arrived: Path, movies: Path, visit: Visit
) -> None:
    page = media("/watch", folder=arrived, movies=movies)
    page.get_by_role("button", name="Add watch folder").first.click()
    dialog = page.get_by_role("dialog", name="Add watch folder")
    dialog.get_by_label("Folder on the server").fill(str(arrived))
    dialog.get_by_label("Name", exact=True).fill("New films")
    dialog.get_by_label("Files are complete after").fill("1")
    assert_accessible(page)
    # File system clocks differ: files younger than two seconds may be new.
    youngest = max(one.stat().st_ctime for one in arrived.iterdir())
    page.wait_for_timeout(max(0, youngest + 2.1 - time.time()) * 1000)
    dialog.get_by_role("button", name="Add watch folder").click()
    expect(page.get_by_role("heading", name="New films")).to_be_visible()
    # Existing files are not touched; new files are processed.
    (arrived / "Heat.1995.mkv").write_bytes(b"new" * 100)
    page.goto(page.url.replace("/watch", "/history"))
    expect(page.get_by_role("heading", name="1 file moved")).to_be_visible()
    assert (movies / "Heat (1995)/Heat (1995).mkv").is_file()
    assert (arrived / "1917.2019.1080p.BluRay.mkv").is_file()
    visit.refusals_expected = True
    page.goto(page.url.replace("/history", "/settings"))
    page.get_by_role("button", name="Remove: arrived").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("is used by the watch folder “New films”")).to_be_visible()


@pytest.mark.nightly
def test_inbox_is_approved_and_emptied(media: Open, arrived: Path, movies: Path) -> None:
    page = media("/inbox", folder=arrived, movies=movies)
    # A request of another program at the same time.
    job = {"path": str(arrived), "review": True}
    assert page.request.post(page.url.replace("/inbox", "/api/jobs"), data=job).ok
    expect(page.get_by_text("2 files to review")).to_be_visible()
    assert_accessible(page)
    row(page, "1917").get_by_role("checkbox").check()
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("1 file to review")).to_be_visible()
    row(page, "12.Angry").get_by_role("checkbox").check()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", name="Inbox is empty")).to_be_visible()
    assert (arrived / "1917.2019.1080p.BluRay.mkv").is_file()


@pytest.mark.nightly
def test_rules_apply_to_matched_titles_from_file(
    media: Open, arrived: Path, movies: Path, tmp_path: Path
) -> None:
    (tmp_path / "shout.yaml").write_text(RULES)
    page = media("/rename", folder=arrived, movies=movies)
    page.get_by_text("Both", exact=True).click()
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Rule sets").click()
    dialog = page.get_by_role("dialog", name="Rule sets")
    dialog.locator("input[type=file]").set_input_files(tmp_path / "shout.yaml")
    expect(dialog).to_be_hidden()
    expect(row(page, "12.Angry")).to_contain_text("12 ANGRY MEN (1957).mkv")
    assert_accessible(page)


@pytest.mark.nightly
def test_name_format_is_detected_in_library(media: Open, arrived: Path, movies: Path) -> None:
    for name in ("Heat (1995)", "Alien (1979)", "Fargo (1996)"):
        (movies / name).mkdir()
        (movies / name / f"{name}.mkv").write_bytes(b"film")
    page = media("/formats", folder=arrived, movies=movies)
    page.get_by_role("button", name="Detect from a library").click()
    dialog = page.get_by_role("dialog", name="Detect from a library")
    dialog.get_by_label("Folder on the server").fill(str(movies))
    dialog.get_by_role("button", name="Detect", exact=True).click()
    expect(dialog).to_contain_text("3 of 3 files use this format.")
    assert_accessible(page)
