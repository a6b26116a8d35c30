"""A wallet: its key, its address, the script that pays it, its inbox tag."""
import hashlib

import address
from schnorr import SECP256K1, SchnorrKey


class Wallet:
    def __init__(self, random, secret=None, prefix="kaspa"):
        self._random = random
        self.key = SchnorrKey(secret or random.randrange(1, SECP256K1.order))
        self.public = self.key.public.hex()
        self.address = address.encode(0, self.key.public, prefix)
        self.script = "20" + self.public + "ac"
        tag = hashlib.sha256(f"kachat-inbox:v1:{self.address}".encode()).digest()
        self.inbox_tag = tag[:16].hex()

    def sign(self, text):
        """BIP-340 over the SHA-256 of the text, in hex."""
        return self.key.sign(hashlib.sha256(text.encode()).digest(), self._random.randbytes(32)).hex()
