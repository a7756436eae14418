"""Applies rules to many files at once, because some rules number them."""

import itertools
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import MAX_NAME_BYTES, natural_sort_key, safe_name
from quartet.kernel.user_patterns import UserPatterns
from quartet.media.naming.render import BACKUP_ROOM
from quartet.media.rules import text_rules
from quartet.media.rules.date_tags import fill_tags, format_time
from quartet.media.rules.types import (
    LONGEST_TEXT,
    Case,
    Cleanup,
    CutAfter,
    Date,
    Extension,
    File,
    Insert,
    Metadata,
    NameList,
    Numbering,
    Pad,
    Rearrange,
    Remove,
    Replace,
    Rule,
    Separators,
    Strip,
    Transliterate,
)

_SECONDS = 20.0
# Much more than a rule needs, except for the slowest patterns.
_SECONDS_EACH = 0.00005
_EMPTY_NAME = "_"


class StemAndExtension(NamedTuple):
    """A name split at its extension, which has no dot."""

    stem: str
    extension: str

    @property
    def whole(self) -> str:
        return f"{self.stem}.{self.extension}" if self.extension else self.stem


def steps(
    rules: Sequence[Rule], files: Sequence[File], patterns: UserPatterns
) -> Iterator[list[str]]:
    """Yield the names of all files after each enabled rule."""
    allowed = _SECONDS + _SECONDS_EACH * len(rules) * len(files)
    deadline = time.monotonic() + allowed
    names = [_split(file.name, file) for file in files]
    for place, rule in enumerate(rules):
        if not rule.enabled:
            continue
        chosen = [at for at, file in enumerate(files) if _applies_to(rule, file)]
        texts_of = {at: _part(rule, names[at]) for at in chosen}
        for at, text in _changed(rule, place, texts_of, files, patterns):
            if time.monotonic() > deadline:
                raise AppError(400, "rules_too_slow", limit=round(allowed))
            names[at] = _with(rule, names[at], text[:LONGEST_TEXT], files[at])
        yield [parts.whole for parts in names]


def new_names(rules: Sequence[Rule], files: Sequence[File], patterns: UserPatterns) -> list[str]:
    """Return the new names, valid on every disk; unchanged names are kept."""
    names = [file.name for file in files]
    for step in steps(rules, files, patterns):
        names = step
    return [safe_final_name(name, file) for name, file in zip(names, files, strict=True)]


def new_folders(rules: Sequence[Rule], files: Sequence[File]) -> list[str]:
    """Return the folders below the target folder for each file; empty for none."""
    wanted = [rule for rule in rules if isinstance(rule, Metadata) and rule.enabled]
    return [
        "/".join(
            folder
            for rule in wanted
            if rule.folders and _applies_to(rule, file)
            for folder in _folders(rule.folders, file)
        )
        for file in files
    ]


def _folders(template: str, file: File) -> list[str]:
    """Return no folder at all if a tag is missing."""
    names = [fill_tags(name, file.tags) for name in template.split("/") if name.strip(" .")]
    if None in names:
        return []
    clean = [re.sub(r"[/\\]", "-", name or "").strip(" .") for name in names]
    return [safe_name(name, MAX_NAME_BYTES - BACKUP_ROOM) for name in clean if name]


def safe_final_name(name: str, file: File) -> str:
    if name == file.name:
        return name
    stem, dot, extension = (name, "", "") if file.is_folder else name.rpartition(".")
    if dot:
        stem = stem.rstrip() if stem.strip(" .") else _EMPTY_NAME
        name = f"{stem}.{extension}"
    # Rules rename in place, so a slash must not create folders.
    name = re.sub(r"[/\\]", "-", name) if name.strip(" .") else _EMPTY_NAME
    return safe_name(name, MAX_NAME_BYTES - BACKUP_ROOM, allow_hidden=file.name.startswith("."))


def _applies_to(rule: Rule, file: File) -> bool:
    return rule.applies_to == "all" or (rule.applies_to == "folders") == file.is_folder


def _split(name: str, file: File) -> StemAndExtension:
    stem, dot, extension = name.rpartition(".")
    if file.is_folder or not dot or not stem or not extension:
        return StemAndExtension(name, "")
    return StemAndExtension(stem, extension)


def _part(rule: Rule, parts: StemAndExtension) -> str:
    if isinstance(rule, Extension):
        return parts.extension
    return {"name": parts.stem, "extension": parts.extension, "full": parts.whole}[rule.target]


def _with(rule: Rule, parts: StemAndExtension, text: str, file: File) -> StemAndExtension:
    if isinstance(rule, Extension) or rule.target == "extension":
        return parts if file.is_folder else parts._replace(extension=text.strip(". "))
    if rule.target == "full":
        return _split(text, file)
    return parts._replace(stem=text)


def _changed(
    rule: Rule,
    place: int,
    given: dict[int, str],
    files: Sequence[File],
    patterns: UserPatterns,
) -> Iterator[tuple[int, str]]:
    match rule:
        case Numbering() | NameList():
            yield from _numbered_names(rule, given, files)
        case Replace():
            yield from zip(
                given, text_rules.replace(rule, list(given.values()), place, patterns), strict=True
            )
        case CutAfter():
            yield from zip(
                given,
                text_rules.cut_after(rule, list(given.values()), place, patterns),
                strict=True,
            )
        case _:
            for at, text in given.items():
                yield at, _apply_rule(rule, text, files[at])


def _numbered_names(
    rule: Numbering | NameList, given: dict[int, str], files: Sequence[File]
) -> Iterator[tuple[int, str]]:
    order = list(given)
    if rule.sort == "name":
        order.sort(key=lambda at: natural_sort_key(given[at]))
    counters: dict[str, Iterator[int]] = {}
    for at in order:
        # One counter for all files, or one for each folder.
        place = files[at].folder if isinstance(rule, Numbering) and rule.per_folder else ""
        count = next(counters.setdefault(place, itertools.count()))
        if isinstance(rule, Numbering):
            number = max(0, rule.start + count * rule.step)
            shown = str(number).zfill(rule.padding)
            yield at, _insert_at(given[at], shown, rule.position, rule.separator)
        elif count < len(rule.names) and rule.names[count].strip():
            yield at, rule.names[count].strip()


def _insert_at(text: str, shown: str, position: str, separator: str) -> str:
    if position == "replace" or not text:
        return shown
    return f"{shown}{separator}{text}" if position == "start" else f"{text}{separator}{shown}"


def _apply_rule(rule: Rule, text: str, file: File) -> str:
    match rule:
        case Date():
            return _dated(rule, text, file)
        case Metadata():
            # A rule that only creates folders has no template.
            shown = fill_tags(rule.template, file.tags) if rule.template else None
            return text if shown is None else _insert_at(text, shown, rule.position, " ")
        case _:
            return _PLAIN[type(rule)](rule, text)


def _dated(rule: Date, text: str, file: File) -> str:
    seconds = file.modified if rule.source == "mtime" else file.created
    shown = None if seconds is None else format_time(seconds, rule.format)
    return text if shown is None else _insert_at(text, shown, rule.position, rule.separator)


def _extension(rule: Extension, text: str) -> str:
    text = rule.to.strip(". ") or text
    return {"keep": text, "lower": text.lower(), "upper": text.upper()}[rule.case]


_PLAIN: Mapping[type[Rule], Callable[[Any, str], str]] = {
    Insert: text_rules.insert,
    Remove: text_rules.remove,
    Case: text_rules.case,
    Separators: text_rules.separators,
    Transliterate: text_rules.transliterate,
    Pad: text_rules.pad,
    Cleanup: text_rules.cleanup,
    Strip: text_rules.strip,
    Rearrange: text_rules.rearrange,
    Extension: _extension,
}
