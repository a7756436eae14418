"""What the commands share: options, loading of settings, and errors as one line."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from quartet.services import NAMES, service_settings

SETTINGS_FILE = Path("quartet.toml")

services_argument = click.argument("services", nargs=-1, type=click.Choice(NAMES))
service_argument = click.argument("name", metavar="SERVICE", type=click.Choice(NAMES))
data_option = click.option(
    "--data", type=click.Path(path_type=Path), help="Parent folder of the services' data folders."
)
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help=f"Settings file instead of {SETTINGS_FILE}."
)


def settings_for(
    name: str, flags: dict[str, object], data: Path | None, config: Path | None
) -> Any:
    """Load the settings of one service. `data` is the parent of all services' data folders."""
    from quartet.kernel.settings import load, read_file

    found = service_settings(name)
    if data is not None:
        flags = {**flags, "data": data / name}
    file = config or (SETTINGS_FILE if SETTINGS_FILE.is_file() else None)
    section = read_file(file, NAMES).get(name) if file else None
    return load(found.settings, found.prefix, section=section, environ=os.environ, flags=flags)


def settings_for_writing(name: str, data: Path | None, config: Path | None) -> Any:
    """Load the settings and drop root privileges, so that files belong to the service's user."""
    from quartet.kernel.privileges import drop_privileges

    settings = settings_for(name, {}, data, config).values
    drop_privileges([settings.data], os.environ)
    return settings


class WrongSettings(click.ClickException):
    """Invalid settings. The exit code tells service managers not to restart the process."""

    exit_code = 2


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Report errors an operator can fix as one line instead of a traceback."""
    from quartet.kernel.errors import AppError, OperatorError
    from quartet.kernel.lock import FolderInUse

    try:
        yield
    except (OperatorError, AppError) as error:
        final = isinstance(error, OperatorError) and not error.may_pass
        kind = WrongSettings if final else click.ClickException
        raise kind(" ".join(getattr(error, "__notes__", [str(error)]))) from error
    except OSError as error:
        if error.filename is None:
            raise
        # For example a data folder that belongs to another user.
        raise click.ClickException(f"cannot use {error.filename}: {error.strerror}") from error
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the Python package {error.name} is missing: install Quartet with its extra [all]"
        ) from error
    except FolderInUse as error:
        raise click.ClickException(f"{error}: another quartet process uses this folder") from error


def ask_password() -> str:
    """Prompt twice on a terminal; otherwise read one line from standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    import getpass

    first = getpass.getpass("New password: ")
    if getpass.getpass("Again: ") != first:
        raise click.ClickException("the passwords do not match")
    return first
