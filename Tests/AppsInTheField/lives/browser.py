"""Kasia web in a real browser: what the browser itself lets a page of another origin do."""
import urllib.parse

from chain import KAS
from claims import equal, expect
from kasia_web import KasiaWeb
from payload import contextual, group_message, payment


def play(claims, services):
    chain, group = services.chain, services.random.randbytes(32).hex()
    writer, reader = services.wallet(), services.wallet()
    chat = chain.message(writer, contextual("0a0b", b"c2VhbGVk"))
    shared = chain.message(writer, group_message(writer, group, services.random))
    services.tell(chat, shared)
    address = urllib.parse.quote(writer.address)
    by_sender = f"/contextual-messages/by-sender?address={address}&alias={b'0a0b'.hex()}&limit=50&block_time=0"
    wrong, missing = "/payments/by-receiver?address=nobody", "/contextual-messages/by-txid?tx_id=" + "ab" * 32
    batch = "/group-messages/by-blinded-group-ids", {"queries": [{"blindedGroupId": group, "limit": 50}]}
    since = "/group-messages/since", {"blindedGroupIds": [group], "sinceBlockTime": 0, "limit": 50}
    page = KasiaWeb(services.folder, {
        "indexer": f"http://127.0.0.1:{services.port}", "gets": [by_sender, wrong, missing], "posts": [batch, since],
        "closed": [["POST", "/v1/push/register"], ["DELETE", "/v1/push/unregister"]],
        "stream": f"/v1/activity/stream?address={urllib.parse.quote(reader.address)}",
    })
    try:
        with claims.claim("Kasia web: a list is fetched from another origin"):
            outcome = page.told("GET " + by_sender)[0]
            equal([row["tx_id"] for row in outcome.get("body", [])], [chat.id], str(outcome))
        with claims.claim("Kasia web: an error's status and sentence can be read"):
            outcome = page.told("GET " + wrong)[0]
            equal(outcome.get("status"), 400, str(outcome))
            expect(outcome["body"]["error"], outcome)
        with claims.claim("Kasia web: a 404 can be told from a server that is gone"):
            equal(page.told("GET " + missing)[0].get("status"), 404)
        with claims.claim("L10 in a browser: POST with a JSON body passes its preflight and is answered"):
            outcome = page.told("POST " + batch[0])[0]
            expect("body" in outcome, outcome)
            equal([row["tx_id"] for row in outcome["body"]["results"][0]["messages"]], [shared.id])
        with claims.claim("L10 in a browser: what is new since a time"):
            outcome = page.told("POST " + since[0])[0]
            expect("body" in outcome, outcome)
            equal([row["tx_id"] for row in outcome["body"]["messages"]], [shared.id])
        for call in ("POST /v1/push/register", "DELETE /v1/push/unregister"):
            with claims.claim(f"L10 in a browser: {call} is kept from a page of another origin"):
                expect("error" in page.told(call)[0], page.told(call)[0])
        with claims.claim("Kasia web: an EventSource of another origin opens"):
            page.told("stream")
        with claims.claim("Kasia web: a payment arrives at it while it is open"):
            pay = chain.payment(writer, reader, 2 * KAS, payment(b"sealed"))
            services.tell(pay)
            events = page.told("activity", 15)
            equal((events[0]["data"]["id"], events[0]["data"]["amount"]), (pay.id, 2 * KAS))
            expect(events[0]["id"], "the event has no id to resume from")
    finally:
        page.close()
