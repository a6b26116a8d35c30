"""What the service sends of the recorded blocks, read as a browser, a push service and Google's library read it."""
import base64
import hashlib
import json
import pathlib
import time

import http_ece
import jwt
import py_vapid
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from firebase_admin import messaging

from browser import Browser
from claims import equal, eventually, expect
from programs import FIXTURES, SUBJECT, identifier

GOLDEN_DEVICE = "bob-phone"
ANDROID_TOKEN = "judge-of-android_0:APA91b" + "x" * 134
LARGEST_BODY = 4096
DAY_SECONDS = 24 * 3600


class Expected:
    """What the golden file has of one device: its wishes, and its notifications by transaction."""

    def __init__(self):
        golden = json.loads((FIXTURES / "recorded-blocks.notifications.json").read_text(encoding="utf-8"))
        device = next(device for device in golden["devices"] if device["name"] == GOLDEN_DEVICE)
        self.wishes = {name: device["registration"][name] for name in ("watched_addresses", "primary_address")}
        self.bodies = {one["tx_id"]: one["body"] for one in golden["notifications"] if one["device"] == GOLDEN_DEVICE}


def play(claims, stand_in, push_service, node, service):
    expected = Expected()
    browser, distributor = Browser(push_service.origin, "browser"), Browser(push_service.origin, "distributor")
    known = stand_in.subscribe(application_server_key=service.public_key)
    with claims.claim("two browsers, a distributor of UnifiedPush and an Android register"):
        service.register("web", subscription=browser.subscription, **expected.wishes)
        service.register("unifiedpush", subscription=distributor.subscription, **expected.wishes)
        service.register("web", subscription={name: known[name] for name in ("endpoint", "keys")}, **expected.wishes)
        service.register("android", device_token=ANDROID_TOKEN, **expected.wishes)
        equal([one.path for one in push_service.received if one.method == "GET"], [distributor.path])
    with claims.claim(f"all {len(expected.bodies)} messages of the blocks reach the browser and the distributor"):
        node.play()
        topics = {_topic(identity) for identity in expected.bodies}
        for reader in (browser, distributor):
            eventually(f"{reader.name} has them", lambda: topics <= {
                push.headers.get("topic") for push in push_service.pushes(reader)})
    with claims.claim("no push waits any more"):
        eventually("all are sent", lambda: service.is_quiet)
    for reader in (browser, distributor):
        _judge_pushes(claims, push_service, service, reader, expected)
    opened = [_opened(push, browser) for push in push_service.pushes(browser)]
    known_entries, android_entries = stand_in.requests(identifier(known)), stand_in.requests(ANDROID_TOKEN)
    _judge_stand_in(claims, known_entries, opened, expected)
    _judge_android(claims, android_entries, expected)
    _judge_signatures(claims, service, {
        browser.subscription["endpoint"]: opened,
        distributor.subscription["endpoint"]: [_opened(push, distributor) for push in push_service.pushes(distributor)],
        known["endpoint"]: [json.loads(entry["contents"]) for entry in known_entries],
        ANDROID_TOKEN: [json.loads(entry["body"])["message"]["data"] for entry in android_entries],
    })


# A browser

def _judge_pushes(claims, push_service, service, reader, expected):
    name, pushes = reader.name, push_service.pushes(reader)
    with claims.claim(f"{name}: http-ece decrypts each message with the reader's own key, as in the golden file"):
        _compare([_opened(push, reader) for push in pushes], expected)
    with claims.claim(f"{name}: no other key or secret opens them, and no two have a salt or a sender's key in common"):
        stranger = Browser(push_service.origin, "stranger")
        for key, secret in ((stranger.private_key, reader.auth), (reader.private_key, stranger.auth)):
            expect(not _opens(pushes[0].body, key, secret), "somebody else can read it")
        equal(len({push.body[:16] for push in pushes}), len(pushes), "salts")
        equal(len({push.body[21:86] for push in pushes}), len(pushes), "keys")
    with claims.claim(f"{name}: py-vapid verifies each authorization, and nothing that was changed"):
        for push in pushes:
            authorization = push.headers["authorization"]
            expect(py_vapid.Vapid.verify(_without_spaces(authorization)), authorization)
        token, key = _authorization(pushes[0])
        head, claims_text, signature = token.split(".")
        other = "B" if signature[9] == "A" else "A"
        changed = f"{head}.{claims_text}.{signature[:9]}{other}{signature[10:]}"
        expect(not py_vapid.Vapid.verify(f"vapid t={changed},k={key}"), "a changed signature is verified")
    with claims.claim(f"{name}: PyJWT takes the token: audience, at most 24 hours, subject, the public key"):
        for push in pushes:
            token, key = _authorization(push)
            equal(key, service.public_key)
            told = jwt.decode(
                token, _public_key(key), algorithms=["ES256"], audience=push_service.origin,
                options={"require": ["aud", "exp", "sub"]})
            equal((told["aud"], told["sub"]), (push_service.origin, SUBJECT))
            expect(0 < told["exp"] - time.time() <= DAY_SECONDS, f"it ends {told['exp']}")
    with claims.claim(f"{name}: each comes over HTTP/2 with its fields, in at most {LARGEST_BODY} bytes"):
        for push in pushes:
            fields = push.headers
            equal(len(push.fields), len(fields), "a field comes twice")
            equal((push.version, fields["urgency"], fields["content-encoding"]), ("2", "high", "aes128gcm"))
            expect(0 < int(fields["ttl"]) <= 28 * DAY_SECONDS, fields["ttl"])
            equal(fields["topic"], _topic(_opened(push, reader)["tx_id"]))
            expect(len(push.body) <= LARGEST_BODY, f"{len(push.body)} bytes")


def _opened(push, reader):
    return json.loads(http_ece.decrypt(push.body, private_key=reader.private_key, auth_secret=reader.auth))


def _topic(identity):
    """The topic of a transaction's message: a repeat replaces it."""
    return base64.urlsafe_b64encode(bytes.fromhex(identity)).decode()[:32]


def _opens(body, key, secret):
    try:
        http_ece.decrypt(body, private_key=key, auth_secret=secret)
    except http_ece.ECEException:
        return False
    return True


def _without_spaces(authorization):
    """RFC 8292 allows white space after the comma, for which py-vapid does not look."""
    return authorization.replace(", ", ",")


def _authorization(push):
    """The token and the key of `vapid t=…, k=…`."""
    scheme, parameters = _without_spaces(push.headers["authorization"]).split(" ")
    equal(scheme, "vapid")
    parameters = dict(parameter.split("=", 1) for parameter in parameters.split(","))
    return parameters["t"], parameters["k"]


def _public_key(text):
    point = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def _compare(messages, expected):
    """Every message of the golden file once, numbered from 1.

    What a reorganisation took out again may be among them, depending on when the service asked the node.
    """
    by_id = {message["tx_id"]: message for message in messages}
    equal(len(by_id), len(messages), "different transactions")
    equal(sorted(message["seq"] for message in messages), list(range(1, len(messages) + 1)), "numbers")
    for identity, golden in expected.bodies.items():
        expect(identity in by_id, f"{identity} is missing")
        message, alert = by_id[identity], golden["aps"]["alert"]
        equal((message["title"], message["body"]), (alert["title"], alert["body"]), identity)
        for name in ("type", "sender", "amount", "payload"):
            equal(message.get(name), golden.get(name), f"{identity}: {name}")


# The stand-in

def _judge_stand_in(claims, entries, opened, expected):
    with claims.claim("the stand-in reads the same messages as http-ece"):
        expect(all(entry["accepted"] for entry in entries), [entry.get("reason") for entry in entries])
        contents = [json.loads(entry["contents"]) for entry in entries]
        _compare(contents, expected)
        by_id = {message["tx_id"]: message for message in opened}
        for message in contents:
            own = {"seq": 0, "sig": ""}
            equal({**message, **own}, {**by_id[message["tx_id"]], **own})


# Google

def _judge_android(claims, entries, expected):
    with claims.claim("Android: all messages of the recorded blocks arrive, as the golden file has them"):
        expect(all(entry["accepted"] for entry in entries), [entry.get("reason") for entry in entries])
        data = [json.loads(entry["body"])["message"]["data"] for entry in entries]
        by_id = {one["tx_id"]: one for one in data}
        equal(len(by_id), len(data), "different transactions")
        equal(sorted(int(one["seq"]) for one in data), list(range(1, len(data) + 1)), "numbers")
        for identity, golden in expected.bodies.items():
            expect(identity in by_id, f"{identity} is missing")
            one, alert = by_id[identity], golden["aps"]["alert"]
            equal((one["title"], one["body"]), (alert["title"], alert["body"]), identity)
            equal((one["type"], one.get("sender")), (golden["type"], golden.get("sender")), identity)
    with claims.claim("Android: firebase-admin writes the same message as the service"):
        expect(entries, "nothing came")
        for entry in entries:
            ours = json.loads(entry["body"])["message"]
            android = ours["android"]
            theirs = messaging.Message(
                token=ours["token"], data=ours["data"],
                android=messaging.AndroidConfig(priority="high", ttl=int(android["ttl"].removesuffix("s"))))
            # Google's interface has the word in capitals, and takes both.
            ours["android"] = {**android, "priority": android["priority"].lower()}
            equal(ours, messaging._MessagingService.encode_message(theirs))


# Signatures

def _judge_signatures(claims, service, messages_by_token):
    """cryptography, which is Python's face of OpenSSL, checks the member `sig` by the documented text alone."""
    with claims.claim("cryptography reads the key that signing-key new wrote, and /v1/push/key has its public half"):
        text = pathlib.Path(service.signing_key_file).read_bytes()
        private = serialization.load_pem_private_key(text, password=None)
        public = private.public_key().public_bytes_raw()
        told = service.get("/v1/push/key")
        equal(told["algorithm"], "ed25519")
        equal(base64.urlsafe_b64decode(told["public_key"] + "="), public)
        equal(told["key_id"], hashlib.sha256(public).hexdigest()[:16])
        equal(service.signing_key, told["public_key"])
    key = ed25519.Ed25519PublicKey.from_public_bytes(public)
    for token, messages in messages_by_token.items():
        with claims.claim(f"cryptography verifies each push to {token[:40]}…, and not for another device"):
            expect(messages, "nothing came")
            for message in messages:
                expect(_is_signed(message, token, key), message)
                expect(not _is_signed(message, token + "0", key), "another device's")
                expect(not _is_signed({**message, "type": "handshake_"}, token, key), "another type")


def _is_signed(message, token, key):
    text = "\n".join([
        "domain=kasia-push:v1", f"tx_id={message['tx_id']}", f"type={message['type']}",
        f"sender={message.get('sender', '')}", f"seq={message['seq']}",
        f"device_token_hash={hashlib.sha256(token.encode()).hexdigest()}"])
    try:
        key.verify(base64.b64decode(message["sig"], validate=True), text.encode())
    except InvalidSignature:
        return False
    return True
