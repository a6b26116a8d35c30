"""Row 6: streams that ask for the whole log of changes."""
import http.client

from claims import equal, expect
from honest import Load
from payload import contextual

ENTRIES, SMALL_STREAMS = 300, 32


def prepare(services):
    services.busy = services.wallet()
    services.tell(*[services.chain.message(services.busy, contextual("a", b"busy")) for _ in range(ENTRIES)])


def _open(services, host, lines=1):
    """The stream's status, and so many of its events."""
    connection = http.client.HTTPConnection("127.0.0.1", services.port, timeout=60, source_address=(host, 0))
    path = f"/v1/activity/stream?address={services.busy.address}"
    connection.request("GET", path, headers={"Last-Event-ID": "0-"})
    response = connection.getresponse()
    events = []
    while response.status == 200 and len(events) < lines:
        line = response.fp.readline().decode()
        expect(line, "the stream has ended")
        if line.startswith("event: "):
            events.append(line.split()[1])
    return connection, response.status, events


def small(claims, services):
    opened = []
    with claims.claim(f"row 6: of {SMALL_STREAMS} replays each is whole, or refused as its address has read enough"):
        for _ in range(SMALL_STREAMS):
            connection, status, events = _open(services, services.host(), ENTRIES)
            opened.append(connection)
            expect(status in (200, 429, 503), status)
            expect(status != 200 or set(events) == {"activity"}, f"events: {set(events)}")
    with claims.claim("row 6: health and registrations are served beside them"):
        equal(services.caller().get("/health").status, 200)
        app = services.app()
        app.watched = [services.wallet().address]
        equal(app.register().status, 200)
    for connection in opened:
        connection.close()


def load(services):
    hosts = [services.host() for _ in range(32)]

    def replay(host):
        connection, status, _ = _open(services, host, ENTRIES)
        connection.close()
        return status

    return Load([lambda host=host: replay(host) for host in hosts], pause=0.05)
