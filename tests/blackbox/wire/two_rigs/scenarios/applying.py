"""Server-side apply."""
import json

from support.client.api import APPLY_PATCH

from ..builders import config_map, pod
from ..recorder import Answer, Recorder, scenario

YAML = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: yaml
  labels: {made: "by yaml"}
data:
  text: |
    two
    lines
  quoted: 'yes'
"""


def apply(rig: Recorder, label: str, body: object, manager: str = "one", **params: str) -> Answer:
    name = body["metadata"]["name"] if isinstance(body, dict) else "yaml"
    answer = rig.ask(label, "PATCH", f"{rig.maps}/{name}", body, APPLY_PATCH, fieldManager=manager, **params)
    if answer.status < 300:
        rig.note(f"{label}: managers", sorted(
            (entry["manager"], entry["operation"], entry.get("subresource", ""))
            for entry in answer.body["metadata"].get("managedFields", []) if entry["operation"] == "Apply"))
    return answer


@scenario
def apply_creates_updates_and_conflicts(rig: Recorder) -> None:
    apply(rig, "create", config_map("a", {"l": "1"}, data={"k": "v", "mine": "1"}))
    apply(rig, "again", config_map("a", {"l": "1"}, data={"k": "v", "mine": "1"}))
    apply(rig, "a field is given up", config_map("a", {"l": "1"}, data={"k": "v"}))
    apply(rig, "another adds", config_map("a", data={"other": "1"}), "two")
    apply(rig, "another agrees", config_map("a", data={"other": "1", "k": "v"}), "two")
    apply(rig, "conflict", config_map("a", data={"k": "w"}), "three")
    apply(rig, "forced", config_map("a", data={"k": "w"}), "three", force="true")
    apply(rig, "the first lost it", config_map("a", {"l": "1"}, data={"k": "v"}))
    apply(rig, "shared field given up by one", config_map("a"), "two")
    rig.ask("the end", "GET", f"{rig.maps}/a")
    apply(rig, "dry run", config_map("dry", data={"k": "v"}), dryRun="All")
    rig.ask("dry run made nothing", "GET", f"{rig.maps}/dry")


@scenario
def apply_after_other_writes(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a", data={"k": "v"}), fieldManager="creator")
    apply(rig, "conflict with a creator", config_map("a", data={"k": "w"}))
    apply(rig, "agrees with the creator", config_map("a", data={"k": "v"}))
    rig.quietly("PATCH", f"{rig.maps}/a", {"data": {"k": "x"}}, "application/merge-patch+json", fieldManager="patcher")
    apply(rig, "conflict with a patch", config_map("a", data={"k": "v"}))


@scenario
def apply_of_pods(rig: Recorder) -> None:
    body = pod("a")
    for label, change in (("create", {}), ("again", {}), ("labels", {"labels": {"x": "1"}})):
        body["metadata"].update(change)
        rig.ask(label, "PATCH", f"{rig.pods}/a", body, APPLY_PATCH, fieldManager="one")
    status = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "status": {"conditions": [
        {"type": "example.com/ready", "status": "True"}]}}
    rig.ask("status", "PATCH", f"{rig.pods}/a/status", status, APPLY_PATCH, fieldManager="conditions", force="true")
    rig.ask("a list with keys", "PATCH", f"{rig.pods}/a", {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "main", "image": "image:2"}]}}, APPLY_PATCH, fieldManager="two", force="true")


@scenario
def apply_errors(rig: Recorder) -> None:
    path = f"{rig.maps}/a"
    whole = config_map("a")
    for label, body, params in (
            ("no manager", whole, {}), ("no kind", {"apiVersion": "v1", "metadata": {"name": "a"}}, {"fieldManager": "x"}),
            ("no version", {"kind": "ConfigMap", "metadata": {"name": "a"}}, {"fieldManager": "x"}),
            ("another name", config_map("b"), {"fieldManager": "x"}),
            ("another kind", {**whole, "kind": "Secret"}, {"fieldManager": "x"}),
            ("no name", {"apiVersion": "v1", "kind": "ConfigMap"}, {"fieldManager": "x"}),
            ("managed fields", {**whole, "metadata": {"name": "a", "managedFields": [{"manager": "x"}]}}, {"fieldManager": "x"}),
            ("unknown field", {**whole, "unknown": 1}, {"fieldManager": "x"}),
            ("wrong type", config_map("a", data={"k": 1}), {"fieldManager": "x"}),
            ("force that is none", whole, {"fieldManager": "x", "force": "perhaps"}),
            ("manager too long", whole, {"fieldManager": "x" * 129}),
            ("uid of nobody", {**whole, "metadata": {"name": "new", "uid": "wrong"}}, {"fieldManager": "x"}),
            ("a version on create", {**whole, "metadata": {"name": "a", "resourceVersion": "1"}}, {"fieldManager": "x"})):
        rig.ask(label, "PATCH", path, body, APPLY_PATCH, **params)
    for label, text in (("no YAML", "a: [b"), ("a list", "[]"), ("nothing", ""), ("two documents", "a: b\n---\nc: d")):
        rig.ask(label, "PATCH", path, text, APPLY_PATCH, fieldManager="x")
    rig.ask("force of another patch", "PATCH", path, {}, "application/merge-patch+json", force="true")


@scenario
def apply_of_yaml(rig: Recorder) -> None:
    apply(rig, "YAML", YAML)
    apply(rig, "duplicate key", YAML + "data: {}\n")
    rig.ask("a POST of YAML", "POST", rig.maps, YAML.replace("name: yaml", "name: posted"), "application/yaml")
    rig.ask("a PUT of YAML", "PUT", f"{rig.maps}/posted", YAML.replace("name: yaml", "name: posted"), "application/yaml")
    rig.ask("a POST of bad YAML", "POST", rig.maps, "a: [b", "application/yaml")
    rig.ask("JSON as YAML", "POST", rig.maps, json.dumps(config_map("json")), "application/yaml")
    rig.ask("CBOR apply", "PATCH", f"{rig.maps}/yaml", b"\xa0", "application/apply-patch+cbor", fieldManager="x")
