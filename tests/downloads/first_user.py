"""The first user of a download manager, with the set-up code that its data folder holds."""

from pathlib import Path

from quartet.downloads.login.setup_code import FILE_NAME

USER = {"user": "ada", "password": "correct horse"}


def first_user(data: Path, **other: str) -> dict[str, str]:
    """Return the body of a set-up; the code is empty once there is a user."""
    code = data / FILE_NAME
    return {**USER, "code": code.read_text() if code.exists() else "", **other}
