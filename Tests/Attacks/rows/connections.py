"""Row 9: idle connections, and streams, of one address."""
import socket

from claims import equal, expect
from honest import Load

IDLE, STREAMS = 580, 70


def prepare(services):
    pass


def _idle(services, host):
    one = socket.create_connection(("127.0.0.1", services.port), timeout=30, source_address=(host, 0))
    one.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n")
    return one


def small(claims, services):
    held, host = [], services.host()
    with claims.claim(f"row 9: with {IDLE} idle connections of one address another address is served"):
        for _ in range(IDLE):
            try:
                held.append(_idle(services, host))
            except OSError:
                break
        equal(services.caller().get("/health").status, 200)
    with claims.claim("row 9: and registers"):
        app = services.app()
        app.watched = [services.wallet().address]
        equal(app.register().status, 200)
    for one in held:
        one.close()
    streams, host, statuses = [], services.host(), set()
    path = f"/v1/activity/stream?address={services.wallet().address}"
    with claims.claim(f"row 9: of {STREAMS} streams of one address some are refused, and another address gets one"):
        for _ in range(STREAMS):
            try:
                one = socket.create_connection(("127.0.0.1", services.port), timeout=5, source_address=(host, 0))
                streams.append(one)
                one.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
                statuses.add(one.recv(16)[9:12])
            except OSError:
                statuses.add(b"cut")
        expect(statuses - {b"200"}, "all are served")
        one = socket.create_connection(("127.0.0.1", services.port), timeout=30, source_address=(services.host(), 0))
        streams.append(one)
        one.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        equal(one.recv(16)[9:12], b"200")
    for one in streams:
        one.close()


def load(services):
    host, held = services.host(), []

    def hold():
        if len(held) >= IDLE:
            held.pop(0).close()
        held.append(_idle(services, host))
        return "held"

    return Load([hold], pause=0.02)
