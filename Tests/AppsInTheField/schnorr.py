"""BIP-340: Schnorr signatures on secp256k1, as a wallet signs."""
import hashlib

from curve import Curve

SECP256K1 = Curve(
    p=2**256 - 2**32 - 977, a=0, b=7,
    order=0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
    generator=(0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
               0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8))


def _tagged(tag, *parts):
    head = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(head + head + b"".join(parts)).digest()


def challenge(r, public, message):
    return int.from_bytes(_tagged("BIP0340/challenge", r, public, message), "big") % SECP256K1.order


class SchnorrKey:
    """A private key whose public point has an even y, and the point's x: the public key of 32 bytes."""

    def __init__(self, secret):
        x, y = SECP256K1.multiply_generator(secret)
        self.secret = secret if y % 2 == 0 else SECP256K1.order - secret
        self.public = x.to_bytes(32, "big")

    def sign(self, message, auxiliary):
        """The signature of 64 bytes over a message of 32; `auxiliary` is 32 bytes of fresh randomness."""
        order = SECP256K1.order
        masked = self.secret ^ int.from_bytes(_tagged("BIP0340/aux", auxiliary), "big")
        seed = _tagged("BIP0340/nonce", masked.to_bytes(32, "big"), self.public, message)
        nonce = int.from_bytes(seed, "big") % order
        x, y = SECP256K1.multiply_generator(nonce)
        if y % 2:
            nonce = order - nonce
        r = x.to_bytes(32, "big")
        return r + ((nonce + challenge(r, self.public, message) * self.secret) % order).to_bytes(32, "big")
