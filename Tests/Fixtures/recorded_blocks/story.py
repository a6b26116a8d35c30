"""What the cast does: which operations go into the recorded transactions, in the order of the chain."""
import base64
import hashlib
import json
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .wallets import ORDER, WALLETS, multiply, public_point

CIPH, KCHAT = b"ciph_msg:", b"kchat:"


# What is really sealed: an answer, and then from, to, text.
ANSWER = "Got it, thank you"
CHAT = [
    ("alice", "bob", "Are we still on for Saturday?"),
    ("bob", "alice", "Yes, ten o'clock at the station"),
    ("carol", "alice", "Did you get the tickets?"),
    ("alice", "carol", "Two of them, by the window \u2615"),
    ("alice", "bob", "Carol comes along"),
    ("bob", "alice", "Good. I bring the map"),
    ("carol", "alice", "What do I owe you?"),
    ("alice", "carol", "7 KAS, no hurry"),
    ("alice", "bob", "Rain is forecast"),
    ("bob", "alice", "Then we take the museum \U0001f5ff"),
    ("carol", "alice", "Paid. See you at ten"),
    ("alice", "carol", "See you there"),
]


@dataclass
class Operation:
    """One transaction's content. `outputs` names the owners of its two outputs.

    copies: how many further, parallel blocks carry it. fate: "accepted", "never" (nothing merges it before the
    recording ends), "lost" (accepted for a while, then its rival is) or "refused" (its rival is accepted throughout).
    at: the number of the recorded transaction, where it matters. rival: the content of an invented transaction that
    spends the same coins, and the number of the block that carries it.
    """
    name: str
    kind: str
    sender: str
    outputs: tuple
    payload: bytes
    note: str = ""
    details: dict = field(default_factory=dict)
    copies: int = 0
    fate: str = "accepted"
    at: int = None
    rival: tuple = None


def noise(name, length):
    """Bytes that look sealed, always the same for a name."""
    out, counter = b"", 0
    while len(out) < length:
        out += hashlib.sha256(f"kasia fixture {name} {counter}".encode()).digest()
        counter += 1
    return out[:length]


def sealed_text(name, length):
    """Base64 of noise, cut to exactly `length` characters."""
    return base64.b64encode(noise(name, length))[:length]


def sealed(name, receiver, text):
    """`text` as an app seals it for a wallet of the cast, in base64; nonce and ephemeral key follow from the name."""
    secret = int.from_bytes(noise(f"ephemeral {name}", 32), "big") % ORDER
    x, y = public_point(secret)
    shared = multiply(secret, int(WALLETS[receiver].x_only, 16)).to_bytes(32, "big")
    key = HKDF(hashes.SHA256(), 32, None, b"").derive(shared)
    nonce = noise(f"nonce {name}", 12)
    box = ChaCha20Poly1305(key).encrypt(nonce, text.encode(), b"")
    return base64.b64encode(nonce + bytes([2 + y % 2]) + x.to_bytes(32, "big") + box)


def alias_between(sender, receiver):
    return noise(f"alias {sender} {receiver}", 6).hex().encode()


def message(name, sender, receiver, body=None, alias=None, root=CIPH, older=False, **rest):
    alias = alias_between(sender, receiver) if alias is None else alias
    body = sealed_text(name, 88) if body is None else body
    payload = root + (b"1:msg:" + alias + b"|" if older else b"1:comm:" + alias + b":") + body
    details = {"alias": alias.hex(), "body_length": len(body)}
    if "text" in rest:
        details |= {"text": rest.pop("text"), "text_for": receiver}
    return Operation(name, "contextual_message", sender, rest.pop("outputs", (sender, sender)), payload,
                     details=details, **rest)


def message_of_payload_size(sender, receiver, size):
    """A message whose transaction payload has `size` bytes, so its hex has twice as many."""
    name = f"hex-{2 * size}"
    fixed = len(CIPH + b"1:comm:") + len(alias_between(sender, receiver)) + 1
    return message(name, sender, receiver, body=sealed_text(name, size - fixed),
                   note=f"payload of {size} bytes, {2 * size} in hex")


def handshake(name, sender, receiver, payload=None, prefix=CIPH + b"1:handshake:", legacy=False, **rest):
    payload = prefix + noise(name, 145) if payload is None else payload
    return Operation(name, "handshake", sender, rest.pop("outputs", (receiver, sender)), payload,
                     details={"legacy": legacy}, **rest)


def payment(name, sender, receiver, body=None, prefix=CIPH + b"1:payment:", **rest):
    body = noise(name, 120) if body is None else body
    memo = None
    if isinstance(body, str):
        body = json.dumps({"message": body}, ensure_ascii=False).encode()
        memo = json.loads(body)["message"]
    return Operation(name, "payment", sender, rest.pop("outputs", (receiver, sender)), prefix + body,
                     details={"memo": memo}, **rest)


def plain(name, kind, sender, payload, note="", receiver=None, **details):
    return Operation(name, kind, sender, (receiver or sender, sender), payload, note, details)


def group_message(name, sender, owner=None, key=None, root=CIPH, note="", **rest):
    """`owner`: whose blinded group id it bears; `key`: whose key it names as the sender's."""
    owner, key = owner or sender, key or sender
    fields = {
        "blinded_group_id": noise(f"group {owner}", 32).hex(), "epoch": 7, "sender_id": noise(f"id {sender}", 32).hex(),
        "sender_public_key": WALLETS[key].x_only, "message_id": noise(f"message id {name}", 24).hex(),
    }
    tail = [noise(name, 96).hex(), noise(f"signature {name}", 64).hex()]
    payload = root + b"1:gcomm:" + ":".join([str(f) for f in fields.values()] + tail).encode()
    counts = key == sender and owner == sender
    return Operation(name, "group_message", sender, (sender, sender), payload, note,
                     {"group": fields, "counts": counts}, **rest)


def tell(on_chain):
    """All operations in order; `on_chain` are the three payloads taken from Kaspa's mainnet."""
    alias_of_alice = alias_between("alice", "bob")
    voice = CIPH + b"1:"
    recipient = WALLETS["bob"].x_only.encode()
    operations = [
        payment("first-spend", "alice", "bob", "Welcome to Kasia"),
        handshake("handshake-on-chain", "alice", "bob", on_chain[0], note="payload taken from mainnet"),
        message_of_payload_size("alice", "bob", 50000),
        handshake("handshake-answer", "bob", "alice", prefix=KCHAT + b"1:hs:"),
        payment("double-spend-refused", "dave", "frank", "Thanks for the bike", at=10,
                note="wins over its rival", rival=(
            payment("double-spend-refused-rival", "dave", "eve", "Thanks for the boat", fate="refused",
                    note="invented; spends the coins of double-spend-refused in a later block: never accepted"), 213)),
        message("message-on-chain", "alice", "bob", alias=b"20f9260eb781",
                body=on_chain[1].split(b":", 4)[4], note="payload taken from mainnet"),
        message("message-answer", "bob", "alice", sealed("message-answer", "alice", ANSWER), root=KCHAT, copies=2,
                note="sealed for its receiver", text=ANSWER),
        handshake("handshake-legacy-on-chain", "carol", "alice", on_chain[2], legacy=True,
                  note="payload taken from mainnet: the unversioned form"),
        payment("double-spend-replaced", "dave", "carol", "Rent, paid once", at=27,
                note="accepted after its rival was taken out by a reorganisation", rival=(
                    payment("double-spend-replaced-rival", "dave", "alice", "Rent, it seems", fate="lost",
                            note="invented; accepted for a while, then reorganised out for good"), 218)),
        payment("double-spend-lost", "dave", "alice", "Bread", at=31, fate="lost",
                note="accepted for a while, then reorganised out for good", rival=(
                    payment("double-spend-lost-rival", "dave", "dave", "Bread for me",
                            note="invented; takes the place of double-spend-lost"), 219)),
        payment("payment-plain-memo", "alice", "bob", "Coffee on Tuesday? \u2615 \"my treat\"", copies=3),
        payment("payment-sealed", "bob", "carol", prefix=KCHAT + b"1:pay:"),
        message("message-older-form", "alice", "bob", older=True),
        plain("self-stash-scoped", "self_stash", "alice", voice + b"self_stash:contacts:" + sealed_text("scoped", 64),
              scope=b"contacts".hex()),
        plain("self-stash", "self_stash", "bob", voice + b"self_stash:" + sealed_text("stash", 64), scope=None),
        message("forged-from-alice", "eve", "bob", alias=alias_of_alice, outputs=("alice", "eve"),
                note="bears Alice's alias and pays coins to Alice, but the coins spent are Eve's"),
        group_message("group-first", "carol", copies=1),
        message("message-duplicated", "alice", "bob", copies=4),
        group_message("group-second", "carol", root=KCHAT),
        group_message("group-grace", "grace", note="the sender has an ECDSA address"),
        group_message("group-forged-key", "eve", owner="carol", key="carol",
                      note="names Carol's key, spends Eve's coins"),
        group_message("group-taken-id", "frank", owner="carol", note="Carol's blinded group id under Frank's key"),
        plain("group-control-addressed", "group_control", "carol", voice + b"gctl:" + recipient + b":" + noise(
            "addressed", 80).hex().encode(), recipient=recipient.decode()),
        plain("group-control", "group_control", "carol", voice + b"gctl:" + noise("control", 80).hex().encode(),
              recipient=None),
        plain("broadcast", "broadcast", "dave", KCHAT + b"1:bcast:kaspa:" + "gm, DAG \u2600".encode(),
              channel=b"kaspa".hex()),
        plain("unknown-kind", "unknown", "dave", voice + b"vote:yes"),
        plain("malformed-message", "malformed", "eve", voice + b"comm:noalias", malformed="contextual_message"),
        plain("malformed-group", "malformed", "eve", voice + b"gcomm:abab:7:cdcd", malformed="group_message"),
        plain("root-alone", "not_ours", "eve", CIPH, "nothing after the root"),
        plain("other-protocol", "not_ours", "frank", b'{"p":"krc-20","op":"mint","tick":"NACHO"}', "another protocol"),
        message("message-bytes", "carol", "alice", alias=b"\xff\xfe", body=noise("bytes", 60),
                note="alias and body are not text"),
    ]
    for size in (1749, 1750, 1751):
        operations.append(message_of_payload_size("alice", "bob", size))
    for size in (3499, 3500, 3501):
        operations.append(message(f"body-{size}", "alice", "bob", body=sealed_text(f"body-{size}", size),
                                  note=f"sealed body of {size} characters"))
    operations += [
        handshake("handshake-duplicated", "frank", "alice", prefix=CIPH + b"1:hs:", copies=2),
        payment("payment-to-oneself", "alice", "alice", "Savings"),
        payment("payment-from-nobody", "nobody", "bob", "Guess who",
                note="spends an output whose script has no address: the sender is unknown"),
        payment("payment-script-hash", "heidi", "alice", "From the treasury", note="the sender is a script hash"),
        payment("payment-ecdsa", "grace", "heidi", "To the treasury", note="ECDSA to script hash"),
        payment("payment-change-first", "bob", "alice", "Change comes first", outputs=("bob", "alice")),
        payment("payment-both-outputs", "bob", "alice", "No change", outputs=("alice", "alice"),
                note="both outputs go to the receiver: the amount is their sum"),
        payment("payment-long-memo", "carol", "bob", "\u00e9" * 1000,
                note="memo of 2000 bytes: payload null, memo kept"),
        payment("payment-huge-memo", "carol", "bob", "x" * 5000, note="the memo does not fit either"),
        payment("payment-number-memo", "carol", "bob", b'{"message":7}', note="the message is not a text: no memo"),
        payment("payment-empty-body", "carol", "bob", b""),
        handshake("handshake-to-oneself", "dave", "dave"),
        handshake("handshake-kchat", "carol", "bob", prefix=KCHAT + b"1:handshake:"),
        message("message-unwatched", "frank", "grace"),
    ]
    for number, (sender, receiver, text) in enumerate(CHAT):
        name = f"chat-{number + 1}"
        operations.append(message(name, sender, receiver, sealed(name, receiver, text),
                                  root=(CIPH, KCHAT)[number % 2], copies=(0, 1, 0)[number % 3],
                                  note="sealed for its receiver", text=text))
    return operations + [
        payment("payment-unmerged", "bob", "alice", "Too late", fate="never", at=215,
                note="in a tip: nothing merges it"),
        message("message-unmerged", "alice", "bob", fate="never", at=219, note="in the sink: nothing merges it"),
    ]
