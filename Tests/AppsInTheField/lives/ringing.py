"""Calls: a caller's phone asks that the callee's rings (section 5)."""
import json
import time

from apple import DEVELOPMENT, VOIP_TOPIC
from claims import equal, eventually, expect
from ios_app import milliseconds
from kasia_app import KasiaApp

SENDER_LIMIT, CALLEE_LIMIT, PAYLOAD_LIMIT = 6, 20, 2048


def play(claims, services):
    _rings(claims, services)
    _refuses(claims, services)
    _meets_dead_tokens(claims, services)
    _limits(claims, services)


def _installed(services, voip=True, **options):
    app = services.app(**options)
    app.watched = [services.wallet().address]
    app.voip_token = services.random.randbytes(32).hex() if voip else None
    answer = app.register()
    expect(answer.status == 200, answer)
    return app


def _rung(services, app, count=1, host=None):
    """Requests to its VoIP token, as soon as there are so many."""
    def look():
        found = services.apple.requests(app.voip_token, host)
        return found if len(found) >= count else None

    return eventually(f"{count} pushes to the VoIP token", look, 10)


def _rings(claims, services):
    caller, callee = _installed(services), _installed(services)
    second = services.app(wallet=callee.wallet)
    second.watched, second.voip_token = [services.wallet().address], services.random.randbytes(32).hex()
    expect(second.register().status == 200, "the second phone does not register")
    xcode = _installed(services, environment=DEVELOPMENT)
    services.apple.only_at(DEVELOPMENT, xcode.voip_token, xcode.token)
    answer, sent = caller.ring(callee.wallet.address, video=True, timestamp=1)
    asked_at = milliseconds()
    with claims.claim("section 5: a ring is answered 200 and {}"):
        equal((answer.status, answer.json if answer.status == 200 else answer.body), (200, {}))
    with claims.claim("section 5: the push is of type voip, at the topic for calls, urgent and never kept"):
        entry = _rung(services, callee)[0]
        equal((entry["push_type"], entry["topic"], entry["priority"], entry["expiration"]), ("voip", VOIP_TOPIC, 10, 0))
    with claims.claim("section 5: its body has these six members at the top level, and no other"):
        entry = _rung(services, callee)[0]
        body = json.loads(entry["body"])
        when = body.pop("timestamp")
        equal(body, {"call_id": sent["call_id"], "kind": "invite", "video": True, "sender": caller.wallet.address,
                     "payload": sent["payload"]})
        expect(abs(when - asked_at) < 60_000, f"timestamp {when} is not the server's")
    with claims.claim("section 5: every phone of the callee rings, once"):
        equal(len(_rung(services, second)), 1)
        equal(len(services.apple.requests(callee.voip_token)), 1)
    with claims.claim("section 5: no call comes to the ordinary token"):
        equal(services.apple.pushes(callee.token), [])
    with claims.claim("section 5: a development build rings at the development host"):
        answer, _ = caller.ring(xcode.wallet.address, kind="request")
        equal(answer.status, 200, str(answer))
        equal(_rung(services, xcode, host=DEVELOPMENT)[0]["status"], 200)
    with claims.claim("section 5: 200 also when there is nobody to ring"):
        equal(caller.ring(services.wallet().address)[0].status, 200)
    with claims.claim("section 5: a wallet that is primary without being proven is not rung"):
        voip = services.random.randbytes(32).hex()
        stranger = services.wallet()
        pretender = KasiaApp(services.random, services.port, services.host(), stranger.address,
                             [services.wallet().address], voip_token=voip)
        expect(pretender.register().status == 200, "the pretender does not register")
        equal(caller.ring(stranger.address)[0].status, 200)
        equal(_installed_and_rung(services), 1)
        equal(services.apple.requests(voip), [])
    with claims.claim("R10 an update with voip_token null ends the ringing"):
        callee.voip_token, old = None, callee.voip_token
        callee.further = {"voip_token": None}
        equal(callee.update().status, 200)
        other = _installed(services)
        equal(other.ring(callee.wallet.address)[0].status, 200)
        eventually("the second phone rings again", lambda: len(services.apple.requests(second.voip_token)) == 2, 10)
        equal(len(services.apple.requests(old)), 1)


def _installed_and_rung(services):
    """Rings a fresh pair, so that what was asked for before has been sent."""
    caller, callee = _installed(services), _installed(services)
    equal(caller.ring(callee.wallet.address)[0].status, 200)
    return len(_rung(services, callee))


def _refuses(claims, services):
    caller, callee, other = _installed(services), _installed(services), _installed(services)
    with claims.claim("section 5: 403 when the token is bound to another wallet"):
        equal(caller.ring(callee.wallet.address, wallet=services.wallet())[0].status, 403)
    with claims.claim("section 5: 403 when the token is bound to none"):
        stranger = services.app()
        equal(stranger.ring(callee.wallet.address)[0].status, 403)
    with claims.claim("section 5: 403 with another's token"):
        thief = services.app()
        thief.token = other.token
        equal(thief.ring(callee.wallet.address)[0].status, 403)
    with claims.claim("section 5: 401 when the signature does not verify"):
        _, body = other.ring(callee.wallet.address)
        auth = {**body["auth"], "signature": services.random.randbytes(64).hex()}
        equal(other.send("POST", "/v1/push/ring", {**body, "auth": auth}).status, 401)
    with claims.claim("section 5: a ring sent again is 401"):
        answer, body = caller.ring(callee.wallet.address)
        equal(answer.status, 200, str(answer))
        equal(caller.send("POST", "/v1/push/ring", body).status, 401)
    with claims.claim("section 5: a ring without a signature is refused"):
        _, body = caller.ring(callee.wallet.address)
        del body["auth"]
        expect(caller.send("POST", "/v1/push/ring", body).status in (400, 401), "it is taken")
    patient = _installed(services)
    for name, wrong in (("kind", {"kind": "hang-up"}), ("call_id", {"call_id": patient.call_id().upper()}),
                        ("call_id that is none", {"call_id": "1"}), ("payload", {"payload": "no hex"}),
                        ("payload of more than 2 KB", {"payload": "ab" * (PAYLOAD_LIMIT + 1)}),
                        ("to_address", {"to_address": "kaspa:nobody"})):
        with claims.claim(f"section 5: a wrong {name} is 400"):
            answer, _ = patient.ring(callee.wallet.address, **wrong)
            equal(answer.status, 400, str(answer))
    with claims.claim("section 5: a payload of 2 KB arrives whole, in a push of at most 5 KB"):
        fresh, target = _installed(services), _installed(services)
        answer, sent = fresh.ring(target.wallet.address, payload="ab" * PAYLOAD_LIMIT)
        equal(answer.status, 200, str(answer))
        entry = _rung(services, target)[0]
        expect(entry["body_length"] <= 5 * 1024 and entry["status"] == 200, entry)
        equal(json.loads(entry["body"])["payload"], sent["payload"])


def _meets_dead_tokens(claims, services):
    for status, reason in ((410, "Unregistered"), (400, "BadDeviceToken")):
        with claims.claim(f"section 5: {reason} forgets the VoIP token, not the device"):
            caller, callee = _installed(services), _installed(services)
            services.apple.refuses(callee.voip_token, status=status, reason=reason)
            equal(caller.ring(callee.wallet.address)[0].status, 200)
            _rung(services, callee)
            equal(_installed_and_rung(services), 1)
            asked = len(services.apple.requests(callee.voip_token))
            equal(caller.ring(callee.wallet.address)[0].status, 200)
            equal(_installed_and_rung(services), 1)
            equal(len(services.apple.requests(callee.voip_token)), asked, "requests after it was forgotten")
            expect(callee.is_registered(), "the device is gone")
    with claims.claim("section 5: a ring that Apple could not take is not tried again"):
        caller, callee = _installed(services), _installed(services)
        services.apple.refuses(callee.voip_token, status=503, reason="ServiceUnavailable", times=1)
        equal(caller.ring(callee.wallet.address)[0].status, 200)
        _rung(services, callee)
        # A retry would come after a second at the latest: four other calls from start to end take longer.
        begin = time.monotonic()
        eventually("three seconds of other calls", lambda: _installed_and_rung(services) and
                   time.monotonic() > begin + 3, 30)
        equal(len(services.apple.requests(callee.voip_token)), 1)


def _limits(claims, services):
    caller, callee = _installed(services), _installed(services)
    with claims.claim(f"section 5: at most {SENDER_LIMIT} rings a minute and sending wallet"):
        statuses = [caller.ring(services.wallet().address)[0] for _ in range(SENDER_LIMIT)]
        equal([answer.status for answer in statuses], [200] * SENDER_LIMIT)
        answer, _ = caller.ring(services.wallet().address)
        equal(answer.status, 429, str(answer))
    with claims.claim(f"section 5: at most {CALLEE_LIMIT} rings a minute and callee"):
        callers = [_installed(services) for _ in range(4)]
        statuses = []
        for index in range(CALLEE_LIMIT + 2):
            statuses.append(callers[index % 4].ring(callee.wallet.address)[0].status)
        equal(statuses[:CALLEE_LIMIT], [200] * CALLEE_LIMIT)
        expect(429 in statuses[CALLEE_LIMIT:], statuses)
        equal(len(_rung(services, callee, statuses.count(200))), statuses.count(200))
