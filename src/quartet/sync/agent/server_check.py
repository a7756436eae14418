"""Checks that the server is the one that was joined, before the agent sends anything."""

from msgspec.structs import replace

from quartet.sync.agent.errors import HandshakeError
from quartet.sync.agent.store import JoinedServer
from quartet.sync.protocol import (
    BadMessageError,
    Challenge,
    DesiredState,
    SignedMessage,
    SignedState,
    decode_signed,
    is_signed,
    proves_key,
    server_fingerprint,
    split_code,
    state_payload,
    succeeds,
)
from quartet.sync.protocol.limits import PROTOCOL_VERSION


def check_server(challenge: Challenge, agent_nonce: bytes, joined: JoinedServer) -> JoinedServer:
    """Return the server with the identity and the key to pin; raise if it is another server."""
    if challenge.protocol != PROTOCOL_VERSION:
        raise HandshakeError("the server uses another protocol version")
    if joined.server_id not in (None, challenge.server):
        raise HandshakeError("this is not the server that was joined")
    fingerprint = split_code(joined.code)[1] if joined.code else None
    pinned = replace(joined, server_id=challenge.server)
    if not challenge.server_key and not joined.server_key and not fingerprint:
        # A server of an older version has no key.
        return pinned
    if not proves_key(challenge, agent_nonce):
        raise HandshakeError("the server did not prove its key")
    key = challenge.server_key
    if fingerprint is not None:
        if fingerprint != server_fingerprint(key):
            raise HandshakeError(
                "the server has another key than the pairing code says; check the second half"
                " of the code, or whether another server answers at this address"
            )
        return replace(pinned, server_key=key, trust="code")
    if joined.server_key is not None and not succeeds(challenge, joined.server_key):
        raise HandshakeError(
            "the server has another key than the one that was joined; if this is intended, join"
            " again with a new pairing code"
        )
    return replace(pinned, server_key=key)


def verified(
    message: DesiredState | SignedState, device_key: bytes, server_key: bytes | None
) -> SignedMessage:
    """Return the message if the server's key signed it for this device."""
    if isinstance(message, DesiredState):
        if server_key is not None:
            raise BadMessageError("the state is not signed")
        return message
    payload = state_payload(device_key, message.state)
    if server_key is None or not is_signed(server_key, payload, message.signature):
        raise BadMessageError("the state is not signed with the server's key")
    return decode_signed(message.state)
