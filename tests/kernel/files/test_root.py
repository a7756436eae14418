import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, write_atomic
from quartet.kernel.files.errors import app_errors

pytestmark = pytest.mark.usefixtures("opening_by")


def write(root: Root, path: str, data: bytes = b"data") -> None:
    with root.create(path) as file:
        file.write(data)


def read(root: Root, path: str) -> bytes:
    with root.open(path) as file:
        return file.read()


def refusal(act: Callable[[], object]) -> tuple[str, object]:
    with pytest.raises(AppError) as caught:
        act()
    return caught.value.code, caught.value.inputs.get("path")


def test_create_read_update_and_remove_file(root: Root) -> None:
    root.make_folder("a/b")
    write(root, "a/b/file", b"hello")
    assert read(root, "a/b/file") == b"hello"
    with root.update("a/b/file") as file:
        file.seek(4)
        file.write(b"!")
    assert read(root, "a/b/file") == b"hell!"
    assert root.stat("a/b/file").st_size == 5
    root.remove("a/b/file")
    assert not root.exists("a/b/file")
    root.remove_folder("a/b")
    assert root.list("a") == ()


def test_list_is_sorted_by_name(root: Root) -> None:
    root.make_folder("folder")
    write(root, "file")
    (root.path / "link").symlink_to("file")
    kinds = [(e.name, e.is_file, e.is_folder, e.is_link) for e in root.list()]
    assert kinds == [
        ("file", True, False, False),
        ("folder", False, True, False),
        ("link", False, False, True),
    ]


def test_list_has_natural_order(root: Root) -> None:
    for name in ("a10", "B1", "a2", "a02"):
        root.create(name).close()
    assert [entry.name for entry in root.list()] == ["a02", "a2", "a10", "B1"]


def test_names_that_are_not_utf8_can_be_listed_opened_and_displayed(root: Root) -> None:
    (Path(os.fsdecode(os.fsencode(root.path) + b"/caf\xe9"))).write_bytes(b"latin")
    name = root.list()[0].name
    with root.open((name,)) as file:
        assert file.read() == b"latin"
    code, path = refusal(lambda: root.remove_tree((name, "x")))
    assert (code, str(path).encode()) == ("not_a_folder", str(path).encode("utf-8"))


def test_make_folder_again_succeeds(root: Root) -> None:
    root.make_folder("a/b")
    root.make_folder("a/b/c")
    assert root.stat("a/b/c").st_nlink
    write(root, "file")
    assert refusal(lambda: root.make_folder("file/x")) == ("not_a_folder", "file/x")


def test_errors_do_not_contain_absolute_path(root: Root) -> None:
    root.make_folder("folder/inner")
    write(root, "file")
    assert refusal(lambda: root.open("none")) == ("not_found", "none")
    assert refusal(lambda: root.open("none/deeper")) == ("not_found", "none/deeper")
    assert refusal(lambda: root.create("file")) == ("already_exists", "file")
    assert refusal(lambda: root.create("folder")) == ("already_exists", "folder")
    assert refusal(lambda: root.open("file/x")) == ("not_a_folder", "file/x")
    assert refusal(lambda: root.list("file")) == ("not_a_folder", "file")
    assert refusal(lambda: root.open("folder")) == ("is_a_folder", "folder")
    assert refusal(lambda: root.remove("folder")) == ("is_a_folder", "folder")
    assert refusal(lambda: root.remove_folder("folder")) == ("folder_not_empty", "folder")
    assert refusal(lambda: root.remove_tree("file")) == ("not_a_folder", "file")
    assert refusal(lambda: root.remove_tree("")) == ("path_invalid", ".")
    assert refusal(lambda: root.rename("none", "new")) == ("not_found", "none")
    assert refusal(lambda: root.rename("folder", "folder/inner/x")) == (
        "path_invalid",
        "folder/inner/x",
    )
    assert refusal(lambda: Root(root.path / "gone").list()) == ("not_found", ".")


@pytest.mark.parametrize(
    ("number", "code", "status"),
    [
        (errno.EROFS, "read_only", 403),
        (errno.EACCES, "permission_denied", 403),
        (errno.ENOSPC, "disk_full", 507),
        (errno.EDQUOT, "disk_full", 507),
        (errno.ENAMETOOLONG, "name_too_long", 400),
    ],
)
def test_disk_errors_have_codes(number: int, code: str, status: int) -> None:
    with pytest.raises(AppError) as caught, app_errors(("a", "b")):
        raise OSError(number, "from the disk")
    assert (caught.value.status, caught.value.code) == (status, code)
    assert caught.value.inputs == {"path": "a/b"}


def test_unknown_os_errors_are_not_converted() -> None:
    with pytest.raises(OSError, match="broken"), app_errors(("a",)):
        raise OSError(errno.EIO, "broken")


def test_links_are_rejected(root: Root, outside: Path) -> None:
    root.make_folder("real")
    write(root, "real/file")
    (root.path / "inside").symlink_to("real")
    (root.path / "escape").symlink_to(outside)
    (root.path / "up").symlink_to("../outside")
    (root.path / "canary").symlink_to(outside / "canary")
    for path in ("inside/file", "escape/canary", "up/canary", "canary"):
        assert refusal(partial(root.open, path)) == ("path_outside_root", path)
    assert refusal(lambda: root.list("escape")) == ("path_outside_root", "escape")
    assert refusal(lambda: root.create("escape/new"))[0] == "path_outside_root"
    assert refusal(lambda: root.create("canary"))[0] == "already_exists"
    assert refusal(lambda: root.update("canary"))[0] == "path_outside_root"
    assert refusal(lambda: root.remove("escape/canary"))[0] == "path_outside_root"
    assert refusal(lambda: root.remove_tree("escape"))[0] in ("path_outside_root", "not_a_folder")
    assert refusal(lambda: root.make_folder("escape/new"))[0] == "path_outside_root"
    root.remove("escape")
    assert [path.name for path in outside.iterdir()] == ["canary"]


def test_named_pipe_does_not_block(root: Root) -> None:
    os.mkfifo(root.path / "pipe")
    assert refusal(lambda: root.open("pipe")) == ("path_invalid", "pipe")


def test_remove_tree_handles_very_deep_tree(root: Root, opening_by: str) -> None:
    # Without openat2 each level opens all levels above it, so use fewer levels.
    depth = 1200 if opening_by == "openat2" else 200
    root.make_folder("top/" + "d/" * depth)
    write(root, "top/d/d/file")
    root.remove_tree("top")
    assert root.list() == ()


def test_remove_tree_removes_links_but_not_their_targets(root: Root, outside: Path) -> None:
    root.make_folder("tree/sub")
    (root.path / "tree/sub/escape").symlink_to(outside)
    (root.path / "tree/canary").symlink_to(outside / "canary")
    root.remove_tree("tree")
    assert not root.exists("tree")
    assert (outside / "canary").read_bytes() == b"canary"


def test_require_space_fails_before_disk_is_full(root: Root) -> None:
    root.require_space(1)
    with pytest.raises(AppError) as caught:
        root.require_space(2**62)
    assert (caught.value.status, caught.value.code) == (507, "no_space")
    assert caught.value.inputs["needed"] == 2**62
    assert 0 < int(str(caught.value.inputs["free"])) < 2**62


def test_write_atomic_replaces_file_and_leaves_nothing_else(root: Root) -> None:
    root.make_folder("state")
    write_atomic(root, "state/file", b"one")
    write_atomic(root, "state/file", b"two", mode=0o600)
    assert read(root, "state/file") == b"two"
    assert root.stat("state/file").st_mode & 0o777 == 0o600
    assert [entry.name for entry in root.list("state")] == ["file"]


def test_failed_write_atomic_keeps_old_file(root: Root, outside: Path) -> None:
    root.make_folder("file")
    assert refusal(lambda: write_atomic(root, "file", b"x"))[0] == "is_a_folder"
    assert [entry.name for entry in root.list()] == ["file"]
    (root.path / "link").symlink_to(outside / "canary")
    write_atomic(root, "link", b"mine")
    assert read(root, "link") == b"mine"
    assert (outside / "canary").read_bytes() == b"canary"
