"""The real executables: the stand-in for Google and a push service, a node with the recorded blocks, the service."""
import json
import os
import pathlib
import re
import subprocess

from call import Caller
from claims import expect
from process import Process

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures"
SUBJECT = "mailto:operator@example.org"


class StandIn:
    """push-sandbox as Google and as a Web Push service."""

    def __init__(self, executables, folder):
        self.account_file, self.ca_file = os.path.join(folder, "account.json"), os.path.join(folder, "ca.pem")
        self.process = Process(
            [os.path.join(executables, "push-sandbox"), "--port", "0", "--google-service-account", self.account_file,
             "--web-push", "--ca-file", self.ca_file, "--quiet"], folder, "push-sandbox")
        self.origin = self.process.line(r"listens on (https://\S+)\n")[1]
        self.process.line(r"ca file .*\n")
        with open(self.account_file, encoding="utf-8") as file:
            self.account = json.load(file)
        self.client = None

    def answers(self, token, status, reason, **rule):
        """Lets FCM answer a device's messages so."""
        rule = {"carrier": "fcm", "token": token, "answer": {"status": status, "reason": reason}, **rule}
        self._call("POST", "/control/script", {"rules": [rule]})

    def requests(self, token, after=0):
        """What was asked for a device so far, in order: the first page after a number."""
        return self._call("GET", f"/control/requests?token={token}&after={after}&limit=1000")

    def subscribe(self, **wishes):
        """A subscription in a browser whose key the stand-in keeps."""
        return self._call("POST", "/control/subscriptions", wishes)

    def unsubscribe(self, subscription):
        self._call("DELETE", f"/control/subscriptions/{identifier(subscription)}")

    def _call(self, method, path, body=None):
        answer = self.client.request(method, self.origin + path, content=json.dumps(body) if body is not None else None)
        expect(answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json()


def identifier(subscription):
    """What the stand-in's journal calls a subscription."""
    return subscription["endpoint"].rsplit("/", 1)[1]


class Node:
    """kaspad-replay with the recorded blocks, which it tells when it is asked to."""

    def __init__(self, executables, folder):
        # Open for reading too, so that nobody waits for the other side.
        os.mkfifo(os.path.join(folder, "begin"))
        self._begin = os.open(os.path.join(folder, "begin"), os.O_RDWR)
        self.process = Process(
            ["/bin/sh", "-c", 'exec "$0" "$@" < begin', os.path.join(executables, "kaspad-replay"), "serve",
             str(FIXTURES / "recorded-blocks.recording"), "--port", "0", "--speed", "max", "--move-times",
             "--wait-for-line"], folder, "node")
        self.port = int(self.process.line(r"listening on http://\S*:(\d+)\n")[1])

    def play(self):
        os.write(self._begin, b"\n")
        self.process.line("recording played")


class Service:
    """kasia-push-indexer with FCM and Web Push, and without Apple."""

    def __init__(self, executables, folder, node, stand_in, push_service):
        self._executable, self._folder = os.path.join(executables, "kasia-push-indexer"), folder
        self.key_file, self.public_key = self._make_key("vapid")
        self.signing_key_file, self.signing_key = self._make_key("signing-key")
        authorities = os.path.join(folder, "authorities.pem")
        with open(authorities, "w", encoding="utf-8") as file:
            for path in (stand_in.ca_file, push_service.ca_file):
                file.write(pathlib.Path(path).read_text(encoding="utf-8"))
        self.process = Process([self._executable, "serve"], folder, "indexer", {
            "NETWORK_TYPE": "mainnet", "NODE_URLS": f"http://127.0.0.1:{node.port}", "HTTP_PORT": "0",
            "STORE_PATH": os.path.join(folder, "store"), "STORE_MIN_FREE_SPACE": "0",
            "FCM_SERVICE_ACCOUNT_PATH": stand_in.account_file, "FCM_ENDPOINT": stand_in.origin,
            "FCM_CA_PATH": stand_in.ca_file,
            "WEB_PUSH_VAPID_KEY_PATH": self.key_file, "WEB_PUSH_SUBJECT": SUBJECT, "WEB_PUSH_CA_PATH": authorities,
            "WEB_PUSH_ALLOWED_ORIGINS": f"{stand_in.origin},{push_service.origin}",
            "WEB_PUSH_PRIVATE_ADDRESSES": "true", "PUSH_SIGNING_KEY_PATH": self.signing_key_file,
        })
        self.port = int(self.process.line(r"api\.listening .*port=(\d+)\n")[1])

    def _make_key(self, command):
        """A key of the operator's as the service's own command writes it, and the public half that the command prints."""
        path = os.path.join(self._folder, f"{command}.pem")
        printed = subprocess.run(
            [self._executable, command, "new", path], cwd=self._folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30, check=True, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": self._folder}).stdout
        return path, re.search(r"public key: (\S+)\n", printed)[1]

    def register(self, platform, **wishes):
        """Registers a device without signatures."""
        body = json.dumps({"platform": platform, **wishes}).encode()
        answer = Caller(self.port).send("POST", "/v1/push/register", body, {"Content-Type": "application/json"})
        expect(answer.status == 200, f"registration of {platform}: {answer}")

    def get(self, path):
        return Caller(self.port).get(path).json

    @property
    def is_quiet(self):
        """Whether no push waits or is on its way."""
        expect(self.process.is_running, f"the service has ended: {self.process.log[-2000:]}")
        return all(depth["value"] == 0 for depth in self.get("/metrics")["push_queue_depth"])
