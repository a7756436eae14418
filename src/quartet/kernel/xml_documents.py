"""Parses XML files that users upload.

Callers import this inside the function that uses it, because uploads are rare.
"""

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from quartet.kernel.errors import AppError


def parse_xml(content: str | bytes, *, tag: str, limit: int) -> Element | None:
    """Return the root element; None if the file is not XML, or if its root has another tag.

    Files with a document type are refused too, since its entities can fill the memory.
    """
    if len(content) > limit:
        raise AppError(413, "too_large", limit=limit)
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return None
    return root if root.tag == tag else None
