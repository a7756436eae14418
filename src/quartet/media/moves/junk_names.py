"""Recognises what is left of a release once its videos were moved.

Only what belongs to the release counts as junk: other files may be a user's own.
"""

import os
import re

from quartet.media.moves.disk import Disk
from quartet.media.roots.file_kinds import PHOTOS, file_kind
from quartet.media.roots.folder_access import RootedPath

# Larger videos are not samples, whatever their names say.
LARGEST_SAMPLE = 300 * 1024 * 1024
SAMPLE_FOLDERS = frozenset(("sample", "samples"))
PICTURE_FOLDERS = frozenset(("proof", "proofs", "screens", "screencaps"))
# Enough for the first tag of an NFO file with metadata.
_BEGINNING = 4096

_SYSTEM = re.compile(r"thumbs\.db|\.ds_store|\._.*|desktop\.ini", re.IGNORECASE | re.DOTALL)
_RELEASE = re.compile(
    r"file_id\.diz|.*\.(url|website|webloc|nzb|sfv|srr|srs|par2)", re.IGNORECASE | re.DOTALL
)
_TOP_LEVELS = "com|net|org|info|mx|cc|lt|ag|tv|io|se|ws|xyz|top|site|club|online|vip"
# The name of a web site, alone or behind words such as these.
_ADVERT = re.compile(
    rf"""\W*[a-z0-9-]+(\.[a-z0-9-]+)?\.({_TOP_LEVELS})\W*
    | .*\bwww\.[a-z0-9-]+\..*
    | rarbg.*
    | .*\b(downloaded|uploaded|encoded)[ ._](from|by)\b.*
    | .*\bupcoming[ ._]releases\b.*
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ADVERTS = frozenset(("exe", "gif", "htm", "html", "jpeg", "jpg", "png", "txt"))
_SAMPLE = re.compile(r"(.*[\W_])?sample([\W_].*)?", re.IGNORECASE | re.DOTALL)
_PROOF = re.compile(r".*[\W_](proof|sample)\d?", re.IGNORECASE | re.DOTALL)
_METADATA = re.compile(
    rb"<\?xml|<(movie|tvshow|episodedetails|season|artist|album|musicvideo)\b", re.IGNORECASE
)


def is_junk_folder(name: str) -> bool:
    """Return True for folders whose content may be junk, such as `Sample`."""
    return name.casefold() in SAMPLE_FOLDERS | PICTURE_FOLDERS


def is_system_file(entry: os.DirEntry[str]) -> bool:
    """Return True for what file managers leave behind."""
    return entry.is_file(follow_symlinks=False) and _SYSTEM.fullmatch(entry.name) is not None


def is_release_file(disk: Disk, location: RootedPath, entry: os.DirEntry[str]) -> bool:
    """Return True for files that come with a release and are of no use without its video."""
    if not entry.is_file(follow_symlinks=False):
        return False
    name = entry.name
    stem, _, extension = name.rpartition(".")
    extension = extension.lower()
    if _RELEASE.fullmatch(name):
        return True
    if file_kind(name) == "video" and _is_sample(location, stem):
        return entry.stat(follow_symlinks=False).st_size <= LARGEST_SAMPLE
    if extension in PHOTOS and (is_junk_folder(location.parent.name) or _PROOF.fullmatch(stem)):
        return True
    if extension == "nfo":
        return not _has_metadata(disk, location)
    return extension in _ADVERTS and _ADVERT.fullmatch(stem) is not None


def _is_sample(location: RootedPath, stem: str) -> bool:
    in_samples = location.parent.name.casefold() in SAMPLE_FOLDERS
    return in_samples or _SAMPLE.fullmatch(stem) is not None


def _has_metadata(disk: Disk, location: RootedPath) -> bool:
    """Return True for an NFO file of a media server; those of releases are plain text."""
    return _METADATA.search(disk.beginning(location, _BEGINNING)) is not None
