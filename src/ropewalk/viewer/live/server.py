"""The live page and its WebSocket, on this machine only.

One port of 127.0.0.1 answers one random path: a plain request gets the page, an upgrade gets the simulation. Requests
that were addressed to another host are refused, and so are upgrades from the page of another origin, which could
otherwise steer the simulation from any site that the browser has open.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from ropewalk.errors import InputError
from ropewalk.viewer.server import HIGHEST_PORT, LOOPBACK, PATIENCE, TOKEN_BYTES

MOST_BYTES = 4096  # of a command
MOST_PAGES = 8  # open at once


class Mailbox:
    """The latest picture for one page; older ones that it had no time for are dropped."""

    def __init__(self) -> None:
        self._ready = threading.Condition()
        self._frame: bytes | None = None
        self._closed = False

    def put(self, frame: bytes) -> None:
        """Leave the latest picture."""
        with self._ready:
            self._frame = frame
            self._ready.notify()

    def close(self) -> None:
        """No more pictures."""
        with self._ready:
            self._closed = True
            self._ready.notify()

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._frame is not None or self._closed)
                frame, self._frame = self._frame, None
                if self._closed:
                    return
            assert frame is not None
            yield frame


class LiveServer:
    """Serves the page of a session and passes commands and pictures between them."""

    def __init__(self, session: Any, port: int = 0) -> None:
        if not 0 <= port <= HIGHEST_PORT:
            raise InputError(
                f"port {port} does not exist; give one from 1 to {HIGHEST_PORT}, or 0 for any that is free"
            )
        serve = _library()
        self.session = session
        self.path = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self._boxes: set[Mailbox] = set()
        self._lock = threading.Lock()
        self._page = (b"", "")
        quiet = logging.getLogger("ropewalk.live")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        try:
            self._server = serve(
                self._serve_page,
                LOOPBACK,
                port,
                process_request=self._look_at,
                compression=None,
                max_size=MOST_BYTES,
                open_timeout=PATIENCE,
                server_header=None,
                logger=quiet,
            )
        except OSError as error:
            raise InputError(f"port {port} cannot be used: {error.strerror}; 0 selects a free one") from None
        self.port = int(self._server.socket.getsockname()[1])
        session.publish = self.publish

    def show(self, html: str, policy: str) -> None:
        """Set the page."""
        self._page = (html.encode("utf-8"), policy)

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{LOOPBACK}:{self.port}{self.path}"

    @property
    def sockets(self) -> str:
        """What the page may connect to, for its Content-Security-Policy."""
        return " ".join(f"ws://{host}" for host in sorted(self.hosts))

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser on this machine may call this server."""
        return frozenset(f"{name}:{self.port}" for name in (LOOPBACK, "localhost"))

    def publish(self, frame: bytes) -> None:
        """Send a picture to every page."""
        with self._lock:
            boxes = list(self._boxes)
        for box in boxes:
            box.put(frame)

    def serve_forever(self) -> None:
        """Answer until `shutdown`."""
        self._server.serve_forever()

    def shutdown(self) -> None:
        """Stop answering and close every page's connection."""
        self._server.shutdown()
        with self._lock:
            boxes = list(self._boxes)
        for box in boxes:
            box.close()

    # --- requests ---

    def _look_at(self, connection: Any, request: Any) -> Any:
        """None to go on with an upgrade, or the answer to a plain or refused request."""
        headers = request.headers
        if headers.get_all("Host") not in [[host] for host in self.hosts]:
            return _answer(HTTPStatus.MISDIRECTED_REQUEST, b"this server answers on loopback only\n")
        if not secrets.compare_digest(request.path.encode(), self.path.encode()):
            return _answer(HTTPStatus.NOT_FOUND, b"no such page; open the printed address\n")
        if "upgrade" not in ",".join(headers.get_all("Connection")).lower():
            html, policy = self._page
            return _answer(HTTPStatus.OK, html, "text/html; charset=utf-8", policy)
        if headers.get_all("Origin") not in [[f"http://{host}"] for host in self.hosts]:
            return _answer(HTTPStatus.FORBIDDEN, b"another page may not steer this simulation\n")
        with self._lock:
            if len(self._boxes) >= MOST_PAGES:
                return _answer(HTTPStatus.SERVICE_UNAVAILABLE, b"too many pages are open\n")
        return None

    def _serve_page(self, connection: Any) -> None:
        """Pictures out in a thread of their own, commands in here, until the page leaves."""
        from websockets.exceptions import ConnectionClosed

        box = Mailbox()
        with self._lock:
            self._boxes.add(box)

        def send() -> None:
            try:
                for frame in box:
                    connection.send(frame)
            except ConnectionClosed:
                return

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        self.session.welcome()
        try:
            for text in connection:
                self.session.handle(text)
        except ConnectionClosed:
            pass
        finally:
            with self._lock:
                self._boxes.discard(box)
            box.close()
            sender.join(PATIENCE)


def _answer(status: HTTPStatus, body: bytes, kind: str = "text/plain", policy: str = "default-src 'none'") -> Any:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers()
    for name, value in (
        ("Content-Type", kind),
        ("Content-Length", str(len(body))),
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
    ):
        headers[name] = value
    return Response(status.value, status.phrase, headers, body)


def _library() -> Any:
    try:
        from websockets.sync.server import serve
    except ImportError:
        raise InputError(
            "a live simulation needs the package websockets: pip install 'ropewalk[live]' installs it"
        ) from None
    return serve


@contextmanager
def running(session: Any, server: LiveServer) -> Iterator[None]:
    """The simulation and the server in threads of their own, until the block is left."""
    threads = [
        threading.Thread(target=session.run, name="simulation", daemon=True),
        threading.Thread(target=server.serve_forever, name="server", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        session.stop()
        threads[0].join(PATIENCE)
        server.shutdown()
        threads[1].join(PATIENCE)
