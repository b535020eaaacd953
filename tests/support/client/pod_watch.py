"""List and watch of a kind, as a thread that hands every event to a callback, in order."""
import threading
import time
from typing import Callable, Optional

import requests

from .api import Api, ApiError, Json

Callback = Callable[[str, Json], None]


class ObjectWatch:
    """Calls `on_event(type, object)` with ADDED, MODIFIED, DELETED; resumes when the stream ends.

    The objects of the first list are told as ADDED. A gap (410 Gone) ends the watch with an error:
    tests are short, so a gap means that the server lost history it should have kept.
    """

    def __init__(self, api: Api, path: str, on_event: Callback) -> None:
        self._api = api
        self._path = path
        self._on_event = on_event
        self._stopped = threading.Event()
        self.error: Optional[BaseException] = None
        listed = api.get(path)
        for item in listed["items"]:
            on_event("ADDED", item)
        self._version: str = listed["metadata"]["resourceVersion"]
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"watch {path}")
        self._thread.start()

    def stop(self) -> None:
        """No callback starts after this; the thread ends with the server's next event."""
        self._stopped.set()

    def check(self) -> None:
        """Raises what ended the thread, if anything did."""
        if self.error is not None:
            raise AssertionError(f"watch of {self._path} ended: {self.error!r}")

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._follow()
            except (requests.RequestException, ApiError):
                time.sleep(0.2)  # the server may be going down together with the test
            except BaseException as error:  # kept for check(): a thread has nobody to tell
                self.error = error
                return

    def _follow(self) -> None:
        for event in self._api.watch(self._path, self._version):
            if self._stopped.is_set():
                return
            if event["type"] == "ERROR":
                raise AssertionError(f"the watch answered {event['object']}")
            self._version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._on_event(event["type"], event["object"])
