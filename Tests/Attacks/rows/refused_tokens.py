"""Row 3: invented tokens that Apple answers BadDeviceToken, for ever."""
from claims import eventually, expect
from payload import contextual

from . import invented

TOKENS, MESSAGES, FULL_TOKENS = 60, 6, 4_000


def prepare(services):
    invented.prepare(services)
    invented.invent(services, TOKENS)
    services.apple.refuses(*services.inventions)


def _registered(services):
    caller = services.caller()
    return [token for token in services.inventions
            if caller.get("/v1/push/status", {"device_token": token}).json["registered"]]


def small(claims, services):
    with claims.claim(f"row 3: {TOKENS} tokens that Apple never accepted are removed, with no guard for them"):
        for _ in range(MESSAGES):
            services.tell(services.chain.message(services.busy, contextual("a", b"busy")))
        eventually("they are removed", lambda: not _registered(services), 60)
    with claims.claim("row 3: the honest device stays, and gets its messages"):
        message = services.chain.message(services.honest_sender, contextual("a", b"honest"))
        services.tell(message)
        expect(services.honest.is_registered(), "the honest device is gone")
        expect(any(message.id in str(push) for push in services.apple.pushes(services.honest.token)), "it is lost")


transactions = invented.transactions


def load(services):
    """Registers them again and again, as fast as the service takes them."""
    tokens = [services.random.randbytes(32).hex() for _ in range(FULL_TOKENS)]
    services.apple.refuses(*tokens)
    return invented.loads(services, lambda: services.random.choice(tokens))
