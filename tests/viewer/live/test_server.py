"""The live server: loopback, a token, Host and Origin, and no other page may steer."""

from __future__ import annotations

import http.client
import threading

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ropewalk.errors import InputError
from ropewalk.viewer.live.server import LiveServer
from ropewalk.viewer.page import page_policy


class Session:
    """In place of a simulation: keeps what it is given."""

    def __init__(self):
        self.taken = []
        self.came = threading.Event()

    def handle(self, text):
        self.taken.append(text)
        self.came.set()

    def welcome(self):
        self.came.set()


@pytest.fixture
def server():
    it = LiveServer(Session())
    it.show("<!DOCTYPE html><title>page</title>", page_policy(sources=it.sockets))
    thread = threading.Thread(target=it.serve_forever, daemon=True)
    thread.start()
    yield it
    it.shutdown()
    thread.join(10)


def ask(server, path=None, hosts=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest("GET", server.path if path is None else path, skip_host=True, skip_accept_encoding=True)
    for host in ["127.0.0.1:{port}"] if hosts is None else hosts:
        connection.putheader("Host", host.format(port=server.port))
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body.decode()


def socket(server, **options):
    options = {"origin": f"http://127.0.0.1:{server.port}", "proxy": None, **options}
    return connect(server.address.replace("http", "ws"), **options)


def test_the_page_may_connect_to_its_own_server_only(server):
    status, headers, body = ask(server)
    assert (status, body) == (200, "<!DOCTYPE html><title>page</title>")
    policy = headers["Content-Security-Policy"]
    assert f"connect-src ws://127.0.0.1:{server.port} ws://localhost:{server.port};" in policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "hosts", [["evil.example:{port}"], [""], [], ["127.0.0.1:{port}", "evil.example"], ["127.0.0.1"]]
)
def test_other_hosts_get_nothing(server, hosts):
    status, _, body = ask(server, hosts=hosts)
    assert status in (400, 421)
    assert "<title>" not in body


@pytest.mark.parametrize("path", ["/", "/x/", "/?a=b"])
def test_without_the_token_there_is_nothing(server, path):
    assert ask(server, path)[0] == 404
    with pytest.raises(InvalidStatus, match="404"):
        connect(f"ws://127.0.0.1:{server.port}{path}", origin=f"http://127.0.0.1:{server.port}", proxy=None)


@pytest.mark.parametrize("origin", [None, "http://evil.example", "https://127.0.0.1:1", "null"])
def test_pages_of_other_origins_cannot_steer(server, origin):
    with pytest.raises(InvalidStatus, match="403"):
        socket(server, origin=origin)
    assert not server.session.taken


def test_commands_go_in_and_pictures_come_out(server):
    with socket(server) as page:
        assert server.session.came.wait(10)
        server.session.came.clear()
        page.send('{"do": "pause"}')
        assert server.session.came.wait(10)
        assert server.session.taken == ['{"do": "pause"}']
        server.publish(b"picture")
        assert page.recv(timeout=10) == b"picture"


def test_a_page_that_is_slow_gets_the_latest_picture_only(server):
    from ropewalk.viewer.live.server import Mailbox

    box = Mailbox()
    box.put(b"old")
    box.put(b"new")
    assert next(iter(box)) == b"new"


def test_long_commands_end_the_connection(server):
    from websockets.exceptions import ConnectionClosed

    with socket(server) as page:
        page.send("x" * 10_000)
        with pytest.raises(ConnectionClosed):
            page.recv(timeout=10)
    assert not server.session.taken


def test_only_loopback_is_listened_on(server):
    assert server._server.socket.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_said(server):
    with pytest.raises(InputError, match="cannot be used"):
        LiveServer(Session(), server.port)
    with pytest.raises(InputError, match="does not exist"):
        LiveServer(Session(), 70_000)
