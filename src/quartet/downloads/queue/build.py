from collections.abc import Callable

from quartet.downloads.bittorrent.client import TorrentClient
from quartet.downloads.queue.batcher import BatchedWrites
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.queue.finish.finisher import Finisher
from quartet.downloads.queue.finish.fsync import FsyncQueue
from quartet.downloads.queue.finish.post_download import PostDownload, Verifier
from quartet.downloads.queue.queue_services import QueueServices, Resolve
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.transfer import Engine, Outcome
from quartet.kernel.db import Tx
from quartet.kernel.service import Kernel


def build_queue_services(
    kernel: Kernel[DownloadsSettings],
    on_finished: Callable[[Tx, int], None],
    resolve: Resolve,
    torrents: TorrentClient,
) -> QueueServices:
    settings = kernel.settings

    def engine(on_done: Callable[[Outcome], None]) -> Engine:
        settings.tmp_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings.known_hosts.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Engine(
            on_done,
            allow_private=kernel.allow_private,
            known_hosts=str(settings.known_hosts),
            ssh_key=str(settings.sftp_key) if settings.sftp_key else None,
        )

    done = DoneFolder(settings.done_folder)
    writes = BatchedWrites(kernel.db, kernel.events)
    verifier = Verifier(kernel.db, writes, done)
    fetcher = Fetcher(engine)
    finisher = Finisher(kernel.db, writes, done, on_finished, fetcher.idle)
    return QueueServices(
        writes=writes,
        fetcher=fetcher,
        verifier=verifier,
        done=done,
        finisher=finisher,
        post_download=PostDownload(kernel.db, writes, verifier, finisher, on_finished),
        fsync_queue=FsyncQueue(kernel.db, writes, done),
        tmp=settings.tmp_folder,
        resolve=resolve,
        torrents=torrents,
    )
