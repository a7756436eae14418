"""The files of a torrent as rows of the downloads table."""

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any

from quartet.downloads.bittorrent.magnets import HOST_PREFIX
from quartet.downloads.bittorrent.types import Metainfo
from quartet.kernel.files import safe_name


def file_rows(
    metainfo: Metainfo,
    url: str,
    values: Mapping[str, Any],
    selected: Collection[int] | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each file; files that are not selected are skipped."""
    return [
        {
            **values,
            "url": url,
            "host": HOST_PREFIX + metainfo.info_hash,
            "plugin_id": None,
            "name": safe_name(PurePosixPath(file.path).name),
            "size": file.size,
            # Whether peers have the file is known only when it is downloaded.
            "online": "unknown",
            "torrent_file": file.index,
            "torrent_path": file.path,
            "status": values["status"] if selected is None or file.index in selected else "skipped",
        }
        for file in metainfo.files
    ]


def folder_of(torrent_path: str) -> str:
    """Return the folder of a file below the folder of its package, with safe names."""
    folders = PurePosixPath(torrent_path).parts[:-1]
    return "/".join(safe_name(each) for each in folders if each not in ("/", "..", "."))
