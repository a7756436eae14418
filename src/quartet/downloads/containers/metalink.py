"""Metalink files, version 3 and 4: XML with the addresses of files on several servers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from quartet.downloads.transfer.hashes import check_hash
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SCHEMES = ("http://", "https://", "ftp://")
_LOWEST = 999_999
# Best first, with the names of both versions.
_HASHES = {"sha-256": "sha256", "sha256": "sha256", "sha-1": "sha1", "sha1": "sha1", "md5": "md5"}


class MetalinkFile(NamedTuple):
    """A file with its addresses, best first, and its checksum."""

    name: str
    urls: list[str]
    hash_type: str | None = None
    hash_value: str | None = None
    size: int | None = None


def files_of_metalink(content: bytes) -> list[MetalinkFile]:
    """Return the files that can be downloaded."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
    from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise AppError(422, "container_damaged") from None
    return list(_files(root))


def _files(root: "Element") -> Iterator[MetalinkFile]:
    for file in _file_elements(root):
        urls = [each for each in file.iter() if _tag(each) == "url" and _address(each)]
        if urls:
            addresses = [_address(each) for each in sorted(urls, key=_rank)]
            name = file.get("name", "").replace("\\", "/").rpartition("/")[2].strip()
            name = safe_name(name) if name else ""
            best_first = list(dict.fromkeys(addresses))
            yield MetalinkFile(name, best_first, *_checksum(file), _size(file))


def _file_elements(root: "Element") -> Iterator["Element"]:
    """Version 3 has a list of files inside of the document; files are never inside of files."""
    lists = (each for each in root if _tag(each) == "files")
    for parent in (root, *lists):
        yield from (each for each in parent if _tag(each) == "file")


def _checksum(file: "Element") -> tuple[str | None, str | None]:
    """Return the best checksum of the whole file; those of its pieces are not used."""
    found: dict[str, str] = {}
    for parent in file.iter():
        if _tag(parent) == "pieces":
            continue
        for each in parent:
            known = (
                known_hash(each.get("type", ""), each.text or "") if _tag(each) == "hash" else None
            )
            if known:
                found.setdefault(*known)
    return next(((kind, found[kind]) for kind in _HASHES.values() if kind in found), (None, None))


def _size(file: "Element") -> int | None:
    texts = ((each.text or "").strip() for each in file if _tag(each) == "size")
    return next((int(text) for text in texts if text.isdecimal() and len(text) <= 18), None)


def known_hash(name: str, value: str) -> tuple[str, str] | None:
    """Return our name of the kind of checksum and its value; none if it cannot be used."""
    kind = _HASHES.get(name.lower())
    try:
        return (kind, check_hash(kind, value.strip())) if kind else None
    except AppError:
        return None


def _rank(url: "Element") -> int:
    """Return the position of a server: version 4 counts from 1, version 3 up to 100."""
    priority, preference = (url.get(name, "")[:6] for name in ("priority", "preference"))
    if priority.isdecimal():
        return int(priority)
    return 100 - int(preference) if preference.isdecimal() else _LOWEST


def _address(url: "Element") -> str:
    text = (url.text or "").strip()
    return text if text.lower().startswith(_SCHEMES) else ""


def _tag(element: "Element") -> str:
    return str(element.tag).rpartition("}")[2]
