"""Lists the members of an archive and checks whether it is safe to extract."""

import re

from quartet.downloads.archives.failures import extraction_error, is_wrong_password
from quartet.downloads.archives.guard import ExtractionGuard
from quartet.downloads.archives.program import Bounds, ProgramOutcome, ProgramRun
from quartet.downloads.archives.staging import StagedArchive
from quartet.downloads.archives.types import MIB, ArchiveListing, Member
from quartet.kernel.errors import AppError
from quartet.kernel.files import MAX_NAME_BYTES
from quartet.kernel.files.errors import display_path

# 7-Zip also opens executables, documents and disk images, which must not be extracted.
_TYPES = {"Type = 7z", "Type = zip", "Type = Rar", "Type = Rar5", "Type = tar"}
_MEMBERS_FOLLOW = "----------"
_CLOSING = re.compile(r"(Errors|Warnings|Sub items Errors|Archives with Errors): \d+")
_MODE = re.compile(r"[-0dlbcpsD][-rwxsStT]{9}")
_LONGEST_HEAD = 200  # lines
_LONGEST_LINE = 64 * 1024
_LONGEST_PATH = 3000  # bytes; the path of the target folder is added to it
_PROBE_BYTES = 64 * MIB


class _ListingParser:
    """Parses `7zz l -slt` in pieces, so that an endless listing uses no memory."""

    def __init__(self, source: StagedArchive, guard: ExtractionGuard) -> None:
        self._source = source
        self._guard = guard
        self._rest = b""
        self._in_members = False
        self._odd = False
        self._fields: dict[str, str] = {}
        self._block = ""
        self.head: list[str] = []  # lines about the archive itself, including errors
        self.members: list[Member] = []

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise self._unreadable()
        for line in lines:
            self._line(line.decode("utf-8", "surrogateescape"))

    def finish(self) -> None:
        self.feed(b"\n\n")
        if self._odd:
            raise self._unreadable()

    def _line(self, line: str) -> None:
        if line == _MEMBERS_FOLLOW:
            # The archive's comment may imitate members; the last line of dashes is the real one.
            self._in_members, self._odd, self._fields, self.members = True, False, {}, []
        elif not self._in_members:
            self.head += [line] if len(self.head) < _LONGEST_HEAD else []
        elif not line:
            self._member_ends()
        elif " = " in line:
            key, value = line.split(" = ", 1)
            self._fields.setdefault(key, value)
        elif not _CLOSING.fullmatch(line):
            self._odd = True

    def _member_ends(self) -> None:
        if self._fields:
            self.members.append(self._member(self._fields))
            self._guard.check_members(len(self.members))
            self._fields = {}

    def _member(self, fields: dict[str, str]) -> Member:
        flags, mode = _attributes(fields)
        size, block = fields.get("Size", ""), fields.get("Block", "")
        if size and not size.isdecimal():
            self._odd, size = True, ""
        continues = fields.get("Solid") == "+" or bool(block and block == self._block)
        self._block = block or self._block
        hard_link = fields.get("Hard Link", "")
        link = fields.get("Symbolic Link") or hard_link
        return Member(
            name=fields.get("Path", ""),
            size=int(size) if size else None,
            is_folder=fields.get("Folder") == "+" or "D" in flags or mode == "d",
            encrypted=fields.get("Encrypted") == "+",
            is_link=bool(link) or "L" in flags or mode == "l",
            is_hard_link=bool(hard_link),
            link_target=link,
            is_special=mode in ("b", "c", "p", "s"),
            continues=continues,
        )

    def _unreadable(self) -> AppError:
        name = self._source.archive.first
        return AppError(422, "extraction_failed", archive=name, detail="listing")


def _attributes(fields: dict[str, str]) -> tuple[str, str]:
    """Return the Windows attribute letters and the first letter of the Unix mode, if present."""
    flags, mode = "", ""
    for word in f"{fields.get('Attributes', '')} {fields.get('Mode', '')}".split():
        if _MODE.fullmatch(word):
            mode = word[0]
        elif word.isalpha():
            flags += word
    return flags, mode


def read_listing(
    source: StagedArchive, guard: ExtractionGuard, password: str | None
) -> ArchiveListing | None:
    """Return the members, or None if even the names are encrypted with another password."""
    reader = _ListingParser(source, guard)
    run = ProgramRun(source.folder, Bounds(guard.limits.memory, 0), guard.check, password)
    outcome = run.reading(["l", "-slt", *source.as_type, "--", source.first], reader.feed)
    if is_wrong_password(outcome):
        return None
    if not outcome.ok:
        messages = [*outcome.messages, *reader.head]
        raise extraction_error(ProgramOutcome(outcome.code, messages), source.archive, guard)
    reader.finish()
    if source.archive.kind != "stream" and not _TYPES & set(reader.head):
        raise AppError(422, "not_an_archive", name=source.archive.first)
    return ArchiveListing(reader.members)


def require_safe(listing: ArchiveListing, archive: str) -> None:
    """Raise an error for members that could be written outside; odd names are changed later."""
    files: set[str] = set()
    folders: set[str] = set()
    for member in listing.members:
        reason = _unsafe_reason(member)
        if not reason:
            parts = [part for part in member.name.split("/") if part not in ("", ".")]
            parents = ["/".join(parts[:end]) for end in range(1, len(parts))]
            folders.update(parents)
            if not member.is_link:
                (folders if member.is_folder else files).add("/".join(parts))
            continue
        raise _unsafe(archive, member.name, reason)
    for both in sorted(files & folders)[:1]:
        raise _unsafe(archive, both, "file_and_folder")


def _unsafe(archive: str, member: str, reason: str) -> AppError:
    return AppError(
        422, "archive_unsafe", archive=archive, member=display_path((member,)), reason=reason
    )


def _unsafe_reason(member: Member) -> str:
    name = member.name
    if member.is_special:
        return "device"
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[/\\]", name):
        return "absolute"
    if ".." in re.split(r"[/\\]", name):
        return "outside"
    if len(name.encode("utf-8", "surrogateescape")) > _LONGEST_PATH:
        return "too_long"
    return ""


def has_long_name(member: Member) -> bool:
    """Return whether the name is too long for any file system."""
    parts = member.name.split("/")
    return any(len(part.encode("utf-8", "surrogateescape")) > MAX_NAME_BYTES for part in parts)


def cheapest_encrypted(listing: ArchiveListing) -> Member | None:
    """Return the smallest encrypted member for testing passwords, or None if all are large."""
    best, best_cost, cost = None, _PROBE_BYTES, 0
    for member in listing.members:
        cost = (member.size or 0) + (cost if member.continues else 0)
        if member.encrypted and member.size and cost < best_cost:
            best, best_cost = member, cost
    return best
