"""An OpenID Connect provider on loopback: discovery, PKCE, codes that work once, RS256."""

import base64
import hashlib
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

from aiohttp import BasicAuth, web
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from tests.local_server import local_server

CLIENT_ID = "quartet"
CLIENT_SECRET = "the secret of the client"


class FakeProvider:
    """`claims` and `user_info` replace what it says about the person; None removes a claim."""

    def __init__(self) -> None:
        self.issuer = ""
        self.claims: dict[str, Any] = {}
        self.user_info: dict[str, Any] = {}
        # Replaces fields of the discovery document.
        self.discovery: dict[str, Any] = {}
        self.key = RSAKey.generate_key(2048, {"kid": "known"})
        self.signing_key = self.key
        self.algorithm = "RS256"
        # Whether the token endpoint sends the client to another address.
        self.redirects_to = ""
        self.subject = "person-1"
        self._codes: dict[str, dict[str, str]] = {}
        self._access_tokens: set[str] = set()

    async def serve_discovery(self, _request: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "end_session_endpoint": f"{self.issuer}/logout",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                "code_challenge_methods_supported": ["S256"],
                **self.discovery,
            }
        )

    async def authorize(self, request: web.Request) -> web.Response:
        """Send the browser back with a code, as if the person had entered a password."""
        query = dict(request.query)
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        answer = urlencode({"code": code, "state": query["state"], "iss": self.issuer})
        raise web.HTTPFound(f"{query['redirect_uri']}?{answer}")

    async def token(self, request: web.Request) -> web.Response:
        if self.redirects_to:
            raise web.HTTPTemporaryRedirect(self.redirects_to)
        form = await request.post()
        login = BasicAuth.decode(request.headers["Authorization"])
        begun = self._codes.pop(str(form["code"]), None)
        if (
            (login.login, login.password) != (CLIENT_ID, CLIENT_SECRET)
            or begun is None
            or form["grant_type"] != "authorization_code"
            or form["redirect_uri"] != begun["redirect_uri"]
            or challenge(str(form["code_verifier"])) != begun["code_challenge"]
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        access_token = secrets.token_urlsafe(16)
        self._access_tokens.add(access_token)
        tokens = {"access_token": access_token, "token_type": "Bearer"}
        return web.json_response({**tokens, "id_token": self._id_token(begun, access_token)})

    def _id_token(self, begun: dict[str, str], access_token: str) -> str:
        now = int(time.time())
        digest = hashlib.sha256(access_token.encode()).digest()[:16]
        claims = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": begun["nonce"],
            "at_hash": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            **self.claims,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.signing_key.kid}
        return jwt.encode(header, kept, self.signing_key, algorithms=[self.algorithm])

    async def keys(self, _request: web.Request) -> web.Response:
        return web.json_response(KeySet([self.key]).as_dict(private=False))

    async def userinfo(self, request: web.Request) -> web.Response:
        token = request.headers["Authorization"].removeprefix("Bearer ")
        if token not in self._access_tokens:
            return web.Response(status=401)
        return web.json_response({"sub": self.subject, **self.user_info})


def challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@asynccontextmanager
async def running_provider() -> AsyncIterator[FakeProvider]:
    provider = FakeProvider()
    app = web.Application()
    app.router.add_get("/realm/.well-known/openid-configuration", provider.serve_discovery)
    app.router.add_get("/realm/authorize", provider.authorize)
    app.router.add_post("/realm/token", provider.token)
    app.router.add_get("/realm/keys", provider.keys)
    app.router.add_get("/realm/userinfo", provider.userinfo)
    async with local_server(app) as address:
        provider.issuer = f"{address}/realm"
        yield provider
