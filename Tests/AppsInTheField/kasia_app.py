"""The app that the service was first written for: unsigned, nested pushes, no member of KaChat's."""
import json

from call import Caller


class KasiaApp:
    def __init__(self, random, port, host, primary, watched, **further):
        self.caller, self.token = Caller(port, host), random.randbytes(32).hex()
        self.body = {"device_token": self.token, "platform": "ios", "watched_addresses": watched,
                     "primary_address": primary, **further}

    def register(self):
        data = json.dumps(self.body).encode()
        return self.caller.send("POST", "/v1/push/register", data, {"Content-Type": "application/json"})
