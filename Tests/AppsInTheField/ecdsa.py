"""ECDSA on P-256 over SHA-256, in DER, as the key of a phone's secure element signs."""
import hashlib

from curve import Curve

P256 = Curve(
    p=0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    a=-3, b=0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    order=0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    generator=(0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
               0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5))


def _integer(value):
    data = value.to_bytes(value.bit_length() // 8 + 1, "big")
    return b"\x02" + bytes([len(data)]) + data


class DeviceKey:
    """A device key: `public` has 65 bytes, `identifier` is their SHA-256 in hex."""

    def __init__(self, random):
        self._random = random
        self._secret = random.randrange(1, P256.order)
        x, y = P256.multiply_generator(self._secret)
        self.public = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
        self.identifier = hashlib.sha256(self.public).hexdigest()

    def sign(self, message):
        digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
        nonce = self._random.randrange(1, P256.order)
        r = P256.multiply_generator(nonce)[0] % P256.order
        s = pow(nonce, -1, P256.order) * (digest + r * self._secret) % P256.order
        content = _integer(r) + _integer(s)
        return b"\x30" + bytes([len(content)]) + content
