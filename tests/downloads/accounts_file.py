"""Writes the file in which JDownloader keeps its accounts."""

import json
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7

KEY = bytes((1, 6, 4, 5, 2, 7, 4, 3, 12, 61, 14, 75, 254, 249, 212, 33))


def accounts_file(accounts: dict[str, Any]) -> bytes:
    """Encrypt accounts as JDownloader does."""
    padder = PKCS7(128).padder()
    padded = padder.update(json.dumps(accounts).encode()) + padder.finalize()
    writer = Cipher(AES(KEY), CBC(KEY)).encryptor()
    return writer.update(padded) + writer.finalize()
