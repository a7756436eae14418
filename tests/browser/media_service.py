"""A media service with a folder of new films and a library."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.visits import ENGLISH_WIDE, Look, Visit, assert_accessible_in
from tests.client import NO_AUTHORITIES
from tests.process import quartet_serve

WORDS = {
    "de": {
        "add": "Ordner hinzufügen",
        "path": "Ordner auf dem Server",
        "kind": "Art",
        "library": "Filmbibliothek",
        "saved": "Gespeichert.",
        "preview": "Vorschau",
        "list": "Liste",
        "posters": "Poster",
        "move": "2 Dateien verschieben",
        "done": "2 Dateien fertig",
        "undo": "2 Dateien rückgängig machen",
        "undone": "Rückgängig gemacht. Alle Dateien sind wieder am alten Ort.",
    },
    "en": {
        "add": "Add folder",
        "path": "Folder on the server",
        "kind": "Kind",
        "library": "Movie library",
        "saved": "Saved.",
        "preview": "Preview",
        "list": "List",
        "posters": "Posters",
        "move": "Move 2 files",
        "done": "2 files done",
        "undo": "Undo 2 files",
        "undone": "Undone. All files are back where they were.",
    },
}

Open = Callable[..., Page]


@pytest.fixture
def arrived(tmp_path: Path) -> Path:
    folder = tmp_path / "arrived"
    folder.mkdir()
    for name in ("12.Angry.Men.1957.720p.mkv", "1917.2019.1080p.BluRay.mkv"):
        (folder / name).write_bytes(name.encode() * 100)
    return folder


@pytest.fixture
def movies(tmp_path: Path) -> Path:
    folder = tmp_path / "movies"
    folder.mkdir()
    return folder


@pytest.fixture
def media(tmp_path: Path, visit: Visit) -> Iterator[Open]:
    """Open a page of a new service with the demo catalog and these kinds of folders."""

    def go(path: str = "/", look: Look = ENGLISH_WIDE, **folders: Path) -> Page:
        address = running.addresses["media"]
        for kind, folder in folders.items():
            body = {"kind": kind, "path": str(folder)}
            answer = httpx.post(f"{address}/api/folders", json=body, verify=NO_AUTHORITIES)
            assert answer.is_success, answer.text
        page = visit(f"{address}{path}", look)
        expect(page.locator("nav").first).to_be_visible()
        return page

    with quartet_serve(
        tmp_path, services=("media",), APP_DEMO="true", APP_ALLOW_PRIVATE_ADDRESSES="true"
    ) as running:
        yield go
        # Close the page first: it would log an error when the server stops.
        visit.close()


def add_folder(page: Page, path: Path, look: Look, *, library: bool = False) -> None:
    words = WORDS[look.language]
    page.get_by_role("button", name=words["add"]).first.click()
    dialog = page.get_by_role("dialog", name=words["add"])
    dialog.get_by_label(words["path"]).fill(str(path))
    if library:
        dialog.get_by_label(words["kind"], exact=True).select_option(words["library"])
    assert_accessible_in(page, look)
    dialog.get_by_role("button", name=words["add"]).click()
    expect(page.get_by_text(str(path), exact=True)).to_be_visible()


def choose(page: Page, name: str) -> None:
    page.get_by_role("treeitem", name=name).locator(".tick").click()
