"""AES-CBC decryption for containers and Click'n'Load."""

BLOCK = 16


def decrypted(data: bytes, key: bytes, vector: bytes) -> bytes:
    """Decrypt all complete blocks."""
    # Imported late: most processes never need it, and it takes 7 MB of memory.
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CBC

    reader = Cipher(AES(key), CBC(vector)).decryptor()
    return reader.update(data[: len(data) - len(data) % BLOCK]) + reader.finalize()
