"""Verifies what `schnorr` and `ecdsa` sign, so that the vectors of others can be held against them."""
import hashlib

from ecdsa import P256
from schnorr import SECP256K1, challenge


def schnorr_holds(public, message, signature):
    p, order = SECP256K1.p, SECP256K1.order
    x, r, s = (int.from_bytes(part, "big") for part in (public, signature[:32], signature[32:]))
    y = pow(pow(x, 3, p) + 7, (p + 1) // 4, p)
    y = y if y % 2 == 0 else p - y
    if len(signature) != 64 or s >= order or (y * y - pow(x, 3, p) - 7) % p:
        return False
    point = SECP256K1.combine(s, order - challenge(signature[:32], public, message), (x, y))
    return bool(point) and point[1] % 2 == 0 and point[0] == r


def ecdsa_holds(public, message, signature):
    x, y = int.from_bytes(public[1:33], "big"), int.from_bytes(public[33:], "big")
    length = signature[3]
    r, s = int.from_bytes(signature[4:4 + length], "big"), int.from_bytes(signature[6 + length:], "big")
    inverse = pow(s, -1, P256.order)
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    point = P256.combine(digest * inverse % P256.order, r * inverse % P256.order, (x, y))
    return bool(point) and point[0] % P256.order == r
