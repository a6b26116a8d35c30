"""KaChat for Android, up to where this version of the service refuses it."""
import json

from call import Caller
from ios_app import CHALLENGE, REGISTER, milliseconds
from signing import Intent


class AndroidApp:
    def __init__(self, random, port, host, wallet):
        self.wallet, self.caller = wallet, Caller(port, host)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
        self.token = "".join(random.choices(letters, k=22)) + ":" + "".join(random.choices(letters, k=140))

    def register(self, watched):
        """Version 1 without a device key, with the line for groups; only `register`, never `update`."""
        challenge = self.caller.send("POST", CHALLENGE).json
        nonce, expires = challenge["nonce"], challenge["expires_at_ms"]
        timestamp = min(max(milliseconds(), challenge["issued_at_ms"]), expires)
        intent = Intent("POST", REGISTER, self.token, watched, (), (), self.wallet.address)
        auth = {
            "wallet_pubkey": self.wallet.public, "wallet_address": self.wallet.address, "nonce": nonce,
            "timestamp_ms": timestamp, "expires_at_ms": expires,
            "signature": self.wallet.sign(intent.wallet_text("kchat", nonce, self.wallet, timestamp, expires)),
        }
        body = {
            "device_token": self.token, "platform": "android", "watched_addresses": watched, "watched_group_ids": [],
            "primary_address": self.wallet.address, "aliases": [], "auth": auth,
        }
        return self.caller.send("POST", REGISTER, json.dumps(body).encode(), {"Content-Type": "application/json"})
