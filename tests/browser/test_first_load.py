"""How much a browser loads for each page that is opened first."""

import re
from pathlib import Path

import pytest

from quartet.kernel.ui_files import UI_FOLDER

FIRST_PAGES = {"downloads": "Queue", "sync": "Overview", "media": "Dashboard", "wind": "Start"}
MOST_BYTES = 230_000
# The library that draws the maps of wind is larger than everything else together. A page loads it
# after it is shown itself.
LATER = ("LiveMap-", "WindMap-")
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
            waiting += [
                each for each in imported if each not in pages and not each.startswith(LATER)
            ]
    return found


def size_of(assets: Path, files: set[str]) -> int:
    """Return the bytes of the files, of their styles and of the font of the text."""
    stems = {each.rsplit("-", 1)[0] for each in files}
    files |= {each.name for each in assets.glob("*.css") if each.name.rsplit("-", 1)[0] in stems}
    font = next(assets.glob(TEXT_FONT)).stat().st_size
    return font + sum((assets / f"{each}.br").stat().st_size for each in files)


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_every_page_is_small(name: str) -> None:
    assets = UI_FOLDER / name / "assets"
    linked = set(LINKED.findall((UI_FOLDER / name / "index.html").read_text()))
    entry = next(assets.glob("index-*.js")).read_text()
    pages = set(re.findall(r"import\([\"'`]\./([^\"'`]+\.js)", entry))
    assert sum(each.startswith(f"{FIRST_PAGES[name]}-") for each in pages) == 1
    sizes = {page: size_of(assets, needed_files(assets, linked | {page}, pages)) for page in pages}
    assert {page: size for page, size in sizes.items() if size > MOST_BYTES} == {}
    # Any other font would be missing in the sums.
    assert {each.name.split("-")[0] for each in assets.glob("*.woff2")} == {"inter"}
