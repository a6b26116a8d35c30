"""pywebpush, which sends to the stand-in; py-vapid, which signs for it with the key file of our own command."""
import py_vapid
import pywebpush
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from browser import base64url
from claims import equal, expect
from programs import SUBJECT, identifier

# What fits into one record of 4,096 bytes, with its header, tag and delimiter.
LARGEST_TEXT = 3_993


def play(claims, stand_in, service):
    with claims.claim("py-vapid reads the key file of `vapid new`, and its public half is the one printed and served"):
        key = py_vapid.Vapid.from_file(service.key_file)
        equal(_public_text(key), service.public_key)
        equal(service.get("/v1/push/vapid")["public_key"], service.public_key)
    with claims.claim("pywebpush sends to the stand-in, which reads the text"):
        subscription = stand_in.subscribe()
        text = '{"title":"Grüße","body":"from pywebpush"}'
        answer = _send(subscription, text, service)
        equal(answer.status_code, 201)
        expect(answer.headers["location"], "no location")
        entry, = stand_in.requests(identifier(subscription))
        equal((entry["accepted"], entry["contents"], entry["ttl"], entry["urgency"]), (True, text, 60, "high"))
    with claims.claim(f"pywebpush sends a text of {LARGEST_TEXT} bytes; one more is refused with 413"):
        subscription = stand_in.subscribe()
        _send(subscription, "x" * LARGEST_TEXT, service)
        equal(_refused(subscription, "x" * (LARGEST_TEXT + 1), service), 413)
        entries = stand_in.requests(identifier(subscription))
        equal([(entry["accepted"], entry["body_length"]) for entry in entries], [(True, 4096), (False, 4097)])
    with claims.claim("pywebpush reads 410 once the browser has ended its subscription"):
        subscription = stand_in.subscribe()
        stand_in.unsubscribe(subscription)
        equal(_refused(subscription, "x", service), 410)
    with claims.claim("pywebpush may send with the key that a page subscribed with, and gets 403 with another"):
        subscription = stand_in.subscribe(application_server_key=service.public_key)
        _send(subscription, "x", service)
        other = py_vapid.Vapid()
        other.generate_keys()
        equal(_refused(subscription, "x", service, key=other), 403)


def _send(subscription, text, service, key=None):
    return pywebpush.webpush(
        subscription, text, vapid_private_key=key or service.key_file, vapid_claims={"sub": SUBJECT}, ttl=60,
        headers={"urgency": "high"}, timeout=30)


def _refused(subscription, text, service, key=None):
    """The status of the refusal."""
    try:
        answer = _send(subscription, text, service, key)
    except pywebpush.WebPushException as error:
        return error.response.status_code
    raise AssertionError(f"it went through: {answer.status_code}")


def _public_text(key):
    return base64url(key.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
