"""The server: loopback, one page, and only for those who ask for it by name."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator

import pytest

from ropewalk.errors import InputError
from ropewalk.viewer.page import page_policy
from ropewalk.viewer.server import PageServer

HTML = "<!DOCTYPE html><title>page</title>"


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer(HTML, page_policy()) as it:
        thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield it
        it.shutdown()
        thread.join()


def ask(server: PageServer, method: str = "GET", path: str | None = None, hosts: list[str] | None = None):
    """Status, headers and body of a request with the given Host headers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest(method, server.path if path is None else path, skip_host=True, skip_accept_encoding=True)
    for host in [f"127.0.0.1:{server.port}"] if hosts is None else hosts:
        connection.putheader("Host", host.format(port=server.port))
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body.decode()


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}"])
def test_the_page_is_served_by_either_name_of_this_machine(server, host):
    status, headers, body = ask(server, hosts=[host])
    assert (status, body) == (200, HTML)
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'sha256-")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "hosts",
    [["evil.example:{port}"], ["evil.example"], ["127.0.0.1"], ["127.0.0.1:1"], [""], [],
     ["127.0.0.1:{port}", "evil.example"], ["127.0.0.1:{port}.evil.example"], ["127.0.0.1:{port}@evil.example"]],
)  # fmt: skip
def test_other_hosts_get_nothing(server, hosts):
    """A foreign name that resolves to loopback (DNS rebinding) must not read the page."""
    status, _, body = ask(server, hosts=hosts)
    assert status == 421
    assert "page" not in body


@pytest.mark.parametrize("path", ["/", "/index.html", "/../etc/passwd", "/%2e%2e/", "/?x=1", "http://evil.example/"])
def test_there_is_one_route(server, path):
    status, _, body = ask(server, path=path)
    assert status == 404
    assert "<" not in body


def test_no_two_servers_share_a_path(server):
    """The path is the token: 18 random bytes, 24 characters of base 64."""
    with PageServer(HTML, page_policy()) as other:
        assert other.path != server.path
        assert len(other.path.strip("/")) == 24
        assert ask(server, path=other.path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"])
def test_nothing_can_be_sent(server, method):
    assert ask(server, method)[0] == 501


def test_head_has_no_body(server):
    status, headers, body = ask(server, "HEAD")
    assert (status, body, headers["Content-Length"]) == (200, "", str(len(HTML)))


def test_only_loopback_is_listened_on(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert server.address == f"http://127.0.0.1:{server.port}{server.path}"


def test_a_client_that_sends_nonsense_does_no_harm(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(b"\x00\xff nonsense\r\n\r\n")
        client.recv(4096)
    assert ask(server)[0] == 200


def test_a_port_in_use_is_said(server):
    with pytest.raises(InputError, match="cannot be used"):
        PageServer(HTML, page_policy(), server.port)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_does_not_exist_is_said(port):
    with pytest.raises(InputError, match="does not exist"):
        PageServer(HTML, page_policy(), port)
