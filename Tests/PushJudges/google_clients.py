"""google-auth and firebase-admin: what Google's own clients read out of the stand-in's answers."""
import asyncio
import datetime
import json

import firebase_admin
import firebase_admin.credentials
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import _http_client, exceptions, messaging
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google.oauth2 import service_account

from claims import equal, expect

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
LARGEST_DATA = 4096
# A status and a reason, and what firebase-admin calls them.
ERRORS = [
    (404, "UNREGISTERED", messaging.UnregisteredError),
    (403, "SENDER_ID_MISMATCH", messaging.SenderIdMismatchError),
    (429, "QUOTA_EXCEEDED", messaging.QuotaExceededError),
    (401, "THIRD_PARTY_AUTH_ERROR", messaging.ThirdPartyAuthError),
    (400, "INVALID_ARGUMENT", exceptions.InvalidArgumentError),
    (401, "UNAUTHENTICATED", exceptions.UnauthenticatedError),
    (403, "PERMISSION_DENIED", exceptions.PermissionDeniedError),
    (404, "NOT_FOUND", exceptions.NotFoundError),
    (429, "RESOURCE_EXHAUSTED", exceptions.ResourceExhaustedError),
    (500, "INTERNAL", exceptions.InternalError),
    (503, "UNAVAILABLE", exceptions.UnavailableError),
]


def play(claims, stand_in):
    _ask_for_tokens(claims, stand_in)
    messaging._MessagingService.FCM_URL = stand_in.origin + "/v1/projects/{0}/messages:send"
    # It asks again after 500 and 503, four times; here without pauses.
    _http_client.DEFAULT_HTTPX_RETRY_CONFIG.backoff_factor = 0
    # Never deleted: that closes its connections in another event loop than theirs, which fails.
    firebase_admin.initialize_app(firebase_admin.credentials.Certificate(stand_in.account_file))
    _send(claims, stand_in)
    _read_refusals_of_messages(claims)
    asyncio.run(_send_at_once(claims, stand_in))


def _ask_for_tokens(claims, stand_in):
    with claims.claim("google-auth gets an access token with the service account's file"):
        credentials = service_account.Credentials.from_service_account_file(stand_in.account_file, scopes=[SCOPE])
        credentials.refresh(Request())
        expect(credentials.valid and credentials.token, "no valid token")
        left = credentials.expiry - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        expect(datetime.timedelta(minutes=55) < left <= datetime.timedelta(hours=1), f"it is good for {left}")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    for what, changed, scope, code in [
        ("a revoked key", {"private_key_id": "0" * 40}, SCOPE, "invalid_grant"),
        ("another's key", {"private_key": key}, SCOPE, "invalid_grant"),
        ("a scope that does not let it send", {}, "https://www.googleapis.com/auth/drive", "invalid_scope"),
    ]:
        with claims.claim(f"google-auth reads the refusal of {what} as a RefreshError with {code}"):
            credentials = service_account.Credentials.from_service_account_info(
                {**stand_in.account, **changed}, scopes=[scope])
            error = _raised(RefreshError, lambda: credentials.refresh(Request()))
            expect(code in error.args[0], error)
            equal(error.args[1]["error"], code)
            expect(not error.retryable, "it would ask again")


def _send(claims, stand_in):
    project = stand_in.account["project_id"]
    with claims.claim("firebase-admin sends a message with everything in it, and reads its name"):
        name = messaging.send(messaging.Message(
            token="judge:everything", data={"type": "contextual", "seq": "1"},
            notification=messaging.Notification("A title", "A body", "https://example.org/image.png"),
            android=messaging.AndroidConfig(
                collapse_key="one", priority="high", ttl=1.5, restricted_package_name="org.example", data={"a": "b"},
                notification=messaging.AndroidNotification(title="Another")),
            webpush=messaging.WebpushConfig(headers={"TTL": "1"}), apns=messaging.APNSConfig(headers={"a": "b"}),
            fcm_options=messaging.FCMOptions(analytics_label="label")))
        expect(name.startswith(f"projects/{project}/messages/"), name)
        entry, = stand_in.requests("judge:everything")
        equal((entry["accepted"], entry["id"], entry["collapse_id"], entry["urgency"], entry["ttl"]),
              (True, name, "one", "high", 1))
        equal(json.loads(entry["body"])["message"]["data"], {"type": "contextual", "seq": "1"})
    with claims.claim("firebase-admin's dry run is answered, and delivers nothing"):
        name = messaging.send(messaging.Message(token="judge:dry"), dry_run=True)
        equal(name, f"projects/{project}/messages/fake_message_id")
        expect(not any(entry["accepted"] for entry in stand_in.requests("judge:dry")), "a dry run was delivered")


def _read_refusals_of_messages(claims):
    """Refusals that no script asks for."""
    with claims.claim("firebase-admin reads a malformed device token as InvalidArgumentError, in Google's own words"):
        error = _raised(exceptions.InvalidArgumentError, lambda: messaging.send(messaging.Message(token="no token")))
        equal(str(error), "The registration token is not a valid FCM registration token")
    with claims.claim(f"firebase-admin sends {LARGEST_DATA} bytes of data; one more is InvalidArgumentError"):
        messaging.send(messaging.Message(token="judge:large", data={"k": "v" * (LARGEST_DATA - 1)}))
        too_large = messaging.Message(token="judge:large", data={"k": "v" * LARGEST_DATA})
        _raised(exceptions.InvalidArgumentError, lambda: messaging.send(too_large))


async def _send_at_once(claims, stand_in):
    """The same with firebase-admin's own HTTP/2, many messages on one connection."""
    with claims.claim("firebase-admin sends 500 messages at once over its own HTTP/2"):
        messages = [messaging.Message(token=f"judge:batch-{number}") for number in range(500)]
        batch = await messaging.send_each_async(messages, dry_run=False)
        equal((batch.success_count, len({one.message_id for one in batch.responses})), (500, 500))
    with claims.claim("firebase-admin asks again after a 503 and a 500, and then succeeds"):
        stand_in.answers("judge:again", 503, "UNAVAILABLE", times=1)
        stand_in.answers("judge:again", 500, "INTERNAL", times=1)
        batch = await messaging.send_each_async([messaging.Message(token="judge:again")], dry_run=False)
        expect(batch.responses[0].success, batch.responses[0].exception)
        equal(sorted(entry["status"] for entry in stand_in.requests("judge:again")), [200, 500, 503])
    messages = []
    for status, reason, _ in ERRORS:
        messages.append(messaging.Message(token=f"judge:{status}-{reason}"))
        stand_in.answers(messages[-1].token, status, reason)
    batch = await messaging.send_each_async(messages, dry_run=False)
    for message, answer, (status, reason, error) in zip(messages, batch.responses, ERRORS):
        with claims.claim(f"firebase-admin reads {status} {reason} as {error.__name__}"):
            expect(not answer.success, "it was sent")
            equal(type(answer.exception), error)
            equal(type(_raised(error, lambda: messaging.send(message))), error, "without its own HTTP/2")
            equal(answer.exception.http_response.status_code, status)


def _raised(kind, call):
    """The error of this kind that a call raises."""
    try:
        value = call()
    except kind as error:
        return error
    raise AssertionError(f"it went through: {value}")
