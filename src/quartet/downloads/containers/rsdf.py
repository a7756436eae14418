"""RSDF containers: hex-encoded lines, each the base64 of an encrypted link."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator

from quartet.kernel.errors import AppError

# Constants of the format, the same in every program.
KEY = bytes.fromhex("8C35192D964DC3182C6F84F3252239EB4A320D2500000000")
VECTOR = bytes.fromhex("A3D5A33CB95AC1F5CBDB1AD25CB0A7AA")
# Limited, because each link is decrypted separately.
MOST_LINKS = 20_000
_LINK = re.compile(rb"(?:CCF: )?((?:https?|ftp)://.+)", re.IGNORECASE | re.DOTALL)


def links_of_rsdf(content: bytes) -> str:
    """Return the links, one per line."""
    try:
        lines = binascii.unhexlify(b"".join(content.split())).splitlines()
        encrypted = [b64decode(line, validate=True) for line in lines if line.strip()]
    except ValueError:
        raise AppError(422, "container_damaged") from None
    if len(encrypted) > MOST_LINKS:
        raise AppError(413, "too_many_links", limit=MOST_LINKS)
    return "\n".join(link.decode("utf-8", "replace") for link in _decrypted(encrypted))


def _decrypted(lines: list[bytes]) -> Iterator[bytes]:
    """Decrypt each link. Some programs restart the cipher for each line, others continue it."""
    # Imported late, because it takes 7 MB of memory. The mode is outdated, but the format uses it.
    from cryptography.hazmat.decrepit.ciphers.modes import CFB8
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES

    before = VECTOR
    for line in lines:
        for vector in (VECTOR, before):
            reader = Cipher(AES(KEY), CFB8(vector)).decryptor()
            found = _LINK.fullmatch(reader.update(line) + reader.finalize())
            if found:
                yield found[1]
                break
        before = (before + line)[-len(VECTOR) :]
