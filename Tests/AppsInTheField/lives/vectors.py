"""Our own cryptography, held against vectors that others made."""
import base64
import hashlib
import json
import pathlib
import random

from claims import equal, expect
from ecdsa import DeviceKey
from signing import Intent
from verifying import ecdsa_holds, schnorr_holds
from wallet import Wallet

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "vectors"


class _Key:
    def __init__(self, request):
        self.public, self.address = request["auth"]["wallet_pubkey"], request["auth"]["wallet_address"]


def _texts(vector):
    """The wallet's text and the device's, made anew from a vector's request."""
    request = vector["request"]
    auth = request["auth"]
    token = "".join(letter for letter in request["device_token"] if letter not in " <>-:").lower()
    lists = [request.get(name, []) for name in ("watched_addresses", "aliases")]
    primary = request.get("primary_address", "").strip().lower()
    intent = Intent(vector["method"], vector["path"], token, lists[0], request.get("watched_group_ids"), lists[1],
                    primary)
    domain = "kchat" if "kchat" in vector["name"] else "kasia"
    times = auth["timestamp_ms"], auth["expires_at_ms"]
    wallet_text = intent.wallet_text(domain, auth["nonce"], _Key(request), *times)
    device = auth.get("device_auth")
    if not device:
        return wallet_text, None
    key = DeviceKey(random)
    key.identifier = device["key_id"]
    return wallet_text, intent.device_text(domain, auth["nonce"], key, device["counter"], *times)


def play(claims, _):
    generator = random.Random(1)
    with claims.claim("the client's signed texts are those of the vectors"):
        vectors = json.loads((FOLDER / "registration-auth.json").read_text())
        ours = [vector for vector in vectors if vector["valid"] and vector["request"]["auth"].get("auth_version") != 2]
        expect(len(ours) >= 8, "there are too few vectors of version 1")
        for vector in ours:
            wallet_text, device_text = _texts(vector)
            equal(wallet_text, vector["preimage"], vector["name"])
            equal(device_text, vector["device_preimage"], vector["name"])
            auth = vector["request"]["auth"]
            digest = hashlib.sha256(wallet_text.encode()).digest()
            expect(schnorr_holds(bytes.fromhex(auth["wallet_pubkey"]), digest, bytes.fromhex(auth["signature"])),
                   f"{vector['name']}: the vector's signature does not verify")
            if device_text:
                device = auth["device_auth"]
                public, signature = base64.b64decode(device["pubkey"]), base64.b64decode(device["signature"])
                expect(ecdsa_holds(public, device_text.encode(), signature), f"{vector['name']}: the device signature")
    with claims.claim("the client's own signatures verify, and altered ones do not"):
        wallet, key = Wallet(generator), DeviceKey(generator)
        digest = hashlib.sha256(b"text").digest()
        expect(schnorr_holds(wallet.key.public, digest, bytes.fromhex(wallet.sign("text"))), "BIP-340")
        expect(not schnorr_holds(wallet.key.public, digest, bytes.fromhex(wallet.sign("another"))), "BIP-340 altered")
        expect(ecdsa_holds(key.public, b"text", key.sign(b"text")), "P-256")
        expect(not ecdsa_holds(key.public, b"text", key.sign(b"another")), "P-256 altered")
    with claims.claim("addresses and inbox tags are those of the vectors"):
        messages = json.loads((FOLDER / "messages.json").read_text())
        tags = {vector["address"]: vector["tag"] for vector in messages["inbox_tags"]}
        compared = 0
        for vector in messages["sealed"]:
            secret = int(vector["receiver_secret"], 16)
            if "receiver_address" in vector:
                equal(Wallet(generator, secret).address, vector["receiver_address"])
            for wallet in (Wallet(generator, secret), Wallet(generator, secret, "kaspatest")):
                if wallet.address in tags:
                    equal(wallet.inbox_tag, tags[wallet.address])
                    compared += 1
        equal(compared >= len(tags), True, "all tags are compared")
