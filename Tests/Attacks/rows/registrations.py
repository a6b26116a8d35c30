"""Row 7: registrations of the largest size, unsigned, from many addresses of one network."""
import json

from claims import expect
from honest import Load
from ios_app import REGISTER

SMALL_REGISTRATIONS = 400


def prepare(services):
    pass


def _largest(services):
    watched = [services.wallet().address for _ in range(4)]
    return {"device_token": services.random.randbytes(32).hex(), "platform": "ios", "watched_addresses": watched,
            "aliases": [services.random.randbytes(32).hex() for _ in range(256)]}


def _send(services, caller):
    body = json.dumps(_largest(services)).encode()
    return caller.send("POST", REGISTER, body, {"Content-Type": "application/json"})


def small(claims, services):
    with claims.claim("row 7: an address that invents devices is refused after its allowance, and told when to try again"):
        caller = services.caller()
        answers = [_send(services, caller) for _ in range(SMALL_REGISTRATIONS)]
        refused = [answer for answer in answers if answer.status == 429]
        expect(refused, "none is refused")
        expect(all(answer.status in (200, 429) for answer in answers), {answer.status for answer in answers})
        expect(all(int(answer.headers["retry-after"]) >= 1 for answer in refused), "no Retry-After")
    with claims.claim("row 7: a signed registration from elsewhere is taken"):
        app = services.app()
        app.watched = [services.wallet().address]
        expect(app.register().status == 200, "refused")


def load(services):
    callers = [services.caller() for _ in range(64)]

    def register():
        callers.append(callers.pop(0))
        return _send(services, callers[0]).status

    return Load([register] * 4)
