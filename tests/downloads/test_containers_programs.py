"""Queues of other download managers are added as packages."""

import io
import json
import sqlite3
import subprocess
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.containers import pyload_database
from quartet.downloads.containers.aria2_session import packages_of_session
from quartet.downloads.containers.jdownloader import packages_of_crawljobs, packages_of_list
from quartet.downloads.containers.pyload_database import packages_of_pyload
from quartet.downloads.containers.types import FileDetails
from quartet.kernel.errors import AppError
from tests.client import Client
from tests.downloads.api_calls import downloads, packages
from tests.downloads.clicknload import collected
from tests.real_servers import free_port

pytestmark = pytest.mark.anyio

ONE, TWO = "https://files.example/one.rar", "https://files.example/two.rar"
CHECKSUM = f"sha-1={'a' * 40}"
MIRROR = "https://mirror.example/one.rar"
# The tables as pyLoad creates them, without columns that are not read.
PYLOAD = """
    CREATE TABLE packages (id INTEGER PRIMARY KEY, name TEXT, password TEXT DEFAULT "",
        queue INTEGER DEFAULT 0, packageorder INTEGER DEFAULT 0);
    CREATE TABLE links (id INTEGER PRIMARY KEY, url TEXT, name TEXT, status INTEGER DEFAULT 3,
        linkorder INTEGER DEFAULT 0, package INTEGER DEFAULT 0);
"""


def pyload(*statements: str, tables: str = PYLOAD) -> bytes:
    database = sqlite3.connect(":memory:")
    database.executescript(tables + ";".join(statements))
    database.commit()
    return database.serialize()


def zipped(**entries: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, entry in entries.items():
            archive.writestr(name.removeprefix("n"), json.dumps(entry))
    return file.getvalue()


async def open_file(client: Client, name: str, content: bytes) -> None:
    answer = await client.post("/api/containers", files={"f": (name, content)})
    assert answer.status_code == 200, answer.text


async def test_session_of_aria2_keeps_names_mirrors_and_checksums(
    ada: Client, tmp_path: Path
) -> None:
    given = tmp_path / "links"
    given.write_text(f"{ONE}\t{MIRROR}\n out=film.rar\n dir=/data/Films\n{TWO}\n dir=/data/Films\n")
    session = tmp_path / "saved"
    options = (f"--input-file={given}", f"--save-session={session}", f"--checksum={CHECKSUM}")
    control = ("--enable-rpc", f"--rpc-listen-port={free_port()}", "--pause=true", "--stop=1")
    subprocess.run(["aria2c", "--quiet", *control, *options], timeout=60)
    (package,) = packages_of_session(session.read_bytes())
    assert package.details[ONE] == FileDetails("film.rar", "sha1", "a" * 40, None, [MIRROR])
    await open_file(ada, "aria2.session", session.read_bytes())
    assert await collected(ada) == [("Films", [ONE, TWO])]
    assert {each["name"] for each in await downloads(ada)} == {"film.rar", "two.rar"}


async def test_database_of_pyload_becomes_packages(ada: Client) -> None:
    content = pyload(
        "INSERT INTO packages VALUES (1, 'Later', '', 0, 1)",
        "INSERT INTO packages VALUES (2, 'Film', 'first\nsecond word', 1, 0)",
        f"INSERT INTO links VALUES (1, '{TWO}', '', 3, 1, 2), (2, '{ONE}', '', 3, 0, 2)",
        f"INSERT INTO links VALUES (3, '{ONE}', '', 8, 0, 1), (4, '{TWO}', '', 0, 1, 1)",
    )
    await open_file(ada, "pyload.db", content)
    assert await collected(ada) == [("Film", [ONE, TWO]), ("Later", [ONE])]
    assert packages_of_pyload(content)[0].passwords == ["first", "second word"]
    assert (await packages(ada, "collector"))[0]["hasPasswords"] is True


def test_prepared_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyload_database, "MOST_STEPS", 2_000_000)
    endless = """
        CREATE VIEW packages AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
            SELECT id, '' AS name, '' AS password, 0 AS packageorder FROM n;
        CREATE TABLE links (id INT, url TEXT, status INT, linkorder INT, package INT);
        INSERT INTO links VALUES (1, 'https://a.example/b', 3, 0, -1);
    """
    other = pyload(tables="CREATE TABLE x (y)")
    large = """
        CREATE TABLE packages (id INT, name TEXT, password TEXT, packageorder INT);
        INSERT INTO packages VALUES (1, '', '', 0);
        CREATE VIEW links AS SELECT 1 AS id, printf('%.*c', 900000000, 'x') AS url, 3 AS status,
            0 AS linkorder, 1 AS package;
    """
    for content in (
        pyload(tables=endless),
        pyload(tables=large),
        b"SQLite format 3\0" + bytes(500),
        other,
    ):
        with pytest.raises(AppError, match="container_unknown"):
            packages_of_pyload(content)


async def test_lists_of_jdownloader_become_packages(ada: Client) -> None:
    finished = {"url": TWO, "name": "two.rar", "finalLinkState": "FINISHED"}
    content = zipped(
        n00={"name": "Film", "downloadFolder": "/data"},
        n00_001=finished,
        n00_000={"url": f"directhttp://{ONE}", "name": "film.rar", "finalLinkState": None},
        n01={"name": "Grabbed"},
        n01_000={"downloadLink": {"url": TWO, "name": "two.rar"}},
        extraInfo={"rootPath": "/"},
    )
    await open_file(ada, "downloadList17.zip", content)
    assert await collected(ada) == [("Film", [ONE]), ("Grabbed", [TWO])]


def test_large_list_is_read_with_little_memory() -> None:
    # Unknown values would take fifteen times the size of the file.
    content = zipped(n00_000={"url": ONE, "other": [[]] * 500_000})
    tracemalloc.start()
    try:
        [package] = packages_of_list(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert package.links == ONE
    assert peak < 16 << 20


async def test_nested_crawljob_is_refused(ada: Client) -> None:
    answer = await ada.post("/api/containers", files={"f": ("a.crawljob", b"[" * 20_000)})
    assert (answer.status_code, answer.json()["code"]) == (422, "container_damaged")


async def test_other_zip_files_are_refused(ada: Client) -> None:
    for content in (zipped(readme={}), b"PK\x03\x04" + bytes(100)):
        answer = await ada.post("/api/containers", files={"f": ("a.zip", content)})
        assert answer.status_code == 422
        assert answer.json()["code"] in {"container_unknown", "container_damaged"}


async def test_list_with_damaged_bytes_is_refused(ada: Client) -> None:
    content = bytearray(zipped(n00_000={"url": ONE * 50}))
    # The first byte of the compressed data, which starts after the header and the name.
    content[30 + len("00_000")] = 0xFF
    answer = await ada.post("/api/containers", files={"f": ("a.zip", bytes(content))})
    assert (answer.status_code, answer.json()["code"]) == (422, "container_damaged")


@pytest.mark.parametrize(
    "content",
    [
        f'# a job\ntext={ONE}\npackageName=Film\nextractPasswords=["a","b"]\nautoConfirm=TRUE\n'
        f"->NEW ENTRY<-\ntext={TWO}\npackageName=Grabbed\n",
        json.dumps(
            [
                {"text": ONE, "packageName": "Film", "extractPasswords": ["a", "b"]}
                | {"autoConfirm": "TRUE"},
                {"text": TWO, "packageName": "Grabbed"},
            ]
        ),
    ],
)
async def test_crawljobs_become_packages(ada: Client, content: str) -> None:
    await open_file(ada, "links.crawljob", content.encode())
    (grabbed,) = await packages(ada, "collector")
    (film,) = await packages(ada)
    assert grabbed["name"] == "Grabbed"
    assert (film["name"], film["hasPasswords"]) == ("Film", True)
    assert packages_of_crawljobs(content.encode())[0].passwords == ["a", "b"]
