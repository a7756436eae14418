"""Reads the packages in a container file of a known kind."""

from quartet.downloads.containers.aria2_session import packages_of_session
from quartet.downloads.containers.detect import Kind, text_of
from quartet.downloads.containers.jdownloader import packages_of_crawljobs, packages_of_list
from quartet.downloads.containers.metalink import files_of_metalink
from quartet.downloads.containers.pyload_database import packages_of_pyload
from quartet.downloads.containers.rsdf import links_of_rsdf
from quartet.downloads.containers.types import ContainerPackage, FileDetails
from quartet.kernel.errors import AppError


def packages_in(kind: Kind, content: bytes) -> list[ContainerPackage]:
    match kind:
        case "aria2":
            return packages_of_session(content)
        case "crawljob":
            return packages_of_crawljobs(content)
        case "jdownloader":
            return packages_of_list(content)
        case "pyload":
            return packages_of_pyload(content)
        case "metalink":
            return [_metalink_package(content)]
        case _:
            return [ContainerPackage("", _links(kind, content))]


def _metalink_package(content: bytes) -> ContainerPackage:
    files = files_of_metalink(content)
    details = {
        file.urls[0]: FileDetails(
            file.name, file.hash_type, file.hash_value, file.size, file.urls[1:]
        )
        for file in files
    }
    return ContainerPackage("", "\n".join(file.urls[0] for file in files), details)


def _links(kind: Kind, content: bytes) -> str:
    match kind:
        case "ccf" | "binary" | "torrent":
            raise AppError(422, "container_unknown")
        case "nzb":
            raise AppError(422, "nzb_unsupported")
        case "rsdf":
            return links_of_rsdf(content)
        case _:
            return text_of(content)
