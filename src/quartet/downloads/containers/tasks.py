from quartet.downloads.containers.service import Containers
from quartet.downloads.containers.watch_folder import WatchFolder
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Database
from quartet.kernel.files import Root
from quartet.kernel.supervisor import BackgroundTask, every

CHECK_SECONDS = 2.0


def watch_loop(settings: DownloadsSettings, containers: Containers, db: Database) -> BackgroundTask:
    watch = WatchFolder(Root(settings.watch_folder), containers, db)
    return every(CHECK_SECONDS, watch.check, name="watched-folder")
