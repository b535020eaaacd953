"""Watches, over HTTP and over WebSocket."""
from typing import Callable

from support.client.api import Json

from ..builders import config_map, pod
from ..recorder import Recorder, scenario


def is_last(name: str) -> Callable[[Json], bool]:
    return lambda event: event.get("type") in (None, "ERROR") or event["object"]["metadata"].get("name") == name


def change(rig: Recorder) -> str:
    """Four changes and a last one; the version before them."""
    version = rig.quietly("GET", rig.maps).version
    rig.quietly("POST", rig.maps, config_map("a", {"app": "x"}))
    rig.quietly("PATCH", f"{rig.maps}/a", {"data": {"k": "v"}}, "application/merge-patch+json")
    rig.quietly("PATCH", f"{rig.maps}/a", {"metadata": {"labels": {"app": "y"}}}, "application/merge-patch+json")
    rig.quietly("DELETE", f"{rig.maps}/a")
    rig.quietly("POST", rig.maps, config_map("last", {"app": "x"}))
    return version


@scenario
def watch_from_a_version(rig: Recorder) -> None:
    version = change(rig)
    rig.events("all", rig.maps, is_last("last"), resourceVersion=version)
    rig.events("what leaves the selector is deleted", rig.maps, is_last("last"), resourceVersion=version,
               labelSelector="app=x")
    rig.events("what enters it is added", rig.maps, lambda event: event.get("type") in (None, "ERROR", "DELETED"),
               resourceVersion=version, labelSelector="app=y")
    rig.events("one name", rig.maps, is_last("last"), resourceVersion=version,
               fieldSelector="metadata.name=last")
    rig.events("one object", f"{rig.maps}/last", is_last("last"), resourceVersion=version)
    rig.events("the old path", f"/api/v1/watch/namespaces/{rig.namespace}/configmaps", is_last("last"),
               resourceVersion=version)
    rig.events("all namespaces", "/api/v1/configmaps", is_last("last"), resourceVersion=version,
               fieldSelector=f"metadata.namespace={rig.namespace}")


@scenario
def watch_of_what_is_there(rig: Recorder) -> None:
    for name in ("a", "last"):
        rig.quietly("POST", rig.maps, config_map(name))
    for version in ("", "0"):
        rig.events(f"from {version or 'nothing'}", rig.maps, is_last("last"), resourceVersion=version)


@scenario
def watch_with_initial_events(rig: Recorder) -> None:
    for name in ("a", "b"):
        rig.quietly("POST", rig.maps, config_map(name))
    streamed = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    rig.events("until the bookmark", rig.maps, lambda event: event.get("type") in (None, "ERROR", "BOOKMARK"), **streamed)
    rig.events("from zero", rig.maps, lambda event: event.get("type") in (None, "ERROR", "BOOKMARK"), resourceVersion="0", **streamed)
    bounded = {"watch": "true", "timeoutSeconds": "1"}
    rig.ask("without a match", "GET", rig.maps, sendInitialEvents="true", **bounded)
    rig.ask("a match without it", "GET", rig.maps, resourceVersionMatch="NotOlderThan", **bounded)
    rig.ask("another match", "GET", rig.maps, sendInitialEvents="true", resourceVersionMatch="Exact", **bounded)


@scenario
def watch_ends(rig: Recorder) -> None:
    version = rig.quietly("GET", rig.maps).version
    rig.events("after its time", rig.maps, lambda event: False, resourceVersion=version, timeoutSeconds="1")
    rig.events("with a bookmark", rig.maps, lambda event: False, resourceVersion=version, timeoutSeconds="1",
               allowWatchBookmarks="true")


@scenario
def watch_errors(rig: Recorder) -> None:
    for version in ("x", "-1", "99999999999999999999999"):
        rig.ask(f"from version {version}", "GET", rig.maps, watch="true", resourceVersion=version,
                timeoutSeconds="1")
    rig.ask("bad selector", "GET", rig.maps, watch="true", labelSelector="app in x")
    rig.ask("bad field", "GET", rig.maps, watch="true", fieldSelector="data.x=y")
    rig.ask("unknown kind", "GET", rig.path("chairs"), watch="true")
    rig.ask("bad watch flag", "GET", rig.maps, watch="perhaps", timeoutSeconds="1")


@scenario
def watch_over_websocket(rig: Recorder) -> None:
    version = change(rig)
    rig.frames("all", f"{rig.maps}?watch=true&resourceVersion={version}", 5)
    rig.frames("one by name", f"{rig.maps}?watch=true&fieldSelector=metadata.name%3Dlast", 1)


@scenario
def watch_in_other_shapes(rig: Recorder) -> None:
    version = rig.quietly("GET", rig.pods).version
    rig.quietly("POST", rig.pods, pod("last"))
    for name, accept in (("metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
                         ("table", "application/json;as=Table;g=meta.k8s.io;v=v1")):
        answer = rig.ask(name, "GET", rig.pods, headers={"Accept": accept}, watch="true", resourceVersion=version,
                         timeoutSeconds="1")
        events: list[Json] = [answer.body] if isinstance(answer.body, dict) else []
        rig.note(f"{name}: events", [event.get("type") for event in events])
