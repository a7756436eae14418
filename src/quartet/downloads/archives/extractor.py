"""Extracts one archive into a staging folder, with the first password that works."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from quartet.downloads.archives.failures import extraction_error, is_wrong_password, may_be_damage
from quartet.downloads.archives.guard import ExtractionGuard
from quartet.downloads.archives.links import ArchiveLink, create_links
from quartet.downloads.archives.listing import (
    cheapest_encrypted,
    has_long_name,
    read_listing,
    require_safe,
)
from quartet.downloads.archives.passwords import KeyRing
from quartet.downloads.archives.program import Bounds, ProgramOutcome, ProgramRun
from quartet.downloads.archives.sanitize import portable_name
from quartet.downloads.archives.sets import find_sets
from quartet.downloads.archives.staging import StagedArchive, Staging
from quartet.downloads.archives.types import ArchiveListing, ArchiveSet, Member, Parts
from quartet.downloads.archives.volumes import require_all_parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import unique_name

Percent = Callable[[int], None]

_LEFT_OUT = "left-out.txt"
_LONGEST_TARGET = 4096  # bytes


class _WrongPasswordError(Exception):
    pass


class _Key(NamedTuple):
    password: str | None
    proven: bool  # it already opened something, so that a failure means damage


_NO_KEY = _Key(None, False)


class Extractor:
    def __init__(self, staging: Staging, guard: ExtractionGuard, keys: KeyRing) -> None:
        self._staging = staging
        self._root = staging.root
        self._guard = guard
        self._keys = keys
        # Links of all archives so far that were left out.
        self.skipped_links: list[str] = []

    def extract(self, archive: ArchiveSet, percent: Percent) -> Parts:
        """Extract the archive; return the folder with its content."""
        require_all_parts(self._root, archive)
        source = self._staging.source(archive)
        if not archive.packed_tar:
            whole = self._stream if archive.kind == "stream" else self._members
            return whole(source, percent)
        folder = self._stream(source, lambda done: percent(done // 2))
        (tar,) = find_sets([entry.name for entry in self._root.list(folder)], folder)
        try:
            return self._members(self._staging.source(tar), lambda done: percent(50 + done // 2))
        except AppError as error:
            raise _named_after(error, tar.first, archive.first) from error
        finally:
            self._staging.discard(folder)

    def _stream(self, source: StagedArchive, percent: Percent) -> Parts:
        """Extract a compressed single file; it is named after the archive."""
        archive = source.archive
        # gzip stores the size in its last four bytes: wrong beyond 4 GiB, and random in a truncated
        # file.
        if source.as_type != ["-tgzip"]:
            self._require_room(read_listing(source, self._guard, None) or ArchiveListing([]))
        folder = self._staging.new_folder()
        name = portable_name(archive.stem)
        if archive.packed_tar:
            name = "content.tar"
        arguments = ["x", "-so", *source.as_type, "--", source.first]
        self._write(source, (*folder, name), arguments, percent=percent)
        return folder

    def _members(self, source: StagedArchive, percent: Percent) -> Parts:
        listing, keys = self._opened(source)
        require_safe(listing, source.archive.first)
        self._require_room(listing)
        for key in keys:
            folder = self._staging.new_folder()
            try:
                self._extract_members(source, listing, folder, key, percent)
            except _WrongPasswordError:
                self._staging.discard(folder)
                continue
            except BaseException:
                self._staging.discard(folder)
                raise
            self._keys.remember(key.password)
            return folder
        raise self._wrong_password(source)

    def _opened(self, source: StagedArchive) -> tuple[ArchiveListing, Iterator[_Key]]:
        """Return the listing, and the passwords that may work."""
        listing = read_listing(source, self._guard, None)
        if listing and not listing.encrypted:
            return listing, iter([_NO_KEY])
        if listing:
            return listing, self._working_passwords(source, listing)
        for password in self._keys:
            if listing := read_listing(source, self._guard, password):
                return listing, iter([_Key(password, True)])
        raise self._wrong_password(source)

    def _working_passwords(self, source: StagedArchive, listing: ArchiveListing) -> Iterator[_Key]:
        """Yield passwords that open the smallest member; if all are large, yield every password."""
        probe = cheapest_encrypted(listing)
        for password in self._keys:
            if probe is None or self._is_working(source, probe, password):
                yield _Key(password, probe is not None)

    def _is_working(self, source: StagedArchive, probe: Member, password: str) -> bool:
        run = ProgramRun(source.folder, self._bounds(), self._guard.check, password)
        outcome = run.writing(["t", "--", source.first, probe.name])
        if not outcome.ok and not is_wrong_password(outcome):
            raise extraction_error(outcome, source.archive, self._guard)
        return outcome.ok

    def _extract_members(
        self,
        source: StagedArchive,
        listing: ArchiveListing,
        folder: Parts,
        key: _Key,
        percent: Percent,
    ) -> None:
        links = [member for member in listing.members if member.is_link]
        too_long = [
            member for member in listing.members if has_long_name(member) and not member.is_link
        ]
        left_out = [f"-x@{_LEFT_OUT}"] if too_long or links else []
        lines = "".join(f"{member.name}\n" for member in (*too_long, *links))
        (source.folder / _LEFT_OUT).write_bytes(lines.encode("utf-8", "surrogateescape"))
        check = self._guard.watch(self._staging.path(folder))
        run = ProgramRun(source.folder, self._bounds(), check, key.password)
        # -aou: keep both of two members with the same name
        arguments = ["x", "-aou", f"-o../{folder[-1]}", *left_out, "--", source.first]
        self._require_success(source, run.writing(arguments, percent), key)
        for member in too_long:
            self._extract_long_name(source, member, folder, key)
        found = [ArchiveLink(m.name, self._target(source, m, key), m.is_hard_link) for m in links]
        self.skipped_links += create_links(self._root, folder, found)

    def _target(self, source: StagedArchive, member: Member, key: _Key) -> str:
        """Return the target of a link, which some formats store as the content of the member."""
        if member.link_target or not member.size or member.size > _LONGEST_TARGET:
            return member.link_target
        run = ProgramRun(source.folder, self._bounds(), self._guard.check, key.password)
        content: list[bytes] = []
        outcome = run.reading(["x", "-so", "--", source.first, member.name], content.append)
        self._require_success(source, outcome, key)
        return b"".join(content).decode("utf-8", "surrogateescape")

    def _extract_long_name(
        self, source: StagedArchive, member: Member, folder: Parts, key: _Key
    ) -> None:
        *parents, name = [portable_name(part) for part in member.name.split("/") if part]
        into = (*folder, *parents)
        if member.is_folder:
            self._root.make_folder((*into, name))
            return
        self._root.make_folder(into)
        taken = {entry.name for entry in self._root.list(into)}
        arguments = ["x", "-so", "--", source.first, member.name]
        self._write(source, (*into, unique_name(name, taken)), arguments, key)

    def _write(
        self,
        source: StagedArchive,
        path: Parts,
        arguments: list[str],
        key: _Key = _NO_KEY,
        percent: Percent | None = None,
    ) -> None:
        run = ProgramRun(source.folder, self._bounds(), self._guard.check, key.password)
        with self._root.create(path) as file:
            self._require_success(source, run.writing(arguments, percent, file), key)

    def _require_room(self, listing: ArchiveListing) -> None:
        self._guard.check_listing(listing)
        self._root.require_space(listing.total, self._staging.parts[:-1])

    def _require_success(self, source: StagedArchive, outcome: ProgramOutcome, key: _Key) -> None:
        if is_wrong_password(outcome) and not (key.proven and may_be_damage(outcome)):
            raise _WrongPasswordError
        if not outcome.ok:
            raise extraction_error(outcome, source.archive, self._guard)

    def _bounds(self) -> Bounds:
        return Bounds(self._guard.limits.memory, self._guard.largest_file)

    def _wrong_password(self, source: StagedArchive) -> AppError:
        archive, tried = source.archive.first, len(self._keys)
        return AppError(422, "wrong_password", archive=archive, tried=tried)


def _named_after(error: AppError, old: str, new: str) -> AppError:
    """Return the error with the name of the archive that the user knows."""
    inputs = {key: new if value == old else value for key, value in error.inputs.items()}
    return AppError(error.status, error.code, **inputs)
