"""How often an app may change its registration (R14)."""
import math
import time

from call import Caller
from claims import equal, expect
from ios_app import REGISTER, IOSApp

PER_MINUTE, PER_TOKEN, CHALLENGES = 60, 20, 600


def play(claims, services):
    with claims.claim(f"R14 more than {PER_MINUTE} changes a minute of several wallets pass from one address"):
        gateway = services.caller()
        apps = [_app(services) for _ in range(8)]
        bodies = [(app, body) for app in apps for body in _signed(services, app, PER_MINUTE // 6)]
        answers, _ = _sent(bodies, gateway)
        equal([answer.status for answer in answers], [200] * len(bodies))
        expect(len(bodies) > PER_MINUTE, "there are too few")
    with claims.claim(f"R14 change {PER_MINUTE + 1} of one wallet within a minute is 429 with Retry-After"):
        wallet = services.wallet()
        apps = [_app(services, wallet) for _ in range(5)]
        bodies = [(app, body) for app in apps for body in _signed(services, app, 16)]
        _stops_after(PER_MINUTE, *_sent(bodies))
    with claims.claim(f"R14 change {PER_TOKEN + 1} of one token within a minute is 429 with Retry-After"):
        app = _app(services)
        _stops_after(PER_TOKEN, *_sent([(app, body) for body in _signed(services, app, PER_TOKEN + 8)]))
    spammed = services.caller()
    with claims.claim(f"R14 failed signatures count against the address: the one after {PER_MINUTE} is 429"):
        app = _app(services)
        bodies = [(app, body) for body in _signed(services, app, PER_MINUTE + 10)]
        for _, body in bodies:
            body["auth"]["signature"] = "00" * 64
        _stops_after(PER_MINUTE, *_sent(bodies, spammed), success=401)
    with claims.claim("R14 a stranger's failed signatures use up nothing of the token and wallet that they name"):
        answers, _ = _sent([(app, body) for body in _signed(services, app, 5)])
        equal([answer.status for answer in answers], [200] * 5)
    with claims.claim("R14 a signed change passes from an address whose allowance strangers have used up"):
        app = _app(services)
        answers, _ = _sent([(app, body) for body in _signed(services, app, 1)], spammed)
        equal(answers[0].status, 200, str(answers[0]))
    with claims.claim(f"R14 unsigned changes count against the address: the one after {PER_MINUTE} is 429"):
        bodies = []
        for _ in range(PER_MINUTE + 10):
            app = _app(services)
            bodies.append((app, {**app.wishes(), "watched_group_ids": [], "platform": "ios"}))
            del bodies[-1][1]["watched_group_ids"]
        _stops_after(PER_MINUTE, *_sent(bodies, services.caller()))
    # Each signed change needs one: with 60 of them, phones behind one address would have 60 changes all the same.
    with claims.claim(f"R14 challenges count against the address: the one after {CHALLENGES} is 429"):
        caller, begin = services.caller(), time.monotonic()
        answers = [caller.send("POST", "/v1/push/challenge") for _ in range(CHALLENGES + 100)]
        _stops_after(CHALLENGES, answers, time.monotonic() - begin)


def _app(services, wallet=None):
    app = IOSApp(services.phone(), wallet or services.wallet())
    app.watched = [services.wallet().address]
    return app


def _signed(services, app, count):
    """So many signed registrations, with challenges from addresses that have nothing to do with it."""
    bodies = []
    for _ in range(count):
        challenge = app.challenge(Caller(services.port, services.host()))
        bodies.append(app.registration(challenge=challenge))
    return bodies


def _sent(bodies, caller=None):
    """The answers, sent as fast as they go, and how many seconds that took."""
    begin = time.monotonic()
    answers = [app.send("POST", REGISTER, body, caller) for app, body in bodies]
    return answers, time.monotonic() - begin


def _stops_after(allowed, answers, seconds, success=200):
    """The first refusal comes after the allowance and what of it grew back in the meantime."""
    statuses = [answer.status for answer in answers]
    expect(429 in statuses, f"never refused: {len(statuses)} times {set(statuses)} in {seconds:.1f} s")
    first = statuses.index(429)
    equal(set(statuses[:first]), {success}, str(answers[0]))
    most = allowed + math.ceil(allowed * seconds / 60)
    expect(allowed <= first <= most, f"refused after {first}, and not after {allowed} to {most}")
    expect(int(answers[first].headers.get("retry-after", "0")) >= 1, answers[first].headers)
