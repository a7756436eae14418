import pytest

from quartet.downloads.archives import require_all_parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    FILES,
    archive_set_of,
    leftovers,
    seven_zip,
    tree,
    unpack,
    write,
)
from tests.downloads.archives.rar import File, rar4_volumes, rar5, rar5_volumes
from tests.downloads.archives.spanned_zip import spanned_zip

RAR_FILES = [File(name, data) for name, data in FILES.items()]


def missing(root: Root, name: str) -> object:
    with pytest.raises(AppError) as caught:
        unpack(root, name)
    assert caught.value.code == "parts_missing"
    assert not leftovers(root.path)
    assert not (root.path / "out").exists()
    return caught.value.inputs["missing"]


def test_missing_last_rar_volume_is_detected(root: Root) -> None:
    write(
        root.path, {f"a.part{n}.rar": v for n, v in enumerate(rar5_volumes(RAR_FILES, 40_000), 1)}
    )
    require_all_parts(root, archive_set_of(root, "a.part1.rar"))
    (root.path / "a.part3.rar").unlink()
    assert missing(root, "a.part1.rar") == ["a.part3.rar"]
    (root.path / "a.part1.rar").unlink()
    assert missing(root, "a.part2.rar") == ["a.part1.rar"]


def test_missing_last_volume_of_old_rar_is_detected(root: Root) -> None:
    first, second, _ = rar4_volumes(RAR_FILES, 40_000)
    write(root.path, {"a.rar": first})
    assert missing(root, "a.rar") == ["a.r00"]
    write(root.path, {"a.r00": second})
    assert missing(root, "a.rar") == ["a.r01"]


def test_missing_volume_with_encrypted_names_is_detected_by_7zip(root: Root) -> None:
    volumes = rar5_volumes(RAR_FILES, 40_000, "pw", hide_names=True)
    write(root.path, {"a.part1.rar": volumes[0], "a.part2.rar": volumes[1]})
    with pytest.raises(AppError) as caught:
        unpack(root, "a.part1.rar", "pw")
    assert caught.value.code == "parts_missing"
    assert caught.value.inputs["missing"] == ["a.part3.rar"]


@pytest.mark.parametrize("kind", ["7z", "zip"])
def test_missing_last_numbered_volume_is_detected(root: Root, kind: str) -> None:
    seven_zip(root.path, f"a.{kind}", "-v20k")
    names = archive_set_of(root, f"a.{kind}.001").parts
    (root.path / names[-1]).unlink()
    assert missing(root, names[0]) == [names[-1]]
    (root.path / names[1]).unlink()
    assert missing(root, names[0]) == [names[1]]


def test_missing_end_of_cut_rar_is_detected(root: Root) -> None:
    whole = rar5(RAR_FILES)
    write(root.path, {"a.rar.001": whole[:30_000], "a.rar.002": whole[30_000:60_000]})
    assert missing(root, "a.rar.001") == ["a.rar.003"]


def test_missing_disks_of_spanned_zip_are_detected(root: Root) -> None:
    disks = spanned_zip("A", FILES, 25_000)
    write(root.path, {"A.ZIP": disks["A.zip"]})
    assert missing(root, "A.ZIP") == ["A.Z01", "A.Z02", "A.Z03"]
    write(root.path, {"A.Z02": disks["A.z02"]})
    assert missing(root, "A.ZIP") == ["A.Z01"]


def test_volumes_that_arrive_later_complete_the_set(root: Root) -> None:
    volumes = rar5_volumes(RAR_FILES, 40_000)
    write(root.path, {"a.part1.rar": volumes[0]})
    assert missing(root, "a.part1.rar") == ["a.part2.rar"]
    write(root.path, {f"a.part{n}.rar": volume for n, volume in enumerate(volumes, 1)})
    unpack(root, "a.part1.rar")
    assert tree(root.path / "out") == FILES
