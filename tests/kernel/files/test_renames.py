import platform

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, syscalls

pytestmark = pytest.mark.usefixtures("renaming_by")


def write(root: Root, path: str, data: bytes) -> None:
    with root.create(path) as file:
        file.write(data)


def read(root: Root, path: str) -> bytes:
    with root.open(path) as file:
        return file.read()


def names(root: Root) -> list[str]:
    return [entry.name for entry in root.list()]


def test_file_is_renamed(root: Root) -> None:
    write(root, "old", b"data")
    root.make_folder("folder")
    root.rename("old", "folder/new")
    assert read(root, "folder/new") == b"data"
    assert names(root) == ["folder"]


def test_folder_is_renamed(root: Root) -> None:
    root.make_folder("old/inner")
    root.rename("old", "new")
    assert names(root) == ["new"]
    assert root.exists("new/inner")


def test_rename_to_another_root(root: Root) -> None:
    write(root, "file", b"data")
    root.make_folder("second")
    second = Root(root.path / "second")
    root.rename("file", "moved", to=second)
    assert read(second, "moved") == b"data"


@pytest.mark.parametrize("taken_by", ["file", "empty file", "folder", "empty folder", "link"])
@pytest.mark.parametrize("source", ["file", "folder"])
def test_rename_never_replaces(root: Root, source: str, taken_by: str) -> None:
    if source == "file":
        write(root, "source", b"source")
    else:
        root.make_folder("source/inner")
    match taken_by:
        case "file":
            write(root, "target", b"target")
        case "empty file":
            write(root, "target", b"")
        case "folder":
            root.make_folder("target/inner")
        case "empty folder":
            root.make_folder("target")
        case "link":
            (root.path / "target").symlink_to("nowhere")
    before = root.stat("source").st_ino, root.stat("target").st_ino
    with pytest.raises(AppError) as caught:
        root.rename("source", "target")
    assert (caught.value.code, caught.value.inputs) == ("already_exists", {"path": "target"})
    assert (root.stat("source").st_ino, root.stat("target").st_ino) == before


def test_failed_rename_leaves_nothing_behind(root: Root) -> None:
    root.make_folder("folder/inner")
    with pytest.raises(AppError):
        root.rename("folder", "folder/inner/itself")
    with pytest.raises(AppError):
        root.rename("missing", "new")
    assert names(root) == ["folder"]
    assert root.list("folder/inner") == ()


@pytest.mark.parametrize("renaming_by", ["renameat2"], indirect=True)
def test_system_call_with_a_kernel_of_another_architecture(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program with 32 bits on a kernel with 64 has other system call numbers than the kernel."""
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    write(root, "old", b"data")
    old, new = str(root.path / "old"), str(root.path / "new")
    syscalls.renameat2(-1, old, -1, new, syscalls.RENAME_NOREPLACE)
    assert names(root) == ["new"]
