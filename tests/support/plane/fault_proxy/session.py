"""One client connection of the proxy and the connection to the server that belongs to it."""
import asyncio
from typing import AsyncIterator, Callable, Optional, Protocol

from .exchange import Ended, Exchange, HalfOpen, paced, wait
from .fault import ActiveFault
from .http1 import Head, chunks, framed, pieces, read_head
from .streams import Reader, end

BODY_BYTES_MAX = 64 * 1024 * 1024
SWITCHED = 101


class Registry(Protocol):
    """What a session needs of the proxy."""

    async def dial(self) -> tuple[Reader, asyncio.StreamWriter]: ...
    def faults_for(self, method: str, target: str) -> list[ActiveFault]: ...
    def begin(self, exchange: Exchange) -> None: ...
    def finish(self, exchange: Exchange) -> None: ...


class Session:
    """Request after request, until one side or a fault ends it."""

    def __init__(self, registry: Registry, reader: Reader, writer: asyncio.StreamWriter) -> None:
        self._registry = registry
        self._client = reader
        self._to_client = writer
        self._server: Optional[Reader] = None
        self._to_server: Optional[asyncio.StreamWriter] = None
        self._is_idle = True

    async def serve_http(self) -> None:
        await self._guarded(self._requests)

    async def serve_bytes(self) -> None:
        """Without looking inside: for what is not HTTP/1.1."""
        await self._guarded(self._bytes)

    async def _guarded(self, work: Callable[[], "asyncio.Future[None]"]) -> None:
        try:
            await work()
            end(self._to_client, abrupt=False)
        except HalfOpen:
            await self._swallow()
        except Ended:
            pass
        except (OSError, EOFError, ValueError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            end(self._to_client, abrupt=True)  # what a load balancer does when the server is gone
        finally:
            if self._to_server is not None:
                end(self._to_server, abrupt=False)
            self._to_client.close()

    async def _requests(self) -> None:
        while True:
            self._is_idle = True
            head = await read_head(self._client)
            self._is_idle = False
            if head is None or not await self._exchange(head):
                return

    async def _bytes(self) -> None:
        faults = self._registry.faults_for("BYTES", "")
        exchange = Exchange("BYTES", "", faults, self._to_client)
        self._registry.begin(exchange)
        try:
            await self._trouble(faults, applied=False)
            await self._dial()
            exchange.status = SWITCHED
            await self._tunnel(exchange)
        finally:
            self._registry.finish(exchange)

    async def _exchange(self, head: Head) -> bool:
        """False when the connection ends with it."""
        method, target = head.words[0], head.words[1]
        faults = self._registry.faults_for(method, target)
        exchange = Exchange(method, target, faults, self._to_client)
        self._registry.begin(exchange)
        try:
            body = await self._request_body(head, faults)
            await self._trouble(faults, applied=False)
            answer = await self._ask(head, body, exchange)
            await self._trouble(faults, applied=True)
            self._to_client.write(answer.raw)
            if answer.status == SWITCHED:
                await self._tunnel(exchange)
                return False
            await self._until_client_gone(self._answer_body(method, answer, exchange))
            return answer.headers.get("connection", "").lower() != "close"
        finally:
            self._registry.finish(exchange)

    async def _request_body(self, head: Head, faults: list[ActiveFault]) -> bytes:
        if head.headers.get("expect", "").lower() == "100-continue":
            self._to_client.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        slow = next((fault for fault in faults if fault.fault.action == "slow_reader"), None)
        if slow is not None and head.length:
            return await self._read_slowly(head.length, slow.fault.bytes_per_second)
        if head.is_chunked:
            return b"".join([framed(payload) async for payload in chunks(self._client)])
        if (head.length or 0) > BODY_BYTES_MAX:
            raise ValueError("a body too large")
        return await self._client.readexactly(head.length or 0)

    async def _read_slowly(self, length: int, bytes_per_second: int) -> bytes:
        body = b""
        async for piece in paced(bytes(length), bytes_per_second):
            body += await self._client.readexactly(len(piece))
        return body

    async def _ask(self, head: Head, body: bytes, exchange: Exchange) -> Head:
        """Forwards the request; the head of the answer."""
        await self._dial()
        first = await self._forward(head, body)
        if "repeat" in exchange.struck:
            first_body = [piece async for piece in self._body_of(head.words[0], first)]
            second = await self._forward(head, body)
            async for _ in self._body_of(head.words[0], second):
                pass
            self._replay = first_body
        exchange.status = first.status
        return first

    async def _forward(self, head: Head, body: bytes) -> Head:
        assert self._server is not None and self._to_server is not None
        self._to_server.write(head.raw + body)
        await self._to_server.drain()
        while True:
            answer = await read_head(self._server)
            if answer is None:
                raise EOFError("the server closed before it answered")
            if answer.status == SWITCHED or answer.status >= 200:
                return answer

    async def _trouble(self, faults: list[ActiveFault], applied: bool) -> None:
        for active in faults:
            fault = active.fault
            if fault.applied != applied:
                continue
            if fault.action == "delay":
                await wait(active, fault.seconds)
            elif fault.action == "hold":
                await wait(active, float("inf"))
            elif fault.action == "reset":
                end(self._to_client, fault.abrupt)
                raise Ended
            elif fault.action == "half_open":
                raise HalfOpen
            elif fault.action == "answer":
                await self._answer(active)

    async def _answer(self, active: ActiveFault) -> None:
        fault = active.fault
        body = fault.body.encode()
        headers = {"Content-Type": "application/json", **fault.headers,
                   "Content-Length": str(len(body)), "Connection": "close"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._to_client.write(f"HTTP/1.1 {fault.status} Fault\r\n{lines}\r\n".encode() + body)
        await self._to_client.drain()
        end(self._to_client, abrupt=False)
        raise Ended

    _replay: Optional[list[bytes]] = None

    async def _answer_body(self, method: str, answer: Head, exchange: Exchange) -> None:
        source = self._body_of(method, answer)
        if self._replay is not None:
            source, self._replay = _listed(self._replay), None
        await exchange.relay(source, answer.is_chunked)

    def _body_of(self, method: str, answer: Head) -> AsyncIterator[bytes]:
        assert self._server is not None
        if method == "HEAD" or answer.status in (204, 304):
            return pieces(self._server, 0)
        return chunks(self._server) if answer.is_chunked else pieces(self._server, answer.length)

    async def _tunnel(self, exchange: Exchange) -> None:
        """Both directions as they come, after an upgrade."""
        assert self._server is not None and self._to_server is not None
        upwards = asyncio.ensure_future(_copy(self._client, self._to_server))
        try:
            await self._until_client_gone(exchange.relay(pieces(self._server, None), is_chunked=False))
        finally:
            upwards.cancel()

    async def _until_client_gone(self, work: "asyncio.Future[None]") -> None:
        """A client that leaves a watch has left it at the server too, at once."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(self._client.closed.wait())
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise Ended
            task.result()
        finally:
            task.cancel()
            gone.cancel()

    async def _dial(self) -> None:
        if self._server is not None and not self._server.closed.is_set():
            return
        self._server, self._to_server = await self._registry.dial()
        asyncio.ensure_future(self._follow_close(self._server))

    async def _follow_close(self, server: Reader) -> None:
        """A server that closes an idle connection closes the client's."""
        await server.closed.wait()
        if self._is_idle and server is self._server:
            end(self._to_client, abrupt=False)

    async def _swallow(self) -> None:
        """Until the client gives up. What the server sends is read, so that it notices nothing."""
        drains = [asyncio.ensure_future(_drain(self._server))] if self._server else []
        try:
            await _drain(self._client)
        finally:
            for task in drains:
                task.cancel()


async def _copy(reader: Reader, writer: asyncio.StreamWriter) -> None:
    async for piece in pieces(reader, None):
        writer.write(piece)
        await writer.drain()


async def _drain(reader: Reader) -> None:
    try:
        async for _ in pieces(reader, None):
            pass
    except OSError:
        pass


async def _listed(items: list[bytes]) -> AsyncIterator[bytes]:
    for item in items:
        yield item
