from quartet.downloads.containers.service import Containers
from quartet.downloads.containers.watching import Watch
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Database
from quartet.kernel.files import Root
from quartet.kernel.supervisor import BackgroundTask, every

LOOK_SECONDS = 2.0


def watch_loop(settings: DownloadsSettings, containers: Containers, db: Database) -> BackgroundTask:
    watch = Watch(Root(settings.watch_folder), containers, db)
    return every(LOOK_SECONDS, watch.look, name="watched-folder")
