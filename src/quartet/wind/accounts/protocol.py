"""WebAuthn as its library speaks it; loaded at first use, since many never need it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from quartet.kernel.addresses import parse_address
from quartet.kernel.errors import AppError
from quartet.kernel.service import Connection, header
from quartet.wind.accounts.types import Credential, Passkey
from quartet.wind.settings import WindSettings

T = TypeVar("T")

TIMEOUT_MS = 5 * 60 * 1000
SITE_NAME = "Wind"


class RelyingParty(NamedTuple):
    """Whom a passkey is for: a host name, and the one page it may be used on."""

    id: str
    origin: str


def relying_party(settings: WindSettings, connection: Connection) -> RelyingParty:
    """From the settings alone, or this machine's own name; never what a request claims."""
    if settings.public_url:
        public = urlsplit(settings.public_url)
        name = public.hostname or ""
        # Browsers know no passkeys for numbers.
        if name and parse_address(name) is None:
            return RelyingParty(name, f"{public.scheme}://{public.netloc}".lower())
    elif urlsplit(f"//{header(connection, 'host')}").hostname == "localhost":
        server = connection.scope.get("server")
        port = server[1] if server else None
        return RelyingParty("localhost", f"http://localhost{f':{port}' if port else ''}")
    raise AppError(409, "passkeys_unavailable")


class Verified(NamedTuple):
    """A new passkey that has proved itself."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    transports: list[str]
    device_type: str
    backed_up: bool


async def creation_options(
    party: RelyingParty,
    name: str,
    handle: bytes,
    challenge: bytes,
    existing: Sequence[Passkey] = (),
) -> dict[str, Any]:
    """A passkey that a device finds by itself, and that asks who holds it."""

    def work() -> dict[str, Any]:
        import webauthn
        from webauthn.helpers import structs

        options = webauthn.generate_registration_options(
            rp_id=party.id,
            rp_name=SITE_NAME,
            user_name=name,
            user_id=handle,
            challenge=challenge,
            timeout=TIMEOUT_MS,
            authenticator_selection=structs.AuthenticatorSelectionCriteria(
                resident_key=structs.ResidentKeyRequirement.REQUIRED,
                user_verification=structs.UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[
                structs.PublicKeyCredentialDescriptor(id=each.credential_id) for each in existing
            ],
        )
        return _json(webauthn.options_to_json(options))

    return await asyncio.to_thread(work)


async def request_options(party: RelyingParty, challenge: bytes) -> dict[str, Any]:
    """Names nobody: the device offers what it has."""

    def work() -> dict[str, Any]:
        import webauthn
        from webauthn.helpers.structs import UserVerificationRequirement

        options = webauthn.generate_authentication_options(
            rp_id=party.id,
            challenge=challenge,
            timeout=TIMEOUT_MS,
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return _json(webauthn.options_to_json(options))

    return await asyncio.to_thread(work)


async def verify_new(party: RelyingParty, credential: Credential, challenge: bytes) -> Verified:
    def work() -> Verified:
        import webauthn

        checked = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
        return Verified(
            checked.credential_id,
            checked.credential_public_key,
            checked.sign_count,
            _transports(credential),
            checked.credential_device_type.value,
            checked.credential_backed_up,
        )

    return await asyncio.to_thread(_refusing, work)


class Used(NamedTuple):
    sign_count: int
    backed_up: bool


async def verify_known(
    party: RelyingParty, credential: Credential, challenge: bytes, passkey: Passkey
) -> Used:
    """A counter that goes back tells of a copied passkey; one that stays 0 is a synced one."""

    def work() -> Used:
        import webauthn

        checked = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
        return Used(checked.new_sign_count, checked.credential_backed_up)

    return await asyncio.to_thread(_refusing, work)


def _refusing(work: Callable[[], T]) -> T:
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        return work()
    # Strange bytes make the library stumble in ways it does not list.
    except (WebAuthnException, ValueError, TypeError, KeyError, AttributeError) as error:
        raise AppError(400, "passkey_refused") from error


def _transports(credential: Credential) -> list[str]:
    response = credential.get("response")
    told = response.get("transports") if isinstance(response, dict) else None
    known = ("usb", "nfc", "ble", "internal", "cable", "hybrid", "smart-card")
    return [each for each in known if isinstance(told, list) and each in told]


def _json(text: str) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])
