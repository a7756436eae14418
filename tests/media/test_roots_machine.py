"""Folders of the machine that can be added."""

from pathlib import Path

import pytest

from quartet.media.roots.mounts import mount_points
from tests.media.job_harness import job_harness_at

pytestmark = pytest.mark.anyio


async def test_machine_can_be_browsed_before_a_folder_is_added(tmp_path: Path) -> None:
    (tmp_path / "disk" / "Movies").mkdir(parents=True)
    (tmp_path / "disk" / ".hidden").mkdir()
    (tmp_path / "disk" / "file").touch()
    (tmp_path / "disk" / "link").symlink_to("/etc")
    async with job_harness_at(tmp_path, new=False) as harness:
        path = "/api/browse/machine"
        assert await harness.ask("GET", "/api/folders") == []
        tops = [one["path"] for one in (await harness.ask("GET", path))["entries"]]
        assert "/" + tmp_path.parts[1] in tops and "/etc" not in tops and "/" not in tops
        found = await harness.ask("GET", path, params={"path": str(tmp_path / "disk")})
        assert [one["name"] for one in found["entries"]] == ["Movies"]
        assert found["parent"] == str(tmp_path)
        for hidden, code in (
            ("/etc", (403, "system_folder")),
            (str(tmp_path / "config"), (403, "config_folder")),
            (str(tmp_path / "none"), (404, "folder_missing")),
            (f"{tmp_path}/../..", (400, "path_invalid")),
        ):
            got = await harness.client.code("GET", path, params={"path": hidden})
            assert got == code, hidden
        # The folder above the data folder can be opened, to get to its neighbours.
        assert await harness.ask("GET", path, params={"path": str(tmp_path)})


def test_mount_points_are_disks_and_shares(tmp_path: Path) -> None:
    disk, share = tmp_path / "disk", tmp_path / "share"
    disk.mkdir()
    share.mkdir()
    table = tmp_path / "mountinfo"
    table.write_text(
        f"1 0 8:1 / {disk} rw - ext4 /dev/sda rw\n"
        f"2 1 0:5 / {share} rw shared:1 - nfs4 nas:/x rw\n"
        f"3 1 0:6 / {tmp_path} rw - tmpfs tmpfs rw\n"
        f"4 1 8:1 /hosts {table} rw - ext4 /dev/sda rw\n"
    )
    assert mount_points(table) == [str(disk), str(share)]
