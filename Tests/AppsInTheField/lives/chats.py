"""Chats as the notification extension reads them, and messages from strangers to an inbox (section 4)."""
from claims import equal, expect
from ios_app import Build
from kasia_app import KasiaApp
from notification import Shown
from payload import CIPH, KCHAT, contextual, inbox, sealed_text

INBOX_LIMIT = 30
ALIAS = "1f2e3d4c5b6a"


def play(claims, services):
    _reads_payloads(claims, services)
    _hears_strangers(claims, services)
    _is_not_flooded(claims, services)


def _pushes(services, app, transaction):
    return [push for push in services.apple.pushes(app.token) if transaction.id in str(push)]


def _only(services, app, transaction):
    pushes = _pushes(services, app, transaction)
    equal(len(pushes), 1, "pushes")
    return pushes[0]


def _installed(services, build=None, **wishes):
    app = services.app(build=build or Build())
    for name, value in wishes.items():
        setattr(app, name, value)
    answer = app.register()
    expect(answer.status == 200, answer)
    return app


def _reads_payloads(claims, services):
    contact = services.wallet()
    app = _installed(services, watched=[contact.address], aliases=[ALIAS])
    sealed = services.random.randbytes(70) + b"\xff\x00"
    forms = {"as base64": sealed_text(sealed), "as hex": sealed.hex().encode(), "as bytes": sealed}
    told = {}
    for name, body in forms.items():
        for root, word in ((CIPH, "ciph_msg"), (KCHAT, "kchat")):
            told[f"{name}, {word}"] = services.chain.message(contact, contextual(ALIAS, body, root))
    other = services.chain.message(contact, contextual("ffffffffffff", sealed_text(sealed)))
    long = services.chain.message(contact, contextual(ALIAS, sealed_text(services.random.randbytes(6000))))
    services.tell([*told.values(), other, long])
    for name, transaction in told.items():
        with claims.claim(f"section 2: the extension gets the sealed bytes of a message written {name}"):
            shown = Shown(_only(services, app, transaction))
            equal((shown.kind, shown.sender), ("contextual", contact.address))
            equal(shown.sealed(), sealed)
    with claims.claim("section 2: a message under an alias of nobody the phone knows is not pushed"):
        equal(_pushes(services, app, other), [])
    with claims.claim("section 2: a message too long for a push comes without payload, and is fetched"):
        expect(Shown(_only(services, app, long)).payload is None, "it has a payload")
        row = app.phone.caller.get(f"/v1/messages/{long.id}").json
        equal(bytes.fromhex(row["message_payload"]), long.payload.split(b":", 4)[4])


def _hears_strangers(claims, services):
    stranger, contact, bystander = (services.wallet() for _ in range(3))
    app = _installed(services, watched=[contact.address])
    second = services.app(wallet=app.wallet)
    second.watched = [stranger.address]
    expect(second.register().status == 200, "the second phone does not register")
    nested = KasiaApp(services.random, services.port, services.host(), app.wallet.address, [contact.address])
    expect(nested.register().status == 200, "the nested app does not register")
    elsewhere = _installed(services, watched=[bystander.address])
    owner = _installed(services, watched=[stranger.address])
    aliased = _installed(services, watched=[contact.address], aliases=[ALIAS])
    sealed = services.random.randbytes(80)
    tag = app.wallet.inbox_tag
    hello = services.chain.message(stranger, inbox(tag, ALIAS, sealed_text(sealed)))
    older = services.chain.message(stranger, inbox(tag, ALIAS, sealed_text(sealed), CIPH))
    known = services.chain.message(contact, inbox(tag, ALIAS, sealed_text(sealed)))
    oneself = services.chain.message(app.wallet, inbox(tag, ALIAS, sealed_text(sealed)))
    aliased_hello = services.chain.message(stranger, inbox(aliased.wallet.inbox_tag, ALIAS, sealed_text(sealed)))
    malformed = [
        services.chain.message(stranger, KCHAT + b"1:dm:" + text)
        for text in (tag.upper().encode() + b":a:b", tag[:31].encode() + b":a:b", tag.encode() + b"0:a:b",
                     tag.encode() + b":alias-alone", b"zz" * 16 + b":a:b")
    ]
    services.tell([hello, older, known, oneself, aliased_hello], malformed)
    with claims.claim("section 4, inbox: a stranger's first message is pushed to the primary address's phone"):
        push = _only(services, app, hello)
        shown = Shown(push)
        equal((shown.kind, shown.sender, shown.inbox), ("contextual", stranger.address, True))
        equal(shown.sealed(), sealed)
        equal(push["payload"], sealed_text(sealed).decode(), "the payload is the sealed part alone")
    with claims.claim("section 4, inbox: and under the older root"):
        equal(Shown(_only(services, app, older)).inbox, True)
    with claims.claim("section 4, inbox: a device that also watches the sender is pushed once"):
        equal(Shown(_only(services, second, hello)).inbox, True)
    with claims.claim("section 4, inbox: nested, it is a contextual_message with inbox true"):
        body = _only(services, nested, hello)["kasia"]
        equal((body["type"], body.get("inbox")), ("contextual_message", True))
    with claims.claim("section 4, inbox: who watches the sender is pushed too"):
        equal(Shown(_only(services, owner, hello)).sender, stranger.address)
    with claims.claim("section 4, inbox: another address's phone is not"):
        equal(_pushes(services, elsewhere, hello), [])
    with claims.claim("section 4, inbox: a message from a contact is pushed as well"):
        equal(Shown(_only(services, app, known)).sender, contact.address)
    with claims.claim("section 4, inbox: one's own message is not pushed"):
        equal(_pushes(services, app, oneself), [])
    with claims.claim("section 4, inbox: a list of aliases does not keep a first message away"):
        equal(Shown(_only(services, aliased, aliased_hello)).inbox, True)
    with claims.claim("section 4, inbox: anything else after dm: is malformed and not pushed"):
        for transaction in malformed:
            for device in (app, second, nested, owner):
                equal(_pushes(services, device, transaction), [], transaction.payload)


def _is_not_flooded(claims, services):
    contact = services.wallet()
    app = _installed(services, watched=[contact.address])
    neighbour = _installed(services, watched=[contact.address])
    strangers = [services.wallet() for _ in range(3)]

    def inboxes(sender, count, target=app):
        tag = target.wallet.inbox_tag
        return [services.chain.message(sender, inbox(tag, ALIAS, b"c2VhbGVk")) for _ in range(count)]

    flood = [message for stranger in strangers for message in inboxes(stranger, 12)]
    services.tell(flood[:18], flood[18:])
    with claims.claim(f"section 4, inbox: {INBOX_LIMIT} pushes an hour and device from senders it does not watch"):
        equal(sum(len(_pushes(services, app, message)) for message in flood), INBOX_LIMIT)
    after = inboxes(contact, 1), inboxes(strangers[0], 1, neighbour)
    chat = services.chain.message(contact, contextual(ALIAS, b"c2VhbGVk"))
    services.tell(after[0] + after[1] + [chat])
    with claims.claim("section 4, inbox: beyond it a watched sender's inbox message still comes through"):
        equal(len(_pushes(services, app, after[0][0])), 1)
    with claims.claim("section 4, inbox: and chats do"):
        equal(len(_pushes(services, app, chat)), 1)
    with claims.claim("section 4, inbox: another phone's limit is its own"):
        equal(len(_pushes(services, neighbour, after[1][0])), 1)
    with claims.claim("section 4, inbox: what was not pushed is listed all the same"):
        rows = app.phone.caller.get("/contextual-messages/by-inbox", {"tag": app.wallet.inbox_tag, "limit": 500}).json
        expect({message.id for message in flood} <= {row["tx_id"] for row in rows}, f"{len(rows)} rows")
