"""The folders of packages as clients see them: absolute paths inside of the done folder."""

from pathlib import Path, PurePosixPath

from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name


def relative_folder(done: Path, path: str) -> str:
    """Return a folder of a client relative to the done folder."""
    root = PurePosixPath(done.as_posix())
    given = root / PurePosixPath(path)
    if ".." in given.parts or not given.is_relative_to(root):
        raise AppError(409, "invalid_request", field="savepath")
    return "/".join(safe_name(part) for part in given.relative_to(root).parts)


def parent_folder(done: Path, target_dir: str) -> Path:
    """Return the folder that contains the folder of a package."""
    return (done / target_dir).parent if target_dir else done
