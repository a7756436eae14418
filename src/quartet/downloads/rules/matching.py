"""Decides which rules match which links. User patterns run under limits, so calls block."""

import re
from collections.abc import Sequence

from quartet.downloads.rules.types import Actions, Conditions, FileType, Rule, RuleLink
from quartet.kernel.errors import AppError
from quartet.kernel.user_patterns import PatternError, UserPatterns

_ENDINGS: dict[FileType, str] = {
    "archive": "zip rar 7z tar gz xz bz2 zst tgz r00 001 part",
    "video": "mkv mp4 m4v avi mov wmv webm ts mpg mpeg flv",
    "audio": "mp3 flac m4a ogg opus wav aac wma",
    "image": "jpg jpeg png gif webp avif heic svg bmp tiff",
    "document": "pdf epub mobi azw3 txt doc docx odt xls xlsx ods ppt pptx odp cbz cbr nfo",
    "program": "exe msi deb rpm apk dmg iso img appimage bin",
}
_TYPES: dict[str, FileType] = {
    ending: type for type, endings in _ENDINGS.items() for ending in endings.split()
}
_VOLUME = re.compile(r"r?\d{2,3}", re.ASCII)


def file_type(name: str) -> FileType | None:
    """Return the type of a file by the ending of its name."""
    ending = name.rpartition(".")[2].casefold() if "." in name else ""
    return _TYPES.get(ending) or ("archive" if _VOLUME.fullmatch(ending) else None)


def matching(
    conditions: Conditions, links: Sequence[RuleLink], patterns: UserPatterns
) -> list[RuleLink]:
    """Return the links that meet all conditions; raises 400 for an invalid pattern."""
    found = [link for link in links if _meets(conditions, link)]
    for field in ("name", "package", "source"):
        pattern: str = getattr(conditions, field)
        if pattern:
            hits = _search(pattern, [_text(link, field) for link in found], patterns, field)
            found = [link for link, hit in zip(found, hits, strict=True) if hit]
    return found


def require_valid(rule: Rule, patterns: UserPatterns, place: int) -> None:
    for field in ("name", "package", "source"):
        pattern: str = getattr(rule.conditions, field)
        if pattern:
            _search(pattern, [""], patterns, field, rule=place)


def actions_for(
    rules: Sequence[Rule], links: Sequence[RuleLink], patterns: UserPatterns
) -> dict[int, Actions]:
    """Return what happens to each link that at least one rule matches."""
    found: dict[int, Actions] = {}
    for rule in rules:
        if rule.enabled:
            for link in matching(rule.conditions, links, patterns):
                found[link.id] = _combined(found.get(link.id, Actions()), rule.actions)
    return found


def _combined(before: Actions, after: Actions) -> Actions:
    return Actions(
        package_name=after.package_name or before.package_name,
        folder=after.folder or before.folder,
        priority=before.priority if after.priority is None else after.priority,
        password=after.password or before.password,
        extract=before.extract if after.extract is None else after.extract,
        start=after.start or before.start,
        skip=after.skip or before.skip,
    )


def _meets(conditions: Conditions, link: RuleLink) -> bool:
    """Return whether the link meets the conditions that need no pattern."""
    low, high, size = conditions.min_size, conditions.max_size, link.size
    if (low is not None or high is not None) and size is None:
        return False
    if size is not None and ((low or 0) > size or (high is not None and high < size)):
        return False
    if conditions.types and file_type(link.file or link.name) not in conditions.types:
        return False
    hosts = re.split(r"[\s,]+", conditions.hosts.casefold().strip(" ,"))
    return hosts == [""] or any(_is_host(link.host, host) for host in hosts)


def _is_host(host: str, wanted: str) -> bool:
    return host == wanted or host.endswith(f".{wanted}")


def _text(link: RuleLink, field: str) -> str:
    if field == "source":
        return f"{link.source} {link.source_page or ''}"
    return link.name if field == "name" else link.package_name


def _search(
    pattern: str, texts: Sequence[str], patterns: UserPatterns, field: str, rule: int = 1
) -> list[bool]:
    try:
        found = patterns.search(pattern, texts, case_sensitive=False)
    except PatternError as error:
        raise _refusal(error, field, rule) from None
    return [span is not None for span in found]


def _refusal(error: PatternError, field: str, rule: int) -> AppError:
    match error.kind:
        case "too_large":
            return AppError(400, "pattern_too_large", rule=rule, field=field)
        case "too_slow":
            return AppError(400, "pattern_too_slow", rule=rule, field=field)
        case _:
            position = error.position
            return AppError(400, "pattern_invalid", rule=rule, field=field, position=position)
