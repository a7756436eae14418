"""Each link belongs to one built-in plugin."""

from pathlib import Path

import pytest

from quartet.downloads.hosters.loader import PluginLoader
from quartet.downloads.hosters.workers import Workers

pytestmark = pytest.mark.anyio

MD5 = "0123456789abcdef0123456789abcdef"
FILES = {
    "1fichier": [
        "https://1fichier.com/?abcdefghij",
        "https://www.1fichier.com/?abcdefghij&af=1",
        "http://abcdefghij.1fichier.com/",
        "https://dl4free.com/?abcdefghij",
    ],
    "alldebrid": ["https://alldebrid.com/f/abc"],
    "ddownload": ["https://ddownload.com/abcdef123456", "https://ddl.to/abcdef123456/a.rar"],
    "dropbox": [
        "https://www.dropbox.com/s/abc/a.bin?dl=0",
        "https://www.dropbox.com/scl/fi/abc/a.bin?rlkey=x",
        "https://www.dropbox.com/scl/fo/abc/x?rlkey=x",
    ],
    "gofile": ["https://gofile.io/d/AbCdEf#file=0a1b-2c"],
    "googledrive": [
        "https://drive.google.com/file/d/1AbCdEfGhIjKlMnOp/view?usp=sharing",
        "https://drive.google.com/open?id=1AbCdEfGhIjKlMnOp",
        "https://drive.google.com/uc?export=download&id=1AbCdEfGhIjKlMnOp",
        "https://docs.google.com/uc?id=1AbCdEfGhIjKlMnOp",
        "https://drive.usercontent.google.com/download?id=1AbCdEfGhIjKlMnOp",
    ],
    "mediafire": [
        "https://www.mediafire.com/file/abcdefghijk1234/a.bin/file",
        "https://www.mediafire.com/?abcdefghijk",
        "http://mediafire.com/download/abcdefghijk1234",
    ],
    "premiumize": ["https://www.premiumize.me/file?id=abc-1"],
    "rapidgator": [f"https://rapidgator.net/file/{MD5}/a.html", "https://rg.to/file/123456"],
}
FOLDERS = {
    "1fichier": ["https://1fichier.com/dir/AbCd"],
    "gofile": ["https://gofile.io/d/AbCdEf", "https://gofile.io/?c=AbCdEf"],
    "googledrive": [
        "https://drive.google.com/drive/folders/0FolderFolder?usp=sharing",
        "https://drive.google.com/drive/u/0/folders/0FolderFolder",
    ],
    "mediafire": [
        "https://www.mediafire.com/folder/abcdefghijklm/Holiday",
        "https://www.mediafire.com/?abcdefghijklm",
    ],
    "rapidgator": ["https://rapidgator.net/folder/4711/Holiday.html"],
}
UNSUPPORTED = [
    "https://1fichier.com/tarifs.html",
    "https://www.dropbox.com/login",
    "https://drive.google.com/drive/my-drive",
    "https://ddownload.com/premium.html",
    "https://rapidgator.net/article/premium",
    "https://notgofile.io/d/AbCdEf",
]


async def test_links_belong_to_their_plugins(tmp_path: Path) -> None:
    loaded = await PluginLoader(tmp_path, Workers()).load_all()
    assert loaded.errors == []

    def owners(link: str) -> list[tuple[str, bool]]:
        matching = [each for each in loaded.plugins.values() if each.hoster.match(link)]
        return [(each.id, each.is_folder(link)) for each in matching]

    for folder, expected in ((False, FILES), (True, FOLDERS)):
        for id, links in expected.items():
            for link in links:
                assert owners(link) == [(id, folder)], link
    for link in UNSUPPORTED:
        assert owners(link) == [], link
