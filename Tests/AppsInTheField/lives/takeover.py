"""What a stranger tries around the checks that were loosened."""
from claims import equal, expect
from ios_app import REGISTER, UNREGISTER, UPDATE, RENAMED, IOSApp
from signing import Intent


def _with(app, wallet, phone=None):
    """The same token in other hands."""
    other = IOSApp(phone or app.phone, wallet)
    other.token, other.watched = app.token, list(app.watched)
    return other


def play(claims, services):
    contact = services.wallet()
    victim = services.app()
    victim.watched = [contact.address]
    expect(victim.register().status == 200, "the victim does not register")
    attacker_phone, attacker = services.phone(), services.wallet()

    def refused(answer, *words):
        equal(answer.status, 401, str(answer))
        for word in words:
            expect(word in answer.error, answer)
        expect(victim.is_registered(), "the victim's registration is gone")

    for name, build in (("kasia", victim.build), ("kchat", RENAMED)):
        app = services.app(build=build)
        app.watched = [contact.address]
        app.register()
        with claims.claim(f"takeover: a sign-out sent again after the next sign-in is 401 ({name})"):
            sign_out = {"device_token": app.token, "auth": app.auth(app.sign_out_intent())}
            expect(app.send("DELETE", UNREGISTER, sign_out).status == 200, "the sign-out itself fails")
            expect(app.register().status == 200, "the next sign-in fails")
            equal(app.send("DELETE", UNREGISTER, sign_out).status, 401)
            expect(app.is_registered(), "it ended the registration")
    with claims.claim("takeover: a sign-out for another token is 401"):
        other = services.app(wallet=attacker)
        auth = other.auth(other.sign_out_intent())
        refused(other.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": auth}))
    thief = _with(victim, attacker, attacker_phone)
    with claims.claim("takeover: another wallet with another device key does not register a bound token"):
        refused(thief.register(), "bound to another wallet")
    with claims.claim("takeover: nor update it"):
        refused(thief.update(), "bound to another wallet")
    with claims.claim("takeover: nor sign it out"):
        refused(thief.sign_out())
    with claims.claim("R5 the DELETE over real lists with a wrong device key stays 401"):
        refused(thief.recover())
    stolen = _with(victim, attacker, victim.phone)
    with claims.claim("takeover: a stolen device key does not register a bound token for another wallet"):
        refused(stolen.register(), "bound to another wallet")
    with claims.claim("takeover: nor update it"):
        refused(stolen.update(), "bound to another wallet")

    def spoiled(app, intent):
        """The app's proof with a wallet signature that does not verify."""
        auth = app.auth(intent)
        auth["signature"] = services.random.randbytes(64).hex()
        return auth

    with claims.claim("R5 a broken wallet signature beside the right device key is fatal to a registration"):
        body = {**victim.wishes(), "platform": "ios", "auth": spoiled(victim, victim.intent("POST", REGISTER))}
        refused(victim.send("POST", REGISTER, body))
    with claims.claim("R5 and to an update"):
        refused(victim.send("PUT", UPDATE, {**victim.wishes(), "auth": spoiled(victim, victim.intent("PUT", UPDATE))}))
    with claims.claim("R5 a broken wallet signature beside a wrong device key is fatal to a sign-out"):
        auth = spoiled(thief, thief.sign_out_intent())
        refused(thief.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": auth}))
    with claims.claim("R5 the right device key over another token proves nothing"):
        elsewhere = IOSApp(victim.phone, attacker)
        proof = elsewhere.auth(elsewhere.sign_out_intent())
        refused(elsewhere.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": proof}))
    with claims.claim("R5 the right device key over another path proves nothing"):
        auth = thief.auth(thief.sign_out_intent())
        auth["device_auth"] = _device_proof_elsewhere(victim, auth)
        refused(thief.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": auth}))
    with claims.claim("R5 the right key's name beside another key's signature proves nothing"):
        auth = thief.auth(thief.sign_out_intent())
        auth["device_auth"]["key_id"] = victim.phone.key.identifier
        answer = thief.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": auth})
        expect(answer.status in (400, 401), answer)
        expect(victim.is_registered(), "the victim's registration is gone")
    with claims.claim("takeover: without a signature a bound token is not signed out"):
        answer = thief.send("DELETE", UNREGISTER, {"device_token": victim.token})
        refused(answer, "auth is required for a wallet-bound device token")
    with claims.claim("takeover: the right wallet's sign-out with a wrong address of the call is 401"):
        auth = victim.auth(Intent("POST", REGISTER, victim.token))
        refused(victim.send("DELETE", UNREGISTER, {"device_token": victim.token, "auth": auth}))
    with claims.claim("R6 a registration sent again is 401"):
        body = victim.registration()
        expect(victim.send("POST", REGISTER, body).status == 200, "the registration itself fails")
        refused(victim.send("POST", REGISTER, body))
    with claims.claim("R6 a stolen key on a new token opens nothing of the old one"):
        own = IOSApp(victim.phone, attacker)
        own.watched = [contact.address]
        equal(own.register(counter=1).status, 200, "its own token")
        refused(_with(victim, attacker, victim.phone).register(counter=1_000_000), "bound to another wallet")
    with claims.claim("R5 the right wallet still signs out, whatever the device key beside it"):
        app = services.app()
        app.watched = [contact.address]
        expect(app.register().status == 200, "the registration fails")
        equal(_with(app, app.wallet, services.phone()).sign_out().status, 200)


def _device_proof_elsewhere(victim, auth):
    """The victim's device signature with these numbers, but for a registration."""
    challenge = {"nonce": auth["nonce"], "expires_at_ms": auth["expires_at_ms"], "issued_at_ms": auth["timestamp_ms"]}
    return victim.auth(victim.intent("POST", REGISTER), challenge=challenge)["device_auth"]
