"""Apple's two hosts, played by apns-sandbox. All that depends on how the stand-in is started and asked is here."""
import json
import os

from http2 import HTTP2Client
from process import Process

TOPIC = "com.kachat.app"
VOIP_TOPIC = TOPIC + ".voip"
RULES_PER_SCRIPT = 100
PRODUCTION, DEVELOPMENT = "production", "development"


class Apple:
    """Both hosts in one process; a token is good at both until something else is said of it."""

    def __init__(self, executable, folder):
        self.ca_file, self.key_file = os.path.join(folder, "ca.pem"), os.path.join(folder, "key.p8")
        arguments = [executable, "--port", "0", "--development-port", "0", "--write-key", self.key_file,
                     "--ca-file", self.ca_file, "--topic", TOPIC, "--topic", VOIP_TOPIC, "--quiet"]
        self.process = Process(arguments, folder, "apns-sandbox")
        self._origins = {
            PRODUCTION: self.process.line(r"listens on (https://\S+)\n")[1],
            DEVELOPMENT: self.process.line(r"development host is (https://\S+)\n")[1],
        }
        self._team = self.process.line(r"team id +(\S+)\n")[1]
        self._key = self.process.line(r"key ids +(\S+)\n")[1]
        self.process.line(r"ca file .*\n")
        self._client = HTTP2Client(int(self._origins[PRODUCTION].rsplit(":", 1)[1]), self.ca_file)
        self._entries = {}

    @property
    def environment(self):
        """The indexer's variables that lead to these hosts; the operator's setting is production."""
        return {
            "APNS_TEAM_ID": self._team, "APNS_KEY_ID": self._key, "APNS_KEY_PATH": self.key_file, "APNS_TOPIC": TOPIC,
            "APNS_CA_PATH": self.ca_file, "APNS_ENVIRONMENT": PRODUCTION,
            "APNS_PRODUCTION_ENDPOINT": self._origins[PRODUCTION], "APNS_SANDBOX_ENDPOINT": self._origins[DEVELOPMENT],
        }

    def requests(self, token, host=None):
        """What was asked for a token so far, in order, at both hosts or at one."""
        entries = self._entries.setdefault(token, [])
        while page := self._call("GET", f"/control/requests?token={token}&after={entries[-1]['number'] if entries else 0}"):
            entries += page
        return [entry for entry in entries if host in (None, entry["environment"])]

    def pushes(self, token, host=None):
        """The bodies of what was accepted."""
        return [json.loads(entry["body"]) for entry in self.requests(token, host) if entry["accepted"]]

    def only_at(self, host, *tokens):
        """Says that tokens are good at this host alone."""
        self._script({"tokens": [{"token": token, "good_at": host} for token in tokens]})

    def refuses(self, *tokens, status=400, reason="BadDeviceToken", times=None):
        """Lets both hosts refuse the next pushes to tokens, or all."""
        rule = {"answer": {"status": status, "reason": reason}} | ({"times": times} if times else {})
        for begin in range(0, len(tokens), RULES_PER_SCRIPT):
            self._script({"rules": [{"token": token} | rule for token in tokens[begin:begin + RULES_PER_SCRIPT]]})

    def _script(self, script):
        self._call("POST", "/control/script", script)

    def _call(self, method, path, body=None):
        answer = json.loads(self._client.request(method, path, json.dumps(body).encode() if body else b""))
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(f"{method} {path}: {answer['error']}")
        return answer
