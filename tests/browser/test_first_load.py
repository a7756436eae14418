"""How much a browser loads for the first page of each service."""

import re
from pathlib import Path

import pytest

from quartet.kernel.ui_files import UI_FOLDER

FIRST_PAGES = {"downloads": "Queue", "sync": "Overview", "media": "Dashboard", "wind": "Start"}
MOST_BYTES = 230_000
# The map of wind is drawn behind its first page once that is shown.
LATER = "LiveMap-"
TEXT_FONT = "inter-latin-wght-normal-*.woff2"
LINKED = re.compile(r'(?:src|href)="\./assets/([^"]+\.(?:js|css))"')
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*["'`]\./([^"'`]+\.js)["'`]""")


def needed_files(assets: Path, names: set[str], pages: set[str]) -> set[str]:
    """Return the files with everything they import, except pages and what is loaded later."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name.endswith(".js"):
            imported = IMPORTED.findall((assets / name).read_text())
            waiting += [each for each in imported if each not in pages and LATER not in each]
    return found


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_first_page_is_small(name: str) -> None:
    assets = UI_FOLDER / name / "assets"
    linked = set(LINKED.findall((UI_FOLDER / name / "index.html").read_text()))
    entry = next(assets.glob("index-*.js")).read_text()
    pages = set(re.findall(r"import\([\"'`]\./([^\"'`]+\.js)", entry))
    first = {each for each in pages if each.startswith(f"{FIRST_PAGES[name]}-")}
    assert len(first) == 1
    files = needed_files(assets, linked | first, pages)
    stems = {each.rsplit("-", 1)[0] for each in files}
    files |= {each.name for each in assets.glob("*.css") if each.name.rsplit("-", 1)[0] in stems}
    sizes = {each: (assets / f"{each}.br").stat().st_size for each in files}
    font = next(assets.glob(TEXT_FONT)).stat().st_size
    assert font + sum(sizes.values()) <= MOST_BYTES, sizes
