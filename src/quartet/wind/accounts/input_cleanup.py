"""Cleanup of the names of users and passkeys."""

from quartet.wind.name_cleanup import clean_line

NAME_LENGTH = 60


def tidy_name(text: str) -> str:
    return clean_line(text, NAME_LENGTH)
