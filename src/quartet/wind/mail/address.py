"""Addresses as people type them, tidied, checked and compared."""

import unicodedata

from quartet.kernel.errors import AppError

EMAIL_LENGTH = 254


def tidy_email(text: str) -> str:
    """As written; only what could never be delivered to is refused."""
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
    """One key for all spellings of an address: letter case and forms of letters do not count."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", email).casefold()).strip()


def _is_shown(character: str) -> bool:
    """Neither a control sign nor half a letter nor a mark that turns the text around."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
