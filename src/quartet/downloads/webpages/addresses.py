"""Decides by its address what a link may lead to."""

import re
from urllib.parse import urlsplit

from quartet.downloads.transfer.pages import is_container_name
from quartet.downloads.transfer.redirects import is_ftp_folder
from quartet.downloads.unmarked_names import unquoted

_WEB = ("http", "https")
_PLAYLIST = re.compile(r"\.(m3u8?|mpd)$", re.IGNORECASE)
# A listing of an S3 bucket whose address does not end with a slash.
_BUCKET = re.compile(r"(^|&)(list-type=2|delimiter=)", re.IGNORECASE)
_LIST = re.compile(r"\.(m3u8?|mpd|xml|xml\.gz)$", re.IGNORECASE)
# Endings of pages; a last part without an ending is a page too.
_PAGE = re.compile(
    r"(^|/)[^/.]*$|\.(x?html?|php\d?|aspx?|jspx?|cgi|pl|cfm|do|action)$", re.IGNORECASE
)


def may_be_list(url: str) -> bool:
    """Return whether the link is read when it is added: a folder, a playlist or a container."""
    if is_ftp_folder(url):
        return True
    path = _path(url)
    return path is not None and (
        not path
        or path.endswith("/")
        or bool(_PLAYLIST.search(path) or _BUCKET.search(urlsplit(url).query))
        or is_container_name(path)
    )


def is_container_address(url: str) -> bool:
    """Return whether the link leads to a .torrent or Metalink file."""
    path = _path(url)
    return path is not None and is_container_name(path)


def is_playlist_address(url: str) -> bool:
    path = _path(url)
    return path is not None and bool(_PLAYLIST.search(path))


def is_list_address(url: str) -> bool:
    """Return whether the link may be a playlist or a sitemap."""
    path = _path(url)
    return path is not None and bool(_LIST.search(path))


def is_page_address(url: str) -> bool:
    path = _path(url)
    return path is not None and bool(_PAGE.search(path))


def _path(url: str) -> str | None:
    """Return the path of a link to a web server."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.path if parts.scheme.lower() in _WEB and parts.netloc else None


def folder_name(url: str) -> str:
    """Return the name of the folder that an address leads to; that of the top folder is the host.

    The titles of directory indexes contain whole paths, or only a slash.
    """
    parts = urlsplit(url)
    path = parts.path.rpartition("/")[0]
    return unquoted(path.rpartition("/")[2]) or parts.hostname or ""
