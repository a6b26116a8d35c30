"""KaChat for iOS: what it registers, how it signs, what it sends."""
import base64
import json
import time

from call import Answer, Caller
from ecdsa import DeviceKey
from signing import Intent

REGISTER, UPDATE, UNREGISTER = "/v1/push/register", "/v1/push/update", "/v1/push/unregister"
CHALLENGE, RING = "/v1/push/challenge", "/v1/push/ring"


def milliseconds():
    return int(time.time() * 1000)


def encoded(value, random):
    """JSON as Swift's encoder writes it: members in any order, slashes escaped, nothing between the tokens."""
    def shuffled(value):
        if isinstance(value, dict):
            members = list(value.items())
            random.shuffle(members)
            return {name: shuffled(member) for name, member in members}
        return [shuffled(member) for member in value] if isinstance(value, list) else value

    return json.dumps(shuffled(value), ensure_ascii=False, separators=(",", ":")).replace("/", "\\/").encode()


class Phone:
    """What outlives the app on a phone: the key-chain's device key, its counter, and the phone's network address."""

    def __init__(self, random, port, host):
        self.random, self.caller = random, Caller(port, host)
        self.key, self.counter = DeviceKey(random), 0

    def next_count(self):
        self.counter += 1
        return self.counter


class Build:
    """A version of the app. All of them sign version 1 of the scheme."""

    def __init__(self, domain="kasia", group_line=True, members=("broadcasts", "environment", "posts")):
        self.domain, self.group_line, self.members = domain, group_line, members


BEFORE_GROUPS = Build(group_line=False, members=())
CURRENT = Build()
RENAMED = Build(domain="kchat")


class IOSApp:
    """An installation of the app, signed in to a wallet.

    What the user wants to hear of is in plain attributes; `register` and `update` send it.
    """

    def __init__(self, phone, wallet, build=CURRENT, environment="production"):
        self.phone, self.wallet, self.build = phone, wallet, build
        self.random = phone.random
        self.token = self.random.randbytes(32).hex()
        self.environment, self.voip_token = environment, None
        self.watched, self.aliases, self.groups = [], [], []
        self.channels, self.hidden = [], {}
        self.further = {}

    # Signing

    def challenge(self, caller=None):
        answer = (caller or self.phone.caller).send("POST", CHALLENGE)
        if answer.status != 200:
            raise RuntimeError(f"no challenge: {answer}")
        return answer.json

    def auth(self, intent, challenge=None, wallet=None, key=None, counter=None):
        """The member `auth`; `wallet`, `key` and `counter` stand in for the app's own."""
        challenge = challenge or self.challenge()
        nonce, expires = challenge["nonce"], challenge["expires_at_ms"]
        timestamp = min(max(milliseconds(), challenge["issued_at_ms"]), expires)
        wallet, key = wallet or self.wallet, key or self.phone.key
        counter = self.phone.next_count() if counter is None else counter
        domain = self.build.domain
        device_text = intent.device_text(domain, nonce, key, counter, timestamp, expires)
        auth = {
            "wallet_pubkey": wallet.public, "wallet_address": wallet.address, "nonce": nonce,
            "timestamp_ms": timestamp, "expires_at_ms": expires,
            "signature": wallet.sign(intent.wallet_text(domain, nonce, wallet, timestamp, expires)),
            "device_auth": {
                "scheme": "device_key_v1", "key_id": key.identifier,
                "pubkey": base64.b64encode(key.public).decode(), "counter": counter,
                "signature": base64.b64encode(key.sign(device_text.encode())).decode(),
            },
        }
        if "environment" in self.build.members:
            auth["devicecheck_token"] = base64.b64encode(self.random.randbytes(900)).decode()
        return auth

    def intent(self, method, path):
        """What a registration or an update signs."""
        groups = self.groups if self.build.group_line else None
        return Intent(method, path, self.token, self.watched, groups, self.aliases, self.wallet.address)

    def sign_out_intent(self):
        return Intent("DELETE", UNREGISTER, self.token, groups=() if self.build.group_line else None)

    # Bodies

    def wishes(self):
        body = {"device_token": self.token, "watched_addresses": self.watched, "aliases": self.aliases,
                "primary_address": self.wallet.address}
        if self.build.group_line:
            body["watched_group_ids"] = self.groups
        if "broadcasts" in self.build.members:
            body["watched_broadcast_channels"] = self.channels
            body["hidden_broadcast_senders"] = self.hidden
        if "environment" in self.build.members and self.environment:
            body["apns_environment"] = self.environment
        if "posts" in self.build.members:
            body["kaposts_pubkey"] = "02" + self.wallet.public
            kinds = ("likes", "dislikes", "comments", "reposts", "follows")
            body.update({f"kaposts_notify_{kind}": True for kind in kinds})
        if self.voip_token:
            body["voip_token"] = self.voip_token
        return {**body, **self.further}

    def send(self, method, path, body, caller=None) -> Answer:
        """Sends a body; bytes are sent as they are."""
        data = body if isinstance(body, bytes) else encoded(body, self.random)
        return (caller or self.phone.caller).send(method, path, data, {"Content-Type": "application/json"})

    # Calls

    def registration(self, **replaced):
        body = {**self.wishes(), "platform": "ios"}
        return {**body, "auth": self.auth(self.intent("POST", REGISTER), **replaced)}

    def register(self, **replaced):
        return self.send("POST", REGISTER, self.registration(**replaced))

    def update(self, **replaced):
        body = {**self.wishes(), "auth": self.auth(self.intent("PUT", UPDATE), **replaced)}
        return self.send("PUT", UPDATE, body)

    def sign_out(self, **replaced):
        auth = self.auth(self.sign_out_intent(), **replaced)
        return self.send("DELETE", UNREGISTER, {"device_token": self.token, "auth": auth})

    def recovery(self, **replaced):
        """What the app unregisters with after "bound to another wallet": its real lists, no primary address."""
        intent = Intent("DELETE", UNREGISTER, self.token, self.watched, () if self.build.group_line else None,
                        self.aliases)
        auth = self.auth(intent, **replaced)
        return {"device_token": self.token, "auth": auth}

    def recover(self, **replaced):
        return self.send("DELETE", UNREGISTER, self.recovery(**replaced))

    def ring(self, callee, sealed=b"", wallet=None, **replaced):
        intent = Intent("POST", RING, self.token, primary=(wallet or self.wallet).address)
        body = {
            "device_token": self.token, "to_address": callee, "call_id": self.call_id(), "video": False,
            "kind": "invite", "payload": sealed.hex() or self.random.randbytes(200).hex(),
            "timestamp": milliseconds(), "auth": self.auth(intent, wallet=wallet), **replaced,
        }
        return self.send("POST", RING, body), body

    def call_id(self):
        digits = self.random.randbytes(16).hex()
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def is_registered(self):
        return self.phone.caller.get("/v1/push/status", {"device_token": self.token}).json["registered"]
