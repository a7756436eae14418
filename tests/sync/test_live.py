"""The UI's live stream over a real socket."""

import subprocess
from pathlib import Path

import aiohttp
import pytest

from tests.process import QUARTET, environment, quartet_serve
from tests.real_servers import free_port

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse"


async def test_live_socket_needs_session_and_own_origin(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    subprocess.run(
        [*QUARTET, "sync", "set-password", "--data", data],
        input=f"{PASSWORD}\n",
        text=True,
        env=environment(),
        check=True,
        capture_output=True,
    )
    port = free_port()
    public = "https://sync.example.org"
    arguments = ("--port", str(port))
    address = f"http://127.0.0.1:{port}"
    with quartet_serve(tmp_path, *arguments, services=("sync",), SYNC_PUBLIC_URL=public):
        async with aiohttp.ClientSession(address, cookie_jar=aiohttp.CookieJar(unsafe=True)) as ada:
            assert await refused(ada, {}) == 403
            answer = await ada.post("/api/login", json={"password": PASSWORD})
            assert answer.status == 200
            # The public address is https, so a client does not send the cookie over http.
            [given] = answer.cookies.values()
            cookie = {"cookie": f"{given.key}={given.value}"}
            assert await refused(ada, {"origin": "https://evil.example", **cookie}) == 403
            for origin in (address, public):
                headers = {"origin": origin, **cookie}
                async with ada.ws_connect("/api/ws", headers=headers) as socket:
                    first = await socket.receive_json()
                    assert (first["type"], first["service"]) == ("system", "sync")


async def refused(client: aiohttp.ClientSession, headers: dict[str, str]) -> int:
    with pytest.raises(aiohttp.WSServerHandshakeError) as error:
        await client.ws_connect("/api/ws", headers=headers)
    return error.value.status
