"""Broadcasts to phones whose bell is on (section 4)."""
import address
from claims import equal, expect
from notification import Shown
from payload import CIPH, KCHAT, broadcast

PUSH_LIMIT, PREVIEW_LIMIT = 30, 150


def play(claims, services):
    _rings_the_bell(claims, services)
    _is_not_flooded(claims, services)


def _pushes(services, app, transaction):
    return [push for push in services.apple.pushes(app.token) if transaction.id in str(push)]


def _installed(services, channels, hidden=None, wallet=None):
    app = services.app(wallet=wallet)
    app.watched = [services.wallet().address]
    app.channels, app.hidden = channels, hidden or {}
    answer = app.register()
    expect(answer.status == 200, answer)
    return app


def _rings_the_bell(claims, services):
    author, hidden = services.wallet(), services.wallet()
    listener = _installed(services, ["kaspa", "golf"], {"kaspa": [hidden.address]})
    everywhere = _installed(services, ["kachat-bugs", "kaspa"], {"kachat-bugs": [hidden.address]})
    authors_phone = _installed(services, ["kaspa"], wallet=author)
    deaf = _installed(services, [])
    reference = {"txId": "ab" * 32, "sender": author.address, "content": "x" * 60}
    contents = {
        "plain": "gm: DAG \u2600",
        "reply": {"type": "reply", "reference": reference, "text": "that is so"},
        "long reply": {"type": "reply", "reference": reference, "text": "y" * 200},
        "file": {"type": "file", "mimeType": "audio/webm", "content": "A" * 400},
        "reaction": {"type": "reaction", "reference": reference, "emoji": "\U0001F44D"},
        "edit": {"type": "edit", "reference": reference, "text": "otherwise"},
        "long": "\u00e9" * 400,
    }
    chain = services.chain
    told = {name: chain.message(author, broadcast("kaspa", content)) for name, content in contents.items()}
    told["shouted"] = chain.message(author, broadcast(" KaSpa ", "loud", CIPH))
    told["hidden"] = chain.message(hidden, broadcast("kaspa", "buy"))
    told["bugs"] = chain.message(hidden, broadcast("kachat-bugs", "a bug"))
    told["golf"] = chain.message(author, broadcast("golf", "fore"))
    told["own"] = chain.message(author, broadcast("kaspa", "mine"))
    services.tell(list(told.values()))

    def shown(name, app=listener):
        pushes = _pushes(services, app, told[name])
        equal(len(pushes), 1, f"pushes of {name}")
        return Shown(pushes[0])

    with claims.claim("section 4, broadcasts: a phone with the bell on is pushed, exactly in this shape"):
        shown("plain")
        push = dict(_pushes(services, listener, told["plain"])[0])
        expect(isinstance(push.pop("seq", None), int), "no seq")
        equal(push, {
            "aps": {
                "alert": {"title": "#kaspa", "subtitle": address.shortened(author.address), "body": "gm: DAG \u2600"},
                "sound": "default", "thread-id": "broadcast:kaspa", "mutable-content": 1},
            "type": "broadcast", "tx_id": told["plain"].id})
    with claims.claim("section 4, broadcasts: the extension takes it for a broadcast and not for a chat"):
        equal((shown("plain").kind, shown("plain").channel), ("broadcast", "kaspa"))
        expect("sender" not in _pushes(services, listener, told["plain"])[0], "it has a sender")
    with claims.claim("section 4, broadcasts: a collapse id keeps repeats apart: the transaction"):
        entry = [e for e in services.apple.requests(listener.token) if told["plain"].id in e["body"]][0]
        equal((entry["collapse_id"], entry["push_type"], entry["topic"]),
              (told["plain"].id, "alert", "com.kachat.app"))
    with claims.claim("section 4, broadcasts: a reply shows its text, taken out before anything is cut"):
        equal(shown("reply").alert["body"], "that is so")
        body = shown("long reply").alert["body"]
        expect(body.startswith("y" * (PREVIEW_LIMIT - 3)) and len(body) <= PREVIEW_LIMIT, body)
    with claims.claim("section 4, broadcasts: a voice message says that it is one"):
        equal(shown("file").alert["body"], "Voice message")
    with claims.claim(f"section 4, broadcasts: a preview has at most {PREVIEW_LIMIT} characters"):
        body = shown("long").alert["body"]
        expect(body.startswith("\u00e9" * (PREVIEW_LIMIT - 3)) and len(body) <= PREVIEW_LIMIT, body)
    for name in ("reaction", "edit"):
        with claims.claim(f"section 4, broadcasts: {name}s are not pushed, and text is"):
            shown("plain")
            equal(_pushes(services, listener, told[name]), [])
    with claims.claim("section 4, broadcasts: a channel is trimmed and lower-cased"):
        equal(shown("shouted").channel, "kaspa")
    with claims.claim("section 4, broadcasts: a sender hidden under the channel is not pushed"):
        shown("plain")
        equal(_pushes(services, listener, told["hidden"]), [])
    with claims.claim("section 4, broadcasts: hidden under another channel he is"):
        equal(shown("hidden", everywhere).channel, "kaspa")
        equal(_pushes(services, everywhere, told["bugs"]), [])
    with claims.claim("section 4, broadcasts: a channel that is not the operator's is not heard"):
        shown("plain")
        equal(_pushes(services, listener, told["golf"]), [])
    with claims.claim("section 4, broadcasts: one's own is not pushed"):
        shown("plain")
        equal([_pushes(services, authors_phone, told[name]) for name in ("own", "plain")], [[], []])
    with claims.claim("section 4, broadcasts: a phone without the bell hears nothing"):
        shown("plain")
        equal(services.apple.pushes(deaf.token), [])
    with claims.claim("section 4, broadcasts: the bell is turned off by an update"):
        shown("plain")
        listener.channels = []
        expect(listener.update().status == 200, "the update fails")
        later = chain.message(author, broadcast("kaspa", "still there?"))
        services.tell(later)
        equal(len(_pushes(services, everywhere, later)), 1, "to the other phone")
        equal(_pushes(services, listener, later), [])


def _is_not_flooded(claims, services):
    app = _installed(services, ["kaspa"])
    authors = [services.wallet() for _ in range(3)]
    flood = [services.chain.message(author, broadcast("kaspa", f"noise {n}", KCHAT))
             for author in authors for n in range(12)]
    services.tell(flood)
    with claims.claim(f"section 4, broadcasts: at most {PUSH_LIMIT} pushes an hour and device"):
        equal(len(services.apple.pushes(app.token)), PUSH_LIMIT)
