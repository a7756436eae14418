"""The way out: an HTTP client with limits, retries and no way into the private network."""

from quartet.kernel.outbound.answers import Answer, Stream
from quartet.kernel.outbound.client import Outbound

__all__ = ["Answer", "Outbound", "Stream"]
