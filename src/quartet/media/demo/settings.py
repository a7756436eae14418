from msgspec.structs import replace

from quartet.media.settings import MediaSettings


def demo_settings(settings: MediaSettings) -> MediaSettings:
    """Whatever is set for the real one: the demo works in folders of its own."""
    return replace(settings, roots=(), path_map=())
