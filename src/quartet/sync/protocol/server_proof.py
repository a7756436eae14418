"""Ed25519 signatures by which the server proves its identity to an agent.

The server signs each challenge together with a nonce of the agent, each desired state together with
the key of the device, and each new key of its own with the previous one.
"""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from quartet.sync.protocol.limits import PROTOCOL_VERSION
from quartet.sync.protocol.messages import Challenge, KeyRotation
from quartet.sync.protocol.signing import encode_field, usable_key

CHALLENGE_DOMAIN = b"quartet-sync-challenge"
STATE_DOMAIN = b"quartet-sync-state"
KEY_DOMAIN = b"quartet-sync-key"


def challenge_payload(challenge: Challenge, agent_nonce: bytes) -> bytes:
    fields = (challenge.server, challenge.server_key, challenge.nonce, agent_nonce)
    return _payload(CHALLENGE_DOMAIN, challenge.protocol, *fields, str(challenge.time))


def state_payload(device_key: bytes, state: str) -> bytes:
    """Return the bytes to sign; the state contains its epoch and its revision."""
    return _payload(STATE_DOMAIN, PROTOCOL_VERSION, device_key, state.encode())


def rotation_payload(server: str, previous: bytes, key: bytes) -> bytes:
    return _payload(KEY_DOMAIN, PROTOCOL_VERSION, server, previous, key)


def _payload(domain: bytes, protocol: int, *fields: bytes | str) -> bytes:
    return domain + protocol.to_bytes(4, "big") + b"".join(map(encode_field, fields))


def sign_rotation(previous: Ed25519PrivateKey, server: str, key: bytes) -> KeyRotation:
    """Sign a new key with the previous one."""
    old = previous.public_key().public_bytes_raw()
    return KeyRotation(old, key, previous.sign(rotation_payload(server, old, key)))


def proves_key(challenge: Challenge, agent_nonce: bytes) -> bool:
    """Return True if the sender of the challenge owns the key it contains."""
    payload = challenge_payload(challenge, agent_nonce)
    return is_signed(challenge.server_key, payload, challenge.signature)


def succeeds(challenge: Challenge, pinned: bytes) -> bool:
    """Return True if the key in the challenge is the pinned one, or replaced it step by step."""
    key = pinned
    for step in challenge.rotations:
        if key == challenge.server_key:
            break
        if step.previous == key:
            payload = rotation_payload(challenge.server, key, step.key)
            if not is_signed(key, payload, step.signature):
                return False
            key = step.key
    return key == challenge.server_key


def is_signed(key: bytes, payload: bytes, signature: bytes) -> bool:
    if not usable_key(key):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, payload)
    except InvalidSignature:
        return False
    return True
