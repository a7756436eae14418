"""Two servers on one database read each other's encrypted settings."""

from pathlib import Path

import pytest

from quartet.kernel.startup import open_kernel
from quartet.sync.app import SERVICE
from quartet.sync.notices import store
from quartet.sync.notices.types import NoticeSettings, Target

KEY = Path("keys/secrets.key")


@pytest.mark.parametrize("had_keys", [False, True], ids=["new folders", "folders with keys"])
def test_settings_encrypted_by_one_server_are_read_by_the_other(
    postgres_url: str, tmp_path: Path, had_keys: bool
) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for number, folder in enumerate(folders):
        if had_keys:
            (folder / "keys").mkdir(parents=True)
            (folder / KEY).write_bytes(bytes([number]) * 32)
    first, second = (
        open_kernel(SERVICE, SERVICE.settings(data=folder, database_url=postgres_url))
        for folder in folders
    )
    try:
        settings = NoticeSettings([Target("phone", "ntfy://secret-topic")])
        first.db.write_sync(lambda tx: store.put(tx.conn, settings))
        assert second.db.write_sync(lambda tx: store.settings(tx.conn)) == settings
    finally:
        first.db.close()
        second.db.close()
    assert (folders[0] / KEY).read_bytes() == (folders[1] / KEY).read_bytes()
    replaced = (folders[1] / KEY).with_name("secrets.key.replaced")
    assert not had_keys or replaced.read_bytes() == bytes([1]) * 32
