"""Typed events from the services to every open browser."""

from quartet.kernel.events.coalescer import Coalescer
from quartet.kernel.events.hub import EventHub, Subscription
from quartet.kernel.events.stream import EventStream, sse
from quartet.kernel.events.transport import Transport, backend_from_url
from quartet.kernel.events.types import Event, Frame, Resync, Signal

__all__ = [
    "Coalescer",
    "Event",
    "EventHub",
    "EventStream",
    "Frame",
    "Resync",
    "Signal",
    "Subscription",
    "Transport",
    "backend_from_url",
    "sse",
]
