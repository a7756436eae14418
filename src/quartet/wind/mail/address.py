"""Validation and normalisation of e-mail addresses."""

import unicodedata

from quartet.kernel.errors import AppError

EMAIL_LENGTH = 254


def tidy_email(text: str) -> str:
    """Return the trimmed address; reject only addresses that can never be delivered."""
    email = unicodedata.normalize("NFC", text).strip()
    local, _, domain = email.rpartition("@")
    marked = any(each.isspace() or each in ',;<>"()[]\\:' for each in email)
    if (
        not local
        or "@" in local
        or not all(domain.split("."))
        or marked
        or not all(_is_shown(each) for each in email)
        or len(email.encode()) > EMAIL_LENGTH
    ):
        raise AppError(400, "invalid_email")
    return email


def email_key(email: str) -> str:
    """Return the same key for all spellings of an address, ignoring case and Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", email).casefold()).strip()


def _is_shown(character: str) -> bool:
    """Return False for control, surrogate, unassigned and bidirectional formatting characters."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
