"""The four services by name, imported on demand; most commands only need their settings."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quartet.kernel.service import Service
    from quartet.kernel.settings import ServiceSettings

NAMES = ("downloads", "sync", "media", "wind")


def service(name: str) -> "Service[Any]":
    found: Service[Any] = import_module(f"quartet.{name}.app").SERVICE
    return found


def service_settings(name: str) -> "ServiceSettings[Any]":
    found: ServiceSettings[Any] = import_module(f"quartet.{name}.settings").SERVICE_SETTINGS
    return found
