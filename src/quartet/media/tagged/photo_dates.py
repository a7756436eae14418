"""Finds out when a photo or a video was taken: from its content, its name, or the file's date."""

import datetime
import re
from collections.abc import Iterator

from quartet.media.naming.types import Facts
from quartet.media.tagged.types import TaggedFacts, TaggedFile, TakenAt

_EXIF = "%Y:%m:%d %H:%M:%S"
# `IMG_20240531_180409`, `PXL_20240531_180409123`, `2024-05-31 18.04.09`,
# `WhatsApp Image 2024-05-31 at 18.04.09`, and `IMG-20240531-WA0001` without a time.
_IN_NAME = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)"
    r"(?:(?:[-_ T]| at )+(\d\d)[-_.:]?(\d\d)[-_.:]?(\d\d))?(?!\d{4})"
)
# The camera's clock at its first start, and dates of no meaning.
_EARLIEST = datetime.datetime(1971, 1, 1)  # noqa: DTZ001 - local time
_SURE, _BY_NAME, _BY_FILE = 0.98, 0.92, 0.5


def taken_at(file: TaggedFile) -> TakenAt:
    order = f"{file.tags.get('subsec', ''):0<6}{file.name}"
    for time in _of_content(file.tags):
        return TakenAt(time, order, _SURE, "date_from_photo")
    if named := _of_name(file.name):
        return TakenAt(named, order, _BY_NAME, "date_from_name")
    changed = datetime.datetime.fromtimestamp(file.modified_ns // 10**9)  # noqa: DTZ006 - local time
    return TakenAt(changed, order, _BY_FILE, "date_from_file")


def facts_of_photo(file: TaggedFile, taken: TakenAt, number: int | None = None) -> TaggedFacts:
    """`number` tells photos of the same moment apart."""
    facts = Facts(
        kind="photos",
        title=file.stem,
        year=taken.time.year,
        date=taken.time.date().isoformat(),
        taken=taken.time,
        camera=_camera(file.tags),
        part=number,
        extension=file.extension,
        file=file.stem,
    )
    return TaggedFacts(facts, taken.confidence, (taken.reason,))


def _of_content(tags: dict[str, str]) -> Iterator[datetime.datetime]:
    """Yield the local time of a photo, and of a video as its camera stored it."""
    for name in ("taken", "modified"):
        try:
            time = datetime.datetime.strptime(tags.get(name, ""), _EXIF)  # noqa: DTZ007 - local time
        except ValueError:
            continue
        if time >= _EARLIEST:
            yield time
    for name in ("com.apple.quicktime.creationdate", "creation_time"):
        try:
            time = datetime.datetime.fromisoformat(tags.get(name, ""))
        except ValueError:
            continue
        # Apple stores the local time with its zone; others store UTC.
        local = time if name != "creation_time" else time.astimezone()
        if (plain := local.replace(tzinfo=None)) >= _EARLIEST:
            yield plain


def _of_name(name: str) -> datetime.datetime | None:
    match = _IN_NAME.search(name)
    if not match:
        return None
    try:
        return datetime.datetime(*(int(part or 0) for part in match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return None


def _camera(tags: dict[str, str]) -> str | None:
    model = tags.get("model") or tags.get("com.apple.quicktime.model")
    return model.strip() or None if model else None
