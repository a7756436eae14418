"""Check the deployment files for several processes, and run the nginx configuration."""

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
from tests.deploy.commands import check_command
from tests.deploy.reference import DEPLOY, PORTS, variables
from tests.prerequisites import missing_prerequisite
from tests.real_servers import accepts, free_port, running

# Read by the S3 client, not by the settings.
S3_VARIABLES = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
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
    """Return every variable set for the pods."""
    found = yaml.safe_load((DEPLOY / "kustomize/kustomization.yaml").read_text())
    generators = [*found["configMapGenerator"], *found["secretGenerator"]]
    lines = [line for each in generators for line in each["literals"]]
    return dict(line.split("=", 1) for line in lines)


def test_scale_compose_commands_and_variables_are_valid() -> None:
    for name, role in (("web", "web"), ("worker", None)):
        words = compose()[name]["command"]
        check_command(words)
        assert role is None or role in words
        assert set(compose()[name]["environment"]) <= variables("wind") | S3_VARIABLES
        check_command(compose()[name]["healthcheck"]["test"][2:])


def test_stop_grace_period_exceeds_drain_time() -> None:
    web = compose()["web"]
    drain = float(web["environment"]["WIND_DRAIN_SECONDS"])
    assert drain + 5 < float(web["stop_grace_period"].removesuffix("s"))
    pod = pods()["wind-web"]
    assert float(literals()["WIND_DRAIN_SECONDS"]) + 5 < pod["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("name", ["wind-web", "wind-worker"])
def test_pod_command_variables_and_mounts_are_valid(name: str) -> None:
    (container,) = pods()[name]["containers"]
    check_command(container["args"])
    assert set(literals()) <= variables("wind") | S3_VARIABLES
    assert container["ports"][0]["containerPort"] == PORTS["wind"]
    mounted = [each["mountPath"] for each in container["volumeMounts"]]
    assert mounted == [literals()["WIND_DATA"]]


def test_pod_settings_can_be_loaded() -> None:
    wind = service("wind")
    for role in ("web", "worker"):
        settings = load(wind.settings, wind.prefix, environ=literals(), flags={"role": role})
        assert wind.prepare(settings.values).role == role


def test_readiness_probes_use_ready_endpoint() -> None:
    (container,) = pods()["wind-web"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/api/ready"
    assert "health_uri /api/ready" in (PROXIES / "wind.caddyfile").read_text()


class Origin(BaseHTTPRequestHandler):
    """Records the requests that reach the origin because nginx had no cached copy."""

    requests: list[str] = []

    def do_GET(self) -> None:
        self.requests.append(self.path)
        immutable = self.path == PICTURE
        cache_control = "public, max-age=31536000, immutable" if immutable else "private, no-store"
        self.send_response(200 if immutable or self.path == "/api/me" else 404)
        self.send_header("cache-control", cache_control)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        missing_prerequisite("nginx is not installed")
    origin = ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    port = free_port()
    site = (PROXIES / "wind.nginx.conf").read_text()
    site = site.replace("server web:8450", f"server 127.0.0.1:{origin.server_port}")
    site = site.replace("listen 80", f"listen 127.0.0.1:{port}")
    site = site.replace("/var/cache/nginx/wind", str(tmp_path / "cache"))
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
    Origin.requests.clear()
    with running(command, lambda: accepts(port)):
        yield f"http://127.0.0.1:{port}"
    origin.shutdown()
    origin.server_close()


def test_nginx_caches_map_pictures_only(nginx: str) -> None:
    for path, status in ((PICTURE, 200), ("/api/me", 200), ("/api/map/icon-eu/1/3.png", 404)):
        answers = [httpx.get(nginx + path) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [status] * 3
    assert Origin.requests.count(PICTURE) == 1
    assert (
        Origin.requests.count("/api/me") == Origin.requests.count("/api/map/icon-eu/1/3.png") == 3
    )
