"""An offline catalog of well-known titles, to try the service without a key or a network."""

from quartet.media.catalog.demo.provider import Demo

__all__ = ["Demo"]
