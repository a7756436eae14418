"""A server that sends the response of `api_ours` to everything, as fast as an event loop can."""

import asyncio
import sys
from typing import cast

import msgspec
import uvloop

from bench.api_ours import Download, Package


class Responder(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(RESPONSE)


def response() -> bytes:
    downloads = [
        Download(n, f"https://example.org/{n}", f"file {n}.bin", 1_000_000, n * 1000)
        for n in range(10)
    ]
    body = msgspec.json.encode(Package(7, "a package", "a/folder", downloads))
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


async def main(port: int) -> None:
    # The load generator expects a session token.
    print("none", flush=True)
    server = await asyncio.get_running_loop().create_server(Responder, "127.0.0.1", port)
    await server.serve_forever()


RESPONSE = response()

if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[2])))
