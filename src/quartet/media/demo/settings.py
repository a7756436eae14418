from msgspec.structs import replace

from quartet.media.settings import MediaSettings


def demo_settings(settings: MediaSettings) -> MediaSettings:
    """Ignore the configured folders: the demo uses its own."""
    return replace(settings, roots=(), path_map=())
