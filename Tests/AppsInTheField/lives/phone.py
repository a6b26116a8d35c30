"""The life of an iPhone: install, update, sign out, another wallet, reinstall, a build from Xcode."""
import address
from apple import DEVELOPMENT, PRODUCTION
from claims import equal, expect
from ios_app import BEFORE_GROUPS, REGISTER, RENAMED, Build, IOSApp, encoded
from payload import contextual, sealed_text

LARGEST_BODY, BODY_LIMIT = 67_470, 128 * 1024


def play(claims, services):
    _installs(claims, services)
    _signs_out(claims, services)
    _changes_wallets(claims, services)
    _is_reinstalled(claims, services)
    _comes_from_xcode(claims, services)
    _has_a_large_body(claims, services)


def _succeeds(answer):
    expect(answer.status == 200, answer)


def _message(services, sender, alias="0a1b2c3d4e5f"):
    return services.chain.message(sender, contextual(alias, sealed_text(services.random.randbytes(90))))


def _told_of(services, app, transaction, host=None):
    return [push for push in services.apple.pushes(app.token, host) if transaction.id in str(push)]


def _installs(claims, services):
    contact = services.wallet()
    builds = {"before groups, without the group line": BEFORE_GROUPS, "with the group line": Build(),
              "of the renamed domain": RENAMED}
    apps = {name: services.app(build=build) for name, build in builds.items()}
    for name, app in apps.items():
        app.watched = [contact.address]
        with claims.claim(f"registration: a build {name} registers with its device key"):
            _succeeds(app.register())
            expect(app.is_registered(), "it is not registered")
    newcomer = services.wallet()
    for name, app in apps.items():
        with claims.claim(f"registration: a build {name} updates by PUT without platform"):
            app.watched.append(newcomer.address)
            _succeeds(app.update())
    first, second = _message(services, contact), _message(services, newcomer)
    services.tell(first, second)
    for name, app in apps.items():
        with claims.claim(f"registration: a build {name} is pushed what it asked for"):
            for transaction in (first, second):
                equal(len(_told_of(services, app, transaction)), 1, "pushes")
    with claims.claim("R12 the members of posts are taken and change nothing"):
        app = services.app()
        app.watched = [contact.address]
        app.further = {"kaposts_notify_mentions": False, "kaposts_a_member_to_come": {"a": [1]}}
        _succeeds(app.register())
    with claims.claim("R11 a registration with a channel that is not indexed is taken"):
        app = services.app()
        app.watched, app.channels = [contact.address], ["kaspa", "some-other-room"]
        app.hidden = {"kaspa": [newcomer.address]}
        _succeeds(app.register())


def _signs_out(claims, services):
    contact = services.wallet()
    apps = {"with the group line": services.app(), "without it": services.app(build=BEFORE_GROUPS),
            "of the renamed domain": services.app(build=RENAMED)}
    for app in apps.values():
        app.watched = [contact.address]
        _succeeds(app.register())
    before = _message(services, contact)
    services.tell(before)
    for name, app in apps.items():
        with claims.claim(f"R4 signing out is answered 200, {name}"):
            expect(_told_of(services, app, before), "it was not pushed before")
            _succeeds(app.sign_out())
            expect(not app.is_registered(), "it is still registered")
    after = _message(services, contact)
    services.tell(after)
    for name, app in apps.items():
        with claims.claim(f"R4 signing out ends the pushes, {name}"):
            equal(_told_of(services, app, after), [])
    with claims.claim("R4 signing out twice is answered 200"):
        _succeeds(apps["with the group line"].sign_out())
    with claims.claim("R4 after signing out the same phone signs in again"):
        _succeeds(apps["with the group line"].register())
    with claims.claim("R4 groups that are in the body are not signed away by a text without their line"):
        app = services.app()
        app.watched, app.groups = [contact.address], [services.random.randbytes(32).hex()]
        body = app.registration()
        app.groups = []
        body["auth"] = app.auth(app.intent("POST", REGISTER))
        equal(app.send("POST", REGISTER, body).status, 401)


def _changes_wallets(claims, services):
    contact, others_contact = services.wallet(), services.wallet()
    first = services.app()
    first.watched = [contact.address]
    _succeeds(first.register())
    second = IOSApp(first.phone, services.wallet())
    second.token = first.token
    second.watched, second.aliases = [others_contact.address], ["f00dfeed0001"]
    with claims.claim("R5 a second wallet's registration is refused in the words that the app looks for"):
        answer = second.register()
        equal(answer.status, 401)
        expect("bound to another wallet" in answer.error, answer)
    with claims.claim("R5 an update by the second wallet is refused in the same words"):
        answer = second.update()
        equal(answer.status, 401)
        expect("bound to another wallet" in answer.error, answer)
    recovery = second.recovery()
    with claims.claim("R5 the new wallet's DELETE over its real lists passes by the old device key"):
        _succeeds(second.send("DELETE", "/v1/push/unregister", recovery))
    with claims.claim("R5 its nonce is consumed"):
        equal(second.send("DELETE", "/v1/push/unregister", recovery).status, 401)
    with claims.claim("R5 then the second wallet registers"):
        _succeeds(second.register())
    old, new = _message(services, contact), _message(services, others_contact, "f00dfeed0001")
    services.tell(old, new)
    with claims.claim("R5 the phone is pushed the second wallet's messages and no more of the first's"):
        equal(len(_told_of(services, second, new)), 1, "of the second wallet")
        equal(_told_of(services, second, old), [], "of the first wallet")


def _is_reinstalled(claims, services):
    contact = services.wallet()
    app = services.app()
    app.watched = [contact.address]
    for _ in range(4):
        _succeeds(app.register())
    app.phone.counter = 0
    again = IOSApp(app.phone, app.wallet)
    again.watched = [contact.address]
    with claims.claim("R6 a reinstalled app registers its new token with the old device key and counter 1"):
        _succeeds(again.register())
        equal(app.phone.counter, 1, "the counter")
    with claims.claim("R6 its next change counts on"):
        _succeeds(again.update())
    with claims.claim("R6 within one token the counter must grow"):
        equal(again.register(counter=2).status, 401)
        _succeeds(again.register(counter=3))
    with claims.claim("R6 the old token's counter stays where it was"):
        equal(app.register(counter=4).status, 401)
    message = _message(services, contact)
    services.tell(message)
    with claims.claim("R6 the new token is pushed"):
        equal(len(_told_of(services, again, message)), 1)
    with claims.claim("R6 the reinstalled app signs out"):
        again.phone.counter = 3
        _succeeds(again.sign_out())


def _comes_from_xcode(claims, services):
    hosts = services.apple
    contact = services.wallet()
    said, store = services.app(environment=DEVELOPMENT), services.app(environment=PRODUCTION)
    silent, silent_store = services.app(environment=None), services.app(environment=None)
    wrong, lost = services.app(environment=PRODUCTION), services.app(environment=None)
    for app in (said, store, silent, silent_store, wrong, lost):
        app.watched = [contact.address]
        _succeeds(app.register())
    hosts.only_at(DEVELOPMENT, said.token, silent.token, wrong.token)
    hosts.only_at(PRODUCTION, store.token, silent_store.token)
    hosts.refuses(lost.token)
    first = _message(services, contact)
    services.tell(first)

    def reasons(app, host):
        return [entry["reason"] for entry in hosts.requests(app.token, host)]

    with claims.claim("R9 a development build is pushed at the development host, and only there"):
        equal(len(_told_of(services, said, first, DEVELOPMENT)), 1, "at the development host")
        equal(reasons(said, PRODUCTION), [], "requests at the other")
    with claims.claim("R9 a production build is pushed at the production host, and only there"):
        equal(len(_told_of(services, store, first, PRODUCTION)), 1, "at the production host")
        equal(reasons(store, DEVELOPMENT), [], "requests at the other")
    with claims.claim("R9 a device that never said is pushed at the other host after BadDeviceToken"):
        equal(len(_told_of(services, silent, first, DEVELOPMENT)), 1, "at the development host")
        equal(reasons(silent, PRODUCTION), ["BadDeviceToken"])
    with claims.claim("R9 a device that never said and is good at the operator's host is not tried elsewhere"):
        equal(len(_told_of(services, silent_store, first, PRODUCTION)), 1)
        equal(reasons(silent_store, DEVELOPMENT), [])
    with claims.claim("R9 a device that said the wrong environment is not tried at the other host"):
        equal((reasons(wrong, PRODUCTION), reasons(wrong, DEVELOPMENT)), (["BadDeviceToken"], []))
    with claims.claim("R9 a token that both hosts refuse is tried once at each"):
        equal((reasons(lost, PRODUCTION), reasons(lost, DEVELOPMENT)), (["BadDeviceToken"], ["BadDeviceToken"]))
    with claims.claim("R9 an update without apns_environment is taken"):
        said.environment = None
        _succeeds(said.update())
    second = _message(services, contact)
    services.tell(second)
    with claims.claim("R9 what an update left out is still in effect"):
        equal(len(_told_of(services, said, second, DEVELOPMENT)), 1)
        equal(reasons(said, PRODUCTION), [], "requests at the other")
    with claims.claim("R9 the host that worked is kept"):
        equal(len(_told_of(services, silent, second, DEVELOPMENT)), 1, "at the development host")
        equal(len(reasons(silent, PRODUCTION)), 1, "requests at the other")
    with claims.claim("R9 a refusal by both hosts is one strike, not two"):
        expect(lost.is_registered(), "it is removed after two pushes")
        equal(len(reasons(lost, DEVELOPMENT)), 2)
    services.tell(_message(services, contact))
    with claims.claim("R9 after three refusals by both hosts in a row the device is removed"):
        expect(not lost.is_registered(), "it is still registered")
    with claims.claim("R9 a build from Xcode stays registered"):
        for app in (said, silent):
            expect(app.is_registered(), "it is removed")
    with claims.claim("R9 a device that moves from Xcode to the store is pushed at the production host"):
        said.environment = PRODUCTION
        hosts.only_at(PRODUCTION, said.token)
        _succeeds(said.update())
        message = _message(services, contact)
        services.tell(message)
        equal(len(_told_of(services, said, message, PRODUCTION)), 1)


def _has_a_large_body(claims, services):
    app = services.app(build=Build("kchat", members=("environment",)))
    random = services.random
    app.watched = [address.encode(0, random.randbytes(32)) for _ in range(256)]
    app.aliases = [random.randbytes(32).hex() for _ in range(256)]
    app.groups = [random.randbytes(32).hex() for _ in range(256)]
    app.further = {"watch_only_addresses": [address.encode(0, random.randbytes(32)) for _ in range(200)]}

    def body(size):
        """A registration of so many bytes: the token of DeviceCheck fills what the lists leave."""
        registration = app.registration()
        registration["auth"]["devicecheck_token"] = ""
        missing = size - len(encoded(registration, random))
        expect(missing >= 0, f"the lists alone have {size - missing} bytes")
        registration["auth"]["devicecheck_token"] = "A" * missing
        data = encoded(registration, random)
        equal(len(data), size)
        return data

    with claims.claim(f"R13 the largest body that the limits allow, {LARGEST_BODY} bytes, is taken"):
        _succeeds(app.send("POST", REGISTER, body(LARGEST_BODY)))
    with claims.claim("R13 a body of 128 KiB is taken"):
        _succeeds(app.send("POST", REGISTER, body(BODY_LIMIT)))
    with claims.claim("R13 a body of 128 KiB and a byte is 413"):
        equal(app.send("POST", REGISTER, body(BODY_LIMIT + 1)).status, 413)
    with claims.claim("R13 the limit holds for updates and sign-outs alike"):
        for method, path in (("PUT", "/v1/push/update"), ("DELETE", "/v1/push/unregister")):
            equal(app.send(method, path, body(BODY_LIMIT + 1)).status, 413, path)
            expect(app.send(method, path, body(BODY_LIMIT)).status != 413, f"{path} refuses 128 KiB")
