from msgspec.structs import replace

from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.listener import can_listen

# A dedicated loopback address: private addresses are blocked, and allowing only this one exposes
# nothing else on this machine.
ADDRESS = "127.77.7.7"
DEMO_SERVERS = (ADDRESS,)


def demo_settings(settings: DownloadsSettings) -> DownloadsSettings:
    """Use folders inside the demo's data folder, and no port that another program needs."""
    # Often JDownloader, which users try Quartet next to.
    taken = settings.cnl_port and not can_listen(settings.cnl_host, settings.cnl_port)
    return replace(
        settings,
        tmp_dir=None,
        done_dir=None,
        watch_dir=None,
        cnl_port=0 if taken else settings.cnl_port,
    )
