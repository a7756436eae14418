"""An HTTP client with limits and retries that cannot reach the private network."""

from quartet.kernel.outbound.client import OutboundClient
from quartet.kernel.outbound.responses import OutboundResponse, ResponseStream

__all__ = ["OutboundClient", "OutboundResponse", "ResponseStream"]
