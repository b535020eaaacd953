#!/usr/bin/python3
"""Plain manifests for those who install without helm: charts/manifests, made from the chart.

Usage: manifests.py HELM      writes them anew; a test fails when they are not what the chart makes
"""
import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

CHARTS = Path(__file__).resolve().parents[1] / "charts"
MANIFESTS = CHARTS / "manifests"
KUBECONFIG = "/etc/kubernetes/scheduler.conf"
DEPLOYMENT_HEAD = """\
# Made from the chart by scripts/manifests.py:
#   kubectl apply -f as-deployment.yaml
"""
STATIC_POD_HEAD = f"""\
# Made from the chart by scripts/manifests.py: for the kubelet's manifest folder on a control plane node.
# It has the rights of {KUBECONFIG}, which cannot hold a Lease of another name: one replica alone.
"""


def rendered(helm: str) -> list[dict[str, Any]]:
    """The chart's objects with values.yaml, but for those that only a running release needs."""
    text = subprocess.run(
        [helm, "template", "gang-scheduler", str(CHARTS / "gang-scheduler"), "--namespace", "kube-system",
         "--kube-version", "1.37", "--values", str(MANIFESTS / "values.yaml")],
        check=True, capture_output=True, text=True).stdout
    return [item for item in yaml.safe_load_all(text) if item]


def static_pod(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The Deployment's pod, which reads a file of its node instead of a token."""
    template = next(item for item in objects if item["kind"] == "Deployment")["spec"]["template"]
    spec = template["spec"]
    container = copy.deepcopy(spec["containers"][0])
    profile = [argument for argument in container["args"] if argument.startswith("--profile")]
    container["args"] = ["run", f"--kubeconfig={KUBECONFIG}", "--leader-elect=false", *profile]
    container["volumeMounts"] = [{"name": "kubeconfig", "mountPath": KUBECONFIG, "readOnly": True}]
    labels = {"app.kubernetes.io/name": "gang-scheduler", "app.kubernetes.io/instance": "static"}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "gang-scheduler", "namespace": "kube-system", "labels": labels},
        "spec": {
            "hostNetwork": True,  # the kubeconfig may name the node's own address
            "priorityClassName": "system-node-critical",
            # The file is root's alone. Without capabilities root may read it, and nothing of others.
            "securityContext": {"runAsUser": 0, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [container],
            "volumes": [{"name": "kubeconfig", "hostPath": {"path": KUBECONFIG, "type": "File"}}]}}


def manifests(helm: str) -> dict[str, str]:
    """Text by file name."""
    objects = rendered(helm)
    return {"as-deployment.yaml": DEPLOYMENT_HEAD + yaml.safe_dump_all(objects, sort_keys=False, width=120),
            "as-static-pod.yaml": STATIC_POD_HEAD + yaml.safe_dump(static_pod(objects), sort_keys=False, width=120)}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name, text in manifests(sys.argv[1]).items():
        (MANIFESTS / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
