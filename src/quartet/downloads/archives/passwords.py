"""Selects and orders the passwords to try."""

from collections.abc import Iterable, Iterator

_LONGEST = 4096  # bytes; longer ones would not fit into the pipe at once
_UNTYPABLE = ("\n", "\0")  # 7-Zip reads one line


def ordered_passwords(
    package_passwords: Iterable[str], archive_name: str, global_list: Iterable[str]
) -> list[str]:
    """Return each password once, unchanged and trimmed, without blank ones."""
    every = [*package_passwords, archive_name, *global_list]
    both = [form for password in every for form in (password, password.strip())]
    return list(dict.fromkeys(form for form in both if form.strip()))


def usable(password: str) -> bool:
    """Return whether the password can be passed to 7-Zip: one line of valid text."""
    if not password or any(char in password for char in _UNTYPABLE):
        return False
    try:
        return len(password.encode()) <= _LONGEST
    except UnicodeEncodeError:
        return False


class KeyRing:
    """The passwords of one extraction; those that worked are tried first."""

    def __init__(self, passwords: Iterable[str]) -> None:
        self._passwords = [one for one in dict.fromkeys(passwords) if usable(one)]
        self.worked: list[str] = []

    def __len__(self) -> int:
        return len(self._passwords)

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys([*self.worked, *self._passwords])

    def remember(self, password: str | None) -> None:
        if password is not None and password not in self.worked:
            self.worked.append(password)
