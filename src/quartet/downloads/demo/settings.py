from msgspec.structs import replace

from quartet.downloads.settings import DownloadsSettings

# A dedicated loopback address: private addresses are blocked, and allowing only this one exposes
# nothing else on this machine.
ADDRESS = "127.77.7.7"
DEMO_SERVERS = (ADDRESS,)


def demo_settings(settings: DownloadsSettings) -> DownloadsSettings:
    """Use folders inside the demo's data folder and ignore the settings."""
    return replace(settings, tmp_dir=None, done_dir=None, watch_dir=None)
