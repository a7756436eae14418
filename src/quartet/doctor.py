"""`quartet doctor`: everything that can keep Quartet from working on this machine, in one table."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import quartet
from quartet.command_line import (
    config_option,
    data_option,
    errors_as_messages,
    services_argument,
    settings_for,
)
from quartet.kernel.diagnosis import DiagnosisLine, check_clock, diagnose
from quartet.kernel.privileges import drop_privileges
from quartet.kernel.service import Service
from quartet.kernel.settings import Settings, SettingsError, settings_of
from quartet.services import NAMES, service

Row = tuple[str, DiagnosisLine]
# How similar a variable must be to a known one.
SLIP = 0.8


@click.command(name="doctor")
@services_argument
@data_option
@config_option
def commands(services: tuple[str, ...], data: Path | None, config: Path | None) -> None:
    """Check ports, permissions, disk, clock, databases, programs and sources.

    Exits with 1 if something keeps a service from working.
    """
    rows: list[Row] = [("machine", check_clock(Path(quartet.__file__).stat().st_mtime))]
    # First, because only root may read the secrets of a container.
    loaded = {name: _settings(name, data, config) for name in services or NAMES}
    with errors_as_messages():
        drop_privileges([], os.environ)
    for name, settings in loaded.items():
        rows += [(name, finding) for finding in _diagnose(name, settings)]
    for owner, finding in rows:
        click.echo(f"{owner:10} {finding.subject:14} {finding.state:8} {finding.text}")
    states = Counter(finding.state for _, finding in rows)
    click.echo(f"\nerrors: {states['error']}, warnings: {states['warning']}")
    sys.exit(states["error"] > 0)


def _settings(name: str, data: Path | None, config: Path | None) -> Settings | DiagnosisLine:
    try:
        settings: Settings = service(name).prepare(settings_for(name, {}, data, config).values)
    except (SettingsError, ModuleNotFoundError) as error:
        return DiagnosisLine("settings", "error", str(error))
    return settings


def _diagnose(name: str, settings: Settings | DiagnosisLine) -> Iterator[DiagnosisLine]:
    if isinstance(settings, DiagnosisLine):
        yield settings
        return
    found = service(name)
    yield from _slips(found, os.environ)
    yield from diagnose(found, settings)
    yield from asyncio.run(import_module(f"quartet.{name}.diagnosis").findings(settings))


def _slips(found: Service[Any], environ: Mapping[str, str]) -> Iterator[DiagnosisLine]:
    """Find variables that look like settings; other programs may use the same prefix."""
    settings = settings_of(found.settings, found.prefix)
    known = {each.variable for each in settings}
    twins = {f"{each.variable}_FILE" for each in settings if each.secret}
    for name in sorted(environ.keys() - known - twins):
        if name.startswith(found.prefix) and (near := get_close_matches(name, known, 1, SLIP)):
            yield DiagnosisLine(
                "settings", "warning", f"{name} is unknown; did you mean {near[0]}?"
            )
