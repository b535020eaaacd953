"""Discovery: what is served must be described as the real server describes it."""
from typing import Optional

from support.client.api import Json

from ..recorder import Recorder, scenario

GROUPS = ("", "apps", "authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch", "coordination.k8s.io",
          "discovery.k8s.io", "events.k8s.io", "networking.k8s.io", "node.k8s.io", "policy",
          "rbac.authorization.k8s.io", "scheduling.k8s.io", "storage.k8s.io")


def described(resource: Json) -> Json:
    """Without the hash, which depends on the server's other versions."""
    return {key: value for key, value in resource.items() if key != "storageVersionHash"}


@scenario
def resources_of_each_group(rig: Recorder) -> None:
    """Only what the embedded server serves; the real one has more."""
    for group in GROUPS:
        version = "v2" if group == "autoscaling" else "v1"
        root = f"/apis/{group}/{version}" if group else "/api/v1"
        answer = rig.quietly("GET", root)
        rig.note(f"{group or 'core'}: head", {key: answer.body[key] for key in ("kind", "groupVersion")})
        for resource in answer.body["resources"]:
            rig.note(f"{group or 'core'} {resource['name']}", described(resource))


@scenario
def roots(rig: Recorder) -> None:
    core = rig.quietly("GET", "/api").body
    rig.note("/api", {"kind": core["kind"], "versions": core["versions"]})
    groups = rig.quietly("GET", "/apis").body
    rig.note("/apis", {"kind": groups["kind"], "apiVersion": groups["apiVersion"]})
    for group in groups["groups"]:
        rig.note(f"group {group['name']}", {"preferred": group["preferredVersion"]})
    for path in ("/healthz", "/livez", "/readyz"):
        rig.ask(path, "GET", path)
    version = rig.quietly("GET", "/version").body
    rig.note("fields of /version", sorted(version))


@scenario
def aggregated_discovery(rig: Recorder) -> None:
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    for path in ("/api", "/apis"):
        answer = rig.quietly("GET", path, headers={"Accept": accept})
        rig.note(f"{path}: type", answer.content_type)
        rig.note(f"{path}: kind", [answer.body.get("kind"), answer.body.get("apiVersion")])
        for group in answer.body.get("items", []):
            name = group["metadata"].get("name", "core")
            resources = {resource["resource"]: resource for resource in group["versions"][0]["resources"]}
            for plural, resource in resources.items():
                rig.note(f"{name} {plural}", {key: value for key, value in resource.items() if key != "subresources"})
                for part in resource.get("subresources", []):
                    rig.note(f"{name} {plural} {part['subresource']}", part)


@scenario
def openapi(rig: Recorder) -> None:
    index = rig.quietly("GET", "/openapi/v3").body
    rig.note("core is described", "api/v1" in index.get("paths", {}))
    path: Optional[str] = index.get("paths", {}).get("api/v1", {}).get("serverRelativeURL")
    schemas = rig.quietly("GET", path).body.get("components", {}).get("schemas", {}) if path else {}
    for name in ("io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.ConfigMap"):
        schema = schemas.get(name, {})
        rig.note(f"{name}: properties", sorted(schema.get("properties", {})))
        rig.note(f"{name}: kind", schema.get("x-kubernetes-group-version-kind"))
