"""A software passkey device: ES256 keys, CBOR, no attestation."""

import base64
import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, CAN_SYNC, SYNCED, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Key:
    id: bytes
    party: str
    handle: bytes
    private: ec.EllipticCurvePrivateKey
    uses: int = 0


@dataclass
class Authenticator:
    """`counts`: has a signature counter and does not sync; `verifies`: verifies the user;
    `framed`: runs in a frame of another site.
    """

    origin: str = "http://localhost"
    counts: bool = False
    verifies: bool = True
    framed: bool = False
    keys: list[Key] = field(default_factory=list)

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        key = Key(
            secrets.token_bytes(32),
            options["rp"]["id"],
            decode(options["user"]["id"]),
            ec.generate_private_key(ec.SECP256R1()),
        )
        self.keys.append(key)
        data = self._data(key, ATTESTED) + self._attested(key)
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options["challenge"])
        return self._credential(
            key,
            {
                "clientDataJSON": encode(client),
                "attestationObject": encode(attestation),
                "transports": ["internal"],
            },
        )

    def get(self, options: dict[str, Any], key: Key | None = None) -> dict[str, Any]:
        key = key or next(each for each in self.keys if each.party == options["rpId"])
        key.uses += self.counts
        data = self._data(key)
        client = self._client("webauthn.get", options["challenge"])
        signature = key.private.sign(data + sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._credential(
            key,
            {
                "clientDataJSON": encode(client),
                "authenticatorData": encode(data),
                "signature": encode(signature),
                "userHandle": encode(key.handle),
            },
        )

    def _client(self, kind: str, challenge: str) -> bytes:
        client_data = {
            "type": kind,
            "challenge": challenge,
            "origin": self.origin,
            "crossOrigin": self.framed,
        }
        return json.dumps(client_data).encode()

    def _data(self, key: Key, more: int = 0) -> bytes:
        flags = PRESENT | more
        flags |= VERIFIED if self.verifies else 0
        flags |= 0 if self.counts else CAN_SYNC | SYNCED
        return sha256(key.party.encode()).digest() + bytes([flags]) + key.uses.to_bytes(4, "big")

    def _attested(self, key: Key) -> bytes:
        point = key.private.public_key().public_numbers()
        public = {
            1: 2,
            3: -7,
            -1: 1,
            -2: point.x.to_bytes(32, "big"),
            -3: point.y.to_bytes(32, "big"),
        }
        return bytes(16) + len(key.id).to_bytes(2, "big") + key.id + cbor2.dumps(public)

    def _credential(self, key: Key, response: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": encode(key.id),
            "rawId": encode(key.id),
            "type": "public-key",
            "clientExtensionResults": {},
            "response": response,
        }
