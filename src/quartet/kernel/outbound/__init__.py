"""The way out: an HTTP client with limits, retries and no way into the private network."""

from quartet.kernel.outbound.client import OutboundClient
from quartet.kernel.outbound.responses import OutboundResponse, ResponseStream

__all__ = ["OutboundClient", "OutboundResponse", "ResponseStream"]
