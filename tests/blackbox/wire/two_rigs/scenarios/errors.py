"""Wrong paths, methods, bodies, content types."""
from ..builders import config_map, pod
from ..recorder import Recorder, scenario


@scenario
def unknown_paths(rig: Recorder) -> None:
    for path in ("/nonsense", "/api/v2", "/api/v1/chairs", "/apis/example.com", "/apis/example.com/v1",
                 "/apis/example.com/v1/chairs", "/apis/apps/v9/deployments", "/apis/coordination.k8s.io/v1/chairs",
                 f"/api/v1/namespaces/{rig.namespace}/pods/a/b/c/d", f"/api/v1/namespaces/{rig.namespace}/chairs/a",
                 f"/api/v1/namespaces/{rig.namespace}/nodes", "/api/v1/nodes/a/pods", f"{rig.pods}/a/nonsense",
                 "/api/v1//pods", f"{rig.pods}/", "/apis/", "/api/"):
        rig.ask(path, "GET", path)


@scenario
def methods(rig: Recorder) -> None:
    rig.quietly("POST", rig.maps, config_map("a"))
    for method, path in (("POST", f"{rig.maps}/a"), ("PUT", rig.maps), ("PATCH", rig.maps), ("POST", "/api/v1/pods"),
                         ("TRACE", rig.maps), ("OPTIONS", rig.maps), ("POST", "/api/v1"), ("DELETE", "/version"),
                         ("PUT", "/api/v1/nodes"), ("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
                         ("BREW", rig.maps), ("DELETE", "/api/v1/configmaps"),
                         ("POST", f"/api/v1/namespaces/{rig.namespace}/configmaps/a/status")):
        body = {} if method in ("POST", "PUT", "PATCH") else None
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        rig.ask(f"{method} {path}", method, path, body, kind)
    rig.ask("HEAD", "HEAD", f"{rig.maps}/a")


@scenario
def bodies(rig: Recorder) -> None:
    for label, body in (
            ("nothing", ""), ("no JSON", "{"), ("a list", "[]"), ("null", "null"), ("text", '"x"'), ("empty", "{}"),
            ("another kind", {**config_map("a"), "kind": "Pod"}), ("no kind", {"metadata": {"name": "nokind"}}),
            ("a kind nobody knows", {**config_map("a"), "kind": "Chair"}),
            ("another version", {**config_map("a"), "apiVersion": "v2"}),
            ("another group", {**config_map("a"), "apiVersion": "apps/v1"}),
            ("two objects", '{"metadata":{"name":"x1"}}{"metadata":{"name":"x2"}}'),
            ("a field twice", '{"metadata":{"name":"twice"},"data":{"a":"1"},"data":{"b":"2"}}'),
            ("text for a map", {**config_map("a"), "data": "x"}), ("a number for text", config_map("a", data={"k": 1})),
            ("a map for text", config_map("a", data={"k": {}})), ("null for text", config_map("nulls", data={"k": None})),
            ("labels as a list", {"metadata": {"name": "a", "labels": []}}), ("metadata as text", {"metadata": "x"}),
            ("a wrong time", {"metadata": {"name": "a", "creationTimestamp": "yesterday"}}),
            ("deep", "[" * 11000), ("not UTF-8", b'{"metadata":{"name":"\xff"}}')):
        rig.ask(label, "POST", rig.maps, body)
    rig.ask("a pod with text for containers", "POST", rig.pods, {"metadata": {"name": "a"}, "spec": {"containers": "x"}})
    rig.ask("a pod with a number for an image", "POST", rig.pods, {"metadata": {"name": "a"}, "spec": {
        "containers": [{"name": "c", "image": 1}]}})
    rig.ask("no body", "POST", rig.maps)


@scenario
def body_content_types(rig: Recorder) -> None:
    for number, content_type in enumerate((
            "application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", "",
            "application/merge-patch+json", "application/cbor", "nonsense")):
        rig.ask(content_type or "none", "POST", rig.maps, config_map(f"m{number}"), content_type)
    rig.ask("a wrong body as protobuf", "POST", rig.maps, b"k8s\x00\xff\xff", "application/vnd.kubernetes.protobuf")


@scenario
def large_bodies(rig: Recorder) -> None:
    rig.ask("a config map of 1 MiB", "POST", rig.maps, config_map("large", data={"k": "x" * (1024 * 1024)}))
    rig.ask("and a byte", "POST", rig.maps, config_map("larger", data={"k": "x" * (1024 * 1024 + 1)}))
    rig.ask("past what a request may have", "POST", rig.maps, config_map("huge", data={"k": "x" * (3 * 1024 * 1024 + 4096)}))


@scenario
def field_validation(rig: Recorder) -> None:
    unknown = config_map("unknown", unknown=1)
    nested = pod("nested")
    nested["spec"]["containers"][0]["resources"]["demands"] = {}
    nested["spec"]["nonsense"] = True
    doubled = '{"metadata":{"name":"doubled"},"data":{"a":"1"},"data":{"b":"2"}}'
    for mode in ("Strict", "Warn", "Ignore", "Perhaps", ""):
        params = {"fieldValidation": mode, "dryRun": "All"} if mode else {"dryRun": "All"}
        name = mode or "none"
        rig.ask(f"{name}: unknown", "POST", rig.maps, unknown, **params)
        rig.ask(f"{name}: nested", "POST", rig.pods, nested, **params)
        rig.ask(f"{name}: doubled", "POST", rig.maps, doubled, **params)
    rig.quietly("POST", rig.maps, config_map("a"))
    rig.quietly("POST", rig.pods, pod("a"))
    for label, path, body, content_type in (
            ("merge", f"{rig.maps}/a", {"unknown": 1}, "application/merge-patch+json"),
            ("strategic", f"{rig.pods}/a", {"spec": {"unknown": 1}}, "application/strategic-merge-patch+json"),
            ("JSON", f"{rig.maps}/a", [{"op": "add", "path": "/unknown", "value": 1}], "application/json-patch+json")):
        rig.ask(f"patch: {label}", "PATCH", path, body, content_type, fieldValidation="Strict")


@scenario
def warnings(rig: Recorder) -> None:
    """What kubectl prints as `Warning:`."""
    def warned(label: str, path: str, body: object) -> None:
        answer = rig.api.session().post(rig.api.server + path, json=body, timeout=20, params={
            "fieldValidation": "Warn", "dryRun": "All"})
        rig.note(label, [answer.status_code, answer.headers.get("Warning", "")])

    warned("unknown field", rig.maps, config_map("a", unknown=1))
    warned("two unknown fields", rig.maps, config_map("a", unknown=1, other=2))
    warned("nothing wrong", rig.maps, config_map("a"))
    nested = pod("a")
    nested["spec"]["nonsense"] = 1
    nested["spec"]["containers"][0]["ports"] = [{"containerPort": 1, "nonsense": 1}]
    warned("nested", rig.pods, nested)
