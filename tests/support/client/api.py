"""A tiny REST client for a Kubernetes API server: JSON in, JSON out, watches as generators."""
import atexit
import base64
import json
import ssl
import tempfile
import threading
from pathlib import Path
from typing import Any, Iterator, Optional

import requests
import yaml

from .json_type import Json
from .websocket import WebSocket

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class ApiError(Exception):
    """An answer other than 2xx; `status` is the HTTP code, `body` the Status object."""

    def __init__(self, method: str, path: str, status: int, body: Any) -> None:
        message = body.get("message") if isinstance(body, dict) else body
        super().__init__(f"{method} {path}: {status} {message}")
        self.status = status
        self.body = body


class Api:
    """The server a kubeconfig names, with its client certificate or token. Safe to share by threads."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        context = next(entry["context"] for entry in config["contexts"]
                       if entry["name"] == config["current-context"])
        cluster = next(entry["cluster"] for entry in config["clusters"]
                       if entry["name"] == context["cluster"])
        user = next((entry["user"] for entry in config.get("users") or []
                     if entry["name"] == context.get("user")), {})
        self.kubeconfig = kubeconfig
        self.server: str = cluster["server"].rstrip("/")
        self._verify = _as_file(cluster, "certificate-authority") or True
        self._token: Optional[str] = user.get("token")
        certificate = _as_file(user, "client-certificate")
        self._certificate = (certificate, _as_file(user, "client-key")) if certificate else None
        self._local = threading.local()

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json",
                **options: Any) -> requests.Response:
        """One raw exchange; raises ApiError when the answer is not 2xx."""
        headers = {"Accept": "application/json", **options.pop("headers", {})}
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = body if isinstance(body, (str, bytes)) else json.dumps(body)
        answer = self.session().request(method, self.server + path, data=data, headers=headers,
                                         **{"timeout": 30, **options})
        if not answer.ok:
            try:
                status = answer.json()
            except ValueError:
                status = answer.text
            raise ApiError(method, path, answer.status_code, status)
        return answer

    def get(self, path: str, **params: Any) -> Json:
        return self.request("GET", path, params=params).json()

    def find(self, path: str) -> Optional[Json]:
        """The object, or None when there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def items(self, path: str, **params: Any) -> list[Json]:
        return self.get(path, **params)["items"]

    def post(self, path: str, body: Json, **params: Any) -> Json:
        return self.request("POST", path, body, params=params).json()

    def put(self, path: str, body: Json) -> Json:
        return self.request("PUT", path, body).json()

    def patch(self, path: str, body: Any, content_type: str = MERGE_PATCH, **params: Any) -> Json:
        return self.request("PATCH", path, body, content_type, params=params).json()

    def delete(self, path: str, grace_seconds: Optional[int] = None, **params: Any) -> None:
        """Deletes an object, or with a collection's path all that the selectors name; 404 is fine."""
        body: Json = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace_seconds is not None:
            body["gracePeriodSeconds"] = grace_seconds
        try:
            self.request("DELETE", path, body, params=params)
        except ApiError as error:
            if error.status != 404:
                raise

    def watch(self, path: str, resource_version: str, timeout_seconds: int = 300) -> Iterator[Json]:
        """Watch events until the server closes the stream; bookmarks included."""
        answer = self.request("GET", path, stream=True, timeout=(10, timeout_seconds + 10), params={
            "watch": "true", "resourceVersion": resource_version, "allowWatchBookmarks": "true",
            "timeoutSeconds": str(timeout_seconds)})
        with answer:
            for line in answer.iter_lines(chunk_size=None):
                if line:
                    yield json.loads(line)

    def websocket(self, path: str) -> WebSocket:
        """A watch the way Spark opens one."""
        tls = None
        if self.server.startswith("https:"):
            tls = ssl.create_default_context(cafile=str(self._verify))
            if self._certificate:
                tls.load_cert_chain(*self._certificate)
        return WebSocket(self.server + path, tls, token=self._token)

    def session(self) -> requests.Session:
        session = getattr(self._local, "session", None)
        if session is None:
            session = requests.Session()
            session.trust_env = False
            session.verify = self._verify
            session.cert = self._certificate
            if self._token:
                session.headers["Authorization"] = f"Bearer {self._token}"
            self._local.session = session
        return session


def _as_file(section: Json, key: str) -> Optional[str]:
    """The path of a credential that the kubeconfig either names or embeds."""
    if key in section:
        return section[key]
    data = section.get(f"{key}-data")
    if data is None:
        return None
    with tempfile.NamedTemporaryFile(prefix="gang-scheduler-credential-", delete=False) as file:
        file.write(base64.b64decode(data))
    atexit.register(Path(file.name).unlink)
    return file.name
