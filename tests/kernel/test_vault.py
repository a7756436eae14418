from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.vault import KEY_FILE, Vault


def test_secret_can_be_decrypted_after_restart(tmp_path: Path) -> None:
    locked = Vault(tmp_path / "keys").encrypt(b"open sesame", "cave")
    assert b"sesame" not in locked
    assert Vault(tmp_path / "keys").decrypt(locked, "cave") == b"open sesame"
    assert (tmp_path / "keys" / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_encrypting_twice_gives_different_results(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    assert vault.encrypt(b"secret", "use") != vault.encrypt(b"secret", "use")


@pytest.mark.parametrize("spoil", ["other use", "changed", "cut", "other key", "damaged key"])
def test_changed_or_misused_ciphertext_is_rejected(tmp_path: Path, spoil: str) -> None:
    locked, use = Vault(tmp_path).encrypt(b"secret", "use"), "use"
    if spoil == "other use":
        use = "another"
    elif spoil == "changed":
        locked = locked[:-1] + bytes([locked[-1] ^ 1])
    elif spoil == "cut":
        locked = locked[:5]
    elif spoil == "other key":
        (tmp_path / KEY_FILE).unlink()
    else:
        (tmp_path / KEY_FILE).write_bytes(b"short")
    with pytest.raises(AppError) as error:
        Vault(tmp_path).decrypt(locked, use)
    assert error.value.code == "secret_unreadable"
