"""`quartet doctor`: everything that can keep Quartet from working on this machine, in one table."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

import quartet
from quartet.cli import config_option, data_option, services_argument, settings_for
from quartet.kernel.diagnosis import Finding, check_clock, diagnose
from quartet.kernel.settings import SettingsError
from quartet.services import NAMES, service

Row = tuple[str, Finding]


@click.command(name="doctor")
@services_argument
@data_option
@config_option
def commands(services: tuple[str, ...], data: Path | None, config: Path | None) -> None:
    """Check ports, permissions, disk, clock, databases, programs and sources.

    Exits with 1 if something keeps a service from working.
    """
    rows: list[Row] = [("machine", check_clock(Path(quartet.__file__).stat().st_mtime))]
    for name in services or NAMES:
        rows += [(name, finding) for finding in _diagnose(name, data, config)]
    for owner, finding in rows:
        click.echo(f"{owner:10} {finding.subject:14} {finding.state:8} {finding.text}")
    states = Counter(finding.state for _, finding in rows)
    click.echo(f"\nerrors: {states['error']}, warnings: {states['warning']}")
    sys.exit(states["error"] > 0)


def _diagnose(name: str, data: Path | None, config: Path | None) -> Iterator[Finding]:
    try:
        found = service(name)
        settings = found.prepare(settings_for(name, {}, data, config).values)
    except (SettingsError, ModuleNotFoundError) as error:
        yield Finding("settings", "error", str(error))
        return
    yield from diagnose(found, settings)
    yield from asyncio.run(import_module(f"quartet.{name}.diagnosis").findings(settings))
