"""Decryption of files that the server stores encrypted."""

from dataclasses import dataclass, field

_BLOCK = 16


@dataclass(frozen=True)
class CounterMode:
    """AES in counter mode: can start at any position; encryption and decryption are the same."""

    key: bytes = field(repr=False)
    # The first half of the counter block; the second half is the block number.
    nonce: bytes = field(repr=False)

    def apply(self, data: bytes, at: int) -> bytes:
        """Encrypt or decrypt the bytes at position `at` of the file."""
        # Imported late, because most processes never fetch an encrypted file.
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import CTR

        block, skipped = divmod(at, _BLOCK)
        counter = self.nonce + block.to_bytes(_BLOCK - len(self.nonce), "big")
        stream = Cipher(AES(self.key), CTR(counter)).encryptor()
        stream.update(bytes(skipped))
        return stream.update(data)
