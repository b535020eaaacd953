"""The second rig: etcd and kube-apiserver, built by tests/plane, on loopback with TLS and RBAC."""
import base64
import socket
import subprocess
from pathlib import Path
from typing import Optional

import requests
import yaml

from .api import Api, ApiError, Json
from .certificates import Authority, KeyPair
from .garbage import GarbageCollector
from .polling import eventually
from .processes import Process
from .rig import ROOT, Rig

BUILD_SECONDS_MAX = 1500


def build_plane() -> tuple[Optional[Path], str]:
    """The folder of the two programs, built when needed; or None and what is missing."""
    result = subprocess.run([str(ROOT / "tests/plane/build.sh")], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=BUILD_SECONDS_MAX)
    if result.returncode != 0:  # no Go, or no way to its modules
        return None, result.stderr.strip()[-1000:]
    return Path(result.stdout.strip().splitlines()[-1]), ""


class RealPlane(Rig):
    """kube-apiserver and etcd, unchanged. There is no controller-manager and no kubelet."""

    def __init__(self, programs: Path) -> None:
        super().__init__("real")
        self._authority = Authority(self.folder / "pki")
        etcd_port, peer_port, self._port = _free_ports(3)
        self._etcd = self._start_etcd(programs / "etcd", etcd_port, peer_port)
        self._server = self._start_server(programs / "kube-apiserver", etcd_port)
        self.url = f"https://127.0.0.1:{self._port}"
        self.kubeconfig = self.write_kubeconfig(
            "admin", client=self._authority.client("admin", "system:masters"))
        self.api = Api(self.kubeconfig)
        eventually(self._is_ready, 60, f"kube-apiserver; see {self._server.log}", 0.1)
        eventually(lambda: self.api.find("/api/v1/namespaces/default"), 20, "namespace default")
        self._garbage = GarbageCollector(self.api)

    def is_running(self) -> bool:
        return self._server.is_running() and self._etcd.is_running()

    def stop(self) -> None:
        self.stop_schedulers()
        self._garbage.stop()
        self._server.kill()  # it would wait ten seconds for the watches to end
        self._etcd.kill()

    def write_kubeconfig(self, name: str, client: Optional[KeyPair] = None,
                         user: Optional[Json] = None) -> Path:
        """A kubeconfig with an embedded client certificate, or with the user section as given."""
        if client is not None:
            user = {"client-certificate-data": _base64(client.certificate),
                    "client-key-data": _base64(client.key)}
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": name,
            "clusters": [{"name": name, "cluster": {
                "server": self.url,
                "certificate-authority-data": _base64(self._authority.ca.certificate)}}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}]}))
        return path

    def client_certificate(self, user: str, group: str) -> KeyPair:
        return self._authority.client(user, group)

    @property
    def ca_file(self) -> Path:
        return self._authority.ca.certificate

    def service_account_token(self, namespace: str, name: str, seconds: int = 3600) -> str:
        """A token from TokenRequest; the account is made when it does not exist."""
        accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        if self.api.find(f"{accounts}/{name}") is None:
            self.api.post(accounts, {"metadata": {"name": name}})
        answer = self.api.post(f"{accounts}/{name}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": seconds}})
        return answer["status"]["token"]

    def _start_etcd(self, program: Path, port: int, peer_port: int) -> Process:
        client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
        return Process([
            str(program), "--data-dir", str(self.folder / "etcd"), "--unsafe-no-fsync",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}", "--log-level", "warn",
        ], self.folder / "etcd.log")

    def _start_server(self, program: Path, etcd_port: int) -> Process:
        server = self._authority.server("kube-apiserver")
        key = self._authority.service_account_key()
        return Process([
            str(program), "--etcd-servers", f"http://127.0.0.1:{etcd_port}",
            "--bind-address", "127.0.0.1", "--secure-port", str(self._port),
            "--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.0.0.0/24",
            "--tls-cert-file", str(server.certificate), "--tls-private-key-file", str(server.key),
            "--client-ca-file", str(self._authority.ca.certificate),
            "--authorization-mode", "RBAC", "--anonymous-auth=true",
            "--service-account-issuer", "https://kubernetes.default.svc",
            "--service-account-key-file", str(key), "--service-account-signing-key-file", str(key),
            # No controller-manager runs: nobody would make the default service accounts, nor take
            # the not-ready taint from new nodes.
            "--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition",
        ], self.folder / "kube-apiserver.log")

    def _is_ready(self) -> bool:
        for process in (self._etcd, self._server):
            assert process.is_running(), f"ended early: {process.output()}"
        try:
            return self.api.request("GET", "/readyz").ok
        except (requests.ConnectionError, ApiError):
            return False


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nobody listens on at this moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
