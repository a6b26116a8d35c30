"""Which shape of push a device gets, and what is in it (section 2)."""
from chain import KAS
from claims import equal, eventually, expect
from ios_app import Build
from kasia_app import KasiaApp
from payload import contextual, group_control, group_message, handshake, payment, sealed_text

PLAIN = Build(members=())
KACHAT_MEMBERS = {
    "devicecheck_token": "AAAA", "app_attest_key_id": "AAAA", "watched_broadcast_channels": [],
    "hidden_broadcast_senders": {}, "kaposts_pubkey": "02" + "ab" * 32, "apns_environment": "production",
    "voip_token": "ab" * 32,
}


def play(claims, services):
    _chooses(claims, services)
    _is_nested(claims, services)
    _is_flat(claims, services)


def _pushed(services, app, transaction):
    """The one push of a transaction to a device."""
    pushes = [push for push in services.apple.pushes(app.token) if transaction.id in str(push)]
    equal(len(pushes), 1, "pushes")
    return pushes[0]


def _installed(answer):
    expect(answer.status == 200, answer)


def _chooses(claims, services):
    contact = services.wallet()

    def kasia(**further):
        return KasiaApp(services.random, services.port, services.host(), services.wallet().address, [contact.address],
                        **further)

    def iphone(build):
        app = services.app(build=build)
        app.watched = [contact.address]
        return app

    nested, flat = {}, {}
    nested["an unsigned app without members of KaChat's"] = kasia()
    nested["an app signed in the kasia domain without members of KaChat's"] = iphone(PLAIN)
    nested["payload_format kasia beside members of KaChat's"] = kasia(payload_format="kasia", voip_token="ab" * 32)
    flat["a signature in the kchat domain alone"] = iphone(Build("kchat", members=()))
    flat["payload_format kachat"] = kasia(payload_format="kachat")
    flat["devicecheck_token inside auth, as the app sends it"] = iphone(Build(members=("environment",)))
    flat["devicecheck_token inside auth, as the app sends it"].environment = None
    for member, value in KACHAT_MEMBERS.items():
        flat[f"the member {member} alone"] = kasia(**{member: value})
    for app in [*nested.values(), *flat.values()]:
        _installed(app.register())
    message = services.chain.message(contact, contextual("aa", sealed_text(b"sealed")))
    services.tell(message)
    for name, app in nested.items():
        with claims.claim(f"P1 nested for {name}"):
            push = _pushed(services, app, message)
            expect("kasia" in push and "tx_id" not in push, push)
    for name, app in flat.items():
        with claims.claim(f"P1 flat for {name}"):
            push = _pushed(services, app, message)
            expect("tx_id" in push and "kasia" not in push, push)


def _is_nested(claims, services):
    owner, contact, stranger, savings = (services.wallet() for _ in range(4))
    app = KasiaApp(services.random, services.port, services.host(), owner.address, [contact.address],
                   watch_only_addresses=[savings.address])
    _installed(app.register())
    chain = services.chain
    chat = chain.message(contact, contextual("aa", sealed_text(b"sealed")))
    pay = chain.payment(stranger, owner, 7 * KAS, payment(b"sealed"))
    shake = chain.payment(stranger, owner, KAS // 5, handshake(b"sealed"))
    funds = chain.payment(stranger, savings, 125 * KAS // 100)
    unknown = chain.payment(None, owner, 7 * KAS, payment(b"sealed"))
    services.tell([chat, pay, shake], [funds, unknown])
    kinds = (("a message", chat, contact, "KASIA_MESSAGE"), ("a payment", pay, stranger, "KASIA_PAYMENT"),
             ("a contact request", shake, stranger, "KASIA_CONTACT_REQUEST"))
    for name, transaction, sender, category in kinds:
        with claims.claim(f"P6 nested: {name} is grouped under its sender, with the category {category}"):
            aps = _pushed(services, app, transaction)["aps"]
            equal(aps.get("thread-id"), sender.address, "thread-id")
            equal(aps.get("category"), category, "category")
        with claims.claim(f"P3 nested: {name} has the default sound"):
            equal(_pushed(services, app, transaction)["aps"].get("sound"), "default")
    with claims.claim("P3 nested: received funds have the default sound"):
        equal(_pushed(services, app, funds)["aps"].get("sound"), "default")
    with claims.claim("P5 nested: a payment from nobody known says its amount, soon"):
        push = eventually("the push", lambda: [p for p in services.apple.pushes(app.token) if unknown.id in str(p)], 15)
        equal(push[0]["aps"]["alert"]["body"], "7 KAS from unknown sender")


def _is_flat(claims, services):
    owner, contact, stranger, savings = (services.wallet() for _ in range(4))
    app = services.app(wallet=owner)
    app.watched, app.groups = [contact.address], [services.random.randbytes(32).hex()]
    app.further = {"watch_only_addresses": [savings.address]}
    _installed(app.register())
    chain = services.chain
    chat = chain.message(contact, contextual("aa", sealed_text(b"sealed")))
    pay = chain.payment(stranger, owner, 125 * KAS // 100, payment(b"sealed"))
    shake = chain.payment(stranger, owner, KAS // 5, handshake(b"sealed"))
    group = chain.message(contact, group_message(contact, app.groups[0], services.random))
    control = chain.message(stranger, group_control(b"\x01\xfesealed", owner))
    funds = chain.payment(stranger, savings, 3 * KAS)
    unknown = chain.payment(None, owner, 7 * KAS, payment(b"sealed"))
    services.tell([chat, pay, shake], [group, control, funds], [unknown])
    with claims.claim("P2 flat: received funds have no sender, so the extension shows them as they came"):
        push = _pushed(services, app, funds)
        equal(push.get("type"), "address_activity")
        expect("sender" not in push, push)
    with claims.claim("P3 flat: received funds have the default sound"):
        equal(_pushed(services, app, funds)["aps"].get("sound"), "default")
    with claims.claim("P3 flat: where the extension sets the sound there is none"):
        for transaction in (chat, pay, shake, group, control):
            aps = _pushed(services, app, transaction)["aps"]
            expect("sound" not in aps and aps.get("mutable-content") == 1, aps)
    with claims.claim("P4 flat: an unknown sender is left out"):
        push = eventually("the push", lambda: [p for p in services.apple.pushes(app.token) if unknown.id in str(p)], 15)
        expect("sender" not in push[0], push[0])
        equal(push[0]["type"], "payment")
        equal(int(push[0]["amount"]), 7 * KAS)
    expected = (("a message", chat, contact, "contextual"), ("a payment", pay, stranger, "payment"),
                ("a handshake", shake, stranger, "handshake"), ("a group message", group, contact, "group_message"),
                ("a group update", control, stranger, "group_control"))
    for name, transaction, sender, kind in expected:
        with claims.claim(f"section 2, flat: {name} has the three texts that the extension asks for"):
            push = _pushed(services, app, transaction)
            equal((push.get("tx_id"), push.get("sender"), push.get("type")), (transaction.id, sender.address, kind))
    with claims.claim("section 2, flat: the app finds amount and timestamp as numbers"):
        push = _pushed(services, app, pay)
        equal((push["amount"], push["timestamp"]), (125 * KAS // 100, pay.block_time))
    with claims.claim("section 2, flat: a group message's payload is what follows gcomm, and its group is named"):
        push = _pushed(services, app, group)
        equal(push.get("blinded_group_id"), app.groups[0])
        equal(push.get("payload"), group.payload.decode().split(":", 2)[2].removeprefix("gcomm:"))
    with claims.claim("section 2, flat: a group update's payload is the sealed body in hex"):
        equal(_pushed(services, app, control).get("payload"), b"\x01\xfesealed".hex())
