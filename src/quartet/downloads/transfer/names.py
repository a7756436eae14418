"""Determines a file's name from the Content-Disposition header or from its address."""

import re
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from urllib.parse import unquote_to_bytes, urlsplit

from quartet.downloads.unmarked_names import decoded, unquoted
from quartet.kernel.files import safe_name, split_extension

_LONGEST_HEADER = 8 * 1024
# A parameter: a name, optionally with an asterisk, then a quoted string or a token.
_PARAMETER = re.compile(
    r';\s*(filename\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))', re.IGNORECASE | re.DOTALL
)
_ENCODED_WORD = re.compile(r"=\?[\w-]+\?[bq]\?[^?]*\?=", re.IGNORECASE)
_EXTENDED = re.compile(r"([\w.-]*)'[\w-]*'(.*)", re.DOTALL)


def name_hint(disposition: str | None, *urls: str) -> str | None:
    """Return a safe file name or None; URLs with a file extension are preferred."""
    names = [_from_url(url) for url in dict.fromkeys(urls)]
    names.sort(key=lambda name: not split_extension(name)[1])
    found = _from_disposition(disposition or "") or next(filter(None, names), "")
    last = re.split(r"[/\\]", found.replace("\0", ""))[-1].strip()
    if not last.strip(". "):
        return None
    name = safe_name(last)
    # Command-line tools read a leading dash as an option.
    return safe_name("_" + name[1:]) if name.startswith("-") else name


def _from_disposition(header: str) -> str:
    plain = ""
    for found in _PARAMETER.finditer(";" + header[:_LONGEST_HEADER]):
        quoted, token = found[2], found[3]
        # Any other backslash stays: in Shift-JIS, it is the second byte of some characters.
        value = re.sub(r'\\(["\\])', r"\1", quoted) if quoted is not None else token.strip()
        if found[1].endswith("*"):
            # The extended form takes precedence unless it cannot be decoded.
            if extended := _extended(value):
                return extended
        elif not plain:
            plain = _plain(value)
    return plain


def _extended(value: str) -> str:
    found = _EXTENDED.fullmatch(value)
    if not found:
        return ""
    try:
        return unquote_to_bytes(found[2]).decode(found[1] or "utf-8")
    except (UnicodeError, LookupError):
        return ""


def _plain(value: str) -> str:
    """Decode UTF-8 and percent escapes, which servers send although headers are Latin-1."""
    if _ENCODED_WORD.search(value):
        return _decoded_words(value)
    value = _text_of(value)
    return unquoted(value)


def _text_of(value: str) -> str:
    """Return a header as text, which one HTTP client decodes as Latin-1 and the other as UTF-8."""
    try:
        sent = value.encode("latin-1")
    except UnicodeError:
        sent = value.encode("utf-8", "surrogateescape")
    return decoded(sent)


def _decoded_words(value: str) -> str:
    """Decode words such as =?UTF-8?B?…?=, which mail programs use and some servers send."""
    try:
        return str(make_header(decode_header(value)))
    except (UnicodeError, LookupError, HeaderParseError):
        return value


def _from_url(url: str) -> str:
    try:
        return unquoted(urlsplit(url).path.rsplit("/", 1)[-1])
    except ValueError:
        return ""
