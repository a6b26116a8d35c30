#!/usr/bin/env python3
"""Writes the golden notifications of the recorded blocks: recorded-blocks.notifications.json.

An independent implementation of the app developer guide ("What the device is told of", "Receive") over
recorded-blocks.expected.json, for devices that register over REST before the recording is caught up with in one go. `seq` is left out: the test checks the numbering.
Python's standard library only; run it without arguments.
"""
import json
import pathlib
import uuid

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = json.loads((HERE / "recorded-blocks.expected.json").read_text())
ADDRESS = {wallet["name"]: wallet["address"] for wallet in EXPECTED["wallets"]}
STRANGER = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
ALICE_ALIAS = next(
    bytes.fromhex(o["alias"]).decode() for o in EXPECTED["operations"] if o["name"] == "message-on-chain")
MAX_PAYLOAD = 3500
MAX_NOTIFICATION = 4096


def device(name, number, watched, primary=None, aliases=None, payload_format=None):
    registration = {
        "device_token": f"{number:02x}" * 32, "platform": "ios",
        "watched_addresses": [ADDRESS.get(who, who) for who in watched]}
    if primary:
        registration["primary_address"] = ADDRESS[primary]
    if aliases:
        registration["aliases"] = aliases
    if payload_format:
        registration["payload_format"] = payload_format
    return {"name": name, "registration": registration}


DEVICES = [
    device("alice-phone", 0xA1, ["alice", "bob", "carol", "dave", "eve"], primary="alice"),
    device("alice-tablet", 0xA2, ["carol", "frank"], primary="alice", payload_format="kachat"),
    device("bob-phone", 0xB1, ["alice", "bob"], primary="bob", payload_format="kachat"),
    device("carol-one-conversation", 0xC1, ["alice", "bob"], primary="carol", aliases=[ALICE_ALIAS]),
    device("watcher-without-primary", 0xD1, ["alice", "bob", "heidi"], payload_format="kasia"),
    device("stranger", 0xE1, [STRANGER]),
]


def short(address):
    return address if len(address) <= 16 else address[:8] + "..." + address[-6:]


def kas(sompi):
    whole, rest = divmod(sompi, 100_000_000)
    return str(whole) + (("." + f"{rest:08d}".rstrip("0")) if rest else "")


def sealed_body(operation):
    payload = bytes.fromhex(operation["payload"])
    root = next(r for r in (b"ciph_msg:", b"kchat:") if payload.startswith(r))
    rest = payload[len(root):]
    for head in (b"1:handshake:", b"1:hs:", b"1:payment:", b"1:pay:"):
        if rest.startswith(head):
            return rest[len(head):]
    for head, separator in ((b"1:comm:", b":"), (b"1:msg:", b"|")):
        if rest.startswith(head):
            return rest[len(head):].split(separator, 1)[1]
    return rest  # the unversioned handshake


def watches(registration, operation):
    sender, receiver = operation["sender"], operation["receiver"]
    watched, primary = registration["watched_addresses"], registration.get("primary_address")
    if operation["kind"] == "contextual_message":
        if sender is None or sender not in watched or primary == sender:
            return False
        aliases = registration.get("aliases")
        return not aliases or operation["alias"] in [a.encode().hex() for a in aliases]
    if operation["kind"] in ("payment", "handshake"):
        if receiver is None or receiver == sender:
            return False
        return primary == receiver or (primary is None and receiver in watched)
    return False


def size(body):
    # seq has at most two digits here.
    return len(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()) + len(',"seq":99')


def fitting(candidates):
    body = next(b for b in candidates if size(b) <= MAX_NOTIFICATION)
    assert all(abs(size(b) - MAX_NOTIFICATION) > 8 for b in candidates), "too close to the limit for this script"
    return body


def kasia(operation):
    kind, sender = operation["kind"], operation["sender"]
    title = {"contextual_message": "New Message", "payment": "Payment Received", "handshake": "New Contact Request"}[kind]
    category = {
        "contextual_message": "KASIA_MESSAGE", "payment": "KASIA_PAYMENT", "handshake": "KASIA_CONTACT_REQUEST"}[kind]
    name = short(sender) if sender else "unknown sender"
    text = f"{kas(operation['amount'])} KAS from {name}" if kind == "payment" else f"From {name}"
    aps = {"alert": {"title": title, "body": text}, "sound": "default", "category": category, "mutable-content": 1}
    if sender:
        aps["thread-id"] = sender
    if kind == "contextual_message":
        aps["content-available"] = 1
    fields = {
        "type": kind, "txId": operation["id"], "sender": sender, "timestamp": operation["block_time"],
        "daaScore": operation["accepting_daa_score"]}
    if kind == "payment":
        fields["amount"] = operation["amount"]
    memo = operation.get("memo")
    payload = operation["payload"] if len(operation["payload"]) <= MAX_PAYLOAD else None
    shapes = [(payload, memo), (payload, None), (None, memo), (None, None)]
    return fitting([
        {"aps": aps, "kasia": dict(fields, payload=p, **({"memo": m} if m is not None else {}))} for p, m in shapes])


def kachat(operation):
    kind, sender = operation["kind"], operation["sender"]
    text = {"contextual_message": "New message", "payment": "Payment received", "handshake": "Started a conversation"}[kind]
    body = {
        "aps": {"alert": {"title": sender or "Unknown sender", "body": text}, "mutable-content": 1, "content-available": 1},
        "tx_id": operation["id"],
        "type": "contextual" if kind == "contextual_message" else kind,
        "timestamp": operation["block_time"], "daa_score": operation["accepting_daa_score"]}
    if sender:
        body["sender"] = sender
    if kind == "payment":
        body["amount"] = operation["amount"]
    sealed = sealed_body(operation)
    printable = all(0x20 <= byte <= 0x7E for byte in sealed)
    payload = sealed.decode() if printable else sealed.hex()
    return fitting(([dict(body, payload=payload)] if len(payload) <= MAX_PAYLOAD else []) + [body])


def main():
    chain = {block: index for index, block in enumerate(EXPECTED["virtual_chain"])}
    notifications = []
    for entry in DEVICES:
        registration = entry["registration"]
        token = registration["device_token"]
        for operation in EXPECTED["operations"]:
            if not operation["accepted"] or not watches(registration, operation):
                continue
            name = f"kasia-push:{EXPECTED['network']}:{operation['id']}:{token}"
            shape = kachat if registration.get("payload_format") == "kachat" else kasia
            notifications.append({
                "device": entry["name"], "operation": operation["name"], "token": token, "tx_id": operation["id"],
                "chain_index": chain[operation["accepting_block"]],
                "apns_id": str(uuid.uuid5(uuid.NAMESPACE_OID, name)), "body": shape(operation)})
    document = {"devices": DEVICES, "notifications": notifications}
    path = HERE / "recorded-blocks.notifications.json"
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    counts = {d["name"]: sum(n["device"] == d["name"] for n in notifications) for d in DEVICES}
    print(f"{path.name}: {len(notifications)} notifications", counts)


if __name__ == "__main__":
    main()
