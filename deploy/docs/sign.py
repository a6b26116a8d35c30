#!/usr/bin/env python3
"""Signed registrations, as an app makes them: an example in plain Python, without any package.

    export KASIA_SECRET_KEY=…64 hex digits…          the wallet's key; the environment, so that no shell remembers it
    sign.py register   --url https://push.example.org --token HEX --watch kaspa:q… [--watch …] [--alias …]
    sign.py unregister --url https://push.example.org --token HEX
    sign.py devices    --url https://push.example.org             which devices this wallet has
    sign.py --check registration-auth.json                        the texts and signatures of the test vectors

The arithmetic is BIP-340's own reference arithmetic: right, slow, and not safe against somebody who measures time. An
app uses its platform's library.
"""

import argparse
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request

# --- what is signed -----------------------------------------------------------------------------------------------


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def list_hash(items, lower=True):
    """A list means the same in any order, with repeats, and with spaces around its members."""
    members = {item.strip().lower() if lower else item.strip() for item in items or []}
    return digest("\n".join(sorted(members - {""}, key=lambda member: member.encode())))


def normal_token(token):
    digits = "".join(digit for digit in token if digit not in " <>-:")
    # Only Apple's tokens are hex digits; all others are signed as they are.
    return digits.lower() if all(digit in "0123456789abcdefABCDEF" for digit in digits) else token


def signed_text(request, auth, method, path, domain="kasia-push-auth"):
    """The lines that the wallet signs, of version 1 or 2; `request` is the body, `auth` its member without a signature."""
    version = auth.get("auth_version", 1)
    token = request.get("device_token") or (request.get("subscription") or {}).get("endpoint")
    lines = [f"domain={domain}:v{version}"]
    if version == 2:
        lines.append("auth_version=2")
    lines += [
        f"nonce={auth['nonce']}",
        f"method={method}",
        f"path={path}",
        # Calls about the wallet name no token, and sign the hash of nothing.
        f"device_token_hash={digest(normal_token(token) if token else '')}",
        f"watched_addresses_hash={list_hash(request.get('watched_addresses'))}",
    ]
    if version == 2 or "watched_group_ids" in request:
        lines.append(f"watched_group_ids_hash={list_hash(request.get('watched_group_ids'))}")
    if version == 2:
        lines.append(f"capabilities_hash={list_hash(request.get('capabilities'))}")
    lines += [
        f"primary_address={(request.get('primary_address') or '').strip().lower()}",
        f"aliases_hash={list_hash(request.get('aliases'), lower=False)}",
        f"wallet_pubkey={auth['wallet_pubkey'].lower()}",
        f"wallet_address={auth['wallet_address'].strip().lower()}",
        f"timestamp_ms={auth['timestamp_ms']}",
        f"expires_at_ms={auth['expires_at_ms']}",
    ]
    return "\n".join(lines)


# --- BIP-340 ------------------------------------------------------------------------------------------------------

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def tagged(tag, data):
    tag = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(tag + tag + data).digest()


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and a[1] != b[1]:
        return None
    if a == b:
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(point, factor):
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def public_key(secret):
    return times(G, int.from_bytes(secret, "big"))[0].to_bytes(32, "big")


def sign(secret, message, randomness=None):
    key = int.from_bytes(secret, "big")
    if not 0 < key < N:
        raise ValueError("the secret key is not between 1 and the order of the curve")
    point = times(G, key)
    key = key if point[1] % 2 == 0 else N - key
    mask = tagged("BIP0340/aux", randomness or os.urandom(32))
    seed = (key ^ int.from_bytes(mask, "big")).to_bytes(32, "big")
    public = point[0].to_bytes(32, "big")
    nonce = int.from_bytes(tagged("BIP0340/nonce", seed + public + message), "big") % N
    commitment = times(G, nonce)
    nonce = nonce if commitment[1] % 2 == 0 else N - nonce
    first = commitment[0].to_bytes(32, "big")
    challenge = int.from_bytes(tagged("BIP0340/challenge", first + public + message), "big") % N
    return first + ((nonce + challenge * key) % N).to_bytes(32, "big")


def verify(public, message, signature):
    x, r, s = (int.from_bytes(part, "big") for part in (public, signature[:32], signature[32:]))
    square = (pow(x, 3, P) + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if x >= P or r >= P or s >= N or y * y % P != square:
        return False
    point = (x, y if y % 2 == 0 else P - y)
    challenge = int.from_bytes(tagged("BIP0340/challenge", signature[:32] + public + message), "big") % N
    commitment = add(times(G, s), times(point, N - challenge))
    return commitment is not None and commitment[1] % 2 == 0 and commitment[0] == r


# --- the wallet's address -----------------------------------------------------------------------------------------

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def checksum(values):
    result = 1
    for value in values:
        top = result >> 35
        result = ((result & 0x07FFFFFFFF) << 5) ^ value
        for bit, generator in enumerate((0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470)):
            if top >> bit & 1:
                result ^= generator
    return result ^ 1


def address(public, prefix="kaspa"):
    """The address of a key: version 0 and the key in groups of five bits, then forty bits of checksum."""
    bits = "".join(f"{byte:08b}" for byte in b"\0" + public)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[at : at + 5], 2) for at in range(0, len(bits), 5)]
    check = checksum([ord(letter) & 31 for letter in prefix] + [0] + values + [0] * 8)
    values += [check >> 5 * at & 31 for at in reversed(range(8))]
    return prefix + ":" + "".join(ALPHABET[value] for value in values)


# --- calls --------------------------------------------------------------------------------------------------------


def call(url, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}: {error.read().decode()}")


def signed_call(url, secret, prefix, method, path, body):
    challenge = call(url, "POST", "/v1/push/challenge")
    public = public_key(secret)
    auth = {
        "auth_version": 2,
        "wallet_pubkey": public.hex(),
        "wallet_address": address(public, prefix),
        "nonce": challenge["nonce"],
        # The server's own time: the phone's clock may be wrong.
        "timestamp_ms": challenge["issued_at_ms"],
        "expires_at_ms": challenge["expires_at_ms"],
    }
    text = signed_text(body, auth, method, path)
    auth["signature"] = sign(secret, hashlib.sha256(text.encode()).digest()).hex()
    return call(url, method, path, {**body, "auth": auth})


def check(path):
    """Every vector's text, byte for byte, and every good signature; a signature of ours over each text, too."""
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    texts = signatures = 0
    for vector in vectors:
        auth, expected = vector["request"].get("auth"), vector["preimage"]
        # Requests that are wrong before anything is signed have no text.
        if not auth or not expected or not vector["valid"]:
            continue
        domain = expected.split("\n")[0].removeprefix("domain=").split(":")[0]
        text = signed_text(vector["request"], auth, vector["method"], vector["path"], domain)
        if text != expected:
            sys.exit(f"{vector['name']}: the text is another\n{text}\n--- expected\n{expected}")
        texts += 1
        message = hashlib.sha256(text.encode()).digest()
        public = bytes.fromhex(auth["wallet_pubkey"])
        # Some changes are proved by the device's key, beside a signature of another wallet.
        if not verify(public, message, bytes.fromhex(auth["signature"])):
            sys.exit(f"{vector['name']}: the signature does not verify")
        prefix = auth["wallet_address"].strip().lower().split(":")[0]
        if address(public, prefix) != auth["wallet_address"].strip().lower():
            sys.exit(f"{vector['name']}: the address is not the key's")
        secret = hashlib.sha256(message).digest()
        if not verify(public_key(secret), message, sign(secret, message)):
            sys.exit(f"{vector['name']}: a signature made here does not verify")
        signatures += 1
    if texts < 5:
        sys.exit(f"only {texts} vectors were found")
    print(f"{texts} texts and {signatures} signatures are right")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("call", nargs="?", choices=["register", "unregister", "devices"])
    parser.add_argument("--check", metavar="FILE", help="check the test vectors instead")
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--token", help="the device token as the app got it")
    parser.add_argument("--watch", action="append", default=[], help="an address to watch; may be repeated")
    parser.add_argument("--alias", action="append", default=[])
    parser.add_argument("--prefix", default="kaspa", help="kaspa, kaspatest, kaspasim or kaspadev")
    options = parser.parse_args()
    if options.check:
        return check(options.check)
    if not options.call:
        parser.error("register, unregister, devices or --check is needed")
    if options.call != "devices" and not options.token:
        parser.error("--token is needed")
    try:
        secret = bytes.fromhex(os.environ["KASIA_SECRET_KEY"])
    except (KeyError, ValueError):
        parser.error("KASIA_SECRET_KEY must hold the wallet's key, 64 hex digits")
    if options.call == "register":
        body = {
            "device_token": options.token,
            "platform": "ios",
            "primary_address": address(public_key(secret), options.prefix),
            "watched_addresses": options.watch,
            "aliases": options.alias,
        }
        answer = signed_call(options.url, secret, options.prefix, "POST", "/v1/push/register", body)
    elif options.call == "unregister":
        body = {"device_token": options.token}
        answer = signed_call(options.url, secret, options.prefix, "DELETE", "/v1/push/unregister", body)
    else:
        answer = signed_call(options.url, secret, options.prefix, "POST", "/v1/push/devices", {})
    print(json.dumps(answer, indent=2))


if __name__ == "__main__":
    main()
