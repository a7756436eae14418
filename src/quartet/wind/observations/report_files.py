"""Reads the METAR and TAF collections of the Aviation Weather Center."""

import csv
import html
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from quartet.kernel.errors import AppError

_MOST_BYTES = 100_000_000
_GZIP = b"\x1f\x8b"
_TAF = re.compile(r"<TAF>(.*?)</TAF>", re.S)
_RAW = re.compile(r"<raw_text>(.*?)</raw_text>", re.S)
_ISSUED = re.compile(r"<issue_time>(.*?)</issue_time>", re.S)


class RawReport(NamedTuple):
    text: str
    time: int


def decompress(body: bytes) -> str:
    """Decompress if needed; proxies may already have done so."""
    if body.startswith(_GZIP):
        unpacker = zlib.decompressobj(31)
        try:
            body = unpacker.decompress(body, _MOST_BYTES)
        except zlib.error as error:
            raise AppError(502, "report_unreadable") from error
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise AppError(502, "report_unreadable")
    return body.decode("utf-8", "replace")


def metars_of_csv(text: str) -> Iterator[RawReport]:
    """Yield the METARs of a CSV file, skipping the lines before its header."""
    lines = iter(text.splitlines())
    header: list[str] = []
    for line in lines:
        if line.startswith("raw_text"):
            header = [name.strip() for name in line.split(",")]
            break
    if "observation_time" not in header:
        raise AppError(502, "report_unreadable")
    column = header.index("observation_time")
    for row in csv.reader(lines):
        time = unix_time(row[column]) if len(row) > column else None
        if time is not None:
            yield RawReport(row[0].strip(), time)


def metars_of_json(rows: Any) -> Iterator[RawReport]:
    for row in _objects(rows):
        text, time = row.get("rawOb"), row.get("obsTime")
        if isinstance(text, str) and isinstance(time, int):
            yield RawReport(text, time)


def tafs_of_xml(text: str) -> Iterator[RawReport]:
    """Read only two elements by pattern; a full XML parser would expand entities."""
    for match in _TAF.finditer(text):
        raw, issued = _RAW.search(match[1]), _ISSUED.search(match[1])
        time = unix_time(issued[1]) if issued else None
        if raw and time is not None:
            yield RawReport(html.unescape(raw[1]).strip(), time)


def tafs_of_json(rows: Any) -> Iterator[RawReport]:
    for row in _objects(rows):
        text, issued = row.get("rawTAF"), row.get("issueTime")
        time = unix_time(issued) if isinstance(issued, str) else None
        if isinstance(text, str) and time is not None:
            yield RawReport(text, time)


def unix_time(text: str) -> int | None:
    try:
        time = datetime.fromisoformat(text.strip())
        return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None


def _objects(rows: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(rows, list):
        raise AppError(502, "report_unreadable")
    return (row for row in rows if isinstance(row, dict))
