"""The media service, from a folder to renamed files and back."""

# ruff: noqa: F811 - fixtures are asked for by their names.

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.media_service import (  # noqa: F401
    WORDS,
    Open,
    add_folder,
    arrived,
    choose,
    media,
    movies,
)
from tests.browser.visits import (
    GERMAN_PHONE,
    Look,
    Visit,
    assert_accessible,
    assert_accessible_in,
    assert_accessible_in_every_look,
    row,
)


def test_folder_is_renamed_and_undone(media: Open, arrived: Path, movies: Path, look: Look) -> None:
    words = WORDS[look.language]
    before = {one.name: one.read_bytes() for one in arrived.iterdir()}
    page = media("/settings", look)
    add_folder(page, arrived, look)
    add_folder(page, movies, look, library=True)
    assert_accessible_in(page, look)

    page.goto(page.url.replace("/settings", "/rename"))
    choose(page, "arrived")
    page.get_by_role("button", name=words["preview"]).click()
    expect(row(page, "12.Angry.Men")).to_contain_text("12 Angry Men (1957).mkv")
    assert_accessible_in(page, look)

    page.get_by_text(words["posters"], exact=True).click()
    expect(page.get_by_role("button", name="12 Angry Men,").locator("img")).to_be_visible()
    expect(page.get_by_role("button", name="1917,").locator("img")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible_in(page, look)
    page.get_by_text(words["list"], exact=True).click()

    page.get_by_role("button", name=words["move"]).click()
    expect(page.get_by_text(words["done"])).to_be_visible()
    assert (movies / "1917 (2019)/1917 (2019).mkv").is_file()
    assert list(arrived.iterdir()) == []
    assert_accessible_in(page, look)

    page.get_by_role("button", name=words["undo"]).click()
    expect(page.get_by_text(words["undone"])).to_be_visible()
    assert {one.name: one.read_bytes() for one in arrived.iterdir()} == before
    assert list(movies.iterdir()) == []

    # A job that was left can be opened again.
    job = page.url
    page.goto(page.url.partition("?")[0])
    page.get_by_role("main").get_by_role("link", name="arrived").click()
    expect(page).to_have_url(job)


@pytest.mark.nightly
def test_wrong_match_is_fixed_in_two_clicks(media: Open, arrived: Path, movies: Path) -> None:
    (arrived / "Dune.2160p.WEB.mkv").write_bytes(b"sand" * 500)
    page = media("/rename", folder=arrived, movies=movies)
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("button", name="Move 2 files")).to_be_visible()

    row(page, "Dune.2160p").get_by_role("button", name="Match: Dune").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Other suggestions are equally likely.")
    row(page, "Dune.2160p").get_by_role("button", name="Match: Dune").click()
    page.get_by_role("dialog").get_by_role("button", name="Dune (2021)").click()
    expect(row(page, "Dune.2160p")).to_contain_text("Dune (2021).mkv")
    expect(page.get_by_role("button", name="Move 3 files")).to_be_visible()

    row(page, "12.Angry").get_by_role("button", name="Edit new name").click()
    edit = page.get_by_label("Edit new name", exact=True)
    edit.fill("Jury/Twelve.mkv")
    edit.press("Enter")
    expect(row(page, "12.Angry")).to_contain_text("Twelve.mkv")

    row(page, "1917").get_by_role("checkbox").check()
    page.get_by_role("button", name="Exclude").click()
    expect(row(page, "1917")).to_contain_text("Excluded")
    page.get_by_role("button", name="Clear selection").click()
    page.get_by_role("button", name="Move 2 files").click()
    expect(page.get_by_text("2 files done")).to_be_visible()
    assert (movies / "Jury/Twelve.mkv").is_file()
    assert (movies / "Dune (2021)/Dune (2021).mkv").is_file()
    assert (arrived / "1917.2019.1080p.BluRay.mkv").is_file()


# The test above covers the dialog, tests/media/test_jobs_numbers.py the numbers.
@pytest.mark.nightly
def test_wrong_match_and_wrong_number_are_corrected(
    media: Open, arrived: Path, tmp_path: Path
) -> None:
    """Twelve episodes, one of the wrong series and one with the wrong number."""
    for path in arrived.iterdir():
        path.unlink()
    names = [f"Firefly.S01E{number:02}.720p.mkv" for number in range(1, 12)]
    for name in (*names, "Cowboy.Bebop.S01E03.mkv"):
        (arrived / name).write_bytes(b"film" * 500)
    shows = tmp_path / "shows"
    shows.mkdir()
    page = media("/rename", folder=arrived, series=shows)
    page.evaluate("globalThis.clicks = 0; addEventListener('click', () => clicks++, true)")
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")

    row(page, "Cowboy.Bebop").get_by_role("button", name="Match:").click()
    dialog.get_by_role("button", name="Cowboy Bebop (2021)").click()
    expect(row(page, "Cowboy.Bebop")).to_contain_text("2021")

    row(page, "S01E11").get_by_role("button", name="Match:").click()
    dialog.get_by_label("Episode in the catalog").select_option("S01E12 · The Message")
    expect(dialog.get_by_label("Episode", exact=True)).to_have_value("12")
    assert_accessible(page)
    dialog.get_by_role("button", name="Apply numbers").click()
    expect(row(page, "S01E11")).to_contain_text("S01E12")
    # The episode is selected without a click; a person needs two.
    assert page.evaluate("clicks") + 2 <= 10


@pytest.mark.nightly
def test_approving_takes_over_the_numbers_in_the_dialog(
    media: Open, arrived: Path, tmp_path: Path
) -> None:
    (arrived / "Firefly.S02E12.720p.mkv").write_bytes(b"film" * 500)
    shows = tmp_path / "shows"
    shows.mkdir()
    page = media("/rename", folder=arrived, series=shows)
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    row(page, "S02E12").get_by_role("button", name="Match:").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Episode in the catalog").select_option("S01E12 · The Message")
    dialog.get_by_role("button", name="Approve").click()
    expect(row(page, "S02E12")).to_contain_text("S01E12")
    expect(row(page, "S02E12")).to_contain_text("Ready")


@pytest.mark.nightly
def test_rules_preview_every_step_while_typing(media: Open, arrived: Path) -> None:
    page = media("/rename", folder=arrived)
    page.get_by_text("Rules", exact=True).click()
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Find", exact=True).fill(".")
    page.get_by_label("Replace with").fill(" ")
    expect(row(page, "12.Angry")).to_contain_text("12 Angry Men 1957 720p.mkv")
    page.get_by_role("button", name="Add rule").click()
    page.get_by_role("button", name="Capitalization Title").click()
    stack = page.get_by_role("region", name="2. Capitalization")
    stack.get_by_label("Change to").select_option("UPPER CASE")
    expect(stack).to_contain_text("12 ANGRY MEN 1957 720P.mkv")
    expect(row(page, "1917")).to_contain_text("1917 2019 1080P BLURAY.mkv")
    assert_accessible(page)
    page.get_by_role("button", name="Rename 2 files").click()
    expect(page.get_by_text("2 files done")).to_be_visible()
    assert (arrived / "1917 2019 1080P BLURAY.mkv").is_file()


@pytest.mark.nightly
def test_history_is_undone_up_to_a_point_after_one_question(
    media: Open, arrived: Path, movies: Path
) -> None:
    page = media("/rename", folder=arrived, movies=movies)
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Move 2 files").click()
    expect(page.get_by_text("2 files done")).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="2 files moved")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Undo job").click()
    dialog = page.get_by_role("dialog", name="Undo 2 files?")
    assert_accessible(page)
    dialog.get_by_role("button", name="Undo 2 files").click()
    expect(page.get_by_role("heading", name="No changes yet")).to_be_visible()
    assert len(list(arrived.iterdir())) == 2


@pytest.mark.nightly
def test_backup_on_unmounted_disk_is_kept(
    media: Open, arrived: Path, movies: Path, visit: Visit
) -> None:
    old = movies / "1917 (2019)/1917 (2019).mkv"
    old.parent.mkdir()
    old.write_bytes(b"old")
    page = media("/rename", folder=arrived, movies=movies)
    page.get_by_label("If the file exists").select_option("If it exists: overwrite")
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Move 2 files").click()
    expect(page.get_by_text("2 files done")).to_be_visible()

    page.goto(page.url.partition("/rename")[0] + "/history?view=backups")
    row(page, "1917").get_by_role("checkbox").check()
    page.get_by_role("button", name="Delete 1 backup").click()
    away = movies.rename(movies.with_name("away"))
    visit.refusals_expected = True
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Delete 1 backup").click()
    expect(page.get_by_text(f"The folder {movies} does not exist.")).to_be_visible()

    away.rename(movies)
    dialog.get_by_role("button", name="Delete 1 backup").click()
    expect(page.get_by_role("heading", name="No backups")).to_be_visible()
    assert [one.name for one in old.parent.iterdir()] == [old.name]


@pytest.mark.nightly
def test_every_empty_page_is_accessible(media: Open) -> None:
    page = media("/", GERMAN_PHONE)
    home = page.url
    for path in ("", "rename", "inbox", "history", "watch", "formats", "settings"):
        page.goto(home + path)
        expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        assert_accessible_in_every_look(page)


@pytest.mark.nightly
def test_name_format_shows_error_position(media: Open) -> None:
    page = media("/formats")
    page.get_by_role("button", name="New name format").click()
    page.get_by_label("Name", exact=True).fill("Mine")
    field = page.get_by_role("combobox", name="Template")
    field.fill("{n} {vff}")
    expect(page.get_by_role("alert")).to_contain_text("Unknown token “vff” (position 5)")
    field.fill("{n} [")
    field.press_sequentially("{vf")
    expect(page.get_by_role("option", name="{vf} Resolution")).to_be_visible()
    assert_accessible(page)
    field.press("Enter")
    field.press_sequentially("]")
    expect(field).to_have_value("{n} [{vf}]")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Mine Custom")).to_be_visible()
