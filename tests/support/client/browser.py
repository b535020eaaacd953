"""A real Chromium without a window, driven over a pipe by its own protocol: what a person sees, and can do with keys."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Optional

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-zygote", "--disable-extensions",
          "--hide-scrollbars", "--no-proxy-server", "--no-first-run", "--remote-debugging-pipe")
_KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowRight": (39, ""), "ArrowDown": (40, "")}


def find_browser() -> Optional[str]:
    """The program, or nothing: Debian's package is called chromium."""
    return os.environ.get("GANG_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One tab. `errors` is what the page has complained about: uncaught exceptions, refusals of its own policy."""

    def __init__(self, program: str) -> None:
        self.errors: list[str] = []
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._rest = b""
        self._folder = tempfile.mkdtemp(prefix="gang-browser-")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        # Chromium reads what it is told from 3 and answers to 4. A shell puts the pipes there: Python must not run in
        # the child (support/process/processes.py says why).
        places = f"exec \"$@\" 3</dev/fd/{to_read} 4>/dev/fd/{to_write}"
        self._process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["/bin/sh", "-c", places, "sh", program, *_FLAGS, f"--user-data-dir={self._folder}", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        target = self._call("Target.createTarget", session=None, url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", session=None, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait(10)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._folder, ignore_errors=True)

    def look(self, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """The window's size, and what its user prefers."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url: str) -> None:
        self._call("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self) -> str:
        """What can be read."""
        return self.run("document.body ? document.body.innerText : ''")

    def wait(self, script: str, seconds: float = 15.0) -> None:
        """Until the expression is true."""
        self.wait_for(lambda: bool(self.run(script)), seconds, script)

    def wait_text(self, part: str, seconds: float = 15.0) -> None:
        self.wait_for(lambda: part in self.text(), seconds, part)

    def wait_for(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"not within {seconds} s: {what}; there is: {self.text()[:2000]}"
            time.sleep(0.05)

    def press(self, key: str) -> None:
        code, text = _KEYS[key] if key in _KEYS else (ord(key.upper()), key)
        fields = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        self._call("Input.dispatchKeyEvent", type="keyDown", **fields)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        for char in text:
            self.press(char)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def _call(self, method: str, session: Optional[str] = "", **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session or self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while self._number not in self._answers:
            self._take()
        answer = self._answers.pop(self._number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _take(self) -> None:
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        one, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(one)
        if "id" in message:
            self._answers[message["id"]] = message
        elif message["method"] == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif message["method"] == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            entry = message["params"]["entry"]
            if entry["source"] != "network":  # a scheduler that is restarted does not answer
                self.errors.append(entry["text"])
