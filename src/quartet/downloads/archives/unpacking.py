"""Unpacks one archive into a staging folder, with the first password that fits."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from quartet.downloads.archives.failures import failure, is_only_a_guess, is_wrong_password
from quartet.downloads.archives.guard import Guard
from quartet.downloads.archives.listing import (
    cheapest_encrypted,
    has_long_name,
    read_listing,
    require_safe,
)
from quartet.downloads.archives.passwords import KeyRing
from quartet.downloads.archives.program import Bounds, Outcome, Run
from quartet.downloads.archives.sets import find_sets
from quartet.downloads.archives.staging import Source, Staging
from quartet.downloads.archives.tidying import plain_name
from quartet.downloads.archives.types import ArchiveSet, Listing, Member, Parts
from quartet.downloads.archives.volumes import require_all_parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import unique_name

Percent = Callable[[int], None]

_LEFT_OUT = "left-out.txt"


class _WrongPasswordError(Exception):
    pass


class _Key(NamedTuple):
    password: str | None
    proven: bool  # it opened something already: what fails now is damage


_NO_KEY = _Key(None, False)


class Unpacker:
    def __init__(self, staging: Staging, guard: Guard, keys: KeyRing) -> None:
        self._staging = staging
        self._root = staging.root
        self._guard = guard
        self._keys = keys

    def unpack(self, archive: ArchiveSet, percent: Percent) -> Parts:
        """The folder with the content."""
        require_all_parts(self._root, archive)
        source = self._staging.source(archive)
        if not archive.packed_tar:
            whole = self._stream if archive.kind == "stream" else self._members
            return whole(source, percent)
        folder = self._stream(source, lambda done: percent(done // 2))
        (tar,) = find_sets([entry.name for entry in self._root.list(folder)], folder)
        try:
            return self._members(self._staging.source(tar), lambda done: percent(50 + done // 2))
        finally:
            self._staging.discard(folder)

    def _stream(self, source: Source, percent: Percent) -> Parts:
        """A single packed file; it is called like the archive, whatever it says itself."""
        archive = source.archive
        # gzip's size is its last four bytes: wrong beyond 4 GiB, and noise in a file cut short.
        if source.as_type != ["-tgzip"]:
            self._require_room(read_listing(source, self._guard, None) or Listing([]))
        folder = self._staging.new_folder()
        name = plain_name(archive.stem)
        if archive.packed_tar:
            name = "content.tar"
        arguments = ["x", "-so", *source.as_type, "--", source.first]
        self._write(source, (*folder, name), arguments, percent=percent)
        return folder

    def _members(self, source: Source, percent: Percent) -> Parts:
        listing, keys = self._opened(source)
        require_safe(listing, source.archive.first)
        self._require_room(listing)
        for key in keys:
            folder = self._staging.new_folder()
            try:
                self._unpack_members(source, listing, folder, key, percent)
            except _WrongPasswordError:
                self._staging.discard(folder)
                continue
            except BaseException:
                self._staging.discard(folder)
                raise
            self._keys.remember(key.password)
            return folder
        raise self._wrong_password(source)

    def _opened(self, source: Source) -> tuple[Listing, Iterator[_Key]]:
        """The listing, and the passwords that may fit."""
        listing = read_listing(source, self._guard, None)
        if listing and not listing.encrypted:
            return listing, iter([_NO_KEY])
        if listing:
            return listing, self._fitting(source, listing)
        for password in self._keys:
            if listing := read_listing(source, self._guard, password):
                return listing, iter([_Key(password, True)])
        raise self._wrong_password(source)

    def _fitting(self, source: Source, listing: Listing) -> Iterator[_Key]:
        """Tries each on the cheapest member first; where none is cheap, unpacking has to tell."""
        probe = cheapest_encrypted(listing)
        for password in self._keys:
            if probe is None or self._opens(source, probe, password):
                yield _Key(password, probe is not None)

    def _opens(self, source: Source, probe: Member, password: str) -> bool:
        run = Run(source.folder, self._bounds(), self._guard.check, password)
        outcome = run.writing(["t", "--", source.first, probe.name])
        if not outcome.fine and not is_wrong_password(outcome):
            raise failure(outcome, source.archive, self._guard)
        return outcome.fine

    def _unpack_members(
        self,
        source: Source,
        listing: Listing,
        folder: Parts,
        key: _Key,
        percent: Percent,
    ) -> None:
        too_long = [member for member in listing.members if has_long_name(member)]
        left_out = [f"-x@{_LEFT_OUT}"] if too_long else []
        lines = "".join(f"{member.name}\n" for member in too_long)
        (source.folder / _LEFT_OUT).write_bytes(lines.encode("utf-8", "surrogateescape"))
        check = self._guard.watching(self._staging.path(folder))
        run = Run(source.folder, self._bounds(), check, key.password)
        # -aou: two members of the same name are both kept
        arguments = ["x", "-aou", f"-o../{folder[-1]}", *left_out, "--", source.first]
        self._require_success(source, run.writing(arguments, percent), key)
        for member in too_long:
            self._unpack_long_name(source, member, folder, key)

    def _unpack_long_name(self, source: Source, member: Member, folder: Parts, key: _Key) -> None:
        *parents, name = [plain_name(part) for part in member.name.split("/") if part]
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
        source: Source,
        path: Parts,
        arguments: list[str],
        key: _Key = _NO_KEY,
        percent: Percent | None = None,
    ) -> None:
        run = Run(source.folder, self._bounds(), self._guard.check, key.password)
        with self._root.create(path) as file:
            self._require_success(source, run.writing(arguments, percent, file), key)

    def _require_room(self, listing: Listing) -> None:
        self._guard.check_listing(listing)
        self._root.require_space(listing.total, self._staging.parts[:-1])

    def _require_success(self, source: Source, outcome: Outcome, key: _Key) -> None:
        if is_wrong_password(outcome) and not (key.proven and is_only_a_guess(outcome)):
            raise _WrongPasswordError
        if not outcome.fine:
            raise failure(outcome, source.archive, self._guard)

    def _bounds(self) -> Bounds:
        return Bounds(self._guard.limits.memory, self._guard.largest_file)

    def _wrong_password(self, source: Source) -> AppError:
        archive, tried = source.archive.first, len(self._keys)
        return AppError(422, "wrong_password", archive=archive, tried=tried)
