"""Tables, as kubectl asks for them."""
from support.client.api import STRATEGIC_PATCH

from ..builders import binding, config_map, lease, pod
from ..recorder import Recorder, scenario

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"


@scenario
def tables(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("m", data={"k": "v"}))
    rig.quietly("POST", rig.path("leases", "coordination.k8s.io/v1"), lease("l"))
    rig.quietly("POST", rig.path("services"), {"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}})
    rig.quietly("POST", rig.path("secrets"), {"metadata": {"name": "s"}, "stringData": {"a": "b"}})
    rig.quietly("POST", rig.path("events"), {
        "metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": rig.namespace}, "reason": "Why",
        "message": "text", "type": "Normal", "source": {"component": "c"}})
    for name in ("waits", "bound", "running", "failed"):
        rig.quietly("POST", rig.pods, pod(name))
        if name != "waits":
            rig.quietly("POST", f"{rig.pods}/{name}/binding", binding(name, "node-a"))
    status = {"name": "main", "image": "i", "imageID": "", "ready": True, "restartCount": 0}
    rig.quietly("PATCH", f"{rig.pods}/running/status", {"status": {
        "phase": "Running", "podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}],
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{**status, "state": {"running": {}}}]}}, STRATEGIC_PATCH)
    rig.quietly("PATCH", f"{rig.pods}/failed/status", {"status": {"phase": "Failed", "containerStatuses": [
        {**status, "ready": False, "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]}}, STRATEGIC_PATCH)
    accept = {"Accept": TABLE}
    for plural in ("pods", "configmaps", "services", "secrets", "events", "serviceaccounts"):
        rig.ask(plural, "GET", rig.path(plural), headers=accept)
    rig.ask("leases", "GET", rig.path("leases", "coordination.k8s.io/v1"), headers=accept)
    rig.ask("one pod", "GET", f"{rig.pods}/running", headers=accept)
    for include in ("None", "Object", "Metadata", "Nonsense"):
        rig.ask(f"includes {include}", "GET", f"{rig.pods}/waits", headers=accept, includeObject=include)
    rig.ask("of a page", "GET", rig.pods, headers=accept, limit="2")
    rig.ask("absent", "GET", f"{rig.pods}/absent", headers=accept)
    for plural, group in (("deployments", "apps/v1"), ("statefulsets", "apps/v1"), ("jobs", "batch/v1"), ("roles", "rbac.authorization.k8s.io/v1"),
                          ("poddisruptionbudgets", "policy/v1"), ("endpointslices", "discovery.k8s.io/v1"), ("ingresses", "networking.k8s.io/v1")):
        rig.ask(f"no {plural}", "GET", rig.path(plural, group), headers=accept)
    rig.quietly("DELETE", rig.pods, {"gracePeriodSeconds": 0})
