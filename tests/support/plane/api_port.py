"""The page and its JSON, as a scheduler serves them: the port from its log, and answers held against their schema."""
import json
from typing import Optional

import jsonschema
import requests

from ..client.json_type import Json
from ..process.polling import eventually
from .rig import ROOT, Scheduler

ANY_API = ("--api", "127.0.0.1:0")
SCHEMA = json.loads((ROOT / "docs/reference/api.schema.json").read_text())


class ApiPort:
    """Of a scheduler started with ANY_API. Each request is on a connection of its own."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        host, self.port = eventually(self._find_address, 10, "the API's port in the log", 0.05)
        self.url = f"http://{host}:{self.port}"

    def get(self, path: str, **headers: str) -> requests.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return requests.get(self.url + path, timeout=10, proxies={"http": ""}, headers={"Connection": "close", **named})

    def ask(self, path: str, status: int = 200) -> Json:
        """The JSON below /api/v1/, which is what the documented schema says."""
        answer = self.get("/api/v1/" + path)
        assert answer.status_code == status, answer.text
        check(answer.json())
        return answer.json()

    def _find_address(self) -> Optional[tuple[str, int]]:
        for line in self._scheduler.output().splitlines():
            if '"page and API"' in line and '"serving"' in line:
                said = json.loads(line)
                return said["listen"].rpartition(":")[0], int(said["port"])
        return None


def check(answer: Json) -> None:
    """Fails where the documented schema of that kind says otherwise."""
    schema = {"definitions": SCHEMA["definitions"], "$ref": f"#/definitions/{answer['kind']}"}
    jsonschema.Draft4Validator(schema).validate(answer)
