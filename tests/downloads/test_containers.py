"""Uploaded container files and link lists."""

import asyncio
import binascii
import hashlib
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from aiohttp import web
from cryptography.hazmat.decrepit.ciphers.modes import CFB8
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.containers.detect import kind_of, text_of, title_of
from quartet.downloads.containers.metalink import files_of_metalink
from quartet.downloads.containers.rsdf import KEY, MOST_LINKS, VECTOR, links_of_rsdf
from quartet.kernel.errors import AppError
from tests.client import Client
from tests.downloads.api_calls import act, add, packages, until, until_all
from tests.downloads.clicknload import collected
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer
from tests.downloads.test_races import Hold
from tests.local_server import local_server

pytestmark = pytest.mark.anyio

ONE, TWO = "https://files.example/one.rar", "https://files.example/two.rar"
CONTENT_KEY = bytes(range(100, 116))
WRAPPED = "K" * 88
APP_KEY, APP_VECTOR = bytes(range(16)), bytes(range(16, 32))


def rsdf(*links: str, going_on: bool) -> bytes:
    vector, lines = VECTOR, []
    for link in links:
        writer = Cipher(AES(KEY), CFB8(vector)).encryptor()
        line = writer.update(link.encode()) + writer.finalize()
        lines.append(b64encode(line))
        vector = (vector + line)[-16:] if going_on else VECTOR
    return binascii.hexlify(b"\r\n".join(lines))


def encrypted(data: bytes, key: bytes, vector: bytes) -> bytes:
    writer = Cipher(AES(key), CBC(vector)).encryptor()
    return writer.update(data + bytes(-len(data) % 16)) + writer.finalize()


def dlc(xml: str) -> bytes:
    data = encrypted(b64encode(xml.encode()), CONTENT_KEY, CONTENT_KEY)
    return b64encode(data) + WRAPPED.encode()


def in_xml(text: str) -> str:
    return b64encode(text.encode()).decode()


def dlc_of(**named: list[str]) -> bytes:
    found = "".join(
        f'<package name="{in_xml(name)}">'
        + "".join(f"<file><url>{in_xml(link)}</url></file>" for link in links)
        + "</package>"
        for name, links in named.items()
    )
    return dlc(f"<dlc><header/><content>{found}</content></dlc>")


@asynccontextmanager
async def key_service(answer: str) -> AsyncIterator[tuple[str, list[str]]]:
    """Imitate a service that provides keys; yield its address and the received requests."""
    asked: list[str] = []

    async def unwrap(request: web.Request) -> web.Response:
        asked.append(request.query["data"])
        return web.Response(text=answer)

    app = web.Application()
    app.router.add_get("/keys", unwrap)
    async with local_server(app) as address:
        yield f"{address}/keys?data={{data}}", asked


async def test_several_files_are_added_at_once(ada: Client) -> None:
    files = [
        ("a", ("Film.rsdf", rsdf(ONE, TWO, going_on=False))),
        ("b", ("More.txt", f"see {ONE}\n# a remark\n{TWO}".encode())),
        ("c", ("empty.txt", b"nothing here")),
    ]
    answer = await ada.post("/api/containers", files=files)
    assert answer.status_code == 200, answer.text
    opened = answer.json()
    assert [each["file"] for each in opened["packages"]] == ["Film.rsdf", "More.txt"]
    assert opened["refused"] == [{"file": "empty.txt", "error": {"code": "no_links"}}]
    assert await collected(ada) == [("Film", [ONE, TWO]), ("More", [ONE, TWO])]
    assert {each["source"] for each in await packages(ada, "collector")} == {"container"}


async def test_single_file_as_request_body(ada: Client) -> None:
    for name, content in (("", ONE.encode()), ("x%20y.rsdf", rsdf(TWO, going_on=True))):
        answer = await ada.post(f"/api/containers?name={name}", content=content)
        assert answer.status_code == 200, answer.text
    assert await collected(ada) == [("one", [ONE]), ("x y", [TWO])]


@pytest.mark.parametrize("protected", [False, True])
async def test_packages_of_dlc_keep_their_names(tmp_path: Path, protected: bool) -> None:
    key = encrypted(CONTENT_KEY, APP_KEY, APP_VECTOR) if protected else CONTENT_KEY
    own = {"dlc_app_key": APP_KEY.hex(), "dlc_app_vector": APP_VECTOR.hex()}
    answer = f"<rc>{b64encode(key).decode()}</rc>"
    async with key_service(answer) as (address, asked):
        settings = {"dlc_service": address, **(own if protected else {})}
        async with logged_in(tmp_path, **settings) as ada:
            content = dlc_of(Film=[ONE], Serie=[TWO, ONE])
            sent = await ada.post("/api/containers", files={"f": ("x.dlc", content)})
            assert sent.status_code == 200, sent.text
            assert await collected(ada) == [("Film", [ONE]), ("Serie", [TWO, ONE])]
    assert asked == [WRAPPED]


async def test_dlc_requires_key_service(ada: Client) -> None:
    files = {"f": ("x.dlc", dlc_of(Film=[ONE]))}
    assert await ada.code("POST", "/api/containers", files=files) == (409, "dlc_service_missing")


async def test_refusal_of_key_service_is_reported(tmp_path: Path) -> None:
    async with (
        key_service("limit reached") as (address, _),
        logged_in(tmp_path, dlc_service=address) as ada,
    ):
        files = {"f": ("x.dlc", dlc_of(Film=[ONE]))}
        refused = await ada.code("POST", "/api/containers", files=files)
    assert refused == (502, "dlc_service_refused")


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><dlc>&b;</dlc>'
FILE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><dlc>&a;</dlc>'


async def test_hostile_xml_is_rejected(tmp_path: Path) -> None:
    answer = f"<rc>{b64encode(CONTENT_KEY).decode()}</rc>"
    async with (
        key_service(answer) as (address, _),
        logged_in(tmp_path, dlc_service=address) as ada,
    ):
        for content in (dlc(BOMB), dlc(FILE), dlc("<dlc>"), dlc("no xml"), WRAPPED.encode()):
            files = {"f": ("x.dlc", content)}
            refused = await ada.code("POST", "/api/containers", files=files)
            assert refused == (422, "container_damaged")
        assert await collected(ada) == []


@pytest.mark.parametrize("step", ["formats.links_of_rsdf", "formats.text_of", "dlc._packages"])
async def test_parsing_a_file_does_not_block_other_requests(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "formats.links_of_rsdf": ("x.rsdf", rsdf(ONE, going_on=False)),
        "formats.text_of": ("x.txt", ONE.encode()),
        "dlc._packages": ("x.dlc", dlc_of(Film=[ONE])),
    }
    hold, place = Hold(), f"quartet.downloads.containers.{step}"
    before = resolve_name(place)

    def held(*given: Any) -> Any:
        hold.in_thread()
        return before(*given)

    monkeypatch.setattr(place, held)
    answer = f"<rc>{b64encode(CONTENT_KEY).decode()}</rc>"
    async with (
        key_service(answer) as (address, _),
        logged_in(tmp_path, dlc_service=address) as ada,
        asyncio.TaskGroup() as tasks,
    ):
        sending = tasks.create_task(ada.post("/api/containers", files={"f": files[step]}))
        await hold.reached.wait()
        assert await collected(ada) == []
        hold.go.set()
        assert (await sending).status_code == 200
        assert [links for _, links in await collected(ada)] == [[ONE]]


def test_number_of_links_in_rsdf_is_limited() -> None:
    short = binascii.hexlify(b"AAAA\n" * (MOST_LINKS + 1))
    with pytest.raises(AppError) as caught:
        links_of_rsdf(short)
    assert caught.value.code == "too_many_links"


UNREADABLE = [
    ("x.rsdf", b"not hexadecimal", (422, "container_damaged")),
    ("x.rsdf", b"abc", (422, "container_damaged")),
    ("x.rsdf", b"", (400, "no_links")),
    ("x.dlc", b"short", (422, "container_damaged")),
    ("x.ccf", b"x", (422, "container_unknown")),
    ("x.txt", b"\x00\xff\xfe", (422, "container_unknown")),
]


async def test_unreadable_files_are_rejected(ada: Client) -> None:
    for name, content, refusal in UNREADABLE:
        files = {"f": (name, content)}
        assert await ada.code("POST", "/api/containers", files=files) == refusal
    assert await collected(ada) == []


async def test_bad_uploads_are_rejected(ada: Client) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    for content in (b"", b"no form", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n'):
        answer = await ada.post("/api/containers", content=content, headers=kind)
        assert 400 <= answer.status_code < 500, answer.text
    large = await ada.code("POST", "/api/containers", content=bytes(9 << 20))
    assert large == (413, "too_large")


@given(
    st.lists(st.from_regex(r"https?://[a-z]{1,9}\.example/[a-zA-Z0-9]{1,40}", fullmatch=True)),
    st.booleans(),
)
def test_links_of_rsdf_are_decrypted(links: list[str], going_on: bool) -> None:
    assert links_of_rsdf(rsdf(*links, going_on=going_on)).split() == links


@given(st.binary(), st.text(max_size=20))
def test_arbitrary_bytes_are_handled(content: bytes, name: str) -> None:
    kind_of(name, content)
    title_of(name)
    text_of(content)
    try:
        links_of_rsdf(content)
    except AppError as error:
        assert error.code == "container_damaged"


METALINK4 = b"""<?xml version="1.0"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a.iso">
<url priority="2">https://two.example/a.iso</url><url priority="1">https://one.example/a.iso</url>
<url priority="1">magnet:?xt=1</url></file></metalink>"""
METALINK3 = b"""<metalink version="3.0"><files><file name="a.iso"><resources>
<url preference="10">http://slow.example/a.iso</url>
<url preference="90">http://fast.example/a.iso</url></resources></file></files></metalink>"""


@pytest.mark.parametrize(
    ("content", "link"),
    [(METALINK4, "https://one.example/a.iso"), (METALINK3, "http://fast.example/a.iso")],
)
async def test_metalink_gives_one_link_per_file(ada: Client, content: bytes, link: str) -> None:
    answer = await ada.post("/api/containers", params={"name": "a.metalink"}, content=content)
    assert answer.status_code == 200, answer.text
    [package] = await packages(ada, "collector")
    assert [each["url"] for each in package["downloads"]] == [link]


def test_odd_metalinks_can_be_read() -> None:
    """A priority of this length was an error that ended the task which reads such links."""
    odd = b'<metalink><file><url priority="%b">http://a.example/b</url></file></metalink>'
    assert len(files_of_metalink(odd % (b"1" * 5000))) == 1
    began = time.thread_time()
    assert (
        files_of_metalink(b"<metalink>" + b"<file>" * 20_000 + b"</file>" * 20_000 + b"</metalink>")
        == []
    )
    assert time.thread_time() - began < 5


METALINK_WITH_HASH = """<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="../own.bin">
<hash type="md5">{md5}</hash><hash type="sha-256">{sha256}</hash>
<pieces length="4" type="sha-256"><hash>{other}</hash></pieces>
<url priority="1">{url}</url></file></metalink>"""


@pytest.mark.parametrize("correct", [True, False])
async def test_metalink_names_the_file_and_verifies_it(
    ada: Client, server: FileServer, correct: bool
) -> None:
    url, data = server.put("download.bin", b"content"), b"content" if correct else b"other"
    digest = hashlib.sha256(data).hexdigest()
    content = METALINK_WITH_HASH.format(md5="0" * 32, sha256=digest, other="1" * 64, url=url)
    answer = await ada.post("/api/containers", params={"name": "a.meta4"}, content=content)
    [added] = answer.json()["packages"]
    await act(ada, f"/api/packages/{added['packageId']}/start")
    [shown] = await until_all(ada, "finished" if correct else "failed")
    assert (shown["name"], shown["hashType"], shown["hashOk"]) == ("own.bin", "sha256", correct)


async def test_link_to_metalink_file_becomes_its_files(ada: Client, server: FileServer) -> None:
    file = server.put("download.bin", b"content")
    digest = hashlib.sha256(b"content").hexdigest()
    content = METALINK_WITH_HASH.format(md5="0" * 32, sha256=digest, other="1" * 64, url=file)
    link = server.put("files/list.meta4", content.encode())
    await add(ada, link, start=True, targetDir="here")
    [shown] = await until(ada, lambda all: [each["status"] for each in all] == ["finished"])
    [package] = await packages(ada)
    assert (shown["name"], shown["hashOk"], package["targetDir"]) == ("own.bin", True, "here")


async def test_link_to_damaged_torrent_file_states_its_reason(
    ada: Client, server: FileServer
) -> None:
    await add(ada, server.put("film.torrent", b"<html>Log in</html>"))
    [shown] = await until(ada, lambda all: all[0]["error"] is not None)
    assert (shown["status"], shown["error"]["code"]) == ("collected", "container_damaged")


TRACKER = b"http://tracker.example/announce"
REFUSED = {
    "film.torrent": (b"d8:announce31:%s4:infod4:name1:aee" % TRACKER, "container_damaged"),
    "unnamed": (b"d8:announce31:%s4:infod4:name1:aee" % TRACKER, "container_damaged"),
    "film.nzb": (b'<nzb xmlns="http://www.newzbin.com/DTD/2003/nzb"></nzb>', "nzb_unsupported"),
    "list": (b'<?xml version="1.0"?><nzb xmlns="http://x.example/nzb"/>', "nzb_unsupported"),
    "program": (b"MZ\0\0http://in.example/program", "container_unknown"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_files_of_other_systems_are_refused(ada: Client, name: str) -> None:
    content, code = REFUSED[name]
    answer = await ada.code("POST", "/api/containers", params={"name": name}, content=content)
    assert answer == (422, code)
    assert await packages(ada, "collector") == []
