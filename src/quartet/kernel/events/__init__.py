"""Typed events from the rules of a service to every open browser."""

from quartet.kernel.events.coalescer import Coalescer
from quartet.kernel.events.hub import Hub, Subscription
from quartet.kernel.events.stream import EventStream, sse
from quartet.kernel.events.transport import Transport, backend_from_url
from quartet.kernel.events.types import Event, Frame, Resync, Signal

__all__ = [
    "Coalescer",
    "Event",
    "EventStream",
    "Frame",
    "Hub",
    "Resync",
    "Signal",
    "Subscription",
    "Transport",
    "backend_from_url",
    "sse",
]
