"""The four services by name, imported on demand."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quartet.kernel.service import Service

NAMES = ("downloads", "sync", "media", "wind")


def service(name: str) -> "Service[Any]":
    found: Service[Any] = import_module(f"quartet.{name}.app").SERVICE
    return found
