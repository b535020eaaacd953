"""The proxy as a program: `python -m support.plane.fault_proxy --help`. FaultProxy starts and commands it."""
import argparse
import asyncio
import json
import re
import ssl
from collections import deque
from pathlib import Path
from typing import Any, Optional
from urllib.parse import urlsplit

from .exchange import Exchange
from .fault import ActiveFault, Fault
from .session import Session
from .streams import Reader, connect, end, listen

REQUESTS_KEPT = 200_000
RUNNING_ACTIONS = ("cut", "throttle", "lag", "half_open")  # these strike answers that already stream


class Proxy:
    """Listens, dials, and knows all faults and all exchanges."""

    def __init__(self, options: argparse.Namespace) -> None:
        upstream = urlsplit(options.upstream)
        self._port: int = options.port
        self._host, self._upstream_port = upstream.hostname or "127.0.0.1", upstream.port or 443
        self._is_bytes: bool = options.bytes
        self._listen_tls = _server_tls(options)
        self._dial_tls = _client_tls(options) if upstream.scheme == "https" else None
        self._server: Optional[asyncio.AbstractServer] = None
        self._faults: dict[int, ActiveFault] = {}
        self._clients: set[asyncio.StreamWriter] = set()
        self._running: set[Exchange] = set()
        self._seen: deque[dict[str, Any]] = deque(maxlen=REQUESTS_KEPT)

    async def accept(self) -> None:
        if self._server is None:
            self._server = await listen(self._port, self._serve, self._listen_tls)

    async def refuse(self) -> None:
        """New connections are refused; those that are open stay."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def drop(self) -> None:
        for writer in list(self._clients):
            end(writer, abrupt=True)

    async def _serve(self, reader: Reader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            session = Session(self, reader, writer)
            await (session.serve_bytes() if self._is_bytes else session.serve_http())
        finally:
            self._clients.discard(writer)

    async def dial(self) -> tuple[Reader, asyncio.StreamWriter]:
        return await connect(self._host, self._upstream_port, self._dial_tls)

    def faults_for(self, method: str, target: str) -> list[ActiveFault]:
        return [fault for fault in self._faults.values() if fault.hits(method, target)]

    def begin(self, exchange: Exchange) -> None:
        self._running.add(exchange)

    def finish(self, exchange: Exchange) -> None:
        self._running.discard(exchange)
        self._seen.append({"time": exchange.started, "method": exchange.method,
                           "target": exchange.target, "status": exchange.status,
                           "faults": exchange.struck})

    def add(self, fault: Fault) -> int:
        number = max(self._faults, default=0) + 1
        active = self._faults[number] = ActiveFault(fault)
        if fault.action in RUNNING_ACTIONS:
            for exchange in list(self._running):
                if exchange.status and active.hits(exchange.method, exchange.target):
                    exchange.strike(active)
        return number

    async def command(self, ask: dict[str, Any]) -> Any:
        name = ask["do"]
        if name == "add":
            return self.add(Fault(**ask["fault"]))
        if name == "release":
            self._faults[ask["id"]].released.set()
        elif name == "clear":
            for fault in self._faults.values():
                fault.released.set()
        elif name == "state":
            fault = self._faults[ask["id"]]
            return {"matched": fault.matched, "fired": fault.fired, "waiting": fault.waiting}
        elif name == "requests":
            method, path = re.compile(ask["method"] or ".*"), re.compile(ask["path"])
            running = [{"time": each.started, "method": each.method, "target": each.target,
                        "status": each.status, "faults": each.struck, "running": True}
                       for each in self._running]
            return [each for each in [*self._seen, *sorted(running, key=lambda it: it["time"])]
                    if method.fullmatch(each["method"]) and path.search(each["target"])]
        elif name in ("accept", "refuse", "drop"):
            await getattr(self, name)()
        else:
            raise ValueError(f"no such command: {name}")
        return None

    async def control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A line of JSON for a line of JSON."""
        while line := await reader.readline():
            try:
                answer = {"answer": await self.command(json.loads(line))}
            except (ValueError, KeyError, TypeError, OSError) as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()


def _server_tls(options: argparse.Namespace) -> Optional[ssl.SSLContext]:
    if options.certificate is None:
        return None
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(options.certificate, options.key)
    tls.set_alpn_protocols(["http/1.1"])
    return tls


def _client_tls(options: argparse.Namespace) -> ssl.SSLContext:
    tls = ssl.create_default_context(cafile=options.ca)
    if options.client_certificate:
        tls.load_cert_chain(options.client_certificate, options.client_key)
    tls.set_alpn_protocols(["http/1.1"])
    return tls


async def _main(options: argparse.Namespace) -> None:
    proxy = Proxy(options)
    await proxy.accept()
    server = await asyncio.start_unix_server(proxy.control, options.control, limit=2 ** 24)
    await server.serve_forever()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fault_proxy", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="of the loopback address, to listen on")
    parser.add_argument("--upstream", required=True, help="URL of the server: https:, http: or tcp:")
    parser.add_argument("--control", type=Path, required=True, help="path of the socket for commands")
    parser.add_argument("--certificate", type=Path, help="of this proxy; without it no TLS")
    parser.add_argument("--key", type=Path)
    parser.add_argument("--ca", type=Path, help="that signed the server's certificate")
    parser.add_argument("--client-certificate", type=Path, help="shown to the server for all clients")
    parser.add_argument("--client-key", type=Path)
    parser.add_argument("--bytes", action="store_true", help="do not look for HTTP in the streams")
    return parser.parse_args()


asyncio.run(_main(_parse()))
