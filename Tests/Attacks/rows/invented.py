"""Row 2: invented tokens that watch one busy address; an honest device watches another."""
import json

from claims import eventually, expect
from honest import Load
from ios_app import REGISTER
from payload import contextual

TOKENS, MESSAGES, QUEUED = 100, 12, 5


def prepare(services):
    services.busy, services.honest_sender = services.wallet(), services.wallet()
    services.honest = services.app()
    services.honest.watched = [services.honest_sender.address]
    services.honest.register()
    services.inventions = []


def _register(services, caller, token):
    body = {"device_token": token, "platform": "ios", "watched_addresses": [services.busy.address]}
    return caller.send("POST", REGISTER, json.dumps(body).encode(), {"Content-Type": "application/json"})


def invent(services, count):
    while len(services.inventions) < count:
        token = services.random.randbytes(32).hex()
        answer = _register(services, services.caller(), token)
        expect(answer.status == 200, answer)
        services.inventions.append(token)


def small(claims, services):
    invent(services, TOKENS)
    with claims.claim("row 2: the honest device gets every message of its sender, however many the invented ones are owed"):
        honest = []
        for _ in range(MESSAGES):
            honest.append(services.chain.message(services.honest_sender, contextual("a", b"honest")))
            services.tell(*[services.chain.message(services.busy, contextual("a", b"busy")) for _ in range(8)], honest[-1])
        texts = [str(push) for push in services.apple.pushes(services.honest.token)]
        expect(all(any(one.id in text for text in texts) for one in honest), "some are lost")
    with claims.claim("row 2: nothing stays queued"):
        eventually("the queue is empty", services.is_quiet)


def transactions(services):
    """What is told each half second: the busy address writes eight times a second."""
    return [services.chain.message(services.busy, contextual("a", b"busy")) for _ in range(4)]


def load(services):
    return loads(services, lambda: services.random.randbytes(32).hex())


def loads(services, token):
    """As many tokens as the service takes from many addresses, and then more and more of them."""
    callers = [services.caller() for _ in range(100)]

    def invent_one():
        callers.append(callers.pop(0))
        return _register(services, callers[0], token()).status

    return Load([invent_one] * 4, pause=0.02)
