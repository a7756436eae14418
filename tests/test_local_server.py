import asyncio
import gc
import socket

import pytest
from aiohttp import web

from tests.local_server import local_server

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("rounds", range(5))
@pytest.mark.filterwarnings("error")
async def test_server_closes_connection_accepted_while_it_stops(rounds: int) -> None:
    """The number of loop iterations decides how far asyncio has got with the connection."""
    async with local_server(web.Application()) as address:
        port = int(address.rpartition(":")[2])
        client = socket.create_connection(("127.0.0.1", port))
        for _ in range(rounds):
            await asyncio.sleep(0)
    with client:
        await asyncio.get_running_loop().run_in_executor(None, _read_to_the_end, client)
    gc.collect()


def _read_to_the_end(client: socket.socket) -> None:
    client.settimeout(30)
    try:
        while client.recv(1024):
            pass
    except ConnectionResetError:
        pass
