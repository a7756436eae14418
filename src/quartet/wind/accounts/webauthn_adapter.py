"""Wrapper around the WebAuthn library, which is imported on first use because of its size."""

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
    """The host name a passkey is valid for, and the only origin it may be used on."""

    id: str
    origin: str


def relying_party(settings: WindSettings, connection: Connection) -> RelyingParty:
    """Derive the relying party from the settings or from localhost, never from request headers."""
    if settings.public_url:
        public = urlsplit(settings.public_url)
        name = public.hostname or ""
        # Browsers do not support passkeys for IP addresses.
        if name and parse_address(name) is None:
            return RelyingParty(name, f"{public.scheme}://{public.netloc}".lower())
    elif urlsplit(f"//{header(connection, 'host')}").hostname == "localhost":
        server = connection.scope.get("server")
        port = server[1] if server else None
        return RelyingParty("localhost", f"http://localhost{f':{port}' if port else ''}")
    raise AppError(409, "passkeys_unavailable")


class VerifiedPasskey(NamedTuple):
    """A verified new passkey."""

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
    """Return options for a discoverable passkey with user verification."""

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
    """Return options without a user name: the device offers the passkeys it has."""

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


async def verify_new(
    party: RelyingParty, credential: Credential, challenge: bytes
) -> VerifiedPasskey:
    def work() -> VerifiedPasskey:
        import webauthn

        _refuse_cross_origin(credential)
        checked = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=True,
        )
        return VerifiedPasskey(
            checked.credential_id,
            checked.credential_public_key,
            checked.sign_count,
            _transports(credential),
            checked.credential_device_type.value,
            checked.credential_backed_up,
        )

    return await asyncio.to_thread(_translate_errors, work)


class PasskeyUse(NamedTuple):
    sign_count: int
    backed_up: bool


async def verify_known(
    party: RelyingParty, credential: Credential, challenge: bytes, passkey: Passkey
) -> PasskeyUse:
    """Verify a sign-in; the library rejects a counter that went back, which a cloned passkey
    causes.
    """

    def work() -> PasskeyUse:
        import webauthn

        _refuse_cross_origin(credential)
        checked = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
        return PasskeyUse(checked.new_sign_count, checked.credential_backed_up)

    return await asyncio.to_thread(_translate_errors, work)


def _refuse_cross_origin(credential: Credential) -> None:
    """Reject a ceremony that ran in a frame of another site; the library does not look at this."""
    from webauthn import base64url_to_bytes

    client_data = _json(base64url_to_bytes(credential["response"]["clientDataJSON"]))
    if client_data.get("crossOrigin") is True:
        raise ValueError("the ceremony was started by another site")


def _translate_errors(work: Callable[[], T]) -> T:
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        return work()
    # Malformed input makes the library raise exceptions that it does not document.
    except (
        WebAuthnException,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
    ) as error:
        raise AppError(400, "passkey_refused") from error


def _transports(credential: Credential) -> list[str]:
    response = credential.get("response")
    reported = response.get("transports") if isinstance(response, dict) else None
    known = ("usb", "nfc", "ble", "internal", "cable", "hybrid", "smart-card")
    return [each for each in known if isinstance(reported, list) and each in reported]


def _json(text: str | bytes) -> dict[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])
