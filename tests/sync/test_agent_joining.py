"""`quartet agent join` with invalid addresses and silent servers."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from websockets.asyncio.server import ServerConnection, serve

from quartet.sync.agent import client
from quartet.sync.agent.commands import commands
from quartet.sync.agent.joining import join
from quartet.sync.protocol import Waiting, encode, is_code


@pytest.mark.parametrize(
    "address",
    [
        "sync.example.org",
        "ftp://sync.example.org",
        "http://",
        "http://host:99999",
        "http://host:80x80",
        "http://[::1",
        "https://ex..ample",
        "https://" + "a" * 64 + ".example",
    ],
)
def test_invalid_server_address_is_rejected(tmp_path: Path, address: str) -> None:
    done = CliRunner().invoke(
        commands, ["join", "--server", address, "--dir", str(tmp_path / "agent"), "CODE"]
    )
    assert (done.exit_code, "--server must be an address" in done.output) == (2, True), done.output
    assert not (tmp_path / "agent").exists()


def test_mistyped_code_is_named_as_such(tmp_path: Path) -> None:
    for code in ("ABCD-EFGH", "ABCD-EFGH-JKLM-NPQR-STUV-WXY0"):
        done = CliRunner().invoke(
            commands, ["join", "--server", "http://localhost:9", "--dir", str(tmp_path), code]
        )
        assert (done.exit_code, "incomplete or mistyped" in done.output) == (2, True), done.output
    assert is_code("abcd efgh jklm npqr stuv wxyz")


async def _says_something_else(socket: ServerConnection) -> None:
    await socket.send(encode(Waiting("abcd")))
    await socket.wait_closed()


async def _says_nothing(socket: ServerConnection) -> None:
    await socket.wait_closed()


@pytest.mark.anyio
@pytest.mark.parametrize("talk", [_says_something_else, _says_nothing])
async def test_join_pins_nothing_if_server_does_not_identify_itself(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    talk: Callable[[ServerConnection], Awaitable[None]],
) -> None:
    monkeypatch.setattr(client, "CHALLENGE_SECONDS", 0.2)
    async with serve(talk, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        async with asyncio.timeout(60):
            done = await asyncio.to_thread(join, tmp_path / "agent", url, None, [], None)
    assert done.server_fingerprint is None
