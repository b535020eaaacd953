"""As much of a WebSocket client as it takes to watch the way Spark does."""
import base64
import json
import os
import socket
import ssl
import struct
from typing import Optional
from urllib.parse import urlsplit

from .json_type import Json

_TEXT, _CLOSE = 1, 8


class WebSocket:
    """An open watch; raises ConnectionError when the server does not upgrade."""

    def __init__(self, url: str, tls: Optional[ssl.SSLContext] = None, timeout: float = 10.0,
                 token: Optional[str] = None) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout)
        if tls is not None:
            self._socket = tls.wrap_socket(self._socket, server_hostname=parts.hostname)
        target = f"{parts.path}?{parts.query}"
        key = base64.b64encode(os.urandom(16)).decode()
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self._socket.sendall((f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: Upgrade\r\n"
                              "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                              f"Origin: {parts.scheme}://{parts.netloc}\r\n"  # the real one insists
                              f"{authorization}Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        self._buffer = b""
        head = self._read_until(b"\r\n\r\n").decode()
        if not head.startswith("HTTP/1.1 101"):
            raise ConnectionError(head)

    def read_event(self) -> Json:
        """The next watch event."""
        while True:
            final, kind, payload = self._read_frame()
            if kind == _CLOSE:
                raise ConnectionError("the server closed the watch")
            if kind == _TEXT:
                assert final, "an event in pieces: Spark 4.1's client would lose it"
                return json.loads(payload)

    def close(self) -> None:
        self._socket.close()

    def _read_frame(self) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        assert not second & 0x80, "a server must not mask its frames"
        length = second & 0x7F
        if length == 126:
            length = struct.unpack("!H", self._read(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self._read(8))[0]
        return bool(first & 0x80), first & 0x0F, self._read(length)

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            received = self._socket.recv(65536)
            if not received:
                raise ConnectionError("the stream ended")
            self._buffer += received
        result, self._buffer = self._buffer[:count], self._buffer[count:]
        return result

    def _read_until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            received = self._socket.recv(65536)
            if not received:
                raise ConnectionError(self._buffer.decode(errors="replace"))
            self._buffer += received
        result, self._buffer = self._buffer.split(mark, 1)
        return result
