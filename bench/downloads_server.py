"""nginx on loopback with files to fetch, over HTTP and TLS."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.real_servers import accepts, free_port, running

_CONFIG = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{http}; listen 127.0.0.1:{https} ssl;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    root {folder}/files;
  }}
}}
"""


@dataclass(frozen=True)
class Server:
    folder: Path
    http: str
    https: str

    @property
    def ca_file(self) -> str:
        return str(self.folder / "cert.pem")


@contextmanager
def server(folder: Path, big: int, small: int, count: int) -> Iterator[Server]:
    """Serve a file `big` of the given size, and files `0`, `1`, … of `small` bytes each."""
    files = folder / "files"
    files.mkdir()
    with (files / "big").open("wb") as file:
        for _ in range(big >> 20):
            file.write(os.urandom(1 << 20))
    for number in range(count):
        (files / str(number)).write_bytes(os.urandom(small))
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 3 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    keys = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command.split(), *names, *keys], check=True, capture_output=True)
    http, https = free_port(), free_port()
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, http=http, https=https))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    arguments = [program, "-e", str(folder / "error.log"), "-c", str(config)]
    with running(arguments, lambda: accepts(http)):
        yield Server(folder, f"http://127.0.0.1:{http}", f"https://127.0.0.1:{https}")
