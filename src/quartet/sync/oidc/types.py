from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.kernel.service import Identity
from quartet.sync.accounts.types import Token

# A path of this server: an address of another host would not match.
OwnPath = Annotated[str, Meta(pattern=r"^/(?![/\\])[!-\[\]-~]*$", max_length=500)]


class SignIn(msgspec.Struct, frozen=True):
    """Start signing in; with an invitation, the person is connected to its account."""

    # The page to show afterwards.
    next: OwnPath = "/"
    invitation: Token | None = None


class ProviderPage(msgspec.Struct, frozen=True):
    """A page of the provider that the browser opens next; None if it has none."""

    url: str | None


class Attempt(msgspec.Struct, frozen=True):
    """A sign-in that has begun; the browser and the provider know its state."""

    state_hash: str
    nonce: str
    verifier: str
    redirect_uri: str
    next: str
    invitation_hash: str | None
    expires_at: int


class Answer(msgspec.Struct, frozen=True):
    """What the provider sends back through the browser."""

    state: str = ""
    code: str = ""
    error: str = ""
    issuer: str = ""


class Person(msgspec.Struct, frozen=True):
    """The claims of the provider about the person signing in."""

    subject: str
    name: str
    groups: frozenset[str]


# What a sign-in changed, as the audit log names it.
AccountChange = Literal["account_created", "role_changed"] | None


@dataclass(frozen=True)
class SignedIn:
    """A person with the token of the new session and the page to show."""

    identity: Identity
    token: str
    page: str
    change: AccountChange


class Discovery(msgspec.Struct, frozen=True):
    """The part of the provider's discovery document that is used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


class Tokens(msgspec.Struct, frozen=True):
    id_token: str
    access_token: str
