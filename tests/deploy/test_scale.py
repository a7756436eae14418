"""Files for a site of several processes: commands, variables, and a proxy that really keeps."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from quartet.kernel.settings import load
from quartet.services import service
from tests.deploy.commands import understood
from tests.deploy.known import DEPLOY, PORTS, variables
from tests.needs import lacking
from tests.real_servers import accepts, free_port, running

# Read by the S3 client itself.
OF_S3 = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
PROXIES = DEPLOY / "proxies"
PICTURE = "/api/map/icon-eu/1794722400/3.png"


def compose() -> dict[str, Any]:
    file = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text())
    found: dict[str, Any] = file["services"]
    return found


def kustomize() -> list[dict[str, Any]]:
    folder = DEPLOY / "kustomize"
    names = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [part for name in names for part in yaml.safe_load_all((folder / name).read_text())]


def pods() -> dict[str, Any]:
    found = [each for each in kustomize() if each["kind"] == "Deployment"]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in found}


def literals() -> dict[str, str]:
    """Every variable that the pods are given."""
    found = yaml.safe_load((DEPLOY / "kustomize/kustomization.yaml").read_text())
    generators = [*found["configMapGenerator"], *found["secretGenerator"]]
    lines = [line for each in generators for line in each["literals"]]
    return dict(line.split("=", 1) for line in lines)


def test_compose_starts_what_the_program_knows() -> None:
    for name, role in (("web", "web"), ("worker", None)):
        words = compose()[name]["command"]
        understood(words)
        assert role is None or role in words
        assert set(compose()[name]["environment"]) <= variables("wind") | OF_S3
        understood(compose()[name]["healthcheck"]["test"][2:])


def test_a_process_has_time_to_drain() -> None:
    web = compose()["web"]
    drain = float(web["environment"]["WIND_DRAIN_SECONDS"])
    assert drain + 5 < float(web["stop_grace_period"].removesuffix("s"))
    pod = pods()["wind-web"]
    assert float(literals()["WIND_DRAIN_SECONDS"]) + 5 < pod["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("name", ["wind-web", "wind-worker"])
def test_a_pod_starts_what_the_program_knows(name: str) -> None:
    (container,) = pods()[name]["containers"]
    understood(container["args"])
    assert set(literals()) <= variables("wind") | OF_S3
    assert container["ports"][0]["containerPort"] == PORTS["wind"]
    mounted = [each["mountPath"] for each in container["volumeMounts"]]
    assert mounted == [literals()["WIND_DATA"]]


def test_what_the_pods_are_given_can_be_used() -> None:
    wind = service("wind")
    for role in ("web", "worker"):
        settings = load(wind.settings, wind.prefix, environ=literals(), flags={"role": role})
        assert wind.prepare(settings.values).role == role


def test_readiness_is_asked_where_it_is_told() -> None:
    (container,) = pods()["wind-web"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/api/ready"
    assert "health_uri /api/ready" in (PROXIES / "wind.caddyfile").read_text()


class Origin(BaseHTTPRequestHandler):
    """Counts what nginx did not answer by itself."""

    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        immutable = self.path == PICTURE
        kept = "public, max-age=31536000, immutable" if immutable else "private, no-store"
        self.send_response(200 if immutable or self.path == "/api/me" else 404)
        self.send_header("cache-control", kept)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        lacking("nginx is not installed")
    origin = ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    port = free_port()
    site = (PROXIES / "wind.nginx.conf").read_text()
    site = site.replace("server web:8450", f"server 127.0.0.1:{origin.server_port}")
    site = site.replace("listen 80", f"listen 127.0.0.1:{port}")
    site = site.replace("/var/cache/nginx/wind", str(tmp_path / "kept"))
    temporary = " ".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log stderr error;"
        f" events {{}} http {{ access_log off; {temporary}\n{site} }}"
    )
    command = [program, "-c", str(config), "-p", str(tmp_path), "-e", "stderr"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    Origin.asked.clear()
    with running(command, lambda: accepts(port)):
        yield f"http://127.0.0.1:{port}"
    origin.shutdown()
    origin.server_close()


def test_nginx_keeps_pictures_and_nothing_else(nginx: str) -> None:
    for path, told in ((PICTURE, 200), ("/api/me", 200), ("/api/map/icon-eu/1/3.png", 404)):
        answers = [httpx.get(nginx + path) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [told] * 3
    assert Origin.asked.count(PICTURE) == 1
    assert Origin.asked.count("/api/me") == Origin.asked.count("/api/map/icon-eu/1/3.png") == 3
