"""The cast: wallets with real secp256k1 keys, their scripts and their addresses."""
import hashlib
from dataclasses import dataclass

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
             0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add_points(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and (p[1] + q[1]) % FIELD == 0:
        return None
    if p == q:
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, FIELD)
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, FIELD)
    x = (slope * slope - p[0] - q[0]) % FIELD
    return x, (slope * (p[0] - x) - p[1]) % FIELD


def public_point(private_key):
    result, addend = None, GENERATOR
    while private_key:
        if private_key & 1:
            result = add_points(result, addend)
        addend, private_key = add_points(addend, addend), private_key >> 1
    return result


def multiply(scalar, point):
    """`scalar` times the point with the x coordinate `point` and an even y; returns the product's x coordinate."""
    y = pow(point**3 + 7, (FIELD + 1) // 4, FIELD)
    product, addend = None, (point, y if y % 2 == 0 else FIELD - y)
    while scalar:
        if scalar & 1:
            product = add_points(product, addend)
        addend, scalar = add_points(addend, addend), scalar >> 1
    return product[0]


ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CHECKSUM_GENERATORS = (0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470)


def checksum(values):
    c = 1
    for value in values:
        top = c >> 35
        c = (c & 0x07FFFFFFFF) << 5 ^ value
        for bit, generator in enumerate(CHECKSUM_GENERATORS):
            if top >> bit & 1:
                c ^= generator
    return c ^ 1


def address(version, payload, prefix="kaspa"):
    data = bytes([version]) + payload
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[i:i + 5], 2) for i in range(0, len(bits), 5)]
    check = checksum([ord(c) & 31 for c in prefix] + [0] + values + [0] * 8)
    values += [check >> 5 * i & 31 for i in range(7, -1, -1)]
    return prefix + ":" + "".join(ALPHABET[v] for v in values)


@dataclass
class Wallet:
    """A member of the cast; `private_key`, `x_only` and `address` are None for whoever has none."""
    name: str
    script_kind: str
    script: str
    address: str = None
    private_key: str = None
    x_only: str = None


def make_wallet(name, script_kind):
    """The private key is SHA-256("kasia fixture NAME"), as a number modulo the group's order."""
    if script_kind == "nonstandard":
        return Wallet(name, script_kind, "51")
    secret = int.from_bytes(hashlib.sha256(f"kasia fixture {name}".encode()).digest(), "big") % ORDER
    x, y = public_point(secret)
    key = x.to_bytes(32, "big")
    if script_kind == "pubkey":
        script, where = "20" + key.hex() + "ac", address(0, key)
    elif script_kind == "pubkeyecdsa":
        compressed = bytes([2 + y % 2]) + key
        script, where = "21" + compressed.hex() + "ab", address(1, compressed)
    else:
        redeem = hashlib.blake2b(bytes.fromhex("20" + key.hex() + "ac"), digest_size=32).digest()
        script, where = "aa20" + redeem.hex() + "87", address(8, redeem)
    return Wallet(name, script_kind, script, where, f"{secret:064x}", key.hex())


KINDS = {"grace": "pubkeyecdsa", "heidi": "scripthash", "nobody": "nonstandard"}
NAMES = ("alice", "bob", "carol", "dave", "eve", "frank", "grace", "heidi", "miner", "nobody")
WALLETS = {name: make_wallet(name, KINDS.get(name, "pubkey")) for name in NAMES}
