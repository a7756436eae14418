"""Lets an agent prove that it owns the engine it names.

The engine's id is the hash of its certificate, so the agent signs the hello a second time with the
key of that certificate.
"""

import hashlib
from base64 import b32encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quartet.sync.protocol.engine_ids import DATA, GROUP, check_letter
from quartet.sync.protocol.messages import Challenge, Hello
from quartet.sync.protocol.signing import hello_payload

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

DOMAIN = b"quartet-sync-engine"


def engine_id_of(certificate: bytes) -> str:
    """Return the canonical engine id of a DER certificate."""
    data = b32encode(hashlib.sha256(certificate).digest()).decode().rstrip("=")
    chunks = [data[start : start + DATA] for start in range(0, len(data), DATA)]
    letters = "".join(chunk + check_letter(chunk) for chunk in chunks)
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))


@dataclass(frozen=True)
class EngineKey:
    certificate: bytes
    key: "PrivateKeyTypes"

    def prove(self, challenge: Challenge, hello: Hello) -> Hello:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519

        payload = DOMAIN + hello_payload(challenge, hello)
        if isinstance(self.key, ec.EllipticCurvePrivateKey):
            signature = self.key.sign(payload, ec.ECDSA(hashes.SHA256()))
        elif isinstance(self.key, ed25519.Ed25519PrivateKey):
            signature = self.key.sign(payload)
        else:
            raise UnsupportedAlgorithm("the engine has a key of another kind")
        return replace(hello, engine_certificate=self.certificate, engine_signature=signature)


def engine_key(home: Path) -> EngineKey:
    """Read the key and certificate from the engine's home folder."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization

    certificate = x509.load_pem_x509_certificate((home / "cert.pem").read_bytes())
    key = serialization.load_pem_private_key((home / "key.pem").read_bytes(), None)
    return EngineKey(certificate.public_bytes(serialization.Encoding.DER), key)


def proves_engine(challenge: Challenge, hello: Hello) -> bool:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    if engine_id_of(hello.engine_certificate) != hello.engine_id:
        return False
    payload = DOMAIN + hello_payload(challenge, hello)
    try:
        key = x509.load_der_x509_certificate(hello.engine_certificate).public_key()
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(hello.engine_signature, payload, ec.ECDSA(hashes.SHA256()))
        elif isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(hello.engine_signature, payload)
        else:
            return False
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True
