"""A file with several addresses in the queue: from a Metalink file and from aria2 clients."""

import hashlib
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, until, until_all
from tests.downloads.aria2_rpc import Rpc
from tests.downloads.server import CHUNK, FileServer, file_server
from tests.downloads.transfer.engine_bench import content

pytestmark = pytest.mark.anyio

# Large enough to be divided into segments.
DATA = content(12 * 1024 * 1024)
SAME = 1024 * 1024


@pytest.fixture
async def mirror() -> AsyncIterator[FileServer]:
    async with file_server() as server:
        yield server


def metalink(*urls: str) -> str:
    digest = hashlib.sha256(DATA).hexdigest()
    lines = "".join(f'<url priority="{rank}">{url}</url>' for rank, url in enumerate(urls, 1))
    return (
        '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="own.bin">'
        f'<size>{len(DATA)}</size><hash type="sha-256">{digest}</hash>{lines}</file></metalink>'
    )


def hold_until_both_send(first: FileServer) -> None:
    """Let the first server stop in its file, so that the other one is needed."""
    first.open.clear()
    first.chunks_before_waiting = 4


async def finished(client: Client, first: FileServer, other: FileServer) -> dict[str, Any]:
    """Let the first server continue once the other one has sent more than a sample."""
    await other.until_sent(4 * CHUNK)
    first.open.set()
    [shown] = await until_all(client, "finished", "failed")
    return shown


async def test_metalink_is_fetched_from_both_mirrors(
    ada: Client, server: FileServer, mirror: FileServer, done: Path
) -> None:
    urls = server.put("one.bin", DATA), mirror.put("two.bin", DATA)
    hold_until_both_send(server)
    query = {"name": "files.meta4"}
    answer = await ada.post("/api/containers", params=query, content=metalink(*urls))
    [added] = answer.json()["packages"]
    await act(ada, f"/api/packages/{added['packageId']}/start")
    shown = await finished(ada, server, mirror)
    assert (shown["status"], shown["hashOk"], shown["name"]) == ("finished", True, "own.bin")
    assert (done / shown["file"]).read_bytes() == DATA
    assert min(server.sent, mirror.sent) > len(DATA) // 10


async def test_file_is_online_if_only_its_mirror_has_it(
    ada: Client, server: FileServer, mirror: FileServer
) -> None:
    # The first server has lost the file, and the second one does not answer.
    dead = "http://127.0.0.1:9/dead.bin"
    content = metalink(server.url("gone.bin"), dead, mirror.put("two.bin", DATA))
    answer = await ada.post("/api/containers", params={"name": "a.meta4"}, content=content)
    [added] = answer.json()["packages"]
    await until(ada, lambda all: [each["online"] for each in all] == ["online"])
    await act(ada, f"/api/packages/{added['packageId']}/start")
    [shown] = await until_all(ada, "finished", "failed")
    assert (shown["status"], shown["hashOk"]) == ("finished", True)


async def test_wrong_bytes_of_one_mirror_do_not_damage_the_file(
    ada: Client, rpc: Rpc, server: FileServer, mirror: FileServer, done: Path
) -> None:
    wrong = DATA[:SAME] + bytes(len(DATA) - SAME)
    urls = server.put("one.bin", DATA), mirror.put("two.bin", wrong)
    hold_until_both_send(server)
    content = b64encode(metalink(*urls).encode()).decode()
    [gid] = await rpc("addMetalink", content)
    assert [each["uri"] for each in await rpc("getUris", gid)] == list(urls)
    shown = await finished(ada, server, mirror)
    assert (shown["status"], shown["hashOk"]) == ("finished", True)
    assert (done / shown["file"]).read_bytes() == DATA


async def test_aria2_client_gives_several_addresses(
    ada: Client, rpc: Rpc, server: FileServer, mirror: FileServer, done: Path
) -> None:
    urls = [server.url("missing.bin"), mirror.put("two.bin", DATA)]
    gid = await rpc("addUri", urls)
    [shown] = await until_all(ada, "finished", "failed")
    assert shown["status"] == "finished"
    assert (done / shown["file"]).read_bytes() == DATA
    assert [each["uri"] for each in await rpc("getUris", gid)] == urls
