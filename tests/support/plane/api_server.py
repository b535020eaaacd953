"""kube-apiserver as the real rig starts it, one or several over one etcd."""
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional, Sequence

import requests
import yaml

from .certificates import Authority, KeyPair
from ..client.json_type import Json
from ..process.ports import free_ports
from ..process.processes import Daemon


@dataclass(frozen=True)
class Keys:
    """What all API servers of one plane share."""

    authority: Authority
    server: KeyPair
    service_account: Path  # signs and checks tokens

    @staticmethod
    def make(folder: Path) -> "Keys":
        authority = Authority(folder)
        return Keys(authority, authority.server("kube-apiserver"), authority.service_account_key())


class ApiServer(Daemon):
    """On loopback with TLS and RBAC, at `url`; kill() and restart() keep its port.

    `audit_log` is written when asked for: one line of JSON per request, at level Metadata.
    """

    def __init__(self, program: Path, folder: Path, keys: Keys, etcd_url: str, audit: bool,
                 has_controllers: bool, more: Sequence[str] = ()) -> None:
        port, = free_ports(1)
        self.url = f"https://127.0.0.1:{port}"
        self._ca = keys.authority.ca.certificate
        self.audit_log: Optional[Path] = folder / f"audit-{port}.log" if audit else None
        command = [
            str(program), "--etcd-servers", etcd_url,
            "--bind-address", "127.0.0.1", "--secure-port", str(port),
            "--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.0.0.0/24",
            "--tls-cert-file", str(keys.server.certificate),
            "--tls-private-key-file", str(keys.server.key),
            "--client-ca-file", str(keys.authority.ca.certificate),
            "--authorization-mode", "RBAC", "--anonymous-auth=true",
            "--service-account-issuer", "https://kubernetes.default.svc",
            "--service-account-key-file", str(keys.service_account),
            "--service-account-signing-key-file", str(keys.service_account),
        ]
        if not has_controllers:
            # Nobody would make the default service accounts, nor take the not-ready taint from new
            # nodes.
            command += ["--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition"]
        if self.audit_log is not None:
            policy = folder / "audit-policy.yaml"
            policy.write_text(yaml.safe_dump({
                "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
                "omitStages": ["RequestReceived"], "rules": [{"level": "Metadata"}]}))
            command += ["--audit-policy-file", str(policy), "--audit-log-path", str(self.audit_log)]
        super().__init__([*command, *more], folder / f"kube-apiserver-{port}.log")

    def is_ready(self) -> bool:
        assert self.is_running(), f"ended early: {self.output()}"
        try:
            return requests.get(f"{self.url}/readyz", timeout=10, verify=str(self._ca),
                                proxies={"https": ""}).ok
        except requests.RequestException:
            return False

    def audited(self, user: str = "") -> Iterator[Json]:
        """The audit events so far, of one user or of all; watches appear when they begin and end."""
        assert self.audit_log is not None, "the plane was started without audit=True"
        if not self.audit_log.exists():
            return
        for line in self.audit_log.read_text().splitlines():
            event = json.loads(line)
            if not user or event["user"].get("username") == user:
                yield event
