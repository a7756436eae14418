"""Parses the Dockerfile."""

import re
import shlex

from quartet.services import NAMES
from tests.deploy.reference import DEPLOY, variable_of


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def last_stage(name: str) -> list[str]:
    steps = instructions()
    last = max(index for index, (kind, _) in enumerate(steps) if kind == "FROM")
    return [text for kind, text in steps[last:] if kind == name]


def environment() -> dict[str, str]:
    pairs = [pair.split("=", 1) for text in last_stage("ENV") for pair in shlex.split(text)]
    return {name: value for name, value in pairs}


# The data folder of each service inside the image.
DATA = {name: environment()[variable_of(name, "data")] for name in NAMES}
