"""Syncthing device ids: a base32 hash of 52 characters with a check digit after every 13."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
DATA = 13
GROUPS = 8
GROUP = 7


def is_engine_id(text: str) -> bool:
    """Return True for the canonical spelling; the engine refuses a configuration with any other."""
    groups = text.split("-")
    if len(groups) != GROUPS or any(len(group) != GROUP for group in groups):
        return False
    letters = "".join(groups)
    if any(letter not in LETTERS for letter in letters):
        return False
    chunks = [letters[start : start + DATA + 1] for start in range(0, len(letters), DATA + 1)]
    # 52 characters hold four bits more than the hash; these must be zero for a unique spelling.
    spare = LETTERS.index(chunks[-1][DATA - 1]) & 0b1111
    return spare == 0 and all(chunk[DATA] == check_letter(chunk[:DATA]) for chunk in chunks)


def check_letter(letters: str) -> str:
    """Return the check digit of Luhn's algorithm modulo 32: every second value is doubled."""
    total = 0
    for place, letter in enumerate(letters):
        total += sum(divmod(LETTERS.index(letter) * (1 + place % 2), 32))
    return LETTERS[-total % 32]
