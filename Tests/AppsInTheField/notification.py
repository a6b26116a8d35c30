"""How KaChat's notification extension reads a push."""
import base64
import re

from claims import Broken, expect


class Shown:
    """What the extension makes of a push: a chat, a broadcast, or the alert as it came."""

    def __init__(self, body):
        aps = body["aps"]
        self.alert, self.aps = aps.get("alert", {}), aps
        self.thread = aps.get("thread-id", "")
        self.kind, self.channel = "as it came", None
        self.transaction = self.sender = self.payload = self.amount = self.timestamp = self.group = None
        self.inbox = False
        if self.thread.startswith("broadcast:"):
            self.kind, self.channel = "broadcast", self.thread.removeprefix("broadcast:")
            return
        texts = [body.get(name) for name in ("tx_id", "sender", "type")]
        if not all(isinstance(text, str) for text in texts):
            return
        self.transaction, self.sender, self.kind = texts
        self.payload = body.get("payload")
        self.amount, self.timestamp = body.get("amount"), body.get("timestamp")
        self.group, self.inbox = body.get("blinded_group_id"), body.get("inbox", False)

    def sealed(self):
        """The sealed bytes: out of base64, of hex, or of the whole payload as text."""
        expect(isinstance(self.payload, str), f"the push has no payload: {self.payload!r}")
        text = self.payload
        for root in ("ciph_msg:1:comm:", "kchat:1:comm:"):
            if text.startswith(root):
                text = text.split(":", 3)[3].partition(":")[2]
        if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", text):
            data = bytes.fromhex(text)
            inner = data.decode("latin-1")
            return bytes.fromhex(inner) if re.fullmatch(r"(?:[0-9a-fA-F]{2})+", inner) else data
        try:
            return base64.b64decode(text, validate=True)
        except ValueError:
            raise Broken(f"no reading of the payload gives bytes: {self.payload[:80]!r}") from None
