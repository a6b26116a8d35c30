"""Row 8: somebody who knows a bound token unregisters it with a key of his own, and binds it to his wallet."""
from claims import equal, expect
from honest import Load
from ios_app import IOSApp


def prepare(services):
    services.owner = _registered(services)


def _registered(services):
    app = services.app()
    app.watched = [services.wallet().address]
    equal(app.register().status, 200)
    return app


def _stranger(services, owner):
    stranger = IOSApp(services.phone(), services.wallet())
    stranger.token = owner.token
    stranger.watched = [services.wallet().address]
    return stranger


def small(claims, services):
    owner = services.owner
    with claims.claim("row 8: after a stranger has unregistered a token, it is not his for the taking"):
        stranger = _stranger(services, owner)
        stranger.sign_out()
        taken = stranger.register()
        expect(taken.status != 200, f"a stranger has bound it: {taken}")
    with claims.claim("row 8: and its owner has it again at once"):
        equal(owner.register().status, 200)
        expect(owner.is_registered(), "the owner is locked out")


def load(services):
    owners = [_registered(services) for _ in range(4)]

    def attack(owner):
        stranger = _stranger(services, owner)
        stranger.sign_out()
        stranger.register()
        return owner.register().status

    return Load([lambda owner=owner: attack(owner) for owner in owners], pause=0.2)
