"""What the embedded server leaves different from the real one, each with the reason.

(scenario, label, path, reason): the first three are regular expressions of the whole. Each must strike at
least one difference: what no longer differs must go from here.
"""
import re
from typing import Any

ANY = ".*"
NO_CONTROLLER = "nobody here would look after what the real server prepares for its controllers"
WORDS = "the same answer for every program, in other words"
STRANGE = "no client sends this, and nothing follows from the answer"
WORKLOAD = "only defaults that Spark, helm or kubectl look at are filled in for kinds without a controller here"
NEWER = "new in Kubernetes 1.37, and neither Spark nor a scheduler goes by it"
CAPACITY = "what an autoscaler is asked for is served without its definitions"
POD_GROUPS = "the embedded server has these kinds as if their definitions were installed"
NO_YAML = "bodies of YAML must be JSON here: all known clients send it so"

EXPECTED: list[tuple[str, str, str, str]] = [
    ("field_validation", ".*: doubled", ANY, "of a doubled field the last one counts, and nobody is warned"),
    ("bodies", "a field twice", ANY, "of a doubled field the last one counts; the real one merges maps"),
    ("bodies", "null for text", ANY, STRANGE),
    ("bodies", "metadata as text|null|not UTF-8", ANY, "refused too, as another error"),
    ("bodies", "a wrong time|a given time", ANY, STRANGE),
    ("body_content_types", "a wrong body as protobuf", ANY, "protobuf is read for a few kinds only"),
    ("apply_of_yaml", ANY, ANY, NO_YAML),
    ("apply_creates_updates_and_conflicts", "conflict|the first lost it", r"body\.message", WORDS),
    ("binding_bodies", "a node name that is none", ANY, "1.37 answers 500 for a name that no node can have"),
    ("json_patches", "no JSON", ANY, "1.37 reads the patch before it looks for the object"),
    ("csi_nodes", ANY, r"body\.(items\[0\]\.)?status", NEWER),
    ("csi_drivers", ANY, r"body\.(items\[0\]\.)?spec\.preventPodSchedulingIfMissing", NEWER),
    ("schemas_of_storage", "CSINode: properties", ANY, NEWER),
    ("bindings_of_the_namespace", "the collection", ANY, "an old way to bind that no client uses"),
    ("propagation", "Orphan", ANY, "the embedded server orphans at once, the real one by its garbage collector"),
    ("evictions", "terminating", r"body\.status\.conditions", "no condition DisruptionTarget: nobody reads it here"),
    ("roots", "fields of /version", ANY, "emulated versions are of no use here"),
    ("roots", r"group scheduling\.(volcano\.sh|x-k8s\.io)", ANY, POD_GROUPS),
    ("roots", r"group autoscaling\.x-k8s\.io", ANY, CAPACITY),
    ("aggregated_discovery", r"autoscaling\.x-k8s\.io (capacitybuffers|provisioningrequests)( status)?", ANY, CAPACITY),
    ("aggregated_discovery", r"scheduling\.(volcano\.sh|x-k8s\.io) podgroups( status)?", ANY, POD_GROUPS),
    ("unknown_paths", "/api/v1//pods", ANY, STRANGE),
    ("unknown_paths", "/apis/", r"body\.groups", "the real server has more groups"),
    ("unknown_paths", "/api/", r"body\.serverAddressByClientCIDRs", "only clients without an address would read it"),
    ("methods", "(POST /api/v1|DELETE /version)", ANY, STRANGE),
    ("events", "core seen as new|list new", ANY, "fields of the other form, empty"),
    ("events", "new: no controller", ANY, "one cause less"),
    ("events", "new: another namespace", ANY, STRANGE),
    ("config_maps_and_secrets", "config map: both the same key", ANY, "the cause names the other of the two keys"),
    ("tables", "serviceaccounts", r"body\.rows", "the real rig has no controller that makes the default account"),
    ("tables", "includes Nonsense", ANY, STRANGE),
    ("tables", "no (roles|poddisruptionbudgets|endpointslices|ingresses)", ANY, "kubectl shows name and age of these"),
    ("services", "headless without ports", r"body\.spec\.ipFamil.*", "addresses of one family only"),
    ("other_kinds", "(PodTemplate|ReplicationController|DaemonSet|Job|CronJob|HorizontalPodAutoscaler|LimitRange|"
     "EndpointSlice): .*", ANY, WORKLOAD),
    ("other_kinds", "PersistentVolume(Claim)?: .*", r".*(finalizers|deletion).*", NO_CONTROLLER),
    ("other_kinds", "ControllerRevision: (patch|list)", ANY, "the real one takes any patch for a change of its data"),
    ("other_kinds", "ClusterRole: create", r"body\.rules", "an empty list is kept"),
    ("reviews", "nothing asked", ANY, "everybody may do everything here"),
    ("pages", "limit -1", ANY, STRANGE),
    ("versions", "object at version .*", ANY, "a GET of one object answers the newest state whatever the version"),
    ("watch_errors", "from version .*", ANY, "refused too, as another error"),
    ("watch_errors", "bad watch flag", ANY, STRANGE),
    ("watch_from_a_version", "the old path", ANY, "/api/v1/watch is deprecated since Kubernetes 1.11"),
    ("watch_ends", "with a bookmark", ANY, "a bookmark more, right before the end"),
    ("watch_with_initial_events", "another match", ANY, "one cause less"),
    ("lists_of_other_shapes", ".* as metadata v1beta1", ANY, "answered in v1, which every client of v1beta1 reads"),
    ("lists_of_other_shapes", "accepts .*", ANY, "answers are always JSON"),
    ("names", "a given time", r"body\.metadata\.generation", STRANGE),
    ("pod_validation", "runtime class", ANY, NO_CONTROLLER),
    ("pod_validation", "host port without network", ANY, "only what scheduling reads is checked"),
    ("quantities", "memory .*", r"body\.spec\.containers\[0\]\.resources\.requests\.memory",
     "the same amount or the largest there is, written in the canonical form"),
    ("quantities", "huge pages alone", ANY, "only what scheduling reads is checked"),
    ("claims", ANY, r"body\..*finalizers", NO_CONTROLLER),
    ("volumes", ANY, r"body\..*finalizers", NO_CONTROLLER),
    ("default_storage_class", ANY, r"body\..*finalizers", NO_CONTROLLER),
    ("tables_of_storage", ANY, r"body\..*finalizers", NO_CONTROLLER),
    ("pod_updates", "node name", ANY, "one cause more"),
    ("pod_updates", "log of a pod that does not run", "type", STRANGE),
    ("pod_updates", "resize", ANY, "pods are not resized here"),
]


def explained(scenario: str, found: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The differences that nobody expects, and the expectations of this scenario that did not come true."""
    rules = [(f"{label}: {path}", re.compile(f"(?:{label}): (?:{path})", re.DOTALL))
             for name, label, path, _ in EXPECTED if name == scenario]
    used: set[str] = set()
    unexpected = []
    for key in found:
        matching = [text for text, rule in rules if rule.fullmatch(key)]
        used.update(matching)
        if not matching:
            unexpected.append(key)
    return unexpected, [text for text, _ in rules if text not in used]
