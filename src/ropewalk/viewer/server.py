"""The page on this machine only.

The server listens on 127.0.0.1, answers one path and what a source has below it, and refuses requests that were
addressed to another host: a page from elsewhere could otherwise have its own name resolve to this machine and read the
answer. The path is drawn at random, so that other users of the machine, who can reach the port as well, cannot guess
it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ropewalk.errors import InputError

LOOPBACK = "127.0.0.1"
HIGHEST_PORT = 65535
TOKEN_BYTES = 18  # of the random path: 144 bits
PATIENCE = 10.0  # s that a silent client is waited for


class PageServer(ThreadingHTTPServer):
    """Serves one page. `address` is where; stop it with `shutdown` or Ctrl-C."""

    daemon_threads = True
    allow_reuse_address = False  # on some systems it would let another program take over the port

    def __init__(
        self, html: str, policy: str, port: int = 0, source: Callable[[str], bytes | None] | None = None
    ) -> None:
        if not 0 <= port <= HIGHEST_PORT:
            raise InputError(
                f"port {port} does not exist; give one from 1 to {HIGHEST_PORT}, or 0 for any that is free"
            )
        self.path = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self.body = html.encode("utf-8")
        self.policy = policy
        self.source = source  # what stands behind further names below the path
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except OSError as error:
            raise InputError(f"port {port} cannot be used: {error.strerror}; 0 selects a free one") from None

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{LOOPBACK}:{self.port}{self.path}"

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser on this machine may call this server."""
        return frozenset(f"{name}:{self.port}" for name in (LOOPBACK, "localhost"))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves early is no error."""


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of the server's path."""

    server: PageServer
    timeout = PATIENCE
    server_version = "ropewalk"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        status, body, kind = HTTPStatus.OK, self.server.body, "text/html; charset=utf-8"
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            status, body, kind = HTTPStatus.MISDIRECTED_REQUEST, b"this server answers on loopback only\n", "text/plain"
        elif (found := self._named()) is not None:
            body, kind = found, "application/octet-stream"
        elif not secrets.compare_digest(self.path.encode(), self.server.path.encode()):
            status, body, kind = (
                HTTPStatus.NOT_FOUND,
                b"no such page; open the printed address\n",
                "text/plain",
            )
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _named(self) -> bytes | None:
        """What the source has under the name behind the path; None without one."""
        root = self.server.path
        begin, name = self.path[: len(root)], self.path[len(root) :]
        if self.server.source is None or not name or not secrets.compare_digest(begin.encode(), root.encode()):
            return None
        return self.server.source(name)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not told on the terminal."""
