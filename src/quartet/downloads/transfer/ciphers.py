"""Files that are stored encrypted and made readable while they are written."""

from dataclasses import dataclass, field

_BLOCK = 16


@dataclass(frozen=True)
class CounterMode:
    """AES in counter mode: any stretch can be turned by itself, and turned back the same way."""

    key: bytes = field(repr=False)
    # The first half of the counter block; the other half counts the blocks.
    nonce: bytes = field(repr=False)

    def turn(self, data: bytes, at: int) -> bytes:
        """The bytes that stand at this place of the file."""
        # Loaded with the first such file: most programs never fetch one.
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES
        from cryptography.hazmat.primitives.ciphers.modes import CTR

        block, skipped = divmod(at, _BLOCK)
        counter = self.nonce + block.to_bytes(_BLOCK - len(self.nonce), "big")
        stream = Cipher(AES(self.key), CTR(counter)).encryptor()
        stream.update(bytes(skipped))
        return stream.update(data)
