from msgspec.structs import replace

from quartet.downloads.settings import DownloadsSettings

# An address of its own on loopback: the guard lets the sample server through, and nothing that
# listens where services of this machine usually do.
ADDRESS = "127.77.7.7"
DEMO_SERVERS = (ADDRESS,)


def demo_settings(settings: DownloadsSettings) -> DownloadsSettings:
    """Whatever is set for the real ones: these folders lie in the demo's own."""
    return replace(settings, tmp_dir=None, done_dir=None, watch_dir=None)
