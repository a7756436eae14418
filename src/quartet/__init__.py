"""Quartet: four self-hosted services that share one kernel."""

from importlib.metadata import version

__version__ = version("quartet-suite")
