"""The OpenID Connect provider: its documents, and the exchange of a code for a person.

Requests are made by the client of the kernel, which reaches no private address except the host of
the issuer, and follow no redirects: they carry the client secret. Authlib builds the requests of
the protocol and checks the claims.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.sync.oidc.types import Attempt, Discovery, Person, Tokens
from quartet.sync.settings import SyncSettings

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient, OutboundResponse

T = TypeVar("T")

log = logging.getLogger("quartet.sync.oidc")

DISCOVERY = "/.well-known/openid-configuration"
# Signatures with a private key of the provider; "none" and shared secrets are refused.
ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)]
CLOCK_SKEW_SECONDS = 60
TIMEOUT = 15
MOST_BYTES = 1024 * 1024


class Provider:
    """The provider in the settings."""

    def __init__(self, kernel: Kernel[SyncSettings]) -> None:
        settings = kernel.settings
        self._kernel = kernel
        self.issuer = (settings.oidc_issuer or "").rstrip("/")
        self._client_id = settings.oidc_client_id or ""
        self._secret = settings.oidc_client_secret
        self._scopes = settings.oidc_scopes
        self._groups_claim = settings.oidc_groups_claim

    async def sign_in_url(self, attempt: Attempt, state: str) -> str:
        """Return the page of the provider on which the person signs in."""
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        async with self._client() as client:
            found = await self._discover(client)
        return str(
            prepare_grant_uri(
                found.authorization_endpoint,
                self._client_id,
                "code",
                attempt.redirect_uri,
                " ".join(self._scopes),
                state,
                nonce=attempt.nonce,
                code_challenge=create_s256_code_challenge(attempt.verifier),
                code_challenge_method="S256",
            )
        )

    async def sign_out_url(self, address: str) -> str | None:
        """Return the page that ends the session at the provider and leads back to `address`."""
        from authlib.common.urls import add_params_to_uri

        async with self._client() as client:
            found = await self._discover(client)
        if found.end_session_endpoint is None:
            return None
        query = [("client_id", self._client_id), ("post_logout_redirect_uri", address)]
        return str(add_params_to_uri(found.end_session_endpoint, query))

    async def redeem(self, attempt: Attempt, code: str, issuer: str) -> Person:
        """Exchange the code that the browser brought for the person who signed in."""
        async with self._client() as client:
            found = await self._discover(client)
            promised = found.authorization_response_iss_parameter_supported
            if (issuer or promised) and issuer.rstrip("/") != self.issuer:
                raise _refused("the answer names another issuer")
            tokens = await self._tokens(client, found, attempt, code)
            keys = _decode(await client.get(found.jwks_uri, follow=False), dict[str, Any])
            claims = self._verify(tokens, keys, attempt.nonce)
            claims = {**await _user_info(client, found, tokens, claims["sub"]), **claims}
        return Person(claims["sub"], _name(claims), _groups(claims, self._groups_claim))

    @asynccontextmanager
    async def _client(self) -> "AsyncIterator[OutboundClient]":
        from quartet.kernel.outbound import OutboundClient

        allowed = self._kernel.allow_private
        if not isinstance(allowed, bool):
            allowed = (*allowed, urlsplit(self.issuer).hostname or "")
        try:
            async with OutboundClient(
                allow_private=allowed, timeout=TIMEOUT, max_bytes=MOST_BYTES, retries=1
            ) as client:
                yield client
        except AppError as error:
            if error.code.startswith("oidc_"):
                raise
            log.warning("the sign-in provider cannot be used: %s %s", error.code, error.inputs)
            raise AppError(502, "oidc_unreachable") from None

    async def _discover(self, client: "OutboundClient") -> Discovery:
        found = _decode(await client.get(self.issuer + DISCOVERY, follow=False), Discovery)
        if found.issuer.rstrip("/") != self.issuer:
            log.warning("the discovery document names another issuer: %s", found.issuer)
            raise AppError(502, "oidc_unreachable")
        pages = (found.authorization_endpoint, found.end_session_endpoint)
        secure = self.issuer.startswith("https:")
        for url in (*pages, found.token_endpoint, found.jwks_uri, found.userinfo_endpoint):
            if url and not url.startswith("https://" if secure else ("http://", "https://")):
                log.warning("the discovery document contains an address without HTTPS")
                raise AppError(502, "oidc_unreachable")
        return found

    async def _tokens(
        self, client: "OutboundClient", found: Discovery, attempt: Attempt, code: str
    ) -> Tokens:
        from authlib.oauth2.auth import ClientAuth
        from authlib.oauth2.rfc6749.parameters import prepare_token_request

        body = prepare_token_request(
            "authorization_code",
            redirect_uri=attempt.redirect_uri,
            code=code,
            code_verifier=attempt.verifier,
        )
        methods = found.token_endpoint_auth_methods_supported
        basic = "client_secret_basic" in methods or "client_secret_post" not in methods
        method = "client_secret_basic" if basic else "client_secret_post"
        auth = ClientAuth(self._client_id, self._secret, method if self._secret else "none")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        url, headers, body = auth.prepare("POST", found.token_endpoint, form, body)
        answer = await client.post(url, headers=headers, body=body.encode(), follow=False)
        if answer.status in (400, 401):
            raise _refused("the provider refused the code")
        return _decode(answer, Tokens)

    def _verify(self, tokens: Tokens, keys: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        """Check the signature and the claims of the ID token, and return the claims."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        usable = [key for key in keys.get("keys", ()) if key.get("kty") in ("RSA", "EC")]
        try:
            key_set = KeySet.import_key_set({"keys": usable})
            token = jwt.decode(tokens.id_token, key_set, algorithms=ALGORITHMS)
            claims = CodeIDToken(
                token.claims,
                token.header,
                {
                    "iss": {"essential": True, "values": [self.issuer, self.issuer + "/"]},
                    "aud": {"essential": True, "value": self._client_id},
                },
                {
                    "nonce": nonce,
                    "client_id": self._client_id,
                    "access_token": tokens.access_token,
                },
            )
            claims.validate(leeway=CLOCK_SKEW_SECONDS)
            return msgspec.convert(dict(claims), dict[str, Any])
        except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise _refused(f"{type(error).__name__}: {error}") from None


async def _user_info(
    client: "OutboundClient", found: Discovery, tokens: Tokens, subject: str
) -> dict[str, Any]:
    """Return more claims; several providers send groups and names only here."""
    if found.userinfo_endpoint is None:
        return {}
    headers = {"Authorization": f"Bearer {tokens.access_token}"}
    answer = await client.get(found.userinfo_endpoint, headers=headers, follow=False)
    if answer.headers.get("Content-Type", "").startswith("application/jwt"):
        return {}
    claims = _decode(answer, dict[str, Any])
    if claims.get("sub") != subject:
        raise _refused("the user information belongs to another person")
    return claims


def _decode(answer: "OutboundResponse", kind: type[T]) -> T:
    if not answer.ok:
        log.warning("the sign-in provider answered with status %d", answer.status)
        raise AppError(502, "oidc_unreachable")
    return answer.json(kind)


def _refused(reason: str) -> AppError:
    log.warning("sign-in with the provider refused: %s", reason)
    return AppError(401, "oidc_failed")


def _name(claims: Mapping[str, Any]) -> str:
    names = (claims.get("preferred_username"), claims.get("email"), claims["sub"])
    return next(each for each in names if isinstance(each, str) and each)


def _groups(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    """Return the groups; the claim may be nested, such as `realm_access.roles` of Keycloak."""
    found: Any = claims.get(claim)
    if found is None:
        found = claims
        for name in claim.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
    listed = [found] if isinstance(found, str) else found
    return frozenset(each for each in listed if isinstance(each, str)) if listed else frozenset()
