"""Quartet: four self-hosted services on one foundation."""

from importlib.metadata import version

__version__ = version("quartet")
