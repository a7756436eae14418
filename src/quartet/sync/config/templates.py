"""Path templates: where a new share is stored if no path is entered; pure functions."""

import re
from collections.abc import Collection

from quartet.kernel.errors import AppError
from quartet.sync.config.paths import Key, key_of, path_problem
from quartet.sync.config.types.devices import Device
from quartet.sync.config.types.folders import Folder
from quartet.sync.config.types.revisions import Config
from quartet.sync.protocol import System

FOLDER = "{folder}"
# Characters that a folder name cannot contain on one of the operating systems.
_UNUSABLE = re.compile(r'[<>:"|?*/\\]')


def check_template(template: str, system: System) -> None:
    """Raise if the template leads to no usable path."""
    problem = path_problem(_on(template, system).replace(FOLDER, "Photos"), system)
    if FOLDER not in template or problem is not None:
        raise AppError(422, "path_template_invalid", template=template)


def template_path(config: Config, device: Device, folder: Folder, taken: Collection[Key]) -> str:
    """Return the path of a new share; a number is added if another folder has that path."""
    template = _on(device.path_template or config.path_template, device.os)
    name = _UNUSABLE.sub("-", folder.label).strip(". ") or folder.engine_folder_id
    path, number = template.replace(FOLDER, name), 1
    while key_of(path, device.os) in taken:
        number += 1
        path = template.replace(FOLDER, f"{name} {number}")
    return path


def _on(template: str, system: System) -> str:
    return template.replace("/", "\\") if system == "windows" else template
