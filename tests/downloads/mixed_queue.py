"""A queue with all kinds of downloads, the server they come from, and the expected files."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.downloads.archives.make_archives import seven_zip
from tests.downloads.plugins import plugin_text, put_plugin
from tests.downloads.transfer.servers import (
    ReceivedRequest,
    Send,
    answer_head,
    body_for,
    head,
    scripted_server,
)

KIB = 1024
PLUGIN = (
    """
    folders = [r"https://demo\\.invalid/d/(?P<id>\\w+)"]

    async def resolve(self, link, ctx):
        return File(self.settings["base"] + "/quick/" + link.parts["id"])

    async def crawl(self, link, ctx):
        names = [link.parts["id"] + str(number) for number in range(4)]
        return Folder([FileLink("https://demo.invalid/f/" + name, name) for name in names])
""",
)


@dataclass
class Web:
    """A server; the first part of a path selects how the file is sent."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, path: str, data: bytes) -> str:
        self.files[f"/{path}"] = data
        return f"http://127.0.0.1:{self.port}/{path}"

    def script(self, asked: ReceivedRequest, send: Send) -> None:
        option = asked.path.split("/")[1]
        data = self.files[asked.path]
        if option == "later" and self._first_time(asked.path):
            send(head("503 Busy", "Content-Length: 0"))
            return
        if option == "whole":
            asked = ReceivedRequest(asked.path, {})
        tag = f'ETag: "{hashlib.md5(data).hexdigest()}"'
        send(answer_head(data, asked, tag, "Content-Type: application/octet-stream"))
        self._send(body_for(data, asked), send, slow=option in ("slow", "ranged", "whole"))

    def _first_time(self, path: str) -> bool:
        with self.lock:
            known = path in self.refused
            self.refused.add(path)
        return not known

    def _send(self, body: bytes, send: Send, *, slow: bool) -> None:
        step = 64 * KIB if slow else len(body) or 1
        for place in range(0, len(body), step):
            send(body[place : place + step])
            if slow:
                time.sleep(0.004)


@contextmanager
def web() -> Iterator[Web]:
    found = Web()
    with scripted_server(found.script) as server:
        found.port = server.port
        yield found


@dataclass
class Round:
    """A set of packages that are added at once, and the files they should produce."""

    number: int
    web: Web
    folder: Path
    bodies: list[dict[str, Any]] = field(default_factory=list)
    expected: dict[str, bytes] = field(default_factory=dict)
    downloads: int = 0

    def __post_init__(self) -> None:
        self._chance = Random(self.number)
        ranged = {f"ranged-{n}.bin": self._some(9000 * KIB + n) for n in range(2)}
        self._ask("Large", "ranged", ranged)
        self._ask("Whole", "whole", {"whole.bin": self._some(2000 * KIB)})
        self._ask("Slow/Deep", "slow", {f"slow-{n}.bin": self._some(1500 * KIB) for n in "ab"})
        self._ask("Small", "quick", {f"{n}.bin": self._some(n * 100) for n in range(40)})
        self._ask("Later", "later", {"later.bin": self._some(50 * KIB)})
        self._with_sums()
        self._twins()
        self._folder()
        self._archives()

    def _some(self, size: int) -> bytes:
        return self._chance.randbytes(size)

    def _ask(self, package: str, option: str, files: dict[str, bytes], **more: Any) -> None:
        links = [
            self.web.put(f"{option}/{self.number}/{package}/{name}", data)
            for name, data in files.items()
        ]
        self._post(package, links, **more)
        if "passwords" not in more and not more.get("unpacked"):
            self.expected |= {f"{self._target(package)}/{name}": files[name] for name in files}

    def _post(self, package: str, links: list[str], **more: Any) -> None:
        more.pop("unpacked", None)
        self.downloads += len(links)
        name = self._target(package)
        self.bodies.append({"links": "\n".join(links), "packageName": name, "start": True, **more})

    def _target(self, package: str) -> str:
        return f"{package.replace('/', '_')} {self.number}"

    def _with_sums(self) -> None:
        files = {f"summed-{n}.bin": self._some(300 * KIB) for n in range(3)}
        lines = [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in files.items()]
        names = list(files)
        files["all.sha256"] = "\n".join(lines).encode()
        # The list is not first, so that an earlier file is verified after the list arrives.
        order = [names[0], "all.sha256", *names[1:]]
        self._ask("Summed", "quick", {name: files[name] for name in order})

    def _twins(self) -> None:
        """Add two different files with the same name and size."""
        one, other = self._some(1000), self._some(1000)
        links = [
            self.web.put(f"quick/{self.number}/{side}/twin.bin", data)
            for side, data in (("left", one), ("right", other))
        ]
        self._post("Twins", links)
        self.twins = {one, other}

    def _folder(self) -> None:
        box = f"box{self.number}"
        for number in range(4):
            name = f"{box}{number}"
            data = self._some(500)
            self.web.put(f"quick/{name}", data)
            self.expected[f"{self._target('Box')}/{name}"] = data
        self._post("Box", [f"https://demo.invalid/d/{box}"])
        self.downloads += 3

    def _archives(self) -> None:
        for package, name, options, more in (
            ("Zip", "a.zip", ["-mx0"], {"unpacked": True}),
            ("Secret", "b.7z", ["-psecret", "-mhe=on"], {"passwords": ["wrong", "secret"]}),
            ("Parts", "c.7z", ["-mx0", "-v200k"], {"unpacked": True}),
        ):
            inside = {"read me.txt": b"hello\n", "in/one.bin": self._some(700 * KIB)}
            self.folder.mkdir(exist_ok=True)
            seven_zip(self.folder, name, *options, files=inside)
            files = {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}
            for path in self.folder.iterdir():
                path.unlink()
            self._ask(package, "quick", files, **more)
            target = self._target(package)
            self.expected |= {f"{target}/{path}": data for path, data in inside.items()}


def put_folder_plugin(data: Path, web: Web) -> None:
    put_plugin(data / "downloads", plugin_text(*PLUGIN), base=f"http://127.0.0.1:{web.port}")
