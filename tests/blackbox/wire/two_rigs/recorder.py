"""Sends requests to one rig and keeps what came back, in a form that two rigs can be compared in."""
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from support.client.api import Api, Json

from .normal import Names, normalised

READ_SECONDS = 6


@dataclass
class Answer:
    """What one request got."""

    status: int
    content_type: str
    body: Any  # parsed JSON, or text

    @property
    def version(self) -> str:
        return self.body["metadata"]["resourceVersion"]

    @property
    def uid(self) -> str:
        return self.body["metadata"]["uid"]


@dataclass
class Recorder:
    """One scenario on one rig. `namespace` is its own, of the same name on both rigs."""

    api: Api
    namespace: str
    records: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = Names()

    def path(self, plural: str, group: str = "", namespace: Optional[str] = None) -> str:
        """Of a namespaced collection; without a group it is one of the core's."""
        root = f"/apis/{group}" if group else "/api/v1"
        return f"{root}/namespaces/{namespace or self.namespace}/{plural}"

    @property
    def pods(self) -> str:
        return self.path("pods")

    @property
    def maps(self) -> str:
        return self.path("configmaps")

    def ask(self, label: str, method: str, path: str, body: Any = None,
            content_type: str = "application/json", headers: Optional[dict[str, str]] = None,
            **params: Any) -> Answer:
        """One exchange, compared between the rigs under `label`."""
        answer = self.quietly(method, path, body, content_type, headers, **params)
        self._names.learn(answer.body)
        self._keep(label, {"status": answer.status, "type": answer.content_type,
                           "body": normalised(answer.body, self._names)})
        return answer

    def quietly(self, method: str, path: str, body: Any = None,
                content_type: str = "application/json", headers: Optional[dict[str, str]] = None,
                **params: Any) -> Answer:
        """An exchange that only prepares another."""
        all_headers = {"Accept": "application/json", **(headers or {})}
        data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        if data is not None and content_type:
            all_headers["Content-Type"] = content_type
        answer = self.api.session().request(method, self.api.server + path, params=params, data=data,
                                            headers=all_headers, timeout=READ_SECONDS)
        content_type = answer.headers.get("Content-Type", "")
        try:
            parsed: Any = answer.json()
        except ValueError:
            parsed = answer.text
        return Answer(answer.status_code, content_type.replace(" ", ""), parsed)

    def events(self, label: str, path: str, until: Callable[[Json], bool], **params: Any) -> list[Json]:
        """The events of a watch over HTTP, up to and with the first that `until` is true of, or the end."""
        found = []
        with self.api.session().get(self.api.server + path, stream=True, timeout=READ_SECONDS, params={
                "watch": "true", "timeoutSeconds": "5", **params}) as answer:
            for line in answer.iter_lines(chunk_size=None):
                event = json.loads(line) if line else None
                if event is not None:
                    found.append(event)
                    if until(event):
                        break
        self._names.learn(found)
        self._keep(label, {"status": answer.status_code,
                           "type": answer.headers.get("Content-Type", "").replace(" ", ""),
                           "events": normalised(found, self._names)})
        return found

    def frames(self, label: str, path: str, count: int) -> list[Json]:
        """So many events of a watch over a WebSocket."""
        watch = self.api.websocket(path)
        try:
            found = [watch.read_event() for _ in range(count)]
        finally:
            watch.close()
        self._names.learn(found)
        self._keep(label, {"frames": normalised(found, self._names)})
        return found

    def note(self, label: str, fact: Any) -> None:
        """Something else that must be the same on both rigs."""
        self._keep(label, fact)

    def _keep(self, label: str, what: Any) -> None:
        assert label not in self.records, f"two records are called {label!r}"
        self.records[label] = what


Scenario = Callable[[Recorder], None]
SCENARIOS: dict[str, Scenario] = {}


def scenario(function: Scenario) -> Scenario:
    """Registers a scenario under its name."""
    assert function.__name__ not in SCENARIOS, function.__name__
    SCENARIOS[function.__name__] = function
    return function
