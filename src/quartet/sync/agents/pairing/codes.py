import hashlib

from quartet.sync.protocol import split_code


def hash_code(server_id: str, code: str) -> str:
    """Hash the secret of a pairing code; it has 60 bits, so that no salt is needed."""
    secret, _fingerprint = split_code(code)
    return hashlib.sha256(f"{server_id}:{secret}".encode()).hexdigest()
