"""Connections of tunnels end completely, also if the other side does not answer."""

import asyncio
import gc
import socket
import ssl
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.x509 import load_der_x509_certificate

from quartet.sync import piping
from quartet.sync.agent.hub_route import answers_directly
from quartet.sync.engine import EnginePeer
from quartet.sync.protocol import engine_id_of
from tests.sync.agent import new_engine_key


@contextmanager
def silent_hub(folder: Path) -> Iterator[EnginePeer]:
    """Answer with the certificate of an engine, and say nothing afterwards."""
    made = new_engine_key()
    certificate = load_der_x509_certificate(made.certificate)
    private = made.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    pem = folder / "hub.pem"
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    asked = threading.Event()

    def answer(listening: socket.socket) -> None:
        plain, _ = listening.accept()
        with context.wrap_socket(plain, server_side=True):
            asked.wait(60)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,))
        thread.start()
        try:
            address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
            yield EnginePeer(engine_id_of(made.certificate), addresses=(address,))
        finally:
            asked.set()
            thread.join(60)


def test_check_of_the_hub_leaves_no_connection_behind(tmp_path: Path) -> None:
    with silent_hub(tmp_path) as hub, warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert asyncio.run(answers_directly(hub))
        gc.collect()
    assert [str(each.message) for each in found] == []


@pytest.mark.anyio
async def test_connection_ends_although_the_other_side_does_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(piping, "CLOSE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        _, writer = await asyncio.open_connection(*listening.getsockname())
        # More than the buffers of both sides hold.
        writer.write(bytes(50_000_000))
        await piping.close(writer)
        assert writer.transport.get_write_buffer_size() == 0


@pytest.mark.anyio
async def test_last_bytes_arrive_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piping, "CLOSE_SECONDS", 60.0)
    sent = bytes(range(256)) * 20_000
    arrived: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set_result(await reader.read(-1))
        await piping.close(writer)

    async with await asyncio.start_server(read, "127.0.0.1", 0) as listening:
        _, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(sent)
        await piping.close(writer)
        async with asyncio.timeout(60):
            assert await arrived == sent
