"""A real Prometheus that scrapes a fake ObserverWard exporter: the ten metrics of GPUs, node by node."""
import http.server
import ssl
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import requests
import yaml

from ..client.api import Api
from ..plane.certificates import KeyPair
from ..plane.endpoints import write_endpoints
from ..process.polling import eventually
from ..process.ports import free_ports
from ..process.processes import Daemon
from ..process.programs import programs

MODEL = "NVIDIA A100-SXM4-40GB"


@dataclass
class Gpu:
    """As ObserverWard shows one: MiB, watts, and percent that its codecs are busy."""
    free: float
    size: float = 40960
    model: str = MODEL
    watts: float = 50
    encoder: float = 0
    decoder: float = 0

    def lines(self, number: int) -> list[str]:
        labels = f'{{id="{number}",uuid="GPU-{number}",model="{self.model}"}}'
        dynamic = {"used_global_memory_MiB": self.size - self.free, "free_global_memory_MiB": self.free,
                   "power_usage_W": self.watts, "encoder_utilization": self.encoder,
                   "decoder_utilization": self.decoder, "memory_utilization": 0}
        static = {"memory_size": self.size, "multiprocessor_count": 108, "shared_decoder_count": 5,
                  "shared_encoder_count": 0}
        return [f"observerward_{kind}_gpu_{name}{labels} {value}"
                for kind, values in (("dynamic", dynamic), ("static", static)) for name, value in values.items()]


class Exporter:
    """One for all nodes: /metrics/<node>, 404 for a node that it does not have. `gpus` may be changed at any time."""

    def __init__(self) -> None:
        self.gpus: dict[str, list[Gpu]] = {}
        exporter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                gpus = exporter.gpus.get(self.path.rsplit("/", 1)[-1])
                body = "\n".join(line for number, gpu in enumerate(gpus or []) for line in gpu.lines(number)) + "\n"
                self.send_response(404 if gpus is None else 200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Prometheus(Daemon):
    """Scrapes the exporter each second for the given nodes; `labelled` False: as if nobody had relabelled the series."""

    def __init__(self, exporter: Exporter, nodes: list[str], folder: Path, labelled: bool = True,
                 address: str = "127.0.0.1") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        port, = free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        config = folder / "prometheus.yaml"
        config.write_text(yaml.safe_dump({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [{
                "job_name": f"observerward-{node}", "metrics_path": f"/metrics/{node}",
                "static_configs": [{"targets": [f"127.0.0.1:{exporter.port}"],
                                    "labels": {"kubernetes_node": node} if labelled else {}}]} for node in nodes]}))
        super().__init__([
            str(programs("prometheus") / "prometheus"), f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={address}:{port}", "--log.level=warn",
        ], folder / "prometheus.log")
        self._await_ready()
        eventually(lambda: len(self.query("observerward_static_gpu_memory_size")) == sum(map(len, exporter.gpus.values())),
                   15, "each exporter to be scraped")

    def restart(self) -> None:
        """With the same data, on the same port; ready when it returns."""
        super().restart()
        self._await_ready()

    def query(self, text: str) -> list[dict]:
        answer = requests.get(f"{self.url}/api/v1/query", params={"query": text}, timeout=5, proxies={"http": ""})
        return answer.json()["data"]["result"]

    def free(self, node: str) -> Optional[float]:
        """What it knows of the node's first GPU."""
        found = self.query(f'observerward_dynamic_gpu_free_global_memory_MiB{{kubernetes_node="{node}",id="0"}}')
        return float(found[0]["value"][1]) if found else None

    def queries_answered(self) -> float:
        """Instant queries since it was started, by its own page: it does not scrape itself."""
        page = requests.get(f"{self.url}/metrics", timeout=5, proxies={"http": ""}).text
        return sum(float(line.split()[-1]) for line in page.splitlines()
                   if line.startswith("prometheus_http_requests_total") and 'handler="/api/v1/query"' in line)

    def serve(self, api: Api, namespace: str) -> dict[str, object]:
        """A Service in front of it, for the API server, which goes to pods only, and to no loopback address."""
        port = int(self.url.rsplit(":", 1)[-1])
        address = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()[0]
        ports = [{"name": "web", "port": port}]
        api.post(f"/api/v1/namespaces/{namespace}/services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "prometheus"}, "spec": {"ports": ports}})
        write_endpoints(api, namespace, "prometheus", "prometheus", address, "web", [port])
        pods = f"/api/v1/namespaces/{namespace}/pods"
        api.post(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "prometheus"}, "spec": {
            "schedulerName": "somebody-else", "containers": [{"name": "main", "image": "none"}]}})
        api.patch(f"{pods}/prometheus/status", {"status": {"podIP": address, "podIPs": [{"ip": address}]}})
        return {"namespace": namespace, "name": "prometheus", "port": "web"}

    def _await_ready(self) -> None:
        def is_ready() -> bool:
            try:
                return requests.get(f"{self.url}/-/ready", timeout=5, proxies={"http": ""}).ok
            except requests.RequestException:
                return False
        eventually(is_ready, 30, f"Prometheus; see {self.log}", 0.05)


class TokenGate:
    """TLS in front of a Prometheus, for whoever shows the token; an empty one: for everybody."""

    def __init__(self, behind: str, pair: KeyPair, token: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if token and self.headers.get("Authorization") != f"Bearer {token}":
                    self._answer(401, b"who are you?")
                    return
                answer = requests.get(behind + self.path, timeout=5, proxies={"http": ""})
                self._answer(answer.status_code, answer.content)

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
