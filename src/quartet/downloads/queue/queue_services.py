"""The objects that all download tasks share."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.queue.batcher import BatchedWrites
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.finish.finisher import Finisher
from quartet.downloads.queue.finish.fsync import FsyncQueue
from quartet.downloads.queue.finish.post_download import PostDownload, Verifier
from quartet.downloads.queue.types import ClaimedDownload, FileSource

# Resolves a link to the address of its file, by the plugin of its hoster. It calls the callback
# with whether it waits for the user or a countdown.
Resolve = Callable[[ClaimedDownload, Callable[[bool], None]], Awaitable[FileSource]]


@dataclass(frozen=True)
class QueueServices:
    writes: BatchedWrites
    fetcher: Fetcher
    verifier: Verifier
    done: DoneFolder
    finisher: Finisher
    post_download: PostDownload
    fsync_queue: FsyncQueue
    tmp: Path
    resolve: Resolve
    torrents: TorrentClient
