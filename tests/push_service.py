"""A push service on loopback that decrypts messages like a browser and checks their sender."""

import json
import os
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import http_ece  # type: ignore[import-untyped]
import httpx
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid.jwt import decode  # type: ignore[import-untyped]

from tests.local_server import local_server

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def text_of(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class ReceivedMessage:
    """A message as displayed, and its HTTP headers."""

    payload: dict[str, Any]
    headers: Mapping[str, str]
    claims: dict[str, Any]
    sender: str
    body_bytes: int


@dataclass
class Browser:
    """A browser with its keys; `answer` replaces the default response 201."""

    service: "PushService"
    name: str
    answer: Answer | None = None
    tries: int = 0
    received: list[ReceivedMessage] = field(default_factory=list)
    _key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    _secret: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def endpoint(self) -> str:
        return f"{self.service.address}/send/{self.name}"

    def subscription(self) -> dict[str, Any]:
        """Return the result of `PushSubscription.toJSON()`."""
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": text_of(point), "auth": text_of(self._secret)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def open(self, headers: Mapping[str, str], body: bytes, origin: str) -> ReceivedMessage:
        scheme, _, parts = headers["Authorization"].partition(" ")
        parameters = dict(part.strip().split("=", 1) for part in parts.split(","))
        claims = decode(parameters["t"], parameters["k"])
        assert (scheme, claims["aud"]) == ("vapid", origin)
        assert headers["Content-Encoding"] == "aes128gcm" and int(headers["TTL"]) >= 0
        plain = http_ece.decrypt(
            body, private_key=self._key, auth_secret=self._secret, version="aes128gcm"
        )
        return ReceivedMessage(json.loads(plain), headers, claims, parameters["k"], len(body))


@dataclass
class PushService:
    address: str = ""
    browsers: dict[str, Browser] = field(default_factory=dict)

    def browser(self, name: str, answer: Answer | None = None) -> Browser:
        self.browsers[name] = Browser(self, name, answer)
        return self.browsers[name]

    async def receive(self, request: web.Request) -> web.StreamResponse:
        browser = self.browsers.get(request.match_info["name"])
        if browser is None:
            return web.Response(status=410)
        browser.tries += 1
        body = await request.read()
        if browser.answer is not None:
            return await browser.answer(request)
        if len(body) > 4096:
            return web.Response(status=413)
        browser.received.append(browser.open(request.headers, body, self.address))
        return web.Response(status=201)


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    app = web.Application()
    app.router.add_post("/send/{name}", service.receive)
    async with local_server(app) as service.address:
        yield service


async def subscribe(client: httpx.AsyncClient, browser: Browser) -> None:
    answer = await client.post("/api/push/subscriptions", json=browser.subscription())
    assert answer.status_code == 204, answer.text


async def count_subscriptions(client: httpx.AsyncClient) -> int:
    """Return the number of browsers of the signed-in user."""
    number: int = (await client.get("/api/push")).json()["subscriptions"]
    return number


def status(code: int, **headers: str) -> Answer:
    """Return the same response to every request."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=code, headers=named)

    return answer
