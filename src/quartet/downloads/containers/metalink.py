"""Metalink files, version 3 and 4: XML with the addresses of files on several servers."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from quartet.kernel.errors import AppError

_SCHEMES = ("http://", "https://", "ftp://")
_LOWEST = 999_999


def links_of_metalink(content: bytes) -> str:
    """Return one link per file, from the server that the file prefers."""
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        raise AppError(422, "container_damaged") from None
    return "\n".join(_links(root))


def _links(root: Element) -> Iterator[str]:
    for file in root.iter():
        if _tag(file) != "file":
            continue
        urls = [each for each in file.iter() if _tag(each) == "url" and _address(each)]
        if urls:
            yield _address(min(urls, key=_rank))


def _rank(url: Element) -> int:
    """Return the position of a server: version 4 counts from 1, version 3 up to 100."""
    priority, preference = url.get("priority", ""), url.get("preference", "")
    if priority.isdecimal():
        return int(priority)
    return 100 - int(preference) if preference.isdecimal() else _LOWEST


def _address(url: Element) -> str:
    text = (url.text or "").strip()
    return text if text.lower().startswith(_SCHEMES) else ""


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
