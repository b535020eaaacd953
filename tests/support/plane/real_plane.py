"""The second rig: etcd and kube-apiserver, built by tests/plane, on loopback with TLS and RBAC."""
import base64
from pathlib import Path
from typing import Optional, Sequence

import yaml

from ..client.api import Api, Json
from .api_server import ApiServer, Keys
from .certificates import KeyPair
from .chart import NAMESPACE, RELEASE, SEAL_KEY_FILE, Rights
from .controllers import Component, ControllerManager, KubeScheduler
from .etcd import Etcd
from .fault_proxy import FaultProxy
from .garbage import GarbageCollector
from ..process.polling import eventually
from ..process.programs import programs
from .rig import Rig, Scheduler

READY_SECONDS_MAX = 60
PROXIED_ADMIN = "proxied-admin"


class RealPlane(Rig):
    """kube-apiserver and etcd, unchanged; no kubelet, and controllers only when asked for.

    `etcd` and `servers` can be killed, restarted and paused (processes.Daemon). Options:
    api_servers   so many, over the one etcd; `url`, `api` and `kubeconfig` mean the first
    audit         each server writes `audit_log`
    etcd_proxies  each server reaches etcd through a proxy of its own, in `etcd_proxies`
    controllers   kube-controller-manager, in `controller_manager`; a new node is then tainted until it is
                  Ready, and unreachable when its lease is not renewed for node_grace_seconds
    scheduler     kube-scheduler, in `kube_scheduler`, for pods that name no other
    server_arguments   more flags of each kube-apiserver

    After use_chart() every scheduler runs with the rights and the configuration of the Helm chart, also
    where a test names a kubeconfig with full rights.
    """

    def __init__(self, api_servers: int = 1, audit: bool = False, etcd_proxies: bool = False,
                 controllers: bool = False, node_grace_seconds: int = 50,
                 scheduler: bool = False, server_arguments: Sequence[str] = ()) -> None:
        super().__init__("real")
        server = programs("server")
        self._keys = Keys.make(self.folder / "pki")
        self.etcd = Etcd(server / "etcd", self.folder)
        self.etcd_proxies = [FaultProxy(self.folder, self.etcd.url, is_bytes=True)
                             for _ in range(api_servers if etcd_proxies else 0)]
        roads = [proxy.url for proxy in self.etcd_proxies] or [self.etcd.url] * api_servers
        self.servers = [ApiServer(server / "kube-apiserver", self.folder, self._keys, road, audit,
                                  has_controllers=controllers, more=server_arguments)
                        for road in roads]
        self.url = self.servers[0].url
        self.kubeconfig = self.write_kubeconfig(
            "admin", client=self._keys.authority.client("admin", "system:masters"))
        self.api = Api(self.kubeconfig)
        self.wait_ready()
        eventually(lambda: self.api.find("/api/v1/namespaces/default"), 20, "namespace default")
        self.controller_manager: Optional[ControllerManager] = None
        self.kube_scheduler: Optional[KubeScheduler] = None
        self._garbage: Optional[GarbageCollector] = None
        self.has_controllers = controllers
        self.chart: Optional[Rights] = None
        if controllers:
            self.controller_manager = ControllerManager(
                programs("controllers") / "kube-controller-manager", self.folder, self.kubeconfig,
                self._keys, node_grace_seconds)
        else:
            self._garbage = GarbageCollector(self.api)
        if scheduler:
            self.kube_scheduler = KubeScheduler(programs("controllers") / "kube-scheduler",
                                                self.folder, self.kubeconfig)
        for component in self._components():
            component.wait_ready()

    def is_running(self) -> bool:
        return self.etcd.is_running() and all(server.is_running() for server in self.servers)

    def wait_ready(self, timeout: float = READY_SECONDS_MAX) -> None:
        """Until every API server says so, for instance after a restart."""
        for server in self.servers:
            eventually(server.is_ready, timeout, f"kube-apiserver; see {server.log}", 0.1)

    def stop(self) -> None:
        self.stop_schedulers()
        self.stop_proxies()
        if self._garbage is not None:
            self._garbage.stop()
        for component in self._components():
            component.kill()
        for server in self.servers:
            server.kill()  # it would wait ten seconds for the watches to end
        for proxy in self.etcd_proxies:
            proxy.stop()
        self.etcd.kill()

    def use_chart(self, chart: Rights) -> None:
        chart.grant(self.api)
        key_file = self.folder / "seal.key"
        key_file.write_text(chart.seal_key)
        (self.folder / "config.yaml").write_text(chart.config.replace(SEAL_KEY_FILE, str(key_file)))
        self.chart = chart

    def role_kubeconfig(self, server: Optional[str] = None, token_file: Optional[Path] = None) -> Path:
        """A kubeconfig with a token of the chart's ServiceAccount, or with that file's, in its namespace."""
        path = self.token_kubeconfig(NAMESPACE, RELEASE, server)
        config = yaml.safe_load(path.read_text())
        config["contexts"][0]["context"]["namespace"] = NAMESPACE
        if token_file is not None:
            config["users"][0]["user"] = {"tokenFile": str(token_file)}
            path = path.with_name(f"{path.stem}-file.kubeconfig")
        path.write_text(yaml.safe_dump(config))
        return path

    def start_scheduler(self, arguments: Sequence[str] = ("--leader-elect=false",),
                        kubeconfig: Optional[Path] = None, log: Optional[Path] = None) -> Scheduler:
        chosen = kubeconfig or self.kubeconfig
        config = yaml.safe_load(chosen.read_text())
        is_admin = config.get("current-context", "").startswith(("admin", PROXIED_ADMIN))
        if self.chart is not None and is_admin:
            chosen = self.role_kubeconfig(config["clusters"][0]["cluster"]["server"])
        return super().start_scheduler(arguments, chosen, log)

    def _configuration(self) -> list[str]:
        return ["--config", str(self.folder / "config.yaml")] if self.chart is not None else []

    def proxied_kubeconfig(self, proxy: FaultProxy) -> Path:
        return self.token_kubeconfig("kube-system", PROXIED_ADMIN, proxy.url, is_admin=True)

    def token_kubeconfig(self, namespace: str, name: str, server: Optional[str] = None,
                         is_admin: bool = False) -> Path:
        """A kubeconfig with a token of that ServiceAccount; `server` is another URL than the first's.

        The account is made when it does not exist; is_admin binds it to cluster-admin.
        """
        token = self.service_account_token(namespace, name)
        if is_admin:
            self._bind_cluster_admin(namespace, name)
        file_name = f"{name}-{(server or self.url).rsplit(':', 1)[1]}"
        return self.write_kubeconfig(file_name, user={"token": token}, server=server)

    def write_kubeconfig(self, name: str, client: Optional[KeyPair] = None,
                         user: Optional[Json] = None, server: Optional[str] = None) -> Path:
        """A kubeconfig with an embedded client certificate, or with the user section as given.

        `server` is the URL of another API server than the first, or of a proxy.
        """
        if client is not None:
            user = {"client-certificate-data": _base64(client.certificate),
                    "client-key-data": _base64(client.key)}
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": name,
            "clusters": [{"name": name, "cluster": {
                "server": server or self.url,
                "certificate-authority-data": _base64(self._keys.authority.ca.certificate)}}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}]}))
        return path

    def client_certificate(self, user: str, group: str) -> KeyPair:
        return self._keys.authority.client(user, group)

    @property
    def ca_file(self) -> Path:
        return self._keys.authority.ca.certificate

    def service_account_token(self, namespace: str, name: str, seconds: int = 3600) -> str:
        """A token from TokenRequest; the account is made when it does not exist."""
        accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        if self.api.find(f"{accounts}/{name}") is None:
            self.api.post(accounts, {"metadata": {"name": name}})
        answer = self.api.post(f"{accounts}/{name}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": seconds}})
        return answer["status"]["token"]

    def _components(self) -> list[Component]:
        return [each for each in (self.controller_manager, self.kube_scheduler) if each is not None]

    def _bind_cluster_admin(self, namespace: str, name: str) -> None:
        path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
        binding = f"{namespace}-{name}-admin"
        if self.api.find(f"{path}/{binding}") is None:
            self.api.post(path, {
                "metadata": {"name": binding},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": "cluster-admin"},
                "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": name}]})

    def _make_proxy(self) -> FaultProxy:
        return FaultProxy(self.folder, self.url, ca=self._keys.authority.ca.certificate,
                          certificate=self._keys.server)


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
