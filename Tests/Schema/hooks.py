"""What schemathesis cannot know from the document: which addresses exist, which parameters go together, who signs."""
import functools
import hashlib
import os
import pathlib
import random
import sys

import schemathesis
from hypothesis import strategies

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "Tests" / "AppsInTheField"), str(ROOT / "deploy" / "docs")]

import address  # noqa: E402
import sign  # noqa: E402

URL = os.environ["SERVICE_URL"]
RANDOM = random.Random(int(os.environ["TEST_SEED"]))
WALLET = RANDOM.randbytes(32)
# Calls that sign the lists of their body; all others sign empty ones.
LISTS_ARE_SIGNED = ("/v1/push/register", "/v1/push/update")
RING = "/v1/push/ring"

KEYS = strategies.binary(min_size=32, max_size=32)
schemathesis.openapi.format("kaspa-address", KEYS.map(lambda key: address.encode(0, key)))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """A pattern cannot say that the checksum of an address is right: such texts are made, not drawn."""
    schemas = raw_schema["components"]["schemas"]
    for name in ("Address", "AddressEntry", "AddressOrEmpty"):
        schemas[name]["format"] = "kaspa-address"
    # The service of these tests serves Apple's devices only, and a schema cannot say that a key is on its curve.
    apple = {"$ref": "#/components/schemas/AppleDevice"}
    for name in ("RegisterRequest", "UpdateRequest"):
        schemas[name].pop("anyOf", None)
        schemas[name]["oneOf"] = [apple]
    schemas["RegisterRequest"]["properties"]["platform"] = schemas["AppleDevice"]["properties"]["platform"]
    schemas["DeviceToken"] = schemas["AppleToken"]


@schemathesis.hook
def filter_case(context, case):
    """OpenAPI cannot say that one of two parameters must be given, and that the second is not looked at beside it."""
    first = {"/group-control/by-sender": "sender", "/group-control/by-recipient": "recipient"}.get(case.operation.path)
    given = {first, "address"} & set(case.query or {})
    return first is None or len(given) == 1


@schemathesis.hook
def before_call(context, case, kwargs):
    """Half of what is signed is signed truly; the other half is refused for its signature, and for no other reason."""
    body, path = case.body, case.operation.path
    if not path.startswith("/v1/push/") or not isinstance(body, dict) or case.meta.generation.mode.is_negative:
        return
    if path in LISTS_ARE_SIGNED and body.get("aliases"):
        # A schema counts characters, the service bytes.
        body["aliases"] = [cut(alias) for alias in body["aliases"]]
    auth = body.get("auth")
    if not isinstance(auth, dict):
        return
    # A schema could say these two, but nobody could read it.
    if auth.get("auth_version") != 2:
        body.pop("capabilities", None)
    elif body.get("watched_group_ids"):
        body["capabilities"] = ["group_v1"]
    if int(auth["nonce"][0], 16) % 2:
        # A schema cannot say that one is at most a minute after the other.
        first, last = sorted((auth["timestamp_ms"], auth["expires_at_ms"]))
        auth["timestamp_ms"], auth["expires_at_ms"] = first, min(last, first + 60_000)
        return
    secret = RANDOM.randbytes(32) if path == RING else WALLET
    if path == RING:
        # Only a phone that its wallet has bound may ring, and a wallet only six times a minute.
        body["device_token"] = RANDOM.randbytes(32).hex()
        phone = {
            "device_token": body["device_token"], "platform": "ios", "watched_addresses": [],
            "primary_address": wallet_address(secret),
        }
        sign.signed_call(URL, secret, "kaspa", "POST", LISTS_ARE_SIGNED[0], phone)
    body["auth"] = signatures(secret, case.method.upper(), path, body, auth.get("auth_version"))


def cut(alias):
    # One with a line break cannot be signed.
    return alias.encode()[:64].decode(errors="ignore").replace("\n", "").replace("\r", "")


@functools.cache
def public_key(secret):
    return sign.public_key(secret)


def wallet_address(secret):
    return sign.address(public_key(secret))


def signatures(secret, method, path, body, version):
    challenge = sign.call(URL, "POST", "/v1/push/challenge")
    auth = {
        "wallet_pubkey": public_key(secret).hex(), "wallet_address": wallet_address(secret),
        "nonce": challenge["nonce"], "timestamp_ms": challenge["issued_at_ms"],
        "expires_at_ms": challenge["expires_at_ms"],
    }
    if version:
        auth["auth_version"] = int(version)
    signed = body if path in LISTS_ARE_SIGNED else {"device_token": body.get("device_token")}
    if path == RING:
        signed["primary_address"] = auth["wallet_address"]
    text = sign.signed_text(signed, auth, method, path)
    auth["signature"] = sign.sign(secret, hashlib.sha256(text.encode()).digest(), RANDOM.randbytes(32)).hex()
    return auth
